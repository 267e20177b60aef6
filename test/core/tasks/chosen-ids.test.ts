import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { artifact, defineAgent, say, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import type { CallContext } from '../../../src/core/model/call.ts';
import { newId } from '../../../src/core/model/ids.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../../support/core.ts';
import { withIdempotencyKeys } from '../../support/idempotency.ts';

const agents = { demo: createReferenceAgent() };
let core: Bench;
beforeEach(async () => {
  core = await startCore(agents, {
    wrap: (service, store) => withIdempotencyKeys(service, { store, answer: 5_000 }),
  });
});

const named = { semantics: { tasksOnly: true, namesTask: true, oneWebhook: true } } as const;
const other = { principal: { id: 'other', anonymous: false } };

const send = async (id: string, text: string, over: Partial<CallContext> = {}, configuration = {}): Promise<Task> => {
  const message = userMessage(text, { taskId: id });
  return taskIn(await core.call('SendMessage', { message, configuration }, { ...named, ...over }));
};

const states = (task: Task): string => task.status.state.replace('TASK_STATE_', '');

test('a message that names its task makes the task, and the next one continues it', async () => {
  const question = await send('task-1', 'ask');
  expect(question).toMatchObject({ id: 'task-1', status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  expect(question.history).toMatchObject([{ taskId: 'task-1', contextId: question.contextId }]);
  const answered = await send('task-1', 'Ada');
  expect(answered).toMatchObject({ id: 'task-1', artifacts: [{ parts: [{ text: 'Hello, Ada' }] }] });
  expect(answered.history?.map(({ parts }) => parts[0]?.text)).toEqual(['ask', 'What is your name?', 'Ada']);
  expect(await core.call('GetTask', { id: 'task-1' })).toEqual(answered);
  const { artifacts: _, ...listed } = answered;
  expect((await core.call('ListTasks', {})).tasks).toEqual([listed]);
});

test('a message that names its task continues the task with this id, whether the client or the gateway chose the id', async () => {
  const made = taskIn(await core.call('SendMessage', { message: userMessage('ask') }));
  expect(await send(made.id, 'Ada')).toMatchObject({ id: made.id, artifacts: [{ name: 'greeting' }] });
  const chosen = await send('mine', 'ask');
  const message = userMessage('Ada', { taskId: 'mine' });
  expect(taskIn(await core.call('SendMessage', { message }))).toMatchObject({ contextId: chosen.contextId });
  expect((await core.call('ListTasks', {})).totalSize).toBe(2);
});

test('a message that names its task takes its context over; the first one stands', async () => {
  const inSession = (contextId: string) => ({ message: userMessage('ask', { taskId: 'task-1', contextId }) });
  expect(taskIn(await core.call('SendMessage', inSession('session-1'), named)).contextId).toBe('session-1');
  // A caller that does not choose task ids must use the context that the gateway assigned.
  await expect(core.call('SendMessage', inSession('session-2'))).rejects.toMatchObject({
    kind: 'invalidParams',
    violations: [{ field: 'message.contextId' }],
    metadata: { taskId: 'task-1' },
  });
  const task = taskIn(await core.call('SendMessage', inSession('session-2'), named));
  expect(task.contextId).toBe('session-1');
  expect(task.history?.map(({ contextId }) => contextId)).toEqual(Array(3).fill('session-1'));
});

test('a message that names its task finds a task that is over closed', async () => {
  await send('task-1', 'hello');
  await expect(send('task-1', 'more')).rejects.toMatchObject({
    kind: 'unsupportedOperation',
    metadata: { taskId: 'task-1' },
  });
  await expect(core.call('CancelTask', { id: 'task-1' })).rejects.toMatchObject({
    kind: 'taskNotCancelable',
    metadata: { taskId: 'task-1' },
  });
});

test('a message that names its task never reaches the task of another', async () => {
  const made = taskIn(await core.call('SendMessage', { message: userMessage('ask') }));
  const ids = ['task-1', made.id, newId(), '01890a5d-ac96-774b-bcce-b302099a8057'];
  for (const id of ids) {
    const first = id === made.id ? made : await send(id, 'ask');
    for (const over of [other, { tenant: 't' }]) {
      const second = await send(id, 'ask', over);
      expect(second.contextId).not.toBe(first.contextId);
      expect(states(await send(id, 'Bob', over))).toBe('COMPLETED');
      expect(await core.call('GetTask', { id }, over)).toMatchObject({
        artifacts: [{ parts: [{ text: 'Hello, Bob' }] }],
      });
    }
    expect(await core.call('GetTask', { id })).toEqual(first);
    await expect(core.call('GetTask', { id }, { tenant: 'none' })).rejects.toMatchObject({ kind: 'taskNotFound' });
    await expect(core.call('CancelTask', { id }, { tenant: 'none' })).rejects.toMatchObject({ kind: 'taskNotFound' });
  }
  for (const over of [{}, other, { tenant: 't' }]) {
    expect((await core.call('ListTasks', {}, over)).totalSize).toBe(ids.length);
  }
});

test('a message that names its task gets a task even from an agent that answers with a direct message', async () => {
  for (const semantics of [named.semantics, { namesTask: true } as const]) {
    const id = `task-${Object.keys(semantics).length}`;
    const task = await send(id, 'say hi', { semantics });
    expect(task).toMatchObject({
      id,
      status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'hi' }] } },
    });
    const message = userMessage('say hi', { taskId: `${id}-stream` });
    const events = await collect(await core.stream('SendStreamingMessage', { message }, { semantics }));
    expect(outline(events)).toEqual(['task', 'completed']);
  }
  // Without an id of its own it is a message like any other.
  const answer = await core.call('SendMessage', { message: userMessage('say hi') }, { semantics: { namesTask: true } });
  expect(answer.message?.parts).toEqual([{ text: 'hi' }]);
});

