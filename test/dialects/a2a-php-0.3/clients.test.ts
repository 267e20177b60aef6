import { describe, expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';

/**
 * The PHP SDK's clients before a whole gateway: the requests are theirs byte for byte, and streams are read as their
 * streaming client reads them, which is by lines that begin with `data: `.
 */

const gateway = await startGateway();

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
type Json = Record<string, any>;

const pinned = '/as/a2a-php-0.3';

async function post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(gateway.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

/** A call as the SDK's client makes it, which numbers every request 1 and writes no parameters as a list. */
async function call(method: string, params: unknown = [], path = pinned): Promise<Json> {
  const answer = await post(path, JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 }));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  const json = (await answer.json()) as Json;
  expect(json).toMatchObject({ jsonrpc: '2.0', id: 1 });
  return json;
}

interface Stream {
  /** Events that the streaming client passes to its user. */
  readonly seen: readonly Json[];
  readonly names: readonly string[];
  readonly text: string;
}

async function stream(method: string, params: unknown, path = pinned): Promise<Stream> {
  const body = JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 });
  const answer = await post(path, body, { accept: 'text/event-stream' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const text = await answer.text();
  const lines = text.split('\n');
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6).trim());
  return {
    seen: data.filter((line) => line !== '').map((line) => JSON.parse(line) as Json),
    names: lines.filter((line) => line.startsWith('event: ')).map((line) => line.slice(7)),
    text,
  };
}

let count = 0;
const message = (text: string, over: Json = {}): Json => ({
  kind: 'message',
  messageId: `m-${++count}`,
  role: 'user',
  parts: [{ kind: 'text', text }],
  ...over,
});
const send = (text: string, over?: Json, path?: string) =>
  call('message/send', { from: 'php-client', message: message(text, over) }, path);

it.each([pinned, '', `/demo${pinned}`, '/demo'])(
  'methods of the PHP SDK that are not operations of A2A are ping and get_agent_card at %j',
  async (path) => {
    expect(await call('ping', [], path)).toEqual({ jsonrpc: '2.0', id: 1, result: { status: 'pong' } });
    const { result } = await call('get_agent_card', [], path);
    expect(result).toMatchObject({
      name: 'Reference agent',
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      capabilities: {
        streaming: true,
        pushNotifications: true,
        // The members of the document.
        supportsStreaming: true,
        supportsPushNotifications: true,
        canReceiveMessages: true,
        canSendMessages: true,
        canManageTasks: true,
      },
    });
    // Its URL is one where the client stays in its dialect.
    expect(await call('ping', {}, new URL(result.url).pathname)).toMatchObject({ result: { status: 'pong' } });
    expect(result.url).toMatch(/\/as\/a2a-php-0\.3$/);
  },
);

it('methods of the PHP SDK that are not operations of A2A return the card that is also served as a file', async () => {
  const card = await (await fetch(`${gateway.origin}${pinned}/.well-known/agent-card.json`)).json();
  expect(card).toEqual((await call('get_agent_card')).result);
});

it('methods of the PHP SDK that are not operations of A2A are not answered when the request is a notification', async () => {
  const answer = await post(pinned, '{"jsonrpc":"2.0","method":"ping"}');
  expect([answer.status, await answer.text()]).toEqual([204, '']);
});

it('message/send of the PHP SDK answers when the task is finished or waits', async () => {
  const { result } = await send('hello');
  expect(result).toMatchObject({
    kind: 'task',
    status: { state: 'completed' },
    artifacts: [{ parts: [{ kind: 'text', text: 'hello' }] }],
    history: [{ kind: 'message', role: 'user', taskId: result.id, contextId: result.contextId }],
  });
});

it('message/send of the PHP SDK creates a task under an id that the client chose, and continues it', async () => {
  const { result: question } = await send('ask', { taskId: 'php-1', contextId: 'ctx-1' });
  expect(question).toMatchObject({ id: 'php-1', contextId: 'ctx-1', status: { state: 'input-required' } });
  const { result } = await send('Ada', { taskId: 'php-1', contextId: 'ctx-1' });
  expect(result).toMatchObject({ id: 'php-1', status: { state: 'completed' } });
  expect(result.artifacts[0].parts[0].text).toBe('Hello, Ada');
});

