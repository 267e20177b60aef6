import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineAgent, say, status } from '../../src/agents/define.ts';
import { newId } from '../../src/core/model/ids.ts';
import { createStore } from '../../src/stores/index.ts';
import { startCore, taskIn, userMessage } from '../support/core.ts';
import { afterTest } from '../support/peer.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

/** A database that goes away takes nothing with it: while it is away, agents are not called. */

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

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
    const store = createStore(await server.database(), { instance: 'test' });
    await store.open();
    afterTest(() => store.close());
    const core = await startCore({ agent }, { store });
    afterTest(() => core.close());
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
    await expect.poll(async () => (await send('say')).message !== undefined, { timeout: 10_000 }).toBe(true);
  },
  60_000,
);