test('a message that names its task without the method saying so is about a task that must be there', async () => {
  const message = userMessage('hello', { taskId: 'nowhere' });
  await expect(core.call('SendMessage', { message })).rejects.toMatchObject({
    kind: 'taskNotFound',
    metadata: { taskId: 'nowhere' },
  });
});

test.each(['task-1', newId()])(
  'a task with a chosen id can be followed, replayed and canceled while it is under way (%s)',
  async (id) => {
    expect(states(await send(id, 'wait', {}, { returnImmediately: true }))).toBe('WORKING');
    expect(states(await core.call('GetTask', { id }))).toBe('WORKING');
    const following = await core.stream('SubscribeToTask', { id });
    expect((await following.next()).value?.event.task?.id).toBe(id);
    expect(states(await core.call('CancelTask', { id }))).toBe('CANCELED');
    expect(outline(await collect(following))).toEqual(['canceled']);
    const after = { replay: { after: 1 } };
    expect(outline(await collect(await core.stream('SubscribeToTask', { id }, after)))).toEqual([
      'working',
      'canceled',
    ]);
    const turn = { replay: 'latest-turn' } as const;
    expect(outline(await collect(await core.stream('SubscribeToTask', { id }, turn)))[0]).toBe('task');
  },
);

test('a task with a chosen id has the same events as one that the gateway named', async () => {
  for (const text of ['hello', 'stream 3 0', 'ask', 'fail', 'data', 'slow 10']) {
    const streams = [
      await core.stream('SendStreamingMessage', { message: userMessage(text) }),
      await core.stream('SendStreamingMessage', { message: userMessage(text, { taskId: text }) }, named),
    ];
    const [made, chosen] = await Promise.all(streams.map(collect));
    expect(outline(chosen ?? [])).toEqual(outline(made ?? []));
    expect(chosen?.[0]?.task?.history).toHaveLength(1);
  }
});

test('a task with a chosen id has push configurations that name it', async () => {
  const push = { taskPushNotificationConfig: { url: 'https://hooks.example.com/', id: 'p' } };
  await send('task-1', 'ask', {}, push);
  const config = await core.call('GetTaskPushNotificationConfig', { taskId: 'task-1', id: 'p' });
  expect(config).toMatchObject({ id: 'p', taskId: 'task-1', url: 'https://hooks.example.com/' });
  const request = { taskId: 'task-1', id: 'q', url: 'https://hooks.example.com/q' };
  expect(await core.call('CreateTaskPushNotificationConfig', request)).toEqual(request);
  const listed = await core.call('ListTaskPushNotificationConfigs', { taskId: 'task-1' });
  expect(listed.configs).toEqual([config, request]);
  await expect(core.call('ListTaskPushNotificationConfigs', { taskId: 'task-1' }, other)).rejects.toMatchObject({
    kind: 'taskNotFound',
  });
});

