import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';

/** Writes whose answer is lost: the store cannot know whether they were committed. The core retries the same append. */

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Of what is sent to write events; the same each time, so that a failure can be looked into. */
function* fates(): Generator<ReturnType<TcpProxy['onSent']>> {
  const all = ['pass', 'pass and cut', 'cut at the answer', 'pass', 'cut', 'cut at the answer', 'pass'] as const;
  for (let i = 0; ; i += 1) yield all[(3 * i) % all.length] ?? 'pass';
}

it('an append that is tried again until it is answered is written once, wherever its connection is cut', async () => {
  const url = await server.database();
  const port = Number(new URL(url).port);
  const proxy = await startProxy(port);
  const counts = new Map<string, number>();
  const fate = fates();
  proxy.onSent = (data) => {
    if (!data.includes('a2a_write')) return 'pass';
    const next = fate.next().value;
    counts.set(next, (counts.get(next) ?? 0) + 1);
    return next;
  };
  const store = createStore(url.replace(`:${port}`, `:${proxy.port}`), { instance: 'test' });
  await store.open();
  const writers = Array.from({ length: 20 }, () => new TaskWriter());
  const write = async (writer: TaskWriter, round: number): Promise<void> => {
    const append = round === 0 ? writer.create('TASK_STATE_WORKING') : writer.chunk(`${round}`);
    // As the core does it: the same append again until it is answered; any other answer than these is wrong.
    await vi
      .waitFor(
        async () => {
          const error: { kind?: string } | undefined = await store.append(append).then(
            () => undefined,
            (thrown) => thrown,
          );
          if (error && error.kind !== 'unavailable') return error;
          if (error) throw error;
        },
        { timeout: 20_000, interval: 1 },
      )
      .then((wrong) => expect(wrong).toBeUndefined());
  };
  const rounds = 25;
  await Promise.all(
    writers.map(async (writer, i) => {
      for (let round = 0; round < rounds; round += 1) {
        if (i === 0 && round === 8) {
          await server.halt('kill');
          await server.resume();
        }
        if (i === 0 && round === 16)
          await query(url, 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
        await write(writer, round);
      }
    }),
  );
  for (const fate of ['cut', 'pass and cut', 'cut at the answer']) expect(counts.get(fate)).toBeGreaterThan(4);
  proxy.onSent = () => 'pass';
  for (const { key, task } of writers) {
    const events = await store.events(key, 0, 1_000);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: rounds }, (_, i) => i + 1));
    expect((await store.load(key))?.task).toEqual(task);
  }
  expect(await query(url, 'select count(*) as n from task_event')).toEqual([{ n: String(writers.length * rounds) }]);
  await store.close();
  await proxy.close();
});
