import { beforeEach, describe, expect, test, vi } from 'vitest';
import { defineAgent, say, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { StreamResponse, TaskPushNotificationConfig } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../../support/core.ts';

/** Semantics that methods of old dialects imply beyond their requests. */

let core: Bench;
beforeEach(async () => {
  core = await startCore({ demo: createReferenceAgent() });
});

describe('tasksOnly', () => {
  const tasksOnly = { semantics: { tasksOnly: true } } as const;

  test('a direct message becomes a completed task, in streams too', async () => {
    const request = { message: userMessage('say good day') };
    const answer = await core.call('SendMessage', request, tasksOnly);
    expect(answer.message).toBeUndefined();
    const task = taskIn(answer);
    const said = { role: 'ROLE_AGENT', parts: [{ text: 'good day' }], taskId: task.id, contextId: task.contextId };
    expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: said });
    expect(task.history).toMatchObject([{ parts: [{ text: 'say good day' }] }]);
    expect(await core.call('GetTask', { id: task.id })).toEqual(task);

    const events = await collect(await core.stream('SendStreamingMessage', request, tasksOnly));
    expect(outline(events)).toEqual(['task', 'completed']);
    expect(events[0]?.task?.history).toHaveLength(1);
    expect(events[1]?.statusUpdate?.status.message?.parts).toEqual([{ text: 'good day' }]);
    expect((await core.call('ListTasks', {})).totalSize).toBe(2);
  });

  describe('with an agent that takes its time', () => {
    let release: (events: readonly StreamResponse[]) => void;
    let slow: Bench;
    beforeEach(async () => {
      const answer = Promise.withResolvers<readonly StreamResponse[]>();
      release = answer.resolve;
      const agent = defineAgent({
        name: 'Slow',
        description: 'Answers when it is told to',
        async *execute() {
          yield* await answer.promise;
        },
      });
      slow = await startCore({ slow: agent });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    });

    const request = (returnImmediately: boolean) => ({
      message: userMessage('hello'),
      configuration: { returnImmediately },
    });

    test('a caller who does not wait has the task at once', async () => {
      const sent = slow.call('SendMessage', request(true), tasksOnly);
      await vi.advanceTimersByTimeAsync(1);
      const task = taskIn(await sent);
      expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
      release([say('hi')]);
      const events = await collect(await slow.stream('SubscribeToTask', { id: task.id }, { replay: { after: 0 } }));
      expect(outline(events)).toEqual(['task', 'completed']);
    });

    test('a caller who waits has the task when there may be something to see', async () => {
      const sent = slow.call('SendMessage', request(false), tasksOnly);
      const streamed = slow.stream('SendStreamingMessage', request(false), tasksOnly);
      await vi.advanceTimersByTimeAsync(250);
      await vi.waitFor(async () => expect((await slow.call('ListTasks', {})).totalSize).toBe(2));
      const stream = await streamed;
      expect((await stream.next()).value?.event.task?.status.state).toBe('TASK_STATE_SUBMITTED');
      release([say('hi')]);
      expect(outline(await collect(stream))).toEqual(['completed']);
      expect(taskIn(await sent).status.state).toBe('TASK_STATE_COMPLETED');
    });

    test('an agent that may still answer without a task is waited for on behalf of the others', async () => {
      const sent = slow.call('SendMessage', request(false));
      await vi.advanceTimersByTimeAsync(5_000);
      release([say('hi')]);
      expect((await sent).message?.parts).toEqual([{ text: 'hi' }]);
      expect((await slow.call('ListTasks', {})).totalSize).toBe(0);
    });

    const working = status('TASK_STATE_WORKING');
    const message = userMessage('of the agent', { role: 'ROLE_AGENT' });
    const taskOf = (more: object): StreamResponse => ({
      task: { id: '', contextId: '', status: { state: 'TASK_STATE_WORKING' as const }, ...more },
    });
    test.each([
      { says: 'submitted', events: [status('TASK_STATE_SUBMITTED'), working], after: ['working', 'completed'] },
      {
        says: 'submitted, and why',
        events: [status('TASK_STATE_SUBMITTED', 'queued'), working],
        after: ['submitted', 'working', 'completed'],
      },
      { says: 'a task', events: [taskOf({})], after: ['working', 'completed'] },
      { says: 'a task with a history', events: [taskOf({ history: [message] })], after: ['working', 'completed'] },
      { says: 'nothing', events: [], after: ['completed'] },
    ])('the first events of a slow agent count as if they had come at once: $says', async ({ events, after }) => {
      const sent = slow.call('SendMessage', request(true), tasksOnly);
      await vi.advanceTimersByTimeAsync(1);
      const { id } = taskIn(await sent);
      release(events);
      const seen = await collect(await slow.stream('SubscribeToTask', { id }, { replay: { after: 0 } }));
      expect(outline(seen)).toEqual(['task', ...after]);
      const { history } = await slow.call('GetTask', { id });
      expect(history?.filter(({ role }) => role === 'ROLE_USER')).toMatchObject([{ parts: [{ text: 'hello' }] }]);
    });
  });
});

