import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, startGateway } from '../../support/gateway.ts';
import { startBridge } from '../../support/upstreams.ts';
import { userMessage, type VaultFrame, vaultClient } from '../../support/vault-client.ts';

/** AgentVault clients before a whole gateway: what they send as the real one does, and what it would make of the answers. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway({ settings: '  growing: { kind: module, path: ./agents/growing-agent.ts }\n' });
});
afterAll(() => gateway.close());

const clientOf = (path: string) => vaultClient(`${gateway.origin}${path}`);
const pinned = () => clientOf('/as/agentvault-0.2/');

/** Waits for a state by asking, as a client would that does not subscribe. */
async function reach(id: string, state: string): Promise<void> {
  while ((await pinned().get(id)).state !== state) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** What the client would show of a stream, and that every frame is as it must be. */
function outline(frames: readonly VaultFrame[]): string[] {
  let before = 0;
  for (const { id } of frames) {
    expect(id).toMatch(/^\d+$/);
    expect(Number(id)).toBeGreaterThanOrEqual(before);
    before = Number(id);
  }
  return frames.map(({ event, data }) => {
    expect(Date.parse(data.timestamp ?? data.artifact?.timestamp)).toBeGreaterThan(0);
    if (event === 'task_status') return `${data.state}${data.message === null ? '' : `: ${data.message}`}`;
    if (event === 'task_message') return `${data.message.role} says ${data.message.parts[0].content}`;
    const { type, content, url } = data.artifact;
    return `${type} is ${url === null ? JSON.stringify(content) : 'a file'}`;
  });
}

const conversations: readonly (readonly [string, readonly string[]])[] = [
  ['hello', ['SUBMITTED', 'WORKING', 'echo is "hello"', 'COMPLETED']],
  ['say hi', ['SUBMITTED', 'assistant says hi', 'COMPLETED: hi']],
  ['data', ['SUBMITTED', 'WORKING', 'result is {"answer":42}', 'COMPLETED']],
  ['file', ['SUBMITTED', 'WORKING', 'result is a file', 'COMPLETED']],
  ['fail', ['SUBMITTED', 'assistant says Failed, as asked.', 'FAILED: Failed, as asked.']],
  ['reject', ['SUBMITTED', 'assistant says Rejected, as asked.', 'FAILED: Rejected, as asked.']],
  [
    'stream 5 2',
    ['SUBMITTED', 'WORKING', 'stream is "chunk 1"', 'stream is "chunk 1chunk 2chunk 3chunk 4chunk 5"', 'COMPLETED'],
  ],
  ['slow 40', ['SUBMITTED', 'WORKING', 'slow is "Done after 40 ms."', 'COMPLETED']],
];

describe('a stream of tasks/sendSubscribe', () => {
  it.each(conversations)('has the same events while the task runs and after its end: %s', async (text, expected) => {
    const id = await pinned().send(text);
    const frames = await pinned().follow(id);
    expect(outline(frames)).toEqual(expected);
    for (const client of [pinned(), clientOf('/demo/'), clientOf('/')]) expect(await client.follow(id)).toEqual(frames);
  });

  it.each(['user', 'assistant', 'system', 'tool'])(
    'contains no message of the client with the role %s',
    async (role) => {
      const id = await pinned().send({ role, parts: [{ type: 'text', content: 'hello' }] });
      expect(outline(await pinned().follow(id))).toEqual(['SUBMITTED', 'WORKING', 'echo is "hello"', 'COMPLETED']);
      expect((await pinned().get(id)).messages).toMatchObject([{ role, parts: [{ content: 'hello' }] }]);
    },
  );

  it.each(conversations)('follows a task that an A2A 1.0 client created: %s', async (text, expected) => {
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] };
    const configuration = { returnImmediately: true };
    // A direct message is no task; a v1 caller gets it at once.
    if (text.startsWith('say')) return;
    const { task } = await v1('/message:send', { message, configuration });
    expect(outline(await pinned().follow(task.id))).toEqual(expected);
  });

  it('continues across a question, and afterwards contains the latest turn only', async () => {
    const id = await pinned().send('ask');
    const stream = pinned().subscribe(id);
    const first = [(await stream.next()).value, (await stream.next()).value, (await stream.next()).value];
    expect(outline(first)).toEqual([
      'SUBMITTED',
      'assistant says What is your name?',
      'INPUT_REQUIRED: What is your name?',
    ]);
    expect(await pinned().send('Ada', { id })).toBe(id);
    const rest: VaultFrame[] = [];
    for await (const frame of stream) rest.push(frame);
    expect(outline(rest)).toEqual(['greeting is "Hello, Ada"', 'COMPLETED']);
    expect(await pinned().follow(id)).toEqual(rest);
    const { messages, state } = await pinned().get(id);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(state).toBe('COMPLETED');
  });

  it('contains the turn of an A2A 1.0 client', async () => {
    const id = await pinned().send('ask');
    await reach(id, 'INPUT_REQUIRED');
    await v1('/message:send', {
      message: { messageId: 'm2', taskId: id, role: 'ROLE_USER', parts: [{ text: 'Bob' }] },
    });
    expect(outline(await pinned().follow(id))).toEqual(['greeting is "Hello, Bob"', 'COMPLETED']);
  });

  it('waits for an authorization as for an answer', async () => {
    const id = await pinned().send('auth');
    const stream = pinned().subscribe(id);
    const frames = [(await stream.next()).value, (await stream.next()).value, (await stream.next()).value];
    expect(outline(frames).at(-1)).toBe('INPUT_REQUIRED: Please authorize.');
    await stream.return(undefined);
    expect((await pinned().get(id)).metadata).toEqual({ 'a2a-gateway/a2a-1.0': { state: 'TASK_STATE_AUTH_REQUIRED' } });
  });

  it('ends when the task is canceled', async () => {
    const id = await pinned().send('wait');
    const stream = pinned().subscribe(id);
    const frames: VaultFrame[] = [(await stream.next()).value, (await stream.next()).value];
    const { json } = await pinned().call('tasks/cancel', { id });
    expect(json.result).toEqual({ success: true, message: null });
    for await (const frame of stream) frames.push(frame);
    expect(outline(frames)).toEqual(['SUBMITTED', 'WORKING', 'CANCELED']);
    const again = await pinned().call('tasks/cancel', { id });
    expect(again.json.result).toEqual({ success: false, message: expect.stringMatching(/canceled/i) });
    expect(outline(await pinned().follow(id))).toEqual(['SUBMITTED', 'WORKING', 'CANCELED']);
  });

  it('contains the whole artifact that an earlier turn began', async () => {
    const client = clientOf('/growing/as/agentvault-0.2/');
    const id = await client.send('begin');
    const stream = client.subscribe(id);
    const frames: VaultFrame[] = [];
    for await (const frame of stream) {
      frames.push(frame);
      if (frame.data.state === 'INPUT_REQUIRED') await client.send('go on', { id });
    }
    expect(outline(frames).slice(-3)).toEqual([
      'grown is "some and more and all"',
      'assistant says That was all.',
      'COMPLETED: That was all.',
    ]);
    expect(await client.follow(id)).toEqual(frames.slice(-3));
  });

  it('is also available for agents whose card declares no streaming', async () => {
    const client = clientOf('/frugal/as/agentvault-0.2/');
    expect(outline(await client.follow(await client.send('hi')))).toContain('COMPLETED');
  });
});

