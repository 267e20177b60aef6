import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { SseEvent } from '../../../src/wire/sse.ts';
import { startGateway } from '../../support/gateway.ts';
import { decodeSse } from '../../support/sse.ts';

/** A client of A2A 0.1 names its tasks itself, and finds them by these names whatever happens to the gateway. */

const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-named-'));
const store = `sqlite:${join(folder, 'gateway.db')}`;
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Gateway {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(): Promise<Gateway> {
  const child = fork(fileURLToPath(new URL('../tasks/gateway-process.ts', import.meta.url)), [store], {
    stdio: 'inherit',
  });
  children.push(child);
  const [started] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  return { child, url: `http://127.0.0.1:${(started as { port: number }).port}` };
}

const post = (url: string, method: string, params: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'r', method, params }),
  });

interface Answer {
  readonly result?: {
    readonly id: string;
    readonly status: { readonly state: string };
    readonly artifacts?: unknown[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const call = async (url: string, method: string, params: object): Promise<Answer> =>
  (await post(url, method, params)).json() as Promise<Answer>;

/** What a real client of A2A 0.1 sends, explicit nulls and all. */
const params = (id: string, text: string) => ({
  id,
  sessionId: 'session-1',
  message: { role: 'user', parts: [{ type: 'text', text, metadata: null }], metadata: null },
  acceptedOutputModes: null,
  pushNotification: null,
  historyLength: null,
  metadata: null,
});

const eventsOf = (response: Response): AsyncIterator<SseEvent> =>
  decodeSse(response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();

type Result = Readonly<Record<string, unknown>>;

const resultIn = ({ data }: SseEvent): Result => JSON.parse(data).result;

test('a client of A2A 0.1 creates, continues and finishes tasks under ids that it chose', async () => {
  const gateway = await startGateway();
  const { origin: url } = gateway;
  const question = await call(url, 'tasks/send', params('name~1', 'ask'));
  expect(question.result).toMatchObject({ id: 'name~1', sessionId: 'session-1', status: { state: 'input-required' } });
  const many = ['Ada', 'Bob', 'Eve'].map((name) => call(url, 'tasks/send', params('name~1', name)));
  const answers = await Promise.all(many);
  // One of them answers the question; the others come too late, and get an error.
  expect(answers.filter(({ result }) => result?.status.state === 'completed')).toHaveLength(1);
  expect(answers.filter(({ error }) => error?.code === -32004)).toHaveLength(2);

  const racing = await Promise.all(Array.from({ length: 8 }, () => call(url, 'tasks/send', params('race', 'ask'))));
  expect(racing.some(({ result }) => result)).toBe(true);
  const { result } = (await call(`${url}/as/a2a-1.0`, 'ListTasks', { contextId: 'session-1' })) as {
    result?: unknown;
  };
  expect(result).toMatchObject({ totalSize: 2 });

  for (const id of ['', 'a b', 'a/b', 'é', 'x'.repeat(129), 7]) {
    expect((await call(url, 'tasks/send', { ...params('', 'x'), id })).error?.code, String(id)).toBe(-32602);
  }
  await gateway.close();
});

test('a task is found under the chosen id after the gateway was killed, and followed to its end', {
  timeout: 60_000,
}, async () => {
  const before = await start();
  const stream = eventsOf(await post(`${before.url}/resuming`, 'tasks/sendSubscribe', params('job-7', 'work')));
  let last = await stream.next();
  while (!last.done && !resultIn(last.value).artifact) last = await stream.next();
  before.child.kill('SIGKILL');
  await once(before.child, 'exit');
  await stream.next().catch(() => undefined);

  const after = await start();
  const url = `${after.url}/resuming`;
  // Streams of A2A 0.1 have no event ids; of the task, made, at work and begun, three events were sent.
  const since = { 'last-event-id': '3' };
  const resumed = eventsOf(await post(`${url}/as/a2a-1.0`, 'SubscribeToTask', { id: 'job-7' }, since));
  const rest: Result[] = [];
  for (let next = await resumed.next(); !next.done; next = await resumed.next()) rest.push(resultIn(next.value));
  expect(rest).toMatchObject([
    { artifactUpdate: { taskId: 'job-7', artifact: { parts: [{ text: 'resumed 1' }] } } },
    { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
  ]);
  const { result } = await call(url, 'tasks/get', { id: 'job-7' });
  expect(result).toMatchObject({ id: 'job-7', status: { state: 'completed' } });
  expect(result?.artifacts).toHaveLength(2);
  expect((await call(url, 'tasks/send', params('job-7', 'again'))).error?.code).toBe(-32004);
  expect((await call(after.url, 'tasks/get', { id: 'job-7' })).error?.code).toBe(-32001);
  after.child.kill('SIGKILL');
});
