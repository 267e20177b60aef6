import { describe, expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';

/**
 * Clients of A2A 0.1 before a whole gateway: what they send as the clients of the samples do, read as those read it. The
 * Python client writes every null; the JavaScript client reads no event but one whose only line is its data.
 */

const gateway = await startGateway();

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is looked into as it is.
type Json = any;

let ids = 0;
const newTask = (): string => `t~${ids++}`;

const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
/** The form in which the Python client dumps its models. */
const dumped = (text: string) => ({ role: 'user', parts: [{ type: 'text', text, metadata: null }], metadata: null });

const pinned = '/as/a2a-0.1';
const paths = ['/', '/demo', pinned, `/demo${pinned}/`];

async function post(path: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json' };
  return fetch(`${gateway.origin}${path}`, { method: 'POST', headers, body: text });
}

/** One call of a method that does not stream. */
async function call(path: string, method: string, params: unknown): Promise<Json> {
  const answer = await post(path, { jsonrpc: '2.0', id: 'r1', method, params });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  const body: Json = await answer.json();
  expect(body).toMatchObject({ jsonrpc: '2.0', id: 'r1' });
  expect('result' in body).toBe(!('error' in body));
  return body;
}

const result = async (path: string, method: string, params: unknown): Promise<Json> => {
  const { result: value, error } = await call(path, method, params);
  expect(error).toBeUndefined();
  return value;
};

/** The answers of a stream as both clients read them. */
async function* answers(path: string, method: string, params: unknown): AsyncGenerator<Json> {
  const answer = await post(path, { jsonrpc: '2.0', id: 7, method, params });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  let rest = '';
  for await (const text of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      expect(block).toMatch(/^data: [^\n\r]+$/);
      const body: Json = JSON.parse(block.slice('data: '.length));
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 7 });
      yield body;
    }
  }
  expect(rest).toBe('');
}

/** Events of a stream, in words: states, texts of artifacts at their places, `!` for the last event. */
async function follow(path: string, method: string, params: Json): Promise<string[]> {
  const lines: string[] = [];
  for await (const { result: event } of answers(path, method, params)) {
    expect(event.id).toBe(params.id);
    expect(JSON.stringify(event)).not.toContain('null');
    if (event.artifact) {
      const { index, parts, append, lastChunk } = event.artifact;
      lines.push(`${index}${append ? '+' : '='}${parts[0].text}${lastChunk ? '.' : ''}`);
    } else {
      const { state, message, timestamp } = event.status;
      expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      lines.push(`${state}${message ? `: ${message.parts[0].text}` : ''}${event.final ? '!' : ''}`);
    }
  }
  return lines;
}

