import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import { StreamLimit } from '../../../src/core/limits/stream-limit.ts';
import type { OperationName, SendMessageRequest, Task } from '../../../src/core/model/a2a.ts';
import {
  type CallContext,
  isStream,
  type LoggedEvent,
  type MemoryReservation,
  type UnaryReply,
} from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { type Bench, contextFor, openStore, startCore, taskIn, userMessage } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';

/** The generation of a task: where callers see it, as the condition of a message, and as what GetTask waits for. */

let requests: SendMessageRequest[];
let release: PromiseWithResolvers<void>;

/** `ask` and anything else: see below. `silent` and `later` wait for `release`, without an event or after one. */
const agent = defineAgent({
  name: 'Generations',
  description: 'Emits what it is asked to',
  async *execute({ text, request }) {
    requests.push(request);
    if (text === 'later') yield status('TASK_STATE_WORKING');
    if (text === 'silent' || text === 'later') await release.promise;
    if (text === 'done') yield artifact({ content: 'done' });
    else yield status('TASK_STATE_INPUT_REQUIRED', 'And now?');
  },
});

let core: Bench;
beforeEach(async () => {
  requests = [];
  release = Promise.withResolvers();
  core = await startCore({ agent });
});
afterEach(() => release.resolve());

async function reply(operation: OperationName, request: object, over?: Partial<CallContext>, bench = core) {
  const context = contextFor('agent', over);
  const answer = await bench.service.invoke({ operation, request: request as never, context });
  if (isStream(answer)) throw new TypeError('a stream');
  return answer as UnaryReply;
}

const send = async (text: string, taskId?: string, configuration: object = {}, over?: Partial<CallContext>) =>
  taskIn(await core.call('SendMessage', { message: userMessage(text, taskId ? { taskId } : {}), configuration }, over));

const generationOf = async (id: string): Promise<number | undefined> =>
  (await reply('GetTask', { id })).facts?.generation;

/** Position and generation of everything in a stream. */
async function read(events: AsyncIterator<LoggedEvent>): Promise<[number, number][]> {
  const all: [number, number][] = [];
  for (let next = await events.next(); !next.done; next = await events.next()) {
    all.push([next.value.seq, next.value.generation]);
  }
  return all;
}

test('the generation of a task is in replies, lists and streams, and does not count the messages of its client', async () => {
  const first = await reply('SendMessage', { message: userMessage('ask') });
  const { id } = taskIn(first.value as { task?: Task });
  expect(first.facts?.generation).toBe(2);
  const second = await reply('SendMessage', { message: userMessage('ask', { taskId: id }) });
  expect(second.facts?.generation).toBe(3);
  const stream = await core.stream('SendStreamingMessage', { message: userMessage('done', { taskId: id }) });
  // The task with the message, the artifact, the completion: the log has two messages before them.
  expect(await read(stream)).toEqual([
    [5, 3],
    [6, 4],
    [7, 5],
  ]);
  expect((await reply('GetTask', { id })).facts).toMatchObject({ generation: 5 });
  expect((await reply('ListTasks', {})).taskFacts).toMatchObject([{ generation: 5 }]);
  const replayed = await core.stream('SubscribeToTask', { id }, { replay: { after: 0 } });
  expect(await read(replayed)).toEqual([
    [1, 1],
    [2, 2],
    [4, 3],
    [6, 4],
    [7, 5],
  ]);
});

test('the generation of a task has no gap in the stream of a message that arrives while earlier events are being written', async () => {
  const { id } = await send('ask');
  const { store } = core;
  const append = store.append.bind(store);
  const written = Promise.withResolvers<void>();
  await send('later', id, { returnImmediately: true });
  const writing = new Promise<void>((resolve) => {
    store.append = async (batch) => {
      resolve();
      await written.promise;
      return append(batch);
    };
  });
  release.resolve();
  await writing;
  setTimeout(() => written.resolve(), 50);
  const stream = await core.stream('SendStreamingMessage', { message: userMessage('done', { taskId: id }) });
  const seen: [number, string | undefined][] = [];
  for (let next = await stream.next(); !next.done; next = await stream.next()) {
    const { generation, event } = next.value;
    seen.push([generation, (event.task ?? event.statusUpdate)?.status.state]);
  }
  expect(seen).toEqual([
    [3, 'TASK_STATE_WORKING'],
    [4, 'TASK_STATE_INPUT_REQUIRED'],
    [5, undefined],
    [6, 'TASK_STATE_COMPLETED'],
  ]);
});

