import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import { A2AError } from '../../src/core/errors.ts';
import { idempotent } from '../../src/core/idempotency.ts';
import type { Store } from '../../src/core/ports.ts';
import { operations } from '../../src/gen/a2a-v1/operations.ts';
import { createStore } from '../../src/stores/index.ts';
import { type Bench, directory, startCore, taskIn, userMessage } from '../support/core.ts';

const agents = { demo: createReferenceAgent() };
let store: Store;
let core: Bench;
beforeEach(async () => {
  store = createStore('memory:', { instance: 'test' });
  await store.open();
  const deps = { store, agents: directory(agents), operations, answer: 60_000 };
  core = await startCore(agents, { store, wrap: ({ invoke }) => idempotent(deps)(invoke) });
});
afterEach(async () => {
  await core.close();
  await store.close();
});

const keyed = { idempotencyKey: 'key' };

/** The gateway of the first call is dead. */
function bury(): void {
  const remember = store.rememberCall.bind(store);
  vi.spyOn(store, 'rememberCall').mockImplementation(async (...args) => {
    const known = await remember(...args);
    return known && { ...known, alive: false };
  });
}

test('a first call whose task could not be made does not let others wait', async () => {
  vi.spyOn(store, 'append').mockRejectedValueOnce(new A2AError('unavailable'));
  const settle = store.settleCall.bind(store);
  const settling = vi.spyOn(store, 'settleCall').mockImplementationOnce(settle);
  settling.mockRejectedValueOnce(new A2AError('unavailable'));
  const message = userMessage('hello');
  await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'internal' });
  await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'internal' });
  expect((await core.call('ListTasks', {})).totalSize).toBe(0);
});

test('a message that never reached its task is not taken for answered', async () => {
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }));
  const message = userMessage('Ada', { taskId: id });
  const written = Promise.withResolvers<void>();
  const append = vi.spyOn(store, 'append').mockImplementationOnce(() => {
    written.resolve();
    return new Promise(() => {});
  });
  void core.call('SendMessage', { message }, keyed).catch(() => undefined);
  await written.promise;
  bury();
  await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'internal' });
  // What others said since is no answer either.
  append.mockRestore();
  const stored = await store.load(id);
  const event = { message: { ...userMessage('Eve'), messageId: 'other', taskId: id } };
  const eve = { seq: (stored?.seq ?? 0) + 1, at: Date.now(), event, json: JSON.stringify(event) };
  await store.append({ key: id, events: [eve] });
  await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'internal' });
});

test('a call that was cut off before anything happened is executed when it comes again', async () => {
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('ask') }));
  const message = userMessage('Ada', { taskId: id });
  const stop = vi.spyOn(store, 'settleCall').mockImplementationOnce(async (owner, key, outcome) => {
    stop.mockRestore();
    await store.settleCall(owner, key, outcome);
    throw new A2AError('unavailable');
  });
  vi.spyOn(store, 'forgetCall').mockRejectedValueOnce(new A2AError('unavailable'));
  await expect(core.call('SendMessage', { message }, keyed)).rejects.toMatchObject({ kind: 'unavailable' });
  const { status } = taskIn(await core.call('SendMessage', { message }, keyed));
  expect(status.state).toBe('TASK_STATE_COMPLETED');
});

test('who asked not to wait is not kept waiting by a retry either', async () => {
  const settle = store.settleCall.bind(store);
  vi.spyOn(store, 'settleCall').mockImplementation(async (owner, name, { task }) => {
    if (task) await settle(owner, name, { task });
  });
  const send = { message: userMessage('wait'), configuration: { returnImmediately: true } };
  const { id } = taskIn(await core.call('SendMessage', send, keyed));
  expect(taskIn(await core.call('SendMessage', send, keyed))).toMatchObject({ id });
});

test('a webhook is registered with the answer to a retry, where the first call did not get to it', async () => {
  const put = vi.spyOn(store, 'putPushConfig').mockRejectedValueOnce(new A2AError('unavailable'));
  const message = userMessage('hello');
  const configuration = { taskPushNotificationConfig: { url: 'http://127.0.0.1:1/' } };
  await expect(core.call('SendMessage', { message, configuration }, keyed)).rejects.toBeDefined();
  bury();
  const { id } = taskIn(await core.call('SendMessage', { message, configuration }, keyed));
  const { configs } = await core.call('ListTaskPushNotificationConfigs', { taskId: id });
  expect(configs).toMatchObject([{ url: 'http://127.0.0.1:1/', id, taskId: id }]);
  expect(put.mock.lastCall?.[3]).toMatchObject({ after: 0 });
});
