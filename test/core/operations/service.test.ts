import { beforeEach, describe, expect, test } from 'vitest';
import { artifact, defineAgent, say, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Principal } from '../../../src/core/model/principal.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../../support/core.ts';

let core: Bench;
beforeEach(async () => {
  core = await startCore({ demo: createReferenceAgent() });
});

/** An agent that works until it is released. */
function held() {
  const released = Promise.withResolvers<void>();
  const agent = defineAgent({ name: 'Held', description: 'Works until it is released' }, async function* () {
    yield status('TASK_STATE_WORKING');
    await released.promise;
    yield artifact({ content: 'done' });
  });
  return { agent, release: released.resolve };
}

const send = (text: string, over: object = {}) =>
  core.call('SendMessage', { message: userMessage(text), configuration: {}, ...over });

describe('SendMessage', () => {
  test('a direct message makes no task', async () => {
    const answer = await send('say good day');
    expect(answer.message?.parts).toEqual([{ text: 'good day' }]);
    expect((await core.call('ListTasks', {})).totalSize).toBe(0);
  });

  test('a call returns the task when it is done, with the message in its history', async () => {
    const task = taskIn(await send('hello'));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(task.artifacts).toMatchObject([{ name: 'echo', parts: [{ text: 'hello' }] }]);
    expect(task.history).toMatchObject([{ parts: [{ text: 'hello' }], taskId: task.id, contextId: task.contextId }]);
    expect(await core.call('GetTask', { id: task.id })).toEqual(task);
  });

  test('a message to a task that works does not send it back to its beginning', async () => {
    const { agent, release } = held();
    const reference = createReferenceAgent();
    const execute: Agent['execute'] = (...call) => (call[1].task ? reference : agent).execute(...call);
    const bench = await startCore({ demo: { ...agent, execute } });
    const configuration = { returnImmediately: true };
    const { id } = taskIn(await bench.call('SendMessage', { message: userMessage('go'), configuration }));
    await bench.call('SendMessage', { message: userMessage('and more', { taskId: id }), configuration });
    const following = await bench.stream('SubscribeToTask', { id });
    release();
    await collect(following);
    const task = await bench.call('GetTask', { id });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toMatchObject([{}, { name: 'echo', parts: [{ text: 'and more' }] }]);
  });

  test('returnImmediately answers with a task under way', async () => {
    const { agent, release } = held();
    const { call, stream } = await startCore({ agent });
    const configuration = { returnImmediately: true };
    const { id, status } = taskIn(await call('SendMessage', { message: userMessage('go'), configuration }));
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(status.state);
    const following = await stream('SubscribeToTask', { id });
    release();
    await collect(following);
    expect((await call('GetTask', { id })).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('the limit bounds the answer, never the task', async () => {
    const { agent, release } = held();
    const short = await startCore({ agent }, { answer: 50 });
    const task = taskIn(await short.call('SendMessage', { message: userMessage('go') }));
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    const following = await short.stream('SubscribeToTask', { id: task.id });
    release();
    expect(outline(await collect(following))).toEqual(['task', 'artifact', 'completed']);
  });

  test('an agent that keeps silent past the limit has a task to be followed', async () => {
    const silent = defineAgent({
      name: 'Silent',
      description: 'Says nothing',
      execute: async function* ({ signal }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield say('never');
      },
    });
    const short = await startCore({ silent }, { answer: 50 });
    const task = taskIn(await short.call('SendMessage', { message: userMessage('hello') }));
    expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  test.each([
    ['ask', 'TASK_STATE_INPUT_REQUIRED'],
    ['auth', 'TASK_STATE_AUTH_REQUIRED'],
    ['fail', 'TASK_STATE_FAILED'],
    ['reject', 'TASK_STATE_REJECTED'],
    ['data', 'TASK_STATE_COMPLETED'],
    ['file', 'TASK_STATE_COMPLETED'],
    ['stream 0', 'TASK_STATE_REJECTED'],
    ['stream 10001', 'TASK_STATE_REJECTED'],
  ])('the message %s ends in %s', async (text, state) => {
    expect(taskIn(await send(text)).status.state).toBe(state);
  });

  test('a question is answered in the same task', async () => {
    const question = taskIn(await send('ask'));
    expect(question.status.message?.parts).toEqual([{ text: 'What is your name?' }]);
    const answered = taskIn(await core.call('SendMessage', { message: userMessage('Ada', { taskId: question.id }) }));
    expect(answered.id).toBe(question.id);
    expect(answered.contextId).toBe(question.contextId);
    expect(answered.artifacts?.[0]?.parts).toEqual([{ text: 'Hello, Ada' }]);
    expect(answered.history?.map(({ parts }) => parts[0]?.text)).toEqual(['ask', 'What is your name?', 'Ada']);
  });

  test('the caller may choose the context, and must not contradict it', async () => {
    const question = taskIn(await core.call('SendMessage', { message: userMessage('ask', { contextId: 'mine' }) }));
    expect(question.contextId).toBe('mine');
    const wrong = userMessage('Ada', { taskId: question.id, contextId: 'other' });
    await expect(core.call('SendMessage', { message: wrong })).rejects.toMatchObject({
      kind: 'invalidParams',
      violations: [{ field: 'message.contextId' }],
    });
  });

  test('unknown tasks, ended tasks and empty messages are refused', async () => {
    const unknown = userMessage('x', { taskId: 'nowhere' });
    await expect(core.call('SendMessage', { message: unknown })).rejects.toMatchObject({ kind: 'taskNotFound' });
    const done = taskIn(await send('hello'));
    const more = userMessage('more', { taskId: done.id });
    await expect(core.call('SendMessage', { message: more })).rejects.toMatchObject({ kind: 'unsupportedOperation' });
    await expect(core.call('SendMessage', { message: userMessage('', { parts: [] }) })).rejects.toMatchObject({
      violations: [{ field: 'message.parts' }],
    });
  });

  test('another principal, tenant or agent finds nothing', async () => {
    const { id, contextId = '' } = taskIn(await send('hello'));
    for (const over of [{ principal: { id: 'other', anonymous: false } }, { tenant: 'other' }]) {
      await expect(core.call('GetTask', { id }, over)).rejects.toMatchObject({ kind: 'taskNotFound' });
      await expect(core.call('CancelTask', { id }, over)).rejects.toMatchObject({ kind: 'taskNotFound' });
      for (const where of [{}, { contextId }]) expect((await core.call('ListTasks', where, over)).totalSize).toBe(0);
    }
    await expect(core.call('GetTask', { id }, { agent: 'nobody' })).rejects.toMatchObject({ kind: 'agentNotFound' });
  });

  test('historyLength bounds the history in answers', async () => {
    const question = taskIn(await send('ask'));
    const message = userMessage('Ada', { taskId: question.id });
    const answered = taskIn(await core.call('SendMessage', { message, configuration: { historyLength: 1 } }));
    expect(answered.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Ada']);
    expect((await core.call('GetTask', { id: question.id, historyLength: 0 })).history).toBeUndefined();
    await expect(core.call('GetTask', { id: question.id, historyLength: -1 })).rejects.toMatchObject({
      violations: [{ field: 'historyLength' }],
    });
  });
});

describe('streams', () => {
  test('the stream of a new task has the task first, then every event, until it rests', async () => {
    const events = await collect(await core.stream('SendStreamingMessage', { message: userMessage('stream 3 0') }));
    expect(outline(events)).toEqual(['task', 'working', 'artifact', 'artifact', 'artifact', 'completed']);
    expect(events.at(-2)?.artifactUpdate).toMatchObject({ append: true, lastChunk: true });
    const question = await collect(await core.stream('SendStreamingMessage', { message: userMessage('ask') }));
    expect(outline(question)).toEqual(['task', 'input_required']);
  });

  test('the stream of a direct message is one event', async () => {
    const events = await collect(await core.stream('SendStreamingMessage', { message: userMessage('say hi') }));
    expect(outline(events)).toEqual(['message']);
  });

  test('the stream of a continued task has the task with the new message first', async () => {
    const question = taskIn(await send('ask'));
    const message = userMessage('Ada', { taskId: question.id });
    const events = await collect(await core.stream('SendStreamingMessage', { message }));
    expect(outline(events)).toEqual(['task', 'artifact', 'completed']);
    expect(events[0]?.task?.history?.at(-1)?.parts).toEqual([{ text: 'Ada' }]);
  });

  test('a subscription begins with the task, outlives questions and ends with it', async () => {
    const question = taskIn(await send('ask'));
    const subscription = await core.stream('SubscribeToTask', { id: question.id });
    const first = await subscription.next();
    expect(first.value?.event.task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await core.call('SendMessage', { message: userMessage('Ada', { taskId: question.id }) });
    expect(outline(await collect(subscription))).toEqual(['artifact', 'completed']);
    await expect(core.stream('SubscribeToTask', { id: question.id })).rejects.toMatchObject({
      kind: 'unsupportedOperation',
    });
    const tooLate = await core.stream('SubscribeToTask', { id: question.id }, { semantics: { endedToo: true } });
    expect(outline(await collect(tooLate))).toEqual(['task']);
  });

  test('a push configuration without a name has that of its task', async () => {
    const url = 'https://hooks.example.com/';
    const { id } = taskIn(await send('ask', { configuration: { taskPushNotificationConfig: { url } } }));
    expect(await core.call('GetTaskPushNotificationConfig', { taskId: id, id })).toEqual({ taskId: id, id, url });
    const authentication = { scheme: 'Bearer', credentials: 'tok' };
    expect(await core.call('CreateTaskPushNotificationConfig', { taskId: id, url, authentication })).toMatchObject({
      id,
      authentication,
    });
    expect((await core.call('ListTaskPushNotificationConfigs', { taskId: id })).configs).toHaveLength(1);
  });

  test('a replay continues after the last event that the client got, also when the task has ended', async () => {
    const events = await core.stream('SendStreamingMessage', { message: userMessage('stream 5 0') });
    const seen = [await events.next(), await events.next(), await events.next()];
    await events.return?.();
    const id = seen[0]?.value?.event.task?.id;
    const rest = await collect(await core.stream('SubscribeToTask', { id }, { replay: { after: 3 } }));
    expect(outline(rest)).toEqual(['artifact', 'artifact', 'artifact', 'artifact', 'completed']);
    const whole = await collect(await core.stream('SubscribeToTask', { id }, { replay: 'latest-turn' }));
    expect(outline(whole)).toEqual(['task', 'working', ...Array(5).fill('artifact'), 'completed']);
  });

  test('a reader that falls behind reads the log and misses nothing', async () => {
    const events = await core.stream('SendStreamingMessage', { message: userMessage('stream 5000 0') });
    const first = await events.next();
    const id = first.value?.event.task?.id;
    await collect(await core.stream('SubscribeToTask', { id }, { replay: { after: 0 } }));
    const rest = await collect(events);
    expect(rest).toHaveLength(5_002);
    expect(rest[4_999]?.artifactUpdate?.artifact.parts).toEqual([{ text: 'chunk 4999' }]);
  });
});

test('CancelTask ends the task and its streams; what is over is not cancelable', async () => {
  const task = taskIn(await send('wait', { configuration: { returnImmediately: true } }));
  const subscription = await core.stream('SubscribeToTask', { id: task.id });
  await subscription.next();
  expect((await core.call('CancelTask', { id: task.id })).status.state).toBe('TASK_STATE_CANCELED');
  expect(outline(await collect(subscription)).at(-1)).toBe('canceled');
  await expect(core.call('CancelTask', { id: task.id })).rejects.toMatchObject({ kind: 'taskNotCancelable' });
  await expect(core.call('CancelTask', { id: 'nowhere' })).rejects.toMatchObject({ kind: 'taskNotFound' });
});

test('CancelTask releases a blocking call', async () => {
  const blocked = send('wait');
  const page = await until(async () => {
    const listed = await core.call('ListTasks', {});
    return listed.totalSize === 1 ? listed : undefined;
  });
  await core.call('CancelTask', { id: page.tasks[0]?.id ?? '' });
  expect(taskIn(await blocked).status.state).toBe('TASK_STATE_CANCELED');
});

describe('agents that misbehave', () => {
  const agentOf = (execute: () => AsyncGenerator) =>
    defineAgent({ name: 'Bad', description: 'Misbehaves', execute: execute as never });
  const local = { id: 'anonymous', anonymous: true, local: true };

  test.each([
    [
      'at once',
      (): never => {
        throw new TypeError('nothing works');
      },
    ],
    [
      'in the middle',
      async function* () {
        yield status('TASK_STATE_WORKING');
        throw new TypeError('nothing works');
      },
    ],
  ])('an exception %s is reported with its place to callers on this machine only', async (_, execute) => {
    const bad = await startCore({ bad: agentOf(execute as never) });
    const told = async (principal: Principal): Promise<string> => {
      const reply = bad.call('SendMessage', { message: userMessage('x') }, { principal });
      return reply.then(
        (sent) => sent.task?.status.message?.parts[0]?.text ?? '',
        (thrown: Error) => thrown.message,
      );
    };
    expect(await told(local)).toMatch(/^The agent failed: TypeError: nothing works \(.*service\.test\.ts:\d+\)$/);
    expect(await told({ id: 'anonymous', anonymous: true })).toBe('The agent failed.');
    expect(await told({ id: 'alice', anonymous: false })).toBe('The agent failed.');
  });

  test.each([
    [
      'yields nonsense',
      async function* () {
        yield status('TASK_STATE_WORKING');
        yield { bogus: 1 };
      },
      'not valid A2A',
    ],
    [
      'goes backwards',
      async function* () {
        yield status('TASK_STATE_WORKING');
        yield status('TASK_STATE_SUBMITTED');
      },
      'went from',
    ],
  ])('an agent that %s fails its task', async (_, execute, told) => {
    const bad = await startCore({ bad: agentOf(execute) });
    const task = taskIn(await bad.call('SendMessage', { message: userMessage('x') }));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toContain(told);
  });

  test('an agent that never pauses can be canceled, and does not block other calls about its task', async () => {
    const endless = agentOf(async function* () {
      yield status('TASK_STATE_WORKING');
      for (;;) yield artifact({ artifactId: 'a1', content: 'more', append: true });
    });
    const bench = await startCore({ endless });
    const { task } = await bench.call('SendMessage', {
      message: userMessage('go'),
      configuration: { returnImmediately: true },
    });
    const id = task?.id ?? '';
    const { status: seen } = await bench.call('GetTask', { id });
    expect(seen.state).toBe('TASK_STATE_WORKING');
    expect((await bench.call('CancelTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
  });

  test('an agent that ends early completes its task, and events after the end are dropped', async () => {
    const early = await startCore({
      a: agentOf(async function* () {
        yield status('TASK_STATE_WORKING');
      }),
    });
    expect(taskIn(await early.call('SendMessage', { message: userMessage('x') })).status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
    await early.close();
    const late = await startCore({
      a: agentOf(async function* () {
        yield status('TASK_STATE_COMPLETED');
        yield status('TASK_STATE_WORKING');
      }),
    });
    expect(taskIn(await late.call('SendMessage', { message: userMessage('x') })).status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });
});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