describe('answersWithId', () => {
  const answersWithId = { semantics: { tasksOnly: true, answersWithId: true } } as const;
  const request = { message: userMessage('hello'), configuration: { returnImmediately: true } };

  /** A core whose agent answers when the test lets it. */
  async function waitingCore() {
    const answer = Promise.withResolvers<readonly StreamResponse[]>();
    const waiting = defineAgent({
      name: 'Waiting',
      description: 'Answers when it is told to',
      async *execute() {
        yield* await answer.promise;
      },
    });
    // It may be refused before the agent begins.
    answer.promise.catch(() => undefined);
    const core = await startCore({ waiting });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return { core, answer };
  }

  test.each([{}, { idempotencyKey: 'k' }])(
    "an agent's refusal is the answer, and there is no task: %o",
    async (over) => {
      const { core, answer } = await waitingCore();
      const sent = core.call('SendMessage', request, { ...answersWithId, ...over });
      const refused = expect(sent).rejects.toMatchObject({ kind: 'contentTypeNotSupported' });
      await vi.advanceTimersByTimeAsync(500);
      answer.reject(new A2AError('contentTypeNotSupported', 'no pictures'));
      await refused;
      expect((await core.call('ListTasks', {})).totalSize).toBe(0);
    },
  );

  test('an agent that has said nothing after a second has a task', async () => {
    const { core, answer } = await waitingCore();
    const sent = core.call('SendMessage', request, answersWithId);
    await vi.advanceTimersByTimeAsync(1_000);
    const { id, status } = taskIn(await sent);
    expect(status.state).toBe('TASK_STATE_SUBMITTED');
    answer.reject(new A2AError('contentTypeNotSupported', 'no pictures'));
    await vi.waitFor(async () => expect((await core.call('GetTask', { id })).status.state).toBe('TASK_STATE_FAILED'));
  });
});

describe('everyTask', () => {
  const everyTask = { semantics: { everyTask: true } } as const;
  const list = async (pageToken: string, over: object = everyTask) =>
    core.call('ListTaskPushNotificationConfigs', { taskId: '', pageSize: 3, pageToken }, over);

  test('everyTask lists the push configurations of all tasks, page by page', async () => {
    const expected: string[] = [];
    const named = { semantics: { namesTask: true } } as const;
    for (const [i, taskId] of ['task-1', undefined, 'task-2', undefined].entries()) {
      const message = userMessage('hello', taskId === undefined ? {} : { taskId });
      const url = 'https://hooks.example.com/';
      const configuration = { taskPushNotificationConfig: { id: 'inline', url } };
      const { id } = taskIn(await core.call('SendMessage', { message, configuration }, named));
      expected.push(`${id} inline`);
      for (let n = 0; n < i; n += 1) {
        await core.call('CreateTaskPushNotificationConfig', { taskId: id, id: `set-${n}`, url });
        expected.push(`${id} set-${n}`);
      }
    }
    const seen: TaskPushNotificationConfig[] = [];
    let token = '';
    do {
      const page = await list(token);
      expect(page.configs?.length).toBeLessThanOrEqual(3);
      seen.push(...(page.configs ?? []));
      token = page.nextPageToken ?? '';
    } while (token !== '');
    expect(seen.map(({ taskId, id }) => `${taskId} ${id}`).toSorted()).toEqual(expected.toSorted());
    const other = { ...everyTask, principal: { id: 'other', anonymous: false } };
    expect(await list('', other)).toEqual({ configs: [], nextPageToken: '' });
    const first = await core.call('ListTaskPushNotificationConfigs', { taskId: 'task-1' }, everyTask);
    expect(first.configs).toMatchObject([{ taskId: 'task-1', id: 'inline' }]);
  });

  test('without `everyTask` a list of push configurations must name a task', async () => {
    await expect(list('', {})).rejects.toMatchObject({ kind: 'invalidParams', violations: [{ field: 'taskId' }] });
  });

  test('an agent without push notifications has none to list', async () => {
    const agent = defineAgent({
      name: 'Silent',
      description: 'Pushes nothing',
      card: { capabilities: { pushNotifications: false } },
      async *execute() {
        yield say('hi');
      },
    });
    const frugal = await startCore({ agent });
    await expect(frugal.call('ListTaskPushNotificationConfigs', { taskId: '' }, everyTask)).rejects.toMatchObject({
      kind: 'pushNotificationNotSupported',
    });
  });
});