test('the generation of a task is 1 where the first event ends the task', async () => {
  const quick = defineAgent({
    name: 'Quick',
    description: 'Ends each task with its first event',
    async *execute({ taskId, contextId }) {
      yield { task: { id: taskId, contextId, status: { state: 'TASK_STATE_COMPLETED' } } };
    },
  });
  const other = await startCore({ agent: quick });
  const answer = await reply('SendMessage', { message: userMessage('go') }, {}, other);
  expect(answer.facts?.generation).toBe(1);
  const stream = await other.stream('SendStreamingMessage', { message: userMessage('go') });
  expect(await read(stream)).toEqual([[1, 1]]);
  expect((await reply('ListTasks', {}, {}, other)).taskFacts).toMatchObject([{ generation: 1 }, { generation: 1 }]);
});

test('the generation of a task is in the leading task of a subscription and in the answer to a cancellation', async () => {
  const { id } = await send('ask');
  await send('later', id, { returnImmediately: true });
  const events = await core.stream('SubscribeToTask', { id });
  expect((await events.next()).value).toMatchObject({ seq: 4, generation: 3, event: { task: { id } } });
  expect((await reply('CancelTask', { id })).facts?.generation).toBe(4);
  expect(await read(events)).toEqual([[5, 4]]);
});

test('the generation of a task is not that of the agent', async () => {
  const counting = defineAgent({
    name: 'Counting',
    description: 'Has generations of its own',
    async *execute({ taskId, contextId }) {
      const working = { state: 'TASK_STATE_WORKING' as const };
      yield { task: { id: taskId, contextId, status: working, generation: '7' } };
      const content = { artifactId: 'a', parts: [{ text: 'x' }] };
      yield { artifactUpdate: { taskId, contextId, artifact: content, generation: '8' } };
      yield { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_COMPLETED' }, generation: '9' } };
    },
  });
  const other = await startCore({ agent: counting });
  const stream = await other.stream('SendStreamingMessage', { message: userMessage('go') });
  for (let next = await stream.next(), at = 1; !next.done; next = await stream.next(), at += 1) {
    expect(next.value.generation).toBe(at);
    expect(next.value.json).not.toContain('generation');
  }
});

test('the generation of a task survives a restart', async () => {
  const folder = newFolder();
  const start = async () => {
    const store = await openStore(`sqlite:${join(folder, 'gateway.db')}`);
    return { store, bench: await startCore({ agent }, { store }) };
  };
  const first = await start();
  const { id } = taskIn(await first.bench.call('SendMessage', { message: userMessage('ask') }));
  await first.bench.call('SendMessage', { message: userMessage('ask', { taskId: id }) });
  await first.bench.close();
  await first.store.close();
  const second = await start();
  const over = { bench: second.bench };
  expect((await reply('GetTask', { id }, {}, over.bench)).facts?.generation).toBe(3);
  const configuration = { ifGenerationMatch: '3' };
  await second.bench.call('SendMessage', { message: userMessage('ask', { taskId: id }), configuration } as never);
  expect((await reply('GetTask', { id }, {}, over.bench)).facts?.generation).toBe(4);
  await second.bench.close();
  await second.store.close();
});

test('the generation of a task is the number of events of any sequence of messages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('ask', 'stream', 'metadata'), { maxLength: 6 }), async (turns) => {
      const { id } = await send('ask');
      for (const turn of turns) {
        const message = userMessage('ask', { taskId: id });
        if (turn === 'stream') await read(await core.stream('SendStreamingMessage', { message }));
        else {
          const semantics = turn === 'metadata' ? { taskMetadata: { turn } } : {};
          await core.call('SendMessage', { message }, { semantics });
        }
      }
      const { store } = core;
      const { key = '', generation, seq } = (await store.find(contextOwner, id)) ?? {};
      const log = await store.events(key, 0, 100);
      const expected = log.map((_, i) => log.slice(0, i + 1).filter(({ event }) => !event.message).length);
      expect(log.map((entry) => entry.generation)).toEqual(expected);
      expect([generation, await generationOf(id)]).toEqual([expected.at(-1), expected.at(-1)]);
      expect(seq).toBe(log.length);
    }),
    { numRuns: 15 },
  );
});

const contextOwner = { agent: 'agent', tenant: '', principal: 'tester' };

test('ifGenerationMatch lets a message through where the task has the generation, and refuses it elsewhere', async () => {
  const { id } = await send('ask');
  await send('ask', id, { ifGenerationMatch: '2' });
  const before = await core.call('GetTask', { id });
  for (const expected of ['0', '1', '2', '4', '9223372036854775807', 9]) {
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      const message = userMessage('ask', { taskId: id });
      const configuration = { ifGenerationMatch: expected };
      await expect(reply(operation, { message, configuration })).rejects.toMatchObject({
        kind: 'taskGenerationMismatch',
        row: { jsonrpc: -32010, http: 409, grpc: 'ABORTED', reason: 'TASK_GENERATION_MISMATCH' },
        metadata: { taskId: id, expectedGeneration: `${expected}`, currentGeneration: '3' },
      });
    }
  }
  expect(await core.call('GetTask', { id })).toEqual(before);
  expect(requests).toHaveLength(2);
  await send('ask', id, { ifGenerationMatch: '3' });
  expect(await generationOf(id)).toBe(4);
});