describe('an AgentVault stream that resumes with Last-Event-ID', () => {
  it.each(['hello', 'say hi', 'stream 6 0'])('continues after any event: %s', async (text) => {
    const id = await pinned().send(text);
    const frames = await pinned().follow(id);
    for (const { id: last = '' } of frames) {
      const behind = frames.slice(frames.findIndex((frame) => frame.id === last) + 1);
      expect(await pinned().follow(id, last)).toEqual(behind);
    }
    expect(await pinned().follow(id, '999999')).toEqual([]);
    for (const none of ['0', 'x', '-1']) expect(await pinned().follow(id, none)).toEqual(frames);
  });

  it('continues between chunks that were sent as one event', async () => {
    const id = await pinned().send('stream 6 0');
    const frames = await pinned().follow(id);
    for (const last of ['4', '5', '6']) expect(await pinned().follow(id, last)).toEqual(frames.slice(-2));
  });

  it('continues while the task runs', async () => {
    const id = await pinned().send('ask');
    const stream = pinned().subscribe(id);
    const first: VaultFrame = (await stream.next()).value;
    await stream.return(undefined);
    const resumed = pinned().subscribe(id, first.id);
    expect(outline([(await resumed.next()).value])).toEqual(['assistant says What is your name?']);
    const last: VaultFrame = (await resumed.next()).value;
    await resumed.return(undefined);
    await pinned().send('Ada', { id });
    expect(outline(await pinned().follow(id, last.id))).toEqual(['greeting is "Hello, Ada"', 'COMPLETED']);
  });

  it('contains all turns since an event of an earlier turn', async () => {
    const client = clientOf('/growing/as/agentvault-0.2/');
    const id = await client.send('begin');
    await reachAt(client, id, 'INPUT_REQUIRED');
    await client.send('go on', { id });
    await client.follow(id);
    expect(outline(await client.follow(id, '1'))).toEqual([
      'WORKING',
      'grown is "some"',
      'assistant says Go on?',
      'INPUT_REQUIRED: Go on?',
      'grown is "some and more and all"',
      'assistant says That was all.',
      'COMPLETED: That was all.',
    ]);
  });
});

