import { beforeEach, expect, it } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import type { Append } from '../../../src/core/ports/task-store.ts';
import { type Bench, collect, openStore, startCore, taskIn, userMessage } from '../../support/core.ts';

/** A task that the agent's first event ends is stored with one append, and never taken into memory. */

let store: Store;
let core: Bench;
/** Each append, and how many tasks were in memory then. */
let appends: { readonly append: Append; readonly live: number }[];
let ends: number;
let isAway: boolean;

const artifacts = [{ artifactId: 'answer', parts: [{ text: 'done' }] }];

const agent = defineAgent({
  name: 'Quick',
  description: 'Completes each task with its first event',
  execute: async function* ({ text, taskId, contextId }) {
    try {
      const state = text === 'fail' ? ('TASK_STATE_FAILED' as const) : ('TASK_STATE_COMPLETED' as const);
      yield { task: { id: taskId, contextId, status: { state }, artifacts } };
      yield { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_WORKING' } } };
    } finally {
      ends += 1;
    }
  },
});

beforeEach(async () => {
  store = await openStore();
  appends = [];
  ends = 0;
  isAway = false;
  const append = store.append.bind(store);
  store.append = (batch) => {
    appends.push({ append: batch, live: core.service.live });
    return isAway ? Promise.reject(new A2AError('unavailable')) : append(batch);
  };
  core = await startCore({ quick: agent }, { store });
});

const send = async (text = 'go', configuration = {}) =>
  taskIn(await core.call('SendMessage', { message: userMessage(text), configuration }));

it.each(['go', 'fail'])('a task that is over with its first event is stored with one append: %s', async (text) => {
  const task = await send(text);
  expect(task).toMatchObject({ status: { state: expect.stringMatching(/COMPLETED|FAILED/) }, artifacts });
  expect(task.history).toMatchObject([{ role: 'ROLE_USER', parts: [{ text }], taskId: task.id }]);
  expect(appends.map(({ live, append }) => [live, append.events.length])).toEqual([[0, 1]]);
  expect(await core.call('GetTask', { id: task.id })).toEqual(task);
  expect((await core.call('ListTasks', { includeArtifacts: true })).tasks).toEqual([task]);
});

it('a task that is over with its first event ends its agent’s run', async () => {
  await send();
  await expect.poll(() => ends).toBe(1);
});

it('a task that is over with its first event has as much history as its caller wants', async () => {
  expect((await send('go', { historyLength: 0 })).history).toBeUndefined();
});

it('a task that is over with its first event is one event of a stream, which a subscription can replay', async () => {
  const first = await core.stream('SendStreamingMessage', { message: userMessage('go') });
  const [event, ...others] = await collect(first);
  expect([event?.task?.status.state, others]).toEqual(['TASK_STATE_COMPLETED', []]);
  const replay = { replay: { after: 0 } };
  const again = await core.stream('SubscribeToTask', { id: event?.task?.id }, replay);
  expect(await collect(again)).toEqual([event]);
});

it('a task that is over with its first event takes no further message', async () => {
  const { id: taskId } = await send();
  const message = userMessage('more', { taskId });
  await expect(core.call('SendMessage', { message })).rejects.toMatchObject({ kind: 'unsupportedOperation' });
});

it('a task that is over with its first event is written as soon as an unavailable store is back, though its call has failed', async () => {
  isAway = true;
  await expect(send()).rejects.toMatchObject({ kind: 'unavailable' });
  isAway = false;
  await expect.poll(async () => (await core.call('ListTasks', {})).totalSize).toBe(1);
  await expect.poll(() => core.service.live).toBe(0);
  expect((await core.call('ListTasks', {})).tasks).toMatchObject([{ status: { state: 'TASK_STATE_COMPLETED' } }]);
});

it('a task that is over with its first event is stored before its agent is called where its call has a key, and is the answer of a second call', async () => {
  const message = userMessage('go');
  const keyed = { idempotencyKey: 'k' };
  const [one, two] = [
    taskIn(await core.call('SendMessage', { message }, keyed)),
    taskIn(await core.call('SendMessage', { message }, keyed)),
  ];
  expect(two).toEqual(one);
  expect((await core.call('ListTasks', {})).totalSize).toBe(1);
});

it('a task that is over with its first event is live where its message brings a webhook', async () => {
  await send('go', { taskPushNotificationConfig: { url: 'https://client.example/hook' } });
  expect(appends[0]?.live).toBe(1);
});

it('a task that is over with its first event is not begun while the gateway stops', async () => {
  await core.service.close(AbortSignal.abort());
  await expect(send()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(appends).toEqual([]);
});
