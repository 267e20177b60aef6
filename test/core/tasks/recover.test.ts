import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { defineAgent, status, textOf } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { alice, TaskWriter } from '../../contract/store-fixtures.ts';
import { type Bench, contextFor, openStore, startCore, userMessage } from '../../support/core.ts';

let store: Store;
let core: Bench;
beforeEach(async () => {
  store = await openStore();
});

/** Makes the store hand out the tasks of a dead gateway, each once. */
function leave(...tasks: readonly TaskWriter[]): void {
  let left = [...tasks];
  vi.spyOn(store, 'claimOrphans').mockImplementation(async (_, agents) => {
    const claimed = left.filter(({ owner }) => agents?.includes(owner.agent) ?? true);
    left = left.filter((task) => !claimed.includes(task));
    return Promise.all(claimed.map(async ({ key }) => (await store.load(key)) as never));
  });
  vi.spyOn(store, 'orphanedAgents').mockImplementation(async () => [...new Set(left.map(({ owner }) => owner.agent))]);
}

const share = (): void => {
  vi.spyOn(store, 'peers', 'get').mockReturnValue({ ...store.peers, shared: true });
};

const read = (id: string) =>
  core.call('GetTask', { id }, contextFor('demo', { principal: { id: alice.principal, anonymous: false } }));

const repeating = (restart: boolean): Agent =>
  defineAgent({
    name: 'Repeating',
    description: 'Says what it is told',
    restart,
    async *execute({ message, task }) {
      if (!task) yield status('TASK_STATE_SUBMITTED');
      yield status('TASK_STATE_COMPLETED', `${textOf(message)}, ${task?.status.state ?? 'new'}`);
    },
  });

const opening = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'first' }] };

test('a task that a dead gateway left behind is begun again where the agent says that it may be', async () => {
  const [fresh, continued] = [new TaskWriter(), new TaskWriter()];
  for (const task of [fresh, continued]) {
    await store.append(task.create('TASK_STATE_SUBMITTED', { history: [opening] }));
    await store.append(task.status('TASK_STATE_WORKING'));
  }
  await store.append(continued.status('TASK_STATE_INPUT_REQUIRED'));
  await store.append(continued.message('second'));
  await store.append(continued.status('TASK_STATE_WORKING'));
  await store.append(continued.chunk('said before'));
  core = await startCore({ demo: repeating(true) }, { store });
  leave(fresh, continued);
  expect(await core.service.takeOver()).toBe(2);
  const textIn = async ({ id }: TaskWriter) => {
    const { state, message } = (await read(id)).status;
    return `${state.slice('TASK_STATE_'.length)}: ${message?.parts[0]?.text}`;
  };
  await vi.waitFor(async () => expect(await textIn(fresh)).toBe('COMPLETED: first, new'));
  await vi.waitFor(async () => expect(await textIn(continued)).toBe('COMPLETED: second, TASK_STATE_INPUT_REQUIRED'));
  const task = await read(continued.id);
  expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'said before' }]);
  expect(task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
});

test('a task whose opening event asked gives its agent the answer, and not the message that opened it, once more', async () => {
  const task = new TaskWriter();
  await store.append(task.create('TASK_STATE_INPUT_REQUIRED', { history: [opening] }));
  await store.append(task.message('second'));
  core = await startCore({ demo: repeating(true) }, { store });
  leave(task);
  expect(await core.service.takeOver()).toBe(1);
  let { status: now } = await read(task.id);
  for (; now.state !== 'TASK_STATE_COMPLETED'; { status: now } = await read(task.id)) await nextTurn();
  expect(now.message?.parts[0]?.text).toBe('second, TASK_STATE_INPUT_REQUIRED');
});

test('a task that a dead gateway left behind is left alone, and not counted, where this gateway is at work on it', async () => {
  core = await startCore({ demo: createReferenceAgent() }, { store });
  const message = { ...opening, parts: [{ text: 'wait' }] };
  const { task } = await core.call('SendMessage', { message, configuration: { returnImmediately: true } });
  const id = task?.id ?? expect.fail('no task');
  await vi.waitFor(async () => expect((await store.load(id))?.state).toBe('TASK_STATE_WORKING'));
  const stored = (await store.load(id)) ?? expect.fail('not stored');
  vi.spyOn(store, 'claimOrphans').mockResolvedValueOnce([stored]);
  expect(await core.service.takeOver()).toBe(0);
  expect((await core.call('GetTask', { id })).status.state).toBe('TASK_STATE_WORKING');
});