it('message/send of the PHP SDK reads the shapes that only the PHP SDK writes', async () => {
  const parts = [
    { type: 'text', content: 'old' },
    { kind: 'data', data: [] },
    { type: 'file', file: { href: 'https://x.example/a' } },
  ];
  const { result } = await call('message/send', {
    message: { messageId: 'm', role: 'assistant', parts, metadata: [] },
    metadata: [],
    configuration: [],
  });
  expect(result.artifacts[0].parts).toEqual([
    { kind: 'text', text: 'old' },
    { kind: 'data', data: {} },
    { kind: 'file', file: { uri: 'https://x.example/a' } },
  ]);
  expect(result.history[0].role).toBe('assistant');
  expect(result.history[0]).not.toHaveProperty('metadata');
});

it('message/send of the PHP SDK is distinguished from A2A 0.3 by the sender of the request when the path names no dialect', async () => {
  expect(await send('hello', { taskId: 'php-unpinned' }, '')).toMatchObject({ result: { id: 'php-unpinned' } });
  const anonymous = { message: message('hello', { taskId: 'php-unpinned-2' }) };
  expect(await call('message/send', anonymous, '')).toMatchObject({ error: { code: -32001 } });
  // Later calls about the task are answered in the dialect of the first.
  expect(await call('tasks/get', { id: 'php-unpinned', historyLength: '1' }, '')).toMatchObject({
    result: { kind: 'task' },
  });
  const { names } = await stream('tasks/resubscribe', { id: 'php-unpinned' }, '');
  expect(names).toEqual(['message', 'task-status', 'close']);
});

describe('tasks/send of the PHP SDK', () => {
  const sendTask = (id: string, text: string, path?: string) =>
    call('tasks/send', { id, message: message(text), metadata: [] }, path);

  it('tasks/send of the PHP SDK creates the task under the id of the request, with and without the dialect in the path', async () => {
    for (const [id, path] of [
      ['mine-1', pinned],
      ['mine-2', ''],
    ] as const) {
      const { result } = await sendTask(id, 'hello', path);
      expect(result).toMatchObject({ kind: 'task', id, status: { state: 'completed' } });
    }
  });

  it('tasks/send of the PHP SDK requires a valid id', async () => {
    expect(await call('tasks/send', { message: message('hi') })).toMatchObject({
      error: { code: -32602, message: 'Task ID and message are required' },
    });
    expect(await sendTask('a b', 'hi')).toMatchObject({ error: { code: -32602 } });
  });
});

it('tasks/get and tasks/cancel of the PHP SDK limit the history, also to no messages', async () => {
  await send('ask', { taskId: 'long' });
  await send('Ada', { taskId: 'long' });
  const length = async (historyLength?: unknown) =>
    (await call('tasks/get', { id: 'long', historyLength })).result.history?.length ?? 0;
  const all = await length();
  expect(all).toBeGreaterThan(1);
  expect([await length(0), await length('1'), await length(1)]).toEqual([0, 1, 1]);
  expect(await call('tasks/get', { id: 'long', historyLength: -1 })).toMatchObject({ error: { code: -32602 } });
});

it('fields of a push configuration that are not stored are reported as losses', async () => {
  await send('ask', { taskId: 'push-loss' });
  const authentication = { schemes: ['Bearer', 'Basic'], credentials: 'x' };
  const pushNotificationConfig = { url: 'https://client.example.com/hook', id: 'mine', authentication };
  const params = { taskId: 'push-loss', pushNotificationConfig };
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'tasks/pushNotificationConfig/set', params, id: 1 });
  const answer = await post(pinned, body);
  expect(answer.headers.get('a2a-gateway-loss')).toBe('authentication.scheme, id');
});