async function reachAt(client: ReturnType<typeof clientOf>, id: string, state: string): Promise<void> {
  while ((await client.get(id)).state !== state) await new Promise((resolve) => setTimeout(resolve, 5));
}

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
async function v1(path: string, body: object): Promise<any> {
  const response = await fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify(body),
  });
  return response.json();
}

describe('messages of AgentVault', () => {
  it('keep roles that A2A 1.0 lacks, and the context of MCP', async () => {
    const metadata = { mcp_context: { user: { name: 'Ada' } } };
    const id = await pinned().send({ role: 'system', parts: [{ type: 'text', content: 'ask' }], metadata });
    await reach(id, 'INPUT_REQUIRED');
    await pinned().send({ role: 'tool', parts: [{ type: 'data', content: { ok: true } }] }, { id });
    await pinned().follow(id);
    const { messages } = await pinned().get(id);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'assistant', 'tool']);
    expect(messages[0].metadata).toEqual(metadata);
    const { history } = await v1Get(id);
    expect(history.map(({ role }: { role: string }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
  });

  it('are sent without the webhook to an agent without push notifications, and the loss is reported', async () => {
    const client = clientOf('/frugal/as/agentvault-0.2/');
    const params = { message: userMessage('hi'), webhookUrl: 'https://client.example.com/hook' };
    const { json, headers } = await client.call('tasks/send', params);
    expect(json.result).toEqual({ id: expect.any(String) });
    expect(headers.get('a2a-gateway-loss')).toBe('configuration.taskPushNotificationConfig');
    expect(outline(await client.follow(json.result.id))).toContain('COMPLETED');
  });

  it('register their webhook at an agent with push notifications', async () => {
    const params = { message: userMessage('hi'), webhookUrl: 'https://client.example.com/hook' };
    const { json, headers } = await pinned().call('tasks/send', params);
    expect(headers.get('a2a-gateway-loss')).toBeNull();
    const { configs } = await v1At(`/tasks/${json.result.id}/pushNotificationConfigs`);
    expect(configs).toMatchObject([{ url: 'https://client.example.com/hook' }]);
  });

  it.each(['hello', 'say hi', 'stream 3 0', 'data', 'file', 'fail'])('report no loss: %s', async (text) => {
    const sent = await pinned().call('tasks/send', { message: userMessage(text) });
    const { id } = sent.json.result;
    await pinned().follow(id);
    const got = await pinned().call('tasks/get', { id });
    for (const { headers } of [sent, got]) expect(headers.get('a2a-gateway-loss')).toBeNull();
  });

  it('report the losses of fields that a client could need', async () => {
    const parts = [{ text: 'hi', metadata: { lang: 'en' } }];
    const { task } = await v1('/message:send', { message: { messageId: 'm', role: 'ROLE_USER', parts } });
    const { headers } = await pinned().call('tasks/get', { id: task.id });
    expect(headers.get('a2a-gateway-loss')).toBe('history.parts.metadata, artifacts.parts.metadata');
  });
});

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
async function v1At(path: string): Promise<any> {
  return (await fetch(`${gateway.origin}${path}`, { headers: { 'a2a-version': '1.0' } })).json();
}
const v1Get = (id: string) => v1At(`/tasks/${id}`);

describe('the URL of an AgentVault agent', () => {
  it.each(['/', '', '/demo', '/demo/', '/as/agentvault-0.2', '/as/agentvault-0.2/', '/demo/as/agentvault-0.2/'])(
    'can be %j, without a redirect',
    async (path) => {
      const client = clientOf(path);
      const { status, json } = await client.call('tasks/send', { message: userMessage('hi') });
      expect([status, typeof json.result.id]).toEqual([200, 'string']);
      const frames = await client.follow(json.result.id);
      expect(outline(frames).at(-1)).toBe('COMPLETED');
      expect((await client.get(json.result.id)).state).toBe('COMPLETED');
    },
  );

  it.each(['/agent-card.json', '/demo/agent-card.json', '/as/agentvault-0.2/.well-known/agent-card.json'])(
    'is the URL in the card at %s',
    async (path) => {
      for (const origin of [gateway.origin, gateway.origin.replace('localhost', '127.0.0.1')]) {
        // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
        const card: any = await (await fetch(`${origin}${path}`)).json();
        expect(card.url).toMatch(/^http:\/\/localhost:\d+\/(demo\/)?as\/agentvault-0\.2$/);
        expect(card).toMatchObject({
          schemaVersion: '1.0',
          humanReadableId: expect.stringMatching(/^[a-z0-9-]+\/[a-z0-9-]+$/),
          agentVersion: expect.any(String),
          name: expect.any(String),
          description: expect.any(String),
          provider: { name: expect.any(String) },
          capabilities: { a2aVersion: expect.any(String) },
          authSchemes: [{ scheme: 'none' }],
        });
        const client = vaultClient(`${card.url}/`);
        expect(outline(await client.follow(await client.send('hi'))).at(-1)).toBe('COMPLETED');
      }
    },
  );
});

describe('errors of AgentVault', () => {
  const code = async (body: unknown) => {
    const { status, json } = await pinned().post(body);
    expect(status).toBe(200);
    return [json.error?.code, json.id];
  };
  const request = (method: string, params: unknown, id: unknown = 'r') => ({ jsonrpc: '2.0', id, method, params });

  it('have the codes of the profile, and the request id in its type', async () => {
    expect(await code(request('tasks/get', { id: null }))).toEqual([-32602, 'r']);
    expect(await code(request('tasks/send', { message: { role: 'agent', parts: [{ content: 'x' }] } }))).toEqual([
      -32602,
      'r',
    ]);
    expect(await code(request('tasks/send', { id: 'nothing', message: userMessage('x') }))).toEqual([-32001, 'r']);
  });

  it("keep an agent's own code -32000", async () => {
    const server = createServer(async (req, res) => {
      let text = '';
      for await (const chunk of req) text += chunk;
      const error = { code: -32000, message: 'Agent error: no such city' };
      res.writeHead(req.method === 'POST' ? 200 : 404, { 'content-type': 'application/json' });
      res.end(req.method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(text).id, error }) : '{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const card = { url, dialect: 'agentvault-0.2' as const, transport: 'jsonrpc' as const };
    const bridge = await startBridge({ far: card });
    try {
      const client = vaultClient(`${bridge.origin}/far/as/agentvault-0.2/`);
      const { json } = await client.call('tasks/send', { message: userMessage('hi') });
      const task = json.result && (await client.follow(json.result.id)).at(-1)?.data;
      expect(json.error ?? task).toMatchObject({ message: expect.stringContaining('no such city') });
      const v1Answer = await fetch(`${bridge.origin}/far`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
        }),
      });
      expect(((await v1Answer.json()) as { error: object }).error).toMatchObject({
        code: -32000,
        data: [{ reason: 'AGENT_ERROR' }],
      });
    } finally {
      await bridge.close();
      server.closeAllConnections();
      server.close();
    }
  });

  it('report an invalid state for a finished task', async () => {
    const id = await pinned().send('hi');
    await pinned().follow(id);
    expect(await code(request('tasks/send', { id, message: userMessage('more') }))).toEqual([-32004, 'r']);
  });

  it.each([
    ['an unknown task', { id: 'nothing' }, 'task_not_found'],
    ['no task', {}, 'invalid_params'],
    ['null', { id: null }, 'invalid_params'],
    ['no object', [], 'invalid_params'],
  ])('are events for a subscription to %s', async (_, params, expected) => {
    const { status, headers, text } = await pinned().call('tasks/sendSubscribe', params);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const [, data = ''] = /^event: error\nid: 0\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(data)).toEqual({ error: expected, message: expect.any(String) });
  });

  it('are not sent for notifications, which are carried out', async () => {
    const params = { message: userMessage('notified') };
    const { status, text } = await pinned().post({ jsonrpc: '2.0', method: 'tasks/send', params });
    expect([status, text]).toEqual([204, '']);
    for (const method of ['tasks/get', 'tasks/sendSubscribe']) {
      const answer = await pinned().post({ jsonrpc: '2.0', method, params: { id: 'nothing' } });
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    // Nothing was carried out of what cannot be.
    const { status: refused, json } = await pinned().post({ jsonrpc: '2.0', method: 'tasks/nothing' });
    expect([refused, json.id, json.error.code]).toEqual([200, null, -32601]);
    const { tasks } = await v1At('/tasks');
    const texts = tasks.map(({ history }: { history: { parts: { text: string }[] }[] }) => history[0]?.parts[0]?.text);
    expect(texts).toContain('notified');
  });

  it('of missing credentials have the code of the profile and HTTP 200, which its client requires', async () => {
    const headers = { origin: 'https://evil.example' };
    const answer = await pinned().call('tasks/get', { id: 'x' }, headers);
    expect([answer.status, answer.json.error.code]).toEqual([200, -32002]);
    expect(answer.json.id).toMatch(/^req-get-/);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    const subscription = await pinned().call('tasks/sendSubscribe', { id: 'x' }, headers);
    expect([subscription.status, subscription.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(subscription.text).toContain('event: error\nid: 0\ndata: {"error":"unauthenticated"');
  });
});
