import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { defineAgent, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { A2AError, markUndelivered } from '../../../src/core/model/errors.ts';
import { newId, type TaskOwner } from '../../../src/core/model/ids.ts';
import { openStoreOn } from '../../contract/store-kinds.ts';
import { listeningAgent } from '../../support/agents/listening.ts';
import { type Bench, openStore, startCore, taskIn, userMessage } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { afterTest } from '../../support/peer.ts';
import { type SharedPostgres, sharedPostgres } from '../../support/postgres.ts';

const owner: TaskOwner = { agent: 'demo', tenant: '', principal: 'tester' };
const named = { semantics: { tasksOnly: true, namesTask: true, oneWebhook: true } } as const;
const folder = newFolder();
let server: SharedPostgres;
beforeAll(async () => {
  server = await sharedPostgres();
});

async function startOn(url: string, agent = createReferenceAgent()): Promise<Bench> {
  const store = await openStore(url);
  const core = await startCore({ demo: agent }, { store });
  const close = async () => {
    await core.close();
    await store.close();
  };
  afterTest(close);
  return { ...core, close };
}

const send = async (core: Bench, id: string, text: string, configuration = {}) =>
  taskIn(await core.call('SendMessage', { message: userMessage(text, { taskId: id }), configuration }, named));

describe.each([
  { name: 'a SQLite file', url: async () => `sqlite:${join(folder, `${newId()}.db`)}` },
  { name: 'PostgreSQL', url: () => server.migrated() },
])('gateways on $name', ({ url }) => {
  test('two gateways make one task of messages that give the same new id at the same moment', async () => {
    const database = await url();
    const cores = [await startOn(database), await startOn(database)];
    const outcomes = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const id = round % 2 === 0 ? `task-${round}` : newId();
      const text = ['ask', 'hello', 'slow 3', 'stream 5 1'][round % 4] ?? '';
      const sent = await Promise.allSettled(
        [0, 1, 0, 1].map(async (which, i) => {
          if (i > 1) await delay(i + (round % 5));
          return send(cores[which] as Bench, id, text);
        }),
      );
      for (const result of sent) {
        if (result.status === 'fulfilled') expect(result.value.id).toBe(id);
        else expect(result.reason).toMatchObject({ metadata: { taskId: id } });
        outcomes.add(result.status === 'fulfilled' ? 'done' : result.reason.kind);
      }
      expect(sent.some(({ status }) => status === 'fulfilled')).toBe(true);
      for (const { store } of cores) {
        const stored = await store.find(owner, id);
        const log = await store.events(stored?.key ?? '', 0, 100);
        expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: stored?.seq ?? 0 }, (_, i) => i + 1));
        expect(log.filter(({ event }) => event.task)).toHaveLength(1);
        expect(stored?.task.status.state).toMatch(/COMPLETED|INPUT_REQUIRED/);
      }
    }
    expect((await cores[0]?.call('ListTasks', { pageSize: 1 }))?.totalSize).toBe(20);
    // Nothing that a caller could not make sense of.
    for (const kind of outcomes) expect(['done', 'invalidParams', 'unsupportedOperation']).toContain(kind);
  });

  test('two gateways continue each other’s tasks, turn by turn', async () => {
    const database = await url();
    const [one, two] = [await startOn(database), await startOn(database)];
    await send(one, 'task-1', 'ask');
    expect(await send(two, 'task-1', 'Ada')).toMatchObject({ artifacts: [{ parts: [{ text: 'Hello, Ada' }] }] });
    await expect(send(one, 'task-1', 'more')).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  });

  test('two gateways cancel each other’s tasks, and take messages to them', async ({ skip }) => {
    const database = await url();
    if (!database.startsWith('postgres')) skip('one SQLite file is for one gateway');
    const [one, two] = [await startOn(database, listeningAgent()), await startOn(database, listeningAgent())];
    const canceled = send(one, 'task-1', 'wait');
    const answered = send(one, 'task-2', 'listen');
    for (const id of ['task-1', 'task-2']) await vi.waitFor(() => two.call('GetTask', { id }), { interval: 5 });
    const state = 'TASK_STATE_CANCELED';
    expect(await two.call('CancelTask', { id: 'task-1' })).toMatchObject({ status: { state } });
    expect(await canceled).toMatchObject({ status: { state } });
    const task = await send(two, 'task-2', 'hello');
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['listen', 'hello']);
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ name: 'echo' }] });
    expect(await answered).toEqual(task);
  });

  test.each([
    { resume: true, state: 'TASK_STATE_COMPLETED' },
    { resume: false, state: 'TASK_STATE_FAILED' },
  ])('a gateway takes up a task that another left behind (resumable: $resume)', async ({ resume, state }) => {
    const database = await url();
    const first = await startOn(database);
    await send(first, 'task-1', 'wait', { returnImmediately: true });
    await first.close();
    const second = await startOn(
      database,
      defineAgent({
        name: 'Resuming',
        description: 'Goes on',
        async *execute() {
          yield status('TASK_STATE_WORKING');
        },
        ...(resume && {
          async *resume() {
            yield status('TASK_STATE_COMPLETED', 'done after all');
          },
        }),
      }),
    );
    expect(await second.service.takeOver()).toBe(1);
    await vi.waitFor(async () =>
      expect(await second.call('GetTask', { id: 'task-1' })).toMatchObject({ id: 'task-1', status: { state } }),
    );
  });
});

