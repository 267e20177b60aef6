import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { artifact, defineAgent, say, status } from '../../../src/agents/define.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { newId } from '../../../src/core/model/ids.ts';
import { openStore, startCore, taskIn, userMessage } from '../../support/core.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { callsOf } from '../../support/until.ts';

/** A database that goes away takes nothing with it: while it is away, agents are not called. */

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** A gateway's core on an empty database, and the events of each append. */
async function startBench(agent: Agent) {
  const store = await openStore(await server.database());
  const appends: number[] = [];
  const append = store.append.bind(store);
  store.append = (batch) => {
    appends.push(batch.events.length);
    return append(batch);
  };
  const core = await startCore({ agent }, { store });
  return { core, appends };
}

/** Completes each task, at once or after a while, or says something. */
const answering = (restart: boolean): Agent =>
  defineAgent({
    name: 'Answering',
    description: 'Answers',
    restart,
    async *execute({ text }) {
      if (text === 'slow' || text === 'say slowly') await delay(50);
      if (text.startsWith('say')) yield say('said');
      else yield artifact({ content: text });
    },
  });

test('an agent that may be started again, and answers at once, costs one transaction, and a direct message none', async () => {
  const { core, appends } = await startBench(answering(true));
  const send = (text: string, context = {}) => core.call('SendMessage', { message: userMessage(text) }, context);
  const task = taskIn(await send('go'));
  expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'go' }] }] });
  expect(appends).toEqual([3]);
  expect((await send('say')).message?.parts).toEqual([{ text: 'said' }]);
  expect(appends).toEqual([3]);

  // Its message is durable while the agent works.
  taskIn(await send('slow'));
  expect(appends).toEqual([3, 1, 2]);
  expect((await send('say slowly')).message?.parts).toEqual([{ text: 'said' }]);
  expect(appends).toEqual([3, 1, 2, 1]);
  expect((await core.call('ListTasks', {})).totalSize).toBe(2);

  taskIn(await send('go', { idempotencyKey: newId() }));
  expect(appends.slice(4)).toEqual([1, 2]);
});

test('a message that PostgreSQL stores too late for its stream is sent to no reader, and is removed', async () => {
  const store = await openStore(await server.database());
  const append = store.append.bind(store);
  const away = Promise.withResolvers<void>();
  const appended = Promise.withResolvers<void>();
  store.append = async (batch) => {
    appended.resolve();
    await away.promise;
    return append(batch);
  };
  const retract = vi.spyOn(store, 'retract');
  let answer = (): void => undefined;
  const agent = defineAgent({ name: 'Waiting', description: 'Waits', restart: true }, async function* ({ signal }) {
    await new Promise<void>((resolve) => {
      answer = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    yield artifact({ content: 'done' });
  });
  const core = await startCore({ agent }, { store });
  const told: unknown[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ended = (async () => {
    const events = await core.stream('SendStreamingMessage', { message: userMessage('go') });
    for (let next = await events.next(); !next.done; next = await events.next()) told.push(next.value);
  })();
  const refused = expect(ended).rejects.toMatchObject({ kind: 'unavailable' });
  await appended.promise;
  await vi.advanceTimersByTimeAsync(15_000);
  await refused;
  vi.useRealTimers();
  const retractions = callsOf(store, 'retract');
  away.resolve();
  answer();
  await retractions.until(() => retract.mock.settledResults.some(({ value }) => value === true));
  expect((await core.call('ListTasks', {})).totalSize).toBe(0);
  expect(told).toEqual([]);
});

test('another agent gets a message that is durable', async () => {
  const { core, appends } = await startBench(answering(false));
  taskIn(await core.call('SendMessage', { message: userMessage('go') }));
  expect(appends).toEqual([1, 2]);
});

test.each([false, true])(
  'no agent gets a message while PostgreSQL is unavailable (with a key: %s)',
  async (withKey) => {
    let executions = 0;
    const agent = defineAgent({
      name: 'Counting',
      description: 'Counts what it hears',
      async *execute({ text }) {
        executions += 1;
        if (text === 'say') yield say('said');
        else yield status('TASK_STATE_INPUT_REQUIRED', 'What next?');
      },
    });
    const store = await openStore(await server.database());
    const core = await startCore({ agent }, { store });
    const send = (text: string, taskId?: string) =>
      core.call(
        'SendMessage',
        { message: userMessage(text, taskId === undefined ? {} : { taskId }) },
        withKey ? { idempotencyKey: newId() } : {},
      );
    expect((await send('say')).message?.parts).toEqual([{ text: 'said' }]);
    expect((await core.call('ListTasks', {})).totalSize).toBe(0);
    const question = taskIn(await send('ask'));
    expect(executions).toBe(2);

    await server.halt('immediate');
    const unavailable = { kind: 'unavailable' };
    await expect(send('say more')).rejects.toMatchObject(unavailable);
    await expect(send('go on', question.id)).rejects.toMatchObject(unavailable);
    expect(executions).toBe(2);

    await server.resume();
    await expect.poll(async () => (await send('say')).message !== undefined).toBe(true);
  },
);