describe('the metadata of tasks/send', () => {
  const sent = (id: string, text: string, more: object) => call('tasks/send', { id, message: message(text), ...more });

  it('the metadata of tasks/send are merged into the metadata of the task, with the session id', async () => {
    const opened = await sent('meta-1', 'ask', { sessionId: 's-1', metadata: { source: 'test', keep: 1 } });
    expect(opened.result.metadata).toEqual({ sessionId: 's-1', source: 'test', keep: 1 });
    expect(opened.result.status.state).toBe('input-required');
    const { result } = await sent('meta-1', 'Ada', { sessionId: 's-2', metadata: { source: 'again' } });
    expect(result.metadata).toEqual({ sessionId: 's-2', source: 'again', keep: 1 });
    expect(result.status.state).toBe('completed');
    expect((await call('tasks/get', { id: 'meta-1' })).result.metadata).toEqual(result.metadata);
  });
});

it('streams of the PHP SDK are replayed with the messages and then the task, also while it runs', async () => {
  await send('ask', { taskId: 'replayed' });
  const { names, seen } = await stream('tasks/resubscribe', { id: 'replayed' });
  expect(names).toEqual([...seen.slice(1).map(() => 'message'), 'task-status', 'close']);
  expect(seen.at(-1)?.result).toMatchObject({ kind: 'task', id: 'replayed', status: { state: 'input-required' } });
  expect(seen.slice(0, -1).map(({ result }) => result)).toEqual(seen.at(-1)?.result.history);
});

describe('push configurations of the PHP SDK', () => {
  const push = (method: string, params?: unknown) => call(`tasks/pushNotificationConfig/${method}`, params);
  const config = { url: 'https://example.com/webhook', token: 'secret' };

  it('push configurations of the PHP SDK are limited to one for each task', async () => {
    await send('hello', { taskId: 'pushed-1' });
    await send('hello', { taskId: 'pushed-2' });
    expect((await push('get', { id: 'pushed-1' })).result).toEqual({
      taskId: 'pushed-1',
      pushNotificationConfig: null,
    });
    const set = { taskId: 'pushed-1', pushNotificationConfig: config };
    expect((await push('set', set)).result).toEqual(set);
    const other = { taskId: 'pushed-1', pushNotificationConfig: { url: 'https://example.com/other' } };
    await push('set', { ...other, id: 'ignored' });
    expect((await push('get', { taskId: 'pushed-1' })).result).toEqual(other);
    await push('set', { id: 'pushed-2', pushNotificationConfig: config });
    const { result: all } = await push('list');
    expect(all).toEqual(expect.arrayContaining([other, { taskId: 'pushed-2', pushNotificationConfig: config }]));
    expect((await push('list', { id: 'pushed-1' })).result).toEqual([other]);
    expect((await push('list', { id: 'nobody' })).result).toEqual([]);
    expect(await push('delete', { id: 'pushed-1' })).toEqual({ jsonrpc: '2.0', id: 1, result: null });
    expect(await push('delete', { id: 'pushed-1' })).toMatchObject({ error: { code: -32001 } });
    expect((await push('list', { id: 'pushed-1' })).result).toEqual([]);
  });
});

describe('the extended card of the PHP SDK', () => {
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const body = '{"jsonrpc":"2.0","method":"agent/getAuthenticatedExtendedCard","params":[],"id":1}';
    const answer = await post(pinned, body, headers);
    const { error } = (await answer.json()) as Json;
    return [answer.status, answer.headers.get('www-authenticate'), error.code, error.message];
  };

  it('the extended card of the PHP SDK requires credentials', async () => {
    expect(await ask({})).toEqual([
      200,
      'Bearer realm="A2A"',
      -32007,
      'Authentication required for authenticated extended card',
    ]);
  });

  it('the extended card of the PHP SDK requires valid credentials', async () => {
    const wrong = [200, 'Bearer realm="A2A", error="invalid_token"', -32007, 'Invalid authentication credentials'];
    expect(await ask({ authorization: 'Bearer wrong' })).toEqual(wrong);
    expect(await ask({ 'x-api-key': 'wrong' })).toEqual(wrong);
  });
});