test('mustExist: what is deleted must be there', async () => {
  const { id: taskId } = taskIn(await core.call('SendMessage', { message: userMessage('hello') }));
  const config = { taskId, id: 'p', url: 'https://hooks.example.com/' };
  await core.call('CreateTaskPushNotificationConfig', config);
  const mustExist = { semantics: { mustExist: true } } as const;
  expect(await core.call('DeleteTaskPushNotificationConfig', config, mustExist)).toEqual({});
  const gone = { kind: 'taskNotFound', metadata: { taskId, pushNotificationConfigId: 'p' } };
  await expect(core.call('DeleteTaskPushNotificationConfig', config, mustExist)).rejects.toMatchObject(gone);
  await expect(core.call('GetTaskPushNotificationConfig', config)).rejects.toMatchObject(gone);
  expect(await core.call('DeleteTaskPushNotificationConfig', config)).toEqual({});
});

test('a push configuration that is set again is replaced, whatever dialect it was of', async () => {
  const { id: taskId } = taskIn(await core.call('SendMessage', { message: userMessage('hello') }));
  const config = { taskId, id: 'p', url: 'https://hooks.example.com/1', token: 't' };
  await core.call('CreateTaskPushNotificationConfig', config, { dialect: 'a2a-0.3' });
  const next = { taskId, id: 'p', url: 'https://hooks.example.com/2' };
  await core.call('CreateTaskPushNotificationConfig', next, { dialect: 'a2a-0.1' });
  expect((await core.call('ListTaskPushNotificationConfigs', { taskId })).configs).toEqual([next]);
});

test('authenticated: only for callers who have shown who they are', async () => {
  const over = { semantics: { authenticated: true } } as const;
  const anonymous = { principal: { id: 'anonymous', anonymous: true } };
  await expect(core.call('GetExtendedAgentCard', {}, { ...over, ...anonymous })).rejects.toMatchObject({
    kind: 'unauthenticated',
  });
  expect(await core.call('GetExtendedAgentCard', {}, over)).toHaveProperty('description');
  expect(await core.call('GetExtendedAgentCard', {}, anonymous)).toHaveProperty('description');
});

test('an agent that refuses to be canceled is quoted, and its task named', async () => {
  const agent = defineAgent({
    name: 'Stubborn',
    description: 'Goes on',
    async *execute({ signal }) {
      yield status('TASK_STATE_WORKING');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
    async cancel() {
      throw new A2AError('taskNotCancelable', 'Too late.', { metadata: { step: '7' } });
    },
  });
  const stubborn = await startCore({ agent });
  const request = { message: userMessage('x'), configuration: { returnImmediately: true } };
  const { id } = taskIn(await stubborn.call('SendMessage', request));
  await expect(stubborn.call('CancelTask', { id })).rejects.toMatchObject({
    kind: 'taskNotCancelable',
    message: 'Too late.',
    metadata: { taskId: id, step: '7' },
  });
});
