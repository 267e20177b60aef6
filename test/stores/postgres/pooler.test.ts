import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createStore } from '../../../src/stores/index.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { natsServer, startNats } from '../../support/nats.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { hear } from '../../support/peers.ts';
import { pgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { query, sharedPostgres, startPostgres } from '../../support/postgres.ts';

const soon = { timeout: paced(20_000), interval: 10 };
const isThere = pgBouncer !== undefined && natsServer !== undefined;

describe.skipIf(!isThere)('behind PgBouncer in transaction mode (needs pgbouncer and nats-server)', () => {
  beforeAll(sharedPostgres);

  it('the store is refused without pool_mode=transaction', async () => {
    const url = await startPgBouncer(await (await sharedPostgres()).migrated());
    await expect(createStore(url, { instance: 'one' }).open()).rejects.toThrow(
      /add pool_mode=transaction to the store$/,
    );
  });

  it('replicas create the tables once, write, list, follow and take over', async () => {
    const server = await startPostgres();
    afterTest(() => server.stop());
    const through = `${await startPgBouncer(server.url, 3)}?pool_mode=transaction`;
    const nats = await startNats();
    afterTest(() => nats.kill());
    const open = async (instance: string) => {
      const store = createStore(through, { instance, notifications: nats.url, fullText: true });
      await store.open();
      afterTest(() => store.close());
      return store;
    };
    const stores = await Promise.all(['one', 'two', 'three'].map(open));
    const [one, two] = stores;
    if (!one || !two) throw new Error('there are three');
    const writers = Array.from({ length: 60 }, () => new TaskWriter());
    await Promise.all(
      writers.map(async (writer, i) => {
        const store = stores[i % 3] ?? one;
        await store.append(writer.create('TASK_STATE_WORKING'));
        for (let chunk = 0; chunk < 10; chunk += 1) await store.append(writer.chunk(`${chunk}`));
      }),
    );
    const positions = await two.positions(writers.map(({ key }) => key));
    expect(positions).toEqual(new Map(writers.map(({ key, seq }) => [key, seq])));
    const heard = hear(two);
    const [writer = new TaskWriter()] = writers;
    await vi.waitFor(async () => expect(await two.peers.follow([writer.key])).toEqual([]), soon);
    await one.append(writer.chunk('x'));
    await vi.waitFor(() => expect(heard.written.get(writer.key)).toBe(writer.seq), soon);
    expect(await query(server.url, 'select * from pg_prepared_statements')).toEqual([]);
    await one.close();
    const taken = await vi.waitFor(async () => {
      const orphans = await two.claimOrphans(100);
      expect(orphans.length).toBeGreaterThan(0);
      return orphans;
    }, soon);
    expect(taken).toHaveLength(20);
  });
});

it('pool_mode=transaction is refused without notifications over NATS', () => {
  const url = 'postgres://me:s3cret@a/db?pool_mode=transaction';
  expect(() => createStore(url, { instance: 'one' })).toThrow(/LISTEN does not work with pool_mode=transaction/);
  expect(() => createStore('memory:', { instance: 'one', notifications: 'nats://a' })).toThrow(/PostgreSQL/);
});
