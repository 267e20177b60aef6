import { expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { userMessage, type VaultFrame, vaultClient } from '../../support/vault-client.ts';

/** AgentVault clients before a whole gateway: what they send as the real one does, and what it would make of the answers. */

const gateway = await startGateway({ settings: '  growing: { kind: module, path: ./agents/growing-agent.ts }\n' });

const clientOf = (path: string) => vaultClient(`${gateway.origin}${path}`);
const pinned = () => clientOf('/as/agentvault-0.2/');

/** Waits for a state by asking, as a client would that does not subscribe. */
async function reach(id: string, state: string): Promise<void> {
  while ((await pinned().get(id)).state !== state) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Checks that every frame is valid; returns the stream as the client would show it. */
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

it.each(conversations)(
  'a stream of tasks/sendSubscribe has the same events while the task runs and after its end: %s',
  async (text, expected) => {
    const id = await pinned().send(text);
    const frames = await pinned().follow(id);
    expect(outline(frames)).toEqual(expected);
    for (const client of [pinned(), clientOf('/demo/'), clientOf('/')]) expect(await client.follow(id)).toEqual(frames);
  },
);

it.each(['user', 'assistant', 'system', 'tool'])(
  'a stream of tasks/sendSubscribe contains no message of the client with the role %s',
  async (role) => {
    const id = await pinned().send({ role, parts: [{ type: 'text', content: 'hello' }] });
    expect(outline(await pinned().follow(id))).toEqual(['SUBMITTED', 'WORKING', 'echo is "hello"', 'COMPLETED']);
    expect((await pinned().get(id)).messages).toMatchObject([{ role, parts: [{ content: 'hello' }] }]);
  },
);

it('a stream of tasks/sendSubscribe continues across a question, and afterwards contains the latest turn only', async () => {
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

it('a stream of tasks/sendSubscribe waits for an authorization as for an answer', async () => {
  const id = await pinned().send('auth');
  const stream = pinned().subscribe(id);
  const frames = [(await stream.next()).value, (await stream.next()).value, (await stream.next()).value];
  expect(outline(frames).at(-1)).toBe('INPUT_REQUIRED: Please authorize.');
  await stream.return(undefined);
  expect((await pinned().get(id)).metadata).toEqual({ 'a2a-gateway/a2a-1.0': { state: 'TASK_STATE_AUTH_REQUIRED' } });
});

it('a stream of tasks/sendSubscribe ends when the task is canceled', async () => {
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

it('a stream of tasks/sendSubscribe contains the whole artifact that an earlier turn began', async () => {
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

it('a stream of tasks/sendSubscribe is also available for agents whose card declares no streaming', async () => {
  const client = clientOf('/frugal/as/agentvault-0.2/');
  expect(outline(await client.follow(await client.send('hi')))).toContain('COMPLETED');
});

it.each(['hello', 'say hi', 'stream 6 0'])(
  'an AgentVault stream that resumes with Last-Event-ID continues after any event: %s',
  async (text) => {
    const id = await pinned().send(text);
    const frames = await pinned().follow(id);
    for (const { id: last = '' } of frames) {
      const behind = frames.slice(frames.findIndex((frame) => frame.id === last) + 1);
      expect(await pinned().follow(id, last)).toEqual(behind);
    }
    expect(await pinned().follow(id, '999999')).toEqual([]);
    for (const none of ['0', 'x', '-1']) expect(await pinned().follow(id, none)).toEqual(frames);
  },
);

it('an AgentVault stream that resumes with Last-Event-ID continues between chunks that were sent as one event', async () => {
  const id = await pinned().send('stream 6 0');
  const frames = await pinned().follow(id);
  for (const last of ['4', '5', '6']) expect(await pinned().follow(id, last)).toEqual(frames.slice(-2));
});

it('an AgentVault stream that resumes with Last-Event-ID continues while the task runs', async () => {
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

it('an AgentVault stream that resumes with Last-Event-ID contains all turns since an event of an earlier turn', async () => {
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

async function reachAt(client: ReturnType<typeof clientOf>, id: string, state: string): Promise<void> {
  while ((await client.get(id)).state !== state) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('messages of AgentVault keep roles that A2A 1.0 lacks, and the context of MCP', async () => {
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

it('messages of AgentVault are sent without the webhook to an agent without push notifications, and the loss is reported', async () => {
  const client = clientOf('/frugal/as/agentvault-0.2/');
  const params = { message: userMessage('hi'), webhookUrl: 'https://client.example.com/hook' };
  const { json, headers } = await client.call('tasks/send', params);
  expect(json.result).toEqual({ id: expect.any(String) });
  expect(headers.get('a2a-gateway-loss')).toBe('configuration.taskPushNotificationConfig');
  expect(outline(await client.follow(json.result.id))).toContain('COMPLETED');
});

it('messages of AgentVault register their webhook at an agent with push notifications', async () => {
  const params = { message: userMessage('hi'), webhookUrl: 'https://client.example.com/hook' };
  const { json, headers } = await pinned().call('tasks/send', params);
  expect(headers.get('a2a-gateway-loss')).toBeNull();
  const { configs } = await v1At(`/tasks/${json.result.id}/pushNotificationConfigs`);
  expect(configs).toMatchObject([{ url: 'https://client.example.com/hook' }]);
});

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
async function v1At(path: string): Promise<any> {
  return (await fetch(`${gateway.origin}${path}`, { headers: { 'a2a-version': '1.0' } })).json();
}
const v1Get = (id: string) => v1At(`/tasks/${id}`);

it.each(['/', '', '/demo', '/demo/', '/as/agentvault-0.2', '/as/agentvault-0.2/', '/demo/as/agentvault-0.2/'])(
  'the URL of an AgentVault agent can be %j, without a redirect',
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
  'the URL of an AgentVault agent is the URL in the card at %s',
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
