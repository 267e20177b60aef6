import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { artifact, defineAgent, progress } from '../../../src/index.ts';
import { newFolder } from '../../support/folders.ts';
import { afterTest } from '../../support/peer.ts';
import { sharedPostgres, silence } from '../../support/postgres.ts';
import { reaches } from '../../support/reaches.ts';
import { startReplica } from '../../support/replicas.ts';
import { keepers } from './agents.ts';

/** State of agents whose gateway dies or loses their tasks. */

beforeAll(sharedPostgres);

const script = fileURLToPath(new URL('child.ts', import.meta.url));

/** The URL of a database, and a function that makes other gateways notice that one on it was killed. */
const databases = {
  'a SQLite file': async () => {
    const folder = newFolder();
    return { url: `sqlite:${join(folder, 'gateway.db')}`, killed: async () => undefined };
  },
  PostgreSQL: async () => {
    const url = await (await sharedPostgres()).database();
    return { url, killed: () => silence(url, 'child') };
  },
};

describe.each(Object.entries(databases))('on %s', (_, open) => {
  test('a gateway that is killed loses nothing that its agents kept', async () => {
    const { url, killed } = await open();
    const child = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    afterTest(() => child.kill('SIGKILL'));
    const [origin] = await once(createInterface({ input: child.stdout }), 'line');
    const ids = new Map<string, string>();
    const seen = new Map<string, number>();
    const watch = async (name: string): Promise<void> => {
      const client = await connect(`${origin}/${name}`);
      afterTest(() => client.close());
      for await (const { statusUpdate } of client.sendStream('go')) {
        if (statusUpdate) ids.set(name, statusUpdate.taskId);
        const [, n] = /^kept (\d+)/.exec(statusUpdate?.status.message?.parts[0]?.text ?? '') ?? [];
        if (n !== undefined) seen.set(name, Number(n));
      }
    };
    const watching = Promise.allSettled(Object.keys(keepers()).map(watch));
    await vi.waitFor(() => expect([...seen.values()].filter((n) => n >= 5)).toHaveLength(2));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await watching;
    await killed();

    const replica = await startReplica(url, 'two', { agents: keepers() });
    for (const [name, id] of ids) {
      const client = await replica.client(undefined, name);
      await reaches(client, id, 'COMPLETED');
      const { artifacts = [] } = await client.getTask({ id });
      const [, task, context] = /^found (\d+) and (\d+)$/.exec(artifacts[0]?.parts[0]?.text ?? '') ?? [];
      // The agent stores each number before it sends it, so the store may be one ahead of the client.
      expect(Number(task)).toBeGreaterThanOrEqual(seen.get(name) ?? 0);
      expect(Number(task) - Number(context)).toBeLessThanOrEqual(1);
      expect(Number(context)).toBeGreaterThanOrEqual(seen.get(name) ?? 0);
    }
  });
});

test('a replica that lost a task cannot change what the agent keeps for it', async () => {
  const url = await (await sharedPostgres()).database();
  const refused: string[] = [];
  const began = Promise.withResolvers<void>();
  const writer = (name: string) =>
    defineAgent({
      name: 'Writer',
      description: 'Writes on and on',
      async *execute({ state }) {
        await state.task.set('owner', name);
        yield progress();
        began.resolve();
        // It ignores its signal.
        while (refused.length < 3) {
          await delay(20);
          await state.task.set('owner', name).catch((thrown: Error) => refused.push(thrown.message));
        }
      },
      async *resume(_task, { state }) {
        await state.task.set('owner', name);
        await vi.waitFor(() => expect(refused).toHaveLength(3));
        yield artifact({ content: `${await state.task.get('owner')}` });
      },
    });
  const one = await startReplica(url, 'one', { agents: { writer: writer('one') } });
  const client = await one.client(undefined, 'writer');
  const { task } = await client.send('go', { returnImmediately: true });
  await began.promise;
  const two = await startReplica(url, 'two', { agents: { writer: writer('two') } });
  await silence(url, 'one');
  const there = await two.client(undefined, 'writer');
  await expect
    .poll(async () => (await there.getTask({ id: task?.id ?? '' })).artifacts?.[0]?.parts[0]?.text)
    .toBe('two');
  for (const message of refused) {
    expect(message).toMatch(/another replica works on the task$|cannot be changed any more: Another replica took over/);
  }
});