test('a task whose making was cut off is continued by the next message, and not taken for left behind', async () => {
  const { store, database } = await openStoreOn();
  const core = await startCore({ demo: createReferenceAgent() }, { store });
  const write = database.write.bind(database);
  let writes = 0;
  const failing = vi.spyOn(database, 'write').mockImplementation(async (tasks) => {
    writes += 1;
    if (writes === 1) await write(tasks);
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  });
  await expect(send(core, 'task-1', 'wait')).rejects.toMatchObject({ kind: 'unavailable' });
  failing.mockRestore();
  const again = await send(core, 'task-1', 'wait', { returnImmediately: true });
  expect(again.history?.map(({ parts }) => parts[0]?.text)).toEqual(['wait', 'wait']);
  await core.service.takeOver();
  expect(await core.call('GetTask', { id: 'task-1' })).toMatchObject({ status: { state: 'TASK_STATE_WORKING' } });
  await core.close();
});

test('an id is free again when the first message with it was never delivered, also at a gateway that knows the task', async () => {
  const working = Promise.withResolvers<void>();
  const failing = Promise.withResolvers<void>();
  let runs = 0;
  const agent = defineAgent({
    name: 'Unheard',
    description: 'Hears nothing of its first message',
    async *execute() {
      runs += 1;
      if (runs === 1) {
        working.resolve();
        await failing.promise;
        throw markUndelivered(new A2AError('upstreamUnreachable'));
      }
      yield status('TASK_STATE_COMPLETED');
    },
  });
  const url = await server.database();
  const [one, two] = [await startOn(url, agent), await startOn(url, agent)];
  const over = { ...named, idempotencyKey: 'first' };
  const message = userMessage('work', { taskId: 'chosen' });
  const first = one.call('SendMessage', { message }, over).catch((error: unknown) => error);
  await working.promise;
  const watching = await two.stream('SubscribeToTask', { id: 'chosen' }, named);
  expect((await watching.next()).value?.event.task?.id).toBe('chosen');
  failing.resolve();
  expect(await first).toMatchObject({ kind: 'upstreamUnreachable' });
  const again = taskIn(await two.call('SendMessage', { message }, over));
  expect(again).toMatchObject({ id: 'chosen', status: { state: 'TASK_STATE_COMPLETED' } });
  await watching.return?.(undefined);
});
