import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { ChangePosition, TaskOverview } from '../../../src/core/ports/admin-store.ts';
import { TaskWatch } from '../../../src/extensions/admin/watch.ts';
import type { TaskSummary } from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';
import { decodeSse } from '../../support/sse.ts';
import { pollingTopic } from '../../support/topic.ts';

const all = { matches: () => true };

/** A store of rows that tests write. */
function rows() {
  const tasks = new Map<string, TaskOverview>();
  const state = { now: 1_000_000, polls: 0, failure: undefined as Error | undefined };
  const write = (key: string, updatedAt = state.now, more: Partial<TaskOverview> = {}): void => {
    const { seq = 0 } = tasks.get(key) ?? {};
    const owner = { agent: 'demo', tenant: '', principal: 'alice' };
    const times = { statusAt: 0, createdAt: 0, updatedAt };
    const rest = { state: 'TASK_STATE_WORKING', dialect: 'a2a-1.0', replica: '', parent: '', root: key } as const;
    const words = { binding: '', preview: '', reason: '' };
    tasks.set(key, { key, id: key, contextId: 'c', ...owner, ...times, ...rest, ...words, seq: seq + 1, ...more });
  };
  const changedTasks = async ({ at, key }: ChangePosition, limit: number): Promise<TaskOverview[]> => {
    state.polls += 1;
    if (state.failure) throw state.failure;
    return [...tasks.values()]
      .filter((one) => one.updatedAt > at || (one.updatedAt === at && one.key > key))
      .sort((a, b) => a.updatedAt - b.updatedAt || (a.key < b.key ? -1 : 1))
      .slice(0, limit);
  };
  return { state, write, store: { now: () => state.now, changedTasks } };
}

/** Reads a stream in the background. */
function reading(stream: AsyncIterableIterator<{ readonly seq: number; readonly event: TaskSummary }>) {
  const got: string[] = [];
  const result: { error?: unknown; over: boolean } = { over: false };
  void (async () => {
    try {
      for await (const { event } of stream) got.push(`${event.key} ${event.lastPosition}`);
    } catch (thrown) {
      result.error = thrown;
    }
    result.over = true;
  })();
  const until = async (count: number): Promise<string[]> => {
    while (got.length < count) await sleep(1);
    return got;
  };
  return { got, result, until };
}

test('a watch passes changes on once, and what was stored later than its time', async () => {
  const { state, write, store } = rows();
  const watch = new TaskWatch({ store: { ...store, topics: { tasks: pollingTopic(2) } } });
  write('before');
  state.now += 10;
  const stream = watch.watch(all);
  const { got, until } = reading(stream);
  write('a');
  write('b');
  await until(2);
  state.now += 500;
  write('a');
  await until(3);
  write('late', state.now - 1_500);
  await until(4);
  const { polls } = state;
  while (state.polls < polls + 5) await sleep(1);
  expect(got).toEqual(['a 1', 'b 1', 'a 2', 'late 1']);
  await stream.return?.();
  const atEnd = state.polls;
  await sleep(20);
  expect(state.polls).toBeLessThanOrEqual(atEnd + 1);
});

test('a watch begins with the past, in the order of the changes, and continues without a gap or a repetition', async () => {
  const { state, write, store } = rows();
  const watch = new TaskWatch({ store: { ...store, topics: { tasks: pollingTopic(1) } } });
  const others = watch.watch(all);
  reading(others);
  for (let i = 0; i < 2_500; i += 1) write(`task ${i}`, state.now - 2_500 + i);
  const stream = watch.watch({ ...all, since: state.now - 2_400 });
  const { got, until } = reading(stream);
  for (let i = 0; i < 40; i += 1) {
    state.now += 1;
    write(`new ${i}`);
    await sleep(1);
  }
  await until(2_440);
  await sleep(20);
  expect(got).toHaveLength(2_440);
  expect(new Set(got).size).toBe(2_440);
  expect(got.slice(0, 2_400)).toEqual(Array.from({ length: 2_400 }, (_, i) => `task ${i + 100} 1`));
  await Promise.all([stream.return?.(), others.return?.()]);
});