test('a task that a dead gateway left behind fails where it does not', async () => {
  const task = new TaskWriter();
  await store.append(task.create('TASK_STATE_WORKING', { history: [opening] }));
  core = await startCore({ demo: repeating(false) }, { store });
  leave(task);
  await core.service.takeOver();
  expect((await read(task.id)).status.state).toBe('TASK_STATE_FAILED');
});

test('a task that a dead gateway left behind is tried again when the store was away', async () => {
  const task = new TaskWriter();
  await store.append(task.create('TASK_STATE_WORKING', { history: [opening] }));
  core = await startCore({ demo: repeating(true) }, { store });
  leave(task);
  vi.spyOn(store, 'latestTurn').mockRejectedValueOnce(new A2AError('unavailable'));
  expect(await core.service.takeOver()).toBe(1);
  expect((await read(task.id)).status.state).toBe('TASK_STATE_WORKING');
  // It is still away at the next attempt.
  vi.spyOn(store.peers, 'leaseHolderOf').mockRejectedValueOnce(new A2AError('unavailable'));
  await expect(core.service.takeOver()).rejects.toMatchObject({ kind: 'unavailable' });
  await core.service.takeOver();
  await vi.waitFor(async () => expect((await read(task.id)).status.state).toBe('TASK_STATE_COMPLETED'));
});

test('a task that a dead gateway left behind is begun again where this gateway gave it up, although its run had come to an end in memory', async () => {
  share();
  const agent = defineAgent({ name: 'Short', description: 'Works for a moment', restart: true }, async function* () {
    yield status('TASK_STATE_WORKING');
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield status('TASK_STATE_COMPLETED');
  });
  core = await startCore({ demo: agent }, { store });
  const append = store.append.bind(store);
  let key = '';
  const away = vi.spyOn(store, 'append').mockImplementation(async (batch) => {
    // The database stores the beginning, and goes away before it has answered.
    if (key === '') await append(batch);
    key = batch.key;
    throw new A2AError('unavailable');
  });
  vi.spyOn(store, 'retract').mockReturnValue(new Promise(() => undefined));
  const request = { message: userMessage('work'), configuration: { returnImmediately: true } };
  await expect(core.call('SendMessage', request)).rejects.toMatchObject({ kind: 'unavailable' });
  away.mockImplementation(append);
  vi.spyOn(store, 'claimOrphans').mockResolvedValueOnce([(await store.load(key)) as never]);
  expect(await core.service.takeOver()).toBe(1);
  await vi.waitFor(async () => expect((await store.load(key))?.state).toBe('TASK_STATE_COMPLETED'));
});

test('a task that a dead gateway left behind is left to gateways that serve its agent, and fails when there is none for long', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const task = new TaskWriter({ owner: { ...alice, agent: 'other' } });
  await store.append(task.create('TASK_STATE_WORKING', { history: [opening] }));
  share();
  core = await startCore({ demo: createReferenceAgent() }, { store });
  leave(task);
  for (let minute = 0; minute < 10; minute += 1) {
    expect(await core.service.takeOver()).toBe(0);
    vi.advanceTimersByTime(60_000);
  }
  expect(await core.service.takeOver()).toBe(1);
  const { status } = (await store.load(task.key))?.task ?? {};
  expect(status?.state).toBe('TASK_STATE_FAILED');
  expect(status?.message?.parts[0]?.text).toContain('agent other is no longer configured');
});

test('a task that a dead gateway left behind fails at once where no other gateway is', async () => {
  const task = new TaskWriter({ owner: { ...alice, agent: 'other' } });
  await store.append(task.create('TASK_STATE_WORKING', { history: [opening] }));
  core = await startCore({ demo: createReferenceAgent() }, { store });
  leave(task);
  await core.service.takeOver();
  expect((await store.load(task.key))?.state).toBe('TASK_STATE_FAILED');
});
