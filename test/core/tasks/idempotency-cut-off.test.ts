import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defineAgent, say, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { statusEvent } from '../../../src/core/model/agent-events.ts';
import { A2AError, markUndelivered } from '../../../src/core/model/errors.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { KeyTaken, LogConflict } from '../../../src/core/ports/store-errors.ts';
import type { Append } from '../../../src/core/ports/task-store.ts';
import { TaskJournal } from '../../../src/core/tasks/task-journal.ts';
import { type Bench, openStore, silent, startCore, taskIn, userMessage } from '../../support/core.ts';
import { withIdempotencyKeys } from '../../support/idempotency.ts';

/** Calls with idempotency keys when the store answers late, wrongly or not at all. */

let executed = 0;
let failure: Error | undefined;
let ends = Promise.withResolvers<void>();
const probe = defineAgent({
  name: 'Probe',
  description: 'Says what it is told to',
  async *execute({ text }) {
    executed += 1;
    if (failure) throw failure;
    if (text === 'end') return;
    if (text === 'say') yield say(`run ${executed}`);
    else if (text === 'say later') {
      await ends.promise;
      yield say(`run ${executed}`);
    } else {
      yield status('TASK_STATE_WORKING');
      await ends.promise;
      yield status('TASK_STATE_COMPLETED', `run ${executed}`);
    }
  },
});

const agents = { probe, demo: createReferenceAgent() };
let store: Store;
let core: Bench;
beforeEach(async () => {
  executed = 0;
  failure = undefined;
  ends = Promise.withResolvers();
  store = await openStore();
  core = await startCore(agents, {
    store,
    wrap: (service) => withIdempotencyKeys(service, { store, answer: 60_000 }),
  });
});
afterEach(() => ends.resolve());

const keyed = { idempotencyKey: 'key' };
const away = (): A2AError => new A2AError('unavailable');
const all = async (): Promise<readonly Task[]> => (await core.call('ListTasks', {})).tasks;

/** Makes the store lose its answers: the writes with these numbers are stored, and then fail. */
function loseAnswers(...which: readonly number[]): Append[] {
  const append = store.append.bind(store);
  const seen: Append[] = [];
  vi.spyOn(store, 'append').mockImplementation(async (batch) => {
    seen.push(batch);
    await append(batch);
    if (which.includes(seen.length)) throw away();
  });
  return seen;
}

test('the row is stored under the key before the agent gets the message', async () => {
  const append = store.append.bind(store);
  vi.spyOn(store, 'append').mockImplementation(async (batch) => {
    if (batch.create) expect(executed).toBe(0);
    await append(batch);
  });
  ends.resolve();
  await core.call('SendMessage', { message: userMessage('work') }, keyed);
  expect(executed).toBe(1);
});

test('a message that continues a task is stored before the agent gets it', async () => {
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }, { agent: 'demo' }));
  const writes = loseAnswers();
  await core.call('SendMessage', { message: userMessage('Ada', { taskId: id }) }, { ...keyed, agent: 'demo' });
  expect(writes[0]?.events.map(({ event }) => Object.keys(event))).toEqual([['message']]);
  expect(writes[0]?.keys?.[0]?.call.key).toBe('key');
});

test('a snapshot that was given out does not change', async () => {
  const message = userMessage('work');
  const shown = taskIn(await core.call('SendMessage', { message, configuration: { returnImmediately: true } }, keyed));
  const text = JSON.stringify(shown);
  ends.resolve();
  await vi.waitFor(async () => {
    expect((await core.call('GetTask', { id: shown.id })).status.state).toBe('TASK_STATE_COMPLETED');
  });
  expect(JSON.stringify(shown)).toBe(text);
});

test('while the store is away nothing is executed, and the key is as good as new', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const append = vi.spyOn(store, 'append').mockRejectedValue(away());
  const message = userMessage('say');
  const refused = core.call('SendMessage', { message }, keyed).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(80_000);
  expect(await refused).toMatchObject({ kind: 'unavailable' });
  vi.useRealTimers();
  append.mockRestore();
  expect(executed).toBe(0);
  expect((await core.call('SendMessage', { message }, keyed)).message?.parts).toEqual([{ text: 'run 1' }]);
});