test('ifGenerationMatch is nothing that the agent sees, and nothing for a message that opens a task', async () => {
  const { id } = await send('ask', undefined, { ifGenerationMatch: '7', historyLength: 3 });
  await send('ask', id, { ifGenerationMatch: '2' });
  expect(requests.map(({ configuration }) => configuration)).toEqual([{ historyLength: 3 }, {}]);
  const semantics = { namesTask: true, tasksOnly: true } as const;
  const { id: chosen } = await send('ask', 'chosen', { ifGenerationMatch: '7' }, { semantics });
  expect(chosen).toBe('chosen');
});

test('ifGenerationMatch must be an int64 that is not negative', async () => {
  const { id } = await send('ask');
  for (const wrong of ['-1', '', 'x', '1.5', '9223372036854775808', '99999999999999999999', 1.5, -1, Number.NaN]) {
    for (const taskId of [id, undefined]) {
      await expect(send('ask', taskId, { ifGenerationMatch: wrong })).rejects.toMatchObject({
        kind: 'invalidParams',
        violations: [{ field: 'configuration.ifGenerationMatch' }],
      });
    }
    await expect(reply('GetTask', { id, currentGeneration: wrong })).rejects.toMatchObject({
      kind: 'invalidParams',
      violations: [{ field: 'currentGeneration' }],
    });
  }
  expect(requests).toHaveLength(1);
});