test('a watch polls once for all readers, and each gets what it wants', async () => {
  const { state, write, store } = rows();
  const watch = new TaskWatch({ store: { ...store, topics: { tasks: pollingTopic(20) } } });
  const streams = Array.from({ length: 50 }, (_, i) => watch.watch({ matches: ({ id }) => id === `task ${i}` }));
  const readers = streams.map(reading);
  for (let i = 0; i < 50; i += 1) write(`task ${i}`);
  await Promise.all(readers.map(({ until }) => until(1)));
  expect(state.polls).toBeLessThan(10);
  expect(readers.map(({ got }) => got)).toEqual(readers.map((_, i) => [`task ${i} 1`]));
  await Promise.all(streams.map((stream) => stream.return?.()));
});

test('a watch ends a stream that is not read while too many tasks change', async () => {
  const { state, write, store } = rows();
  const watch = new TaskWatch({ store: { ...store, topics: { tasks: pollingTopic(1) } } });
  let ended = 0;
  const slow = watch.watch({ ...all, onEnd: () => (ended += 1) });
  for (let i = 0; i < 10_001; i += 1) write(`task ${i}`);
  // Eleven pages, and the first one of the next poll.
  while (state.polls < 12) await sleep(1);
  await expect(slow.next()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(ended).toBe(1);
  expect((await slow.next()).done).toBe(true);
});

test('a watch survives an outage of the store, and misses nothing', async () => {
  const { state, write, store } = rows();
  const watch = new TaskWatch({ store: { ...store, topics: { tasks: pollingTopic(1) } } });
  const stream = watch.watch(all);
  const { got, until } = reading(stream);
  state.failure = new A2AError('unavailable', 'away');
  write('a');
  state.now += 60_000;
  await sleep(20);
  expect(got).toEqual([]);
  state.failure = undefined;
  expect(await until(1)).toEqual(['a 1']);
  await stream.return?.();
});

test('a watch ends all streams when the gateway stops', async () => {
  const { store } = rows();
  const watch = new TaskWatch({ store: { ...store, topics: { tasks: pollingTopic(1) } } });
  const { result } = reading(watch.watch(all));
  watch.close();
  while (!result.over) await sleep(1);
  expect(result.error).toMatchObject({ kind: 'unavailable' });
});

test('WatchTasks streams the changes of tasks, and resumes', async () => {
  const gateway = await openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo\n');
  const calls = callsOf(gateway.url);
  const end = new AbortController();
  const { signal } = end;
  // The answer begins before the first change.
  const accept = { accept: 'text/event-stream' };
  const { body } = await calls.request('/admin/v1/tasks:watch', { headers: accept, signal });
  const next = decodeSse(body ?? expect.fail()).next();
  const { id, contextId } = await calls.send('ask');
  const { value } = await next;
  const first = JSON.parse(value?.data ?? '') as TaskSummary;
  expect(first).toMatchObject({ id, agent: 'demo', principal: 'anonymous' });
  expect(value?.id).toBe(`${Date.parse(first.updatedAt ?? '')}`);
  await calls.send('done');
  const headers = { 'last-event-id': value?.id ?? '' };
  const resumed = calls.stream<TaskSummary>(`/admin/v1/tasks:watch?contextId=${contextId}`, { signal, headers });
  expect((await resumed.next()).value?.event).toMatchObject({ id });
  const past = calls.stream<TaskSummary>('/admin/v1/tasks:watch?changedAfter=2020-01-01T00:00:00Z', { signal });
  expect((await past.next()).value?.event).toMatchObject({ id });
  const waiting = calls.stream<TaskSummary>(
    '/admin/v1/tasks:watch?states=TASK_STATE_INPUT_REQUIRED&changedAfter=2020-01-01T00:00:00Z',
    { signal },
  );
  expect((await waiting.next()).value?.event).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
  const elsewhere = calls.stream<TaskSummary>(
    '/admin/v1/tasks:watch?binding=rest&dialect=a2a-0.3&changedAfter=2020-01-01T00:00:00Z',
    { signal },
  );
  const firstElsewhere = elsewhere.next();
  // Over JSON-RPC and over HTTP+JSON, both in A2A 0.3.
  const old = { method: 'POST', headers: { 'a2a-version': '0.3' } };
  const params = { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'one' }] } };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params };
  const rest = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'one' }] } };
  expect((await calls.request('/', { ...old, body: JSON.stringify(rpc) })).ok).toBe(true);
  expect((await calls.request('/v1/message:send', { ...old, body: JSON.stringify(rest) })).ok).toBe(true);
  expect((await firstElsewhere).value?.event).toMatchObject({ dialect: 'a2a-0.3', binding: 'rest' });
  end.abort();
});