test('a row that is written more than a minute after its call was refused is removed, and its key is free', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const held = Promise.withResolvers<void>();
  const write = store.append.bind(store);
  const append = vi.spyOn(store, 'append').mockImplementation(async (batch) => {
    await held.promise;
    await write(batch);
  });
  const retract = vi.spyOn(store, 'retract');
  const message = userMessage('say');
  const refused = core.call('SendMessage', { message }, keyed).catch((error: unknown) => error);
  await vi.waitFor(() => expect(append).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(80_000);
  expect(await refused).toMatchObject({ kind: 'unavailable' });
  vi.useRealTimers();
  held.resolve();
  await vi.waitFor(() => expect(retract).toHaveResolvedWith(true));
  append.mockRestore();
  expect(await all()).toEqual([]);
  expect(executed).toBe(0);
  expect((await core.call('SendMessage', { message }, keyed)).message?.parts).toEqual([{ text: 'run 1' }]);
});

/** Lets the store write the first row, and answer only after some milliseconds, or with an error. */
async function answerLate(ms: number, fail: boolean): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const append = store.append.bind(store);
  vi.spyOn(store, 'append').mockImplementationOnce(async (batch) => {
    await append(batch);
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (fail) throw away();
  });
}

test.each([false, true])(
  'a message whose row is confirmed after its caller was refused is carried out once, for the caller who comes again (as an error: %s)',
  async (fail) => {
    await answerLate(12_000, fail);
    // The stall concerns this removal too.
    vi.spyOn(store, 'retract').mockRejectedValueOnce(away());
    ends.resolve();
    const message = userMessage('work');
    const refused = core.call('SendMessage', { message }, keyed).catch((error: unknown) => error);
    await vi.waitFor(() => expect(store.append).toHaveBeenCalled());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await refused).toMatchObject({ kind: 'unavailable' });
    expect(executed).toBe(0);
    // It waits for the row of the first call.
    const again = core.call('SendMessage', { message }, keyed);
    await core.service.takeOver();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(taskIn(await again).status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [{ text: 'run 1' }] },
    });
    expect(await core.service.takeOver()).toBe(0);
    expect(await all()).toHaveLength(1);
    expect(executed).toBe(1);
    vi.useRealTimers();
  },
);

test('a direct answer to a message whose caller was refused is kept for the caller who comes again', async () => {
  await answerLate(12_000, false);
  const message = userMessage('say');
  const refused = core.call('SendMessage', { message }, keyed).catch((error: unknown) => error);
  await vi.waitFor(() => expect(store.append).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await refused).toMatchObject({ kind: 'unavailable' });
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.waitFor(() => expect(executed).toBe(1));
  vi.useRealTimers();
  expect((await core.call('SendMessage', { message }, keyed)).message?.parts).toEqual([{ text: 'run 1' }]);
  expect(await all()).toEqual([]);
});

test.each([
  ['removed', false],
  ['ended with the reason, where a caller has seen it', true],
])('the row of a message without a key that was refused is %s', async (_, isSeen) => {
  await answerLate(12_000, true);
  vi.spyOn(store, 'crashSafe', 'get').mockReturnValue(false);
  vi.spyOn(store, 'retract').mockRejectedValueOnce(away()).mockRejectedValueOnce(away());
  const refused = core.call('SendMessage', { message: userMessage('work') }).catch((error: unknown) => error);
  await vi.waitFor(() => expect(store.append).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await refused).toMatchObject({ kind: 'unavailable' });
  const [row] = await all();
  if (isSeen) await store.pin(row?.id ?? '');
  vi.spyOn(store, 'load').mockRejectedValue(away());
  await vi.advanceTimersByTimeAsync(10_000);
  vi.mocked(store.load).mockRestore();
  vi.useRealTimers();
  // The store behaves like one that knows of a removal without an answer.
  const stored = await store.load(row?.id ?? '');
  vi.spyOn(store, 'claimOrphans').mockResolvedValueOnce(stored ? [stored] : []);
  expect(await core.service.takeOver()).toBe(1);
  expect(executed).toBe(0);
  const left = await all();
  expect(left.map(({ status }) => status.message?.parts?.[0]?.text)).toEqual(
    isSeen ? [expect.stringMatching(/the agent did not get it\.$/)] : [],
  );
});