test('ifGenerationMatch lets exactly one of the messages through that expect the same generation at the same moment', async () => {
  for (const text of ['ask', 'silent', 'later']) {
    release = Promise.withResolvers();
    const { id } = await send('ask');
    const sent = Promise.allSettled([1, 2, 3].map(() => send(text, id, { ifGenerationMatch: '2' })));
    await expect.poll(() => requests.at(-1)?.message.taskId).toBe(id);
    release.resolve();
    const outcomes = (await sent).map((one) => (one.status === 'fulfilled' ? 'done' : one.reason.kind));
    expect(outcomes.toSorted()).toEqual(['done', 'taskGenerationMismatch', 'taskGenerationMismatch']);
    const { history = [] } = await core.call('GetTask', { id });
    expect(history.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
  }
});

test('ifGenerationMatch refuses a message while another one with the same expectation waits for its answer', async () => {
  const { id } = await send('ask');
  await send('silent', id, { returnImmediately: true });
  const configuration = { ifGenerationMatch: '2', returnImmediately: true };
  await expect(send('ask', id, configuration)).rejects.toMatchObject({
    kind: 'taskGenerationMismatch',
    message: expect.stringContaining('another message waits for its answer'),
  });
  // A caller that waits for the task waits for that answer, too.
  const waiting = send('ask', id, { ifGenerationMatch: '2' });
  setTimeout(() => release.resolve(), 50);
  await expect(waiting).rejects.toMatchObject({ metadata: { expectedGeneration: '2', currentGeneration: '3' } });
  expect(requests).toHaveLength(2);
});

test('ifGenerationMatch of a repeated call is that of the first one', async () => {
  const { id } = await send('ask');
  const message = userMessage('ask', { taskId: id });
  const configuration = { ifGenerationMatch: '2' };
  const call = () => reply('SendMessage', { message, configuration }, { idempotencyKey: 'key-1' });
  const [first, repeated, again] = [await call(), await call(), await call()];
  expect(repeated.value).toEqual(first.value);
  expect(again.facts?.generation).toBe(3);
  await send('ask', id);
  const late = await call();
  expect([late.value, late.facts?.generation]).toEqual([first.value, 3]);
  expect(requests).toHaveLength(3);
});

test('ifGenerationMatch is compared with what is durable, also after a write whose answer was lost', async () => {
  const { id } = await send('ask');
  const { store } = core;
  const append = store.append.bind(store);
  let lost = 0;
  store.append = async (batch) => {
    await append(batch);
    lost += 1;
    if (lost === 1) throw new A2AError('unavailable', 'The answer is lost');
  };
  // The message is stored, its caller may or may not learn of it, and the agent answers it once.
  await send('ask', id, { ifGenerationMatch: '2' }, { idempotencyKey: 'key-2' }).catch(() => undefined);
  await expect.poll(() => generationOf(id)).toBe(3);
  store.append = append;
  const log = await store.events((await store.find(contextOwner, id))?.key ?? '', 0, 10);
  expect(log.map(({ seq, generation }) => [seq, generation])).toEqual([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
  ]);
  await send('ask', id, { ifGenerationMatch: '3' });
});

describe('GetTask with currentGeneration', () => {
  async function poll(id: string, currentGeneration: string | number, over?: Partial<CallContext>, bench = core) {
    const { value, facts } = await reply('GetTask', { id, currentGeneration }, over, bench);
    return { task: value as Task, generation: facts?.generation };
  }

  test('GetTask with currentGeneration answers at once where the task has a greater generation, or is over', async () => {
    const { id } = await send('ask');
    expect((await poll(id, '1')).generation).toBe(2);
    expect((await poll(id, 0)).generation).toBe(2);
    await send('done', id);
    for (const known of ['4', '5', '9223372036854775807']) expect((await poll(id, known)).generation).toBe(4);
    expect(core.service.live).toBe(0);
  });

  test('GetTask with currentGeneration waits until the generation changes, also by a later message', async () => {
    const { id } = await send('ask');
    await send('later', id, { returnImmediately: true });
    await expect.poll(() => generationOf(id)).toBe(3);
    const waiting = [poll(id, '3'), poll(id, 3), poll(id, '4')];
    setTimeout(() => release.resolve(), 50);
    const [first, second] = await Promise.all(waiting.slice(0, 2));
    expect([first?.generation, second?.generation]).toEqual([4, 4]);
    expect(first?.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    // Its task rests, and goes on with the next message.
    await send('ask', id);
    expect((await waiting[2])?.generation).toBe(5);
    expect(core.service.live).toBe(0);
  });

  test('GetTask with currentGeneration answers with the task as it is after the limit, or shortly before the deadline of its caller', async () => {
    const limited = await startCore({ agent }, { answer: 60, store: core.store });
    const { id } = taskIn(await limited.call('SendMessage', { message: userMessage('ask') }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    for (const [bench, over, wait] of [
      [limited, {}, 60],
      [core, { deadline: Date.now() + 260 }, 180],
    ] as const) {
      let isOver = false;
      const waiting = poll(id, '2', over, bench).finally(() => {
        isOver = true;
      });
      while (bench.service.live === 0) await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await waiting).toMatchObject({ generation: 2, task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    }
    vi.useRealTimers();
    expect((await poll(id, '2', { deadline: Date.now() - 1 })).generation).toBe(2);
  });

  test('GetTask with currentGeneration ends with its caller', async () => {
    const { id } = await send('ask');
    const gone = new AbortController();
    const waiting = poll(id, '2', { signal: gone.signal });
    await expect.poll(() => core.service.live).toBe(1);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'canceled' });
    await expect.poll(() => core.service.live).toBe(0);
  });

  test('GetTask with currentGeneration counts as a stream of its caller and of the task while it waits', async () => {
    const streams = new StreamLimit({ streams: 2, streamsPerTask: 1 });
    const limited = await startCore({ agent }, { streams, store: core.store });
    const [a = '', b = '', c = ''] = await Promise.all([1, 2, 3].map(async () => (await send('ask')).id));
    const change = (taskId: string) => limited.call('SendMessage', { message: userMessage('ask', { taskId }) });
    const first = [poll(a, '2', {}, limited), poll(b, '2', {}, limited)];
    await expect.poll(() => limited.service.live).toBe(2);
    await expect(poll(c, '2', {}, limited)).rejects.toMatchObject({ kind: 'tooManyRequests' });
    expect((await poll(c, '1', {}, limited)).generation).toBe(2);
    await Promise.all([a, b].map(change));
    await Promise.all(first);
    const again = poll(a, '3', {}, limited);
    await expect.poll(() => limited.service.live).toBe(1);
    await expect(poll(a, '3', {}, limited)).rejects.toMatchObject({ kind: 'tooManyRequests' });
    await change(a);
    await again;
    expect(streams.callers.size).toBe(0);
  });

  test('GetTask with currentGeneration holds no room for its answer while it waits', async () => {
    const { id } = await send('ask');
    const held: number[] = [0];
    const reservation: MemoryReservation = {
      bytes: 0,
      isFull: false,
      isClosed: false,
      count: () => undefined,
      reserve: (bytes) => void held.push(bytes),
      encoded: () => undefined,
      drained: () => undefined,
      release: () => void held.push(0),
    };
    const waiting = poll(id, '2', { reservation });
    await expect.poll(() => core.service.live).toBe(1);
    expect([Math.max(...held) > 0, held.at(-1)]).toEqual([true, 0]);
    await send('done', id);
    await waiting;
    expect(held.at(-1)).toBeGreaterThan(0);
  });

  test('GetTask with currentGeneration fails when the gateway stops, and where there is no such task', async () => {
    const { id } = await send('ask');
    const waiting = poll(id, '2');
    await expect.poll(() => core.service.live).toBe(1);
    const failed = expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
    await core.service.close(AbortSignal.abort());
    await failed;
    await expect(poll('unknown', '2')).rejects.toMatchObject({ kind: 'taskNotFound' });
  });
});