test('a task with a chosen id answers the same idempotency key with the first answer, a stream too', async () => {
  const keyed = { ...named, idempotencyKey: 'k' };
  const message = userMessage('hello', { taskId: 'task-1' });
  const first = await core.call('SendMessage', { message }, keyed);
  expect(await core.call('SendMessage', { message }, keyed)).toEqual(first);
  const request = { message: userMessage('stream 3 0', { taskId: 'task-2' }), tenant: 't' };
  const again = { ...named, idempotencyKey: 'l' };
  const events = await collect(await core.stream('SendStreamingMessage', request, again));
  expect(await collect(await core.stream('SendStreamingMessage', request, again))).toEqual(events);
});

test('a task with a chosen id makes room for another when it has expired', async () => {
  const first = await send('task-1', 'hello');
  await expect.poll(() => core.store.expire(Date.now(), 10)).toBe(1);
  await expect(core.call('GetTask', { id: 'task-1' })).rejects.toMatchObject({ kind: 'taskNotFound' });
  const second = await send('task-1', 'hello again');
  expect(second.contextId).not.toBe(first.contextId);
});

describe('many messages at once', () => {
  let runs = 0;
  const moody = defineAgent({
    name: 'Moody',
    description: 'Takes its time, or does not',
    async *execute({ text }) {
      runs += 1;
      const [before = 0, between = 0, kind] = text.split(' ').map(Number);
      if (before > 0) await delay(before - 1);
      if (kind === 0) {
        yield say('hi');
        return;
      }
      if (kind === 1) yield status('TASK_STATE_SUBMITTED');
      yield status('TASK_STATE_WORKING');
      if (between > 0) await delay(between - 1);
      yield artifact({ content: text });
      yield status(kind === 2 ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_COMPLETED');
    },
  });

  test('many messages at once with the same new id make one task', async () => {
    const moodyCore = await startCore({ moody });
    const mood = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.nat({ max: 3 })).map((each) => each.join(' '));
    const turn = fc.record({ text: mood, wait: fc.nat({ max: 4 }), immediately: fc.boolean(), stream: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 5 }), fc.boolean(), async (turns, disguised) => {
        const id = disguised ? newId() : `task-${Math.random()}`;
        const owner = { principal: { id: `p${Math.random()}`, anonymous: false } };
        const before = runs;
        const sent = await Promise.allSettled(
          turns.map(async ({ text, wait, immediately, stream }) => {
            if (wait > 0) await delay(wait - 1);
            const message = userMessage(text, { taskId: id });
            const over = { ...named, ...owner };
            const request = { message, configuration: { returnImmediately: immediately } };
            if (!stream) return taskIn(await moodyCore.call('SendMessage', request, over)).id;
            const [first] = await collect(await moodyCore.stream('SendStreamingMessage', request, over));
            return first?.task?.id;
          }),
        );
        const fulfilled = sent.filter((each) => each.status === 'fulfilled');
        for (const each of fulfilled) expect(each.value).toBe(id);
        for (const each of sent) {
          if (each.status === 'rejected') expect(each.reason).toMatchObject({ kind: 'unsupportedOperation' });
        }
        // Each message was either refused before it was appended, or is part of the one task, and worked on once at most.
        expect(runs - before).toBeLessThanOrEqual(fulfilled.length);
        const { tasks, totalSize } = await moodyCore.call('ListTasks', {}, owner);
        expect([totalSize, tasks[0]?.id]).toEqual([1, id]);
        const users = tasks[0]?.history?.filter(({ role }) => role === 'ROLE_USER');
        expect(users?.length).toBeGreaterThanOrEqual(Math.max(runs - before, fulfilled.length));
      }),
      { numRuns: 60 },
    );
  });
});