test('a key is answered with the task as its own turn left it, also when the task has gone on', async () => {
  const message = userMessage('ask');
  const demo = { ...keyed, agent: 'demo' };
  const question = taskIn(await core.call('SendMessage', { message }, demo));
  const reply = { message: userMessage('Ada', { taskId: question.id }) };
  const answered = taskIn(await core.call('SendMessage', reply, { ...demo, idempotencyKey: 'second' }));
  expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
  expect(taskIn(await core.call('SendMessage', { message }, demo))).toEqual(question);
  expect(taskIn(await core.call('SendMessage', reply, { ...demo, idempotencyKey: 'second' }))).toEqual(answered);
});

test('a row whose removal was not confirmed is not shown: the answer is the one that was stored', async () => {
  const remove = store.retract.bind(store);
  vi.spyOn(store, 'retract').mockImplementationOnce(async (...what) => {
    await remove(...what);
    throw away();
  });
  const message = userMessage('say');
  const first = await core.call('SendMessage', { message }, keyed);
  expect(first.message?.parts).toEqual([{ text: 'run 1' }]);
  expect(await core.call('SendMessage', { message }, keyed)).toEqual(first);
  expect(await all()).toEqual([]);
});

test('a direct answer that cannot be stored becomes a task', async () => {
  vi.spyOn(store, 'retract').mockRejectedValue(away());
  const message = userMessage('say');
  const task = taskIn(await core.call('SendMessage', { message }, keyed));
  expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'run 1' }] } });
  expect(taskIn(await core.call('SendMessage', { message }, keyed)).status).toEqual(task.status);
  expect(executed).toBe(1);
});

test('a direct answer leaves no task behind, neither in the store nor in memory', async () => {
  expect((await core.call('SendMessage', { message: userMessage('say') }, keyed)).message).toBeDefined();
  expect(await all()).toEqual([]);
  expect(core.service.live).toBe(0);
});

test('an undelivered message leaves no task in memory', async () => {
  failure = markUndelivered(new A2AError('upstreamUnreachable', 'connection refused'));
  await expect(core.call('SendMessage', { message: userMessage('say') }, keyed)).rejects.toBeDefined();
  expect(core.service.live).toBe(0);
});

test('a direct answer completes a task that a client has subscribed to in the meantime', async () => {
  const answer = core.call('SendMessage', { message: userMessage('say later') }, keyed);
  await vi.waitFor(() => expect(executed).toBe(1));
  const [found] = await all();
  await core.stream('SubscribeToTask', { id: found?.id ?? '' });
  ends.resolve();
  const task = taskIn(await answer);
  expect(task.status.message?.parts).toEqual([{ text: 'run 1' }]);
});

test('an agent that failed before it said anything gives the same failure again, and leaves no task', async () => {
  failure = new A2AError('invalidAgentResponse', 'nonsense');
  const message = userMessage('work');
  for (let i = 0; i < 2; i += 1) {
    const call = core.call('SendMessage', { message }, keyed);
    await expect(call).rejects.toMatchObject({ kind: 'invalidAgentResponse', message: 'nonsense' });
  }
  expect(executed).toBe(1);
  expect(await all()).toEqual([]);
});

test('an undelivered message frees the key', async () => {
  failure = markUndelivered(new A2AError('upstreamUnreachable', 'connection refused'));
  const message = userMessage('say');
  await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  expect(await all()).toEqual([]);
  failure = undefined;
  expect((await core.call('SendMessage', { message }, keyed)).message).toBeDefined();
});

test('a subscription does not fail with a message that came too late', async () => {
  const over = { agent: 'demo' };
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }, over));
  const refused = Promise.withResolvers<void>();
  vi.spyOn(store, 'append').mockImplementationOnce(async () => {
    await refused.promise;
    throw new A2AError('internal', undefined, { cause: new LogConflict('another gateway was quicker') });
  });
  const late = core.call('SendMessage', { message: userMessage('Ada', { taskId: id }) }, { ...over, ...keyed });
  late.catch(() => undefined);
  await vi.waitFor(() => expect(store.append).toHaveBeenCalled());
  const events = core.stream('SubscribeToTask', { id }, over);
  refused.resolve();
  await expect(late).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  const { value } = await (await events).next();
  expect(value?.event.task).toMatchObject({ id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
});