/** Waits for a state by asking. */
async function reach(id: string, state: string): Promise<void> {
  while ((await call(pinned, 'tasks/get', { id })).result?.status.state !== state) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.each(paths)('A2A 0.1 at %s', (path) => {
  it('a message becomes a task under the id that its client chose', async () => {
    const id = newTask();
    const params = {
      id,
      sessionId: 's1',
      message: dumped('hello'),
      acceptedOutputModes: null,
      pushNotification: null,
      historyLength: null,
      metadata: null,
    };
    const task = await result(path, 'tasks/send', params);
    const artifacts = [{ name: 'echo', parts: [{ type: 'text', text: 'hello' }], index: 0 }];
    const status = { state: 'completed', timestamp: expect.stringMatching(/Z$/) };
    expect(task).toEqual({ id, sessionId: 's1', status, artifacts, history: [] });
    expect(await result(path, 'tasks/get', { id, historyLength: null, metadata: null })).toEqual(task);
    const { history } = await result(path, 'tasks/get', { id, historyLength: 2 });
    expect(history).toEqual([user('hello')]);
  });

  it('a task continues under its id when the client sends another session id', async () => {
    const id = newTask();
    const question = await follow(path, 'tasks/sendSubscribe', { id, sessionId: 's1', message: user('ask') });
    expect(question).toEqual(['submitted', 'input-required: What is your name?!']);
    const params = { id, sessionId: 'another', message: dumped('Ada'), acceptedOutputModes: ['text'] };
    expect(await follow(path, 'tasks/sendSubscribe', params)).toEqual(['0=Hello, Ada', 'completed!']);
    const { sessionId, history } = await result(path, 'tasks/get', { id, historyLength: 10 });
    expect(sessionId).toBe('s1');
    expect(history.map((message: Json) => message.role)).toEqual(['user', 'agent', 'user']);
  });

  it('a direct message is a completed task', async () => {
    const id = newTask();
    const { status } = await result(path, 'tasks/send', { id, message: user('say hi') });
    expect(status).toMatchObject({ state: 'completed', message: { role: 'agent', parts: [{ text: 'hi' }] } });
    const streamed = await follow(path, 'tasks/sendSubscribe', { id: newTask(), message: user('say hi') });
    expect(streamed).toEqual(['submitted', 'completed: hi!']);
  });

  it('a task has one webhook, which a client can replace', async () => {
    const id = newTask();
    const url = 'http://localhost:9/hook';
    const pushNotification = { url, token: 'tok', authentication: { schemes: ['bearer'], credentials: null } };
    await result(path, 'tasks/send', { id, message: user('hello'), pushNotification });
    const stored = await result(path, 'tasks/pushNotification/get', { id, metadata: null });
    expect(stored).toEqual({
      id,
      pushNotificationConfig: { url, token: 'tok', authentication: { schemes: ['bearer'] } },
    });
    const other = { id, pushNotificationConfig: { url: `${url}/2` } };
    expect(await result(path, 'tasks/pushNotification/set', other)).toEqual(other);
    expect(await result(path, 'tasks/pushNotification/get', { id })).toEqual(other);
  });
});

it('a running task of A2A 0.1 is followed from its current state to its end, and can be canceled', async () => {
  const id = newTask();
  const sent = result(pinned, 'tasks/send', { id, message: user('wait') });
  await reach(id, 'working');
  const followed = answers(pinned, 'tasks/resubscribe', { id });
  expect((await followed.next()).value.result).toMatchObject({ id, status: { state: 'working' }, final: false });
  expect(await result('/', 'tasks/cancel', { id, metadata: null })).toMatchObject({ status: { state: 'canceled' } });
  expect((await followed.next()).value.result).toMatchObject({ status: { state: 'canceled' }, final: true });
  expect((await followed.next()).done).toBe(true);
  expect(await sent).toMatchObject({ id, status: { state: 'canceled' } });
  expect((await call('/', 'tasks/cancel', { id })).error).toMatchObject({ code: -32002 });
});

it('a running task of A2A 0.1 is followed across a question', async () => {
  const id = newTask();
  await result(pinned, 'tasks/send', { id, message: user('ask') });
  const followed = answers(pinned, 'tasks/resubscribe', { id, historyLength: 3 });
  const question = { state: 'input-required', message: { role: 'agent' } };
  expect((await followed.next()).value.result).toMatchObject({ status: question, final: false });
  await result(pinned, 'tasks/send', { id, message: user('Ada') });
  const events: Json[] = [];
  for await (const { result: event } of followed) events.push(event);
  expect(events.at(-2)).toMatchObject({ artifact: { index: 0, parts: [{ text: 'Hello, Ada' }] } });
  expect(events.at(-1)).toMatchObject({ status: { state: 'completed' }, final: true });
});

it('a running task of A2A 0.1 has the state in its metadata when A2A 0.1 has no such state', async () => {
  const task = await result(pinned, 'tasks/send', { id: newTask(), message: user('reject') });
  expect(task).toMatchObject({
    status: { state: 'failed' },
    metadata: { 'a2a-gateway/a2a-1.0': { state: 'TASK_STATE_REJECTED' } },
  });
});

it('A2A 0.1 errors are events on a stream', async () => {
  const id = newTask();
  await result(pinned, 'tasks/send', { id, message: user('hello') });
  const errors = async (method: string, params: unknown) => {
    const codes: number[] = [];
    for await (const { error } of answers(pinned, method, params)) codes.push(error.code);
    return codes;
  };
  expect(await errors('tasks/sendSubscribe', { id, message: user('more') })).toEqual([-32004]);
  expect(await errors('tasks/sendSubscribe', { id: 'a b', message: user('more') })).toEqual([-32602]);
  expect(await errors('tasks/resubscribe', { id: 'none' })).toEqual([-32001]);
  expect(await errors('tasks/resubscribe', {})).toEqual([-32602]);
});

it.each(['', '/demo'])(
  'agent cards of A2A 0.1 are served below %s, with and without the dialect in the path',
  async (base) => {
    const card = async (path: string): Promise<Json> => (await fetch(`${gateway.origin}${base}${path}`)).json();
    const own = await card(`${pinned}/.well-known/agent.json`);
    expect(own).toMatchObject({
      url: `${gateway.origin}${base}${pinned}`,
      version: expect.any(String),
      capabilities: { streaming: true, pushNotifications: true },
    });
    expect(own).not.toHaveProperty('protocolVersion');
    const shared = await card('/.well-known/agent.json');
    for (const name of ['name', 'description', 'version', 'defaultInputModes', 'defaultOutputModes', 'skills']) {
      expect(shared[name]).toEqual(own[name]);
    }
    expect(shared.capabilities).toMatchObject(own.capabilities);
  },
);

it('of many clients that answer one question under the id of its task, one is accepted', async () => {
  const send = (id: unknown, text: string) => call('/', 'tasks/send', { id, sessionId: 'race', message: user(text) });
  expect((await send('name~1', 'ask')).result).toMatchObject({ id: 'name~1', status: { state: 'input-required' } });
  const answers = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => send('name~1', name)));
  expect(answers.filter(({ result: task }) => task?.status.state === 'completed')).toHaveLength(1);
  expect(answers.filter(({ error }) => error?.code === -32004)).toHaveLength(2);

  const racing = await Promise.all(Array.from({ length: 8 }, () => send('race', 'ask')));
  expect(racing.some(({ result: task }) => task)).toBe(true);
  const listed = await fetch(`${gateway.origin}/tasks?contextId=race`, { headers: { 'a2a-version': '1.0' } });
  expect(await listed.json()).toMatchObject({ totalSize: 2 });
  for (const id of ['', 'a b', 'a/b', 'é', 'x'.repeat(129), 7]) {
    expect((await send(id, 'x')).error?.code, String(id)).toBe(-32602);
  }
});