test('a message that another gateway has begun with the same key, at the same moment, is followed there', async () => {
  const over = { agent: 'demo' };
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }, over));
  const append = store.append.bind(store);
  vi.spyOn(store, 'append').mockImplementationOnce(async (batch) => {
    await append(batch);
    const { seq: last = 0, generation: known = 0 } = batch.events.at(-1) ?? {};
    const event = statusEvent('TASK_STATE_COMPLETED', { taskId: id, contextId: 'context' }, 'done elsewhere');
    const status = { state: 'TASK_STATE_COMPLETED' as const, at: store.now() };
    const events = [{ seq: last + 1, at: store.now(), generation: known + 1, event, json: JSON.stringify(event) }];
    await append({ key: batch.key, status, events });
    throw new A2AError('internal', undefined, { cause: new LogConflict('another gateway was quicker') });
  });
  const message = userMessage('Ada', { taskId: id });
  const task = taskIn(await core.call('SendMessage', { message }, { ...over, ...keyed }));
  expect(task.status.message?.parts).toEqual([{ text: 'done elsewhere' }]);
});

test.each([{}, keyed])(
  'a task that another replica took over while its row was written is not worked on here: %j',
  async (key) => {
    const append = store.append.bind(store);
    vi.spyOn(store, 'append').mockImplementationOnce(async (batch) => {
      await append(batch);
      const [first] = batch.events;
      const { id: taskId = '', contextId = '' } = first?.event.task ?? {};
      const event = statusEvent('TASK_STATE_FAILED', { taskId, contextId }, 'The gateway stopped');
      const status = { state: 'TASK_STATE_FAILED' as const, at: store.now() };
      await append({
        key: batch.key,
        status,
        events: [{ seq: 2, at: store.now(), generation: 2, event, json: JSON.stringify(event) }],
      });
      const cause = new LogConflict('another replica has taken it over', { isStored: true });
      throw new A2AError('internal', undefined, { cause });
    });
    vi.spyOn(store, 'crashSafe', 'get').mockReturnValue(false);
    const task = taskIn(await core.call('SendMessage', { message: userMessage('work') }, key));
    expect(task.status.message?.parts).toEqual([{ text: 'The gateway stopped' }]);
    expect(executed).toBe(0);
  },
);

test('an undelivered message to a task frees the key, and the task keeps waiting', async () => {
  let isThere = false;
  const far: Agent = {
    ...createReferenceAgent(),
    async *execute(request, context) {
      if (context.task && !isThere) {
        await context.undelivered();
        const { taskId, contextId } = context;
        yield statusEvent('TASK_STATE_INPUT_REQUIRED', { taskId, contextId }, 'connection refused');
      } else yield* createReferenceAgent().execute(request, context);
    },
  };
  const bench = await startCore({ far }, { store });
  const { id } = taskIn(await bench.call('SendMessage', { message: userMessage('ask') }));
  const message = userMessage('Ada', { taskId: id });
  const state = async () => taskIn(await bench.call('SendMessage', { message }, keyed)).status.state;
  expect(await state()).toBe('TASK_STATE_INPUT_REQUIRED');
  isThere = true;
  expect(await state()).toBe('TASK_STATE_COMPLETED');
  expect(await state()).toBe('TASK_STATE_COMPLETED');
});

test('the task shows a failure after which the outcome at the agent is unknown', async () => {
  failure = new A2AError('unavailable', 'busy');
  const message = userMessage('work');
  const first = taskIn(await core.call('SendMessage', { message }, keyed));
  expect(first.status).toMatchObject({ state: 'TASK_STATE_FAILED', message: { parts: [{ text: 'busy' }] } });
  expect(taskIn(await core.call('SendMessage', { message }, keyed)).status).toEqual(first.status);
  expect(executed).toBe(1);
});

test('a retry of a call that does not wait does not wait either', async () => {
  const send = { message: userMessage('work'), configuration: { returnImmediately: true } };
  const { id } = taskIn(await core.call('SendMessage', send, keyed));
  expect(taskIn(await core.call('SendMessage', send, keyed))).toMatchObject({ id });
});

test('a webhook is registered with the answer to a retry, where the first call did not get to it', async () => {
  const put = vi.spyOn(store, 'putPushConfig').mockRejectedValueOnce(away());
  const message = userMessage('hello');
  const configuration = { taskPushNotificationConfig: { url: 'http://127.0.0.1:1/' } };
  const over = { ...keyed, agent: 'demo' };
  await expect(core.call('SendMessage', { message, configuration }, over)).rejects.toBeDefined();
  const { id } = taskIn(await core.call('SendMessage', { message, configuration }, over));
  const { configs } = await core.call('ListTaskPushNotificationConfigs', { taskId: id }, { agent: 'demo' });
  expect(configs).toMatchObject([{ url: 'http://127.0.0.1:1/', id, taskId: id }]);
  expect(put.mock.lastCall?.[3]).toMatchObject({ after: 0 });
});

test('the key of a call that changes no task is free when the outcome of the call is unknown', async () => {
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }, { agent: 'demo' }));
  const over = { ...keyed, agent: 'demo' };
  vi.spyOn(store, 'answerCall').mockRejectedValueOnce(away());
  const config = { taskId: id, id: 'p', url: 'http://127.0.0.1:1/' };
  await expect(core.call('CreateTaskPushNotificationConfig', config, over)).rejects.toMatchObject(away());
  expect(await core.call('CreateTaskPushNotificationConfig', config, over)).toMatchObject(config);
  expect(await core.call('CreateTaskPushNotificationConfig', config, over)).toMatchObject(config);
});

test('a claim whose answer is lost does not let others wait', async () => {
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }, { agent: 'demo' }));
  const claim = store.claimCall.bind(store);
  vi.spyOn(store, 'claimCall').mockImplementationOnce(async (...args) => {
    await claim(...args);
    throw away();
  });
  const over = { ...keyed, agent: 'demo' };
  await expect(core.call('CancelTask', { id }, over)).rejects.toMatchObject({ kind: 'unavailable' });
  const canceled = await core.call('CancelTask', { id }, over);
  expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
  expect(await core.call('CancelTask', { id }, over)).toEqual(canceled);
});

test.each(['upstreamUnreachable', 'upstreamTimeout'] as const)(
  'a call that ends with %s leaves a task that says so',
  async (kind) => {
    failure = new A2AError(kind);
    const message = userMessage('say');
    const task = taskIn(await core.call('SendMessage', { message }, keyed));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(taskIn(await core.call('SendMessage', { message }, keyed))).toEqual(task);
    expect(executed).toBe(1);
  },
);

test('a write whose key another call has is not tried again, and callers who wait for it may come again', async () => {
  const cause = new KeyTaken('Another call has this key.');
  const append = vi.fn(() => Promise.reject(new A2AError('internal', undefined, { cause })));
  const record = { agent: 'probe', tenant: '', principal: 'p', key: 'task', id: 'task', contextId: 'c' };
  const ignore = (): void => undefined;
  const owner = { isWorking: true, stopWork: ignore, bytesChanged: ignore, useChanged: ignore };
  const memory = { isCrowded: false };
  const deps = { store: { ...store, now: Date.now, append }, shared: false, logger: silent, memory };
  const journal = new TaskJournal(deps, { ...record, createdAt: 1, dialect: 'a2a-1.0' }, owner);
  journal.append({ task: { id: 'task', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }, undefined);
  await expect(journal.settled()).rejects.toMatchObject({ kind: 'unavailable', cause });
  expect(append).toHaveBeenCalledTimes(1);
});

test('a task that came to rest while it was claimed is left as it is', async () => {
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }, { agent: 'demo' }));
  const stored = await store.load(id);
  vi.spyOn(store, 'claimOrphans').mockResolvedValueOnce(stored ? [stored] : []);
  expect(await core.service.takeOver()).toBe(1);
  expect((await core.call('GetTask', { id }, { agent: 'demo' })).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
});

test('an agent that ends without an answer fails the task that cannot be taken back', async () => {
  vi.spyOn(store, 'retract').mockResolvedValue(false);
  const task = taskIn(await core.call('SendMessage', { message: userMessage('end') }, keyed));
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task.status.message?.parts).toEqual([{ text: expect.stringContaining('The agent ended without an answer') }]);
});
