import { beforeAll, expect, it } from 'vitest';
import type { TaskOwner } from '../../src/core/model/ids.ts';
import type { Database } from '../../src/stores/database.ts';
import { migrations } from '../../src/stores/migrations/index.ts';
import { migrate } from '../../src/stores/migrations/run.ts';
import { openPostgres } from '../../src/stores/postgres/database.ts';
import { openSqlite } from '../../src/stores/sqlite/database.ts';
import { createSqlStore } from '../../src/stores/store.ts';
import { alice, bob, logged } from '../contract/store-fixtures.ts';
import { type SharedPostgres, sharedPostgres } from '../support/postgres.ts';

let server: SharedPostgres;
beforeAll(async () => {
  server = await sharedPostgres();
});

const databases: Record<string, () => Promise<Database>> = {
  SQLite: () => openSqlite({ path: ':memory:', flush: false }),
  PostgreSQL: async () => openPostgres(await server.database(), undefined),
};

it.each(Object.keys(databases))(
  'push configurations of before belong to the owners of their tasks (%s)',
  async (name) => {
    const database = await (databases[name] as () => Promise<Database>)();
    await migrate(database, migrations.slice(0, 1));
    const { sql } = database;
    const times = { status_at: 1, created_at: 1, updated_at: 1, seq: 1, turn_seq: 1 };
    const row = { ...times, context_id: 'c', state: 'COMPLETED', dialect: 'a2a-1.0', owner: null };
    for (const [i, owner] of [alice, bob, { ...alice, tenant: 't' }].entries()) {
      await sql
        .insertInto('task')
        .values({ key: `k${i}`, id: `k${i}`, ...owner, ...row })
        .execute();
      const body = JSON.stringify({ id: 'p', taskId: `k${i}`, url: 'https://hooks.example.com/' });
      const config = { key: `k${i}`, id: 'p', dialect: 'a2a-0.3', body };
      // As it was written then: without its owner.
      await sql
        .insertInto('push_config')
        .values(config as typeof config & TaskOwner)
        .execute();
    }
    const store = createSqlStore({ shown: '', instance: 'test', logger: undefined, connect: async () => database });
    await store.open();
    for (const [i, owner] of [alice, bob, { ...alice, tenant: 't' }].entries()) {
      const { configs } = await store.listOwnersPushConfigs(owner, { size: 10, token: '' });
      expect(configs.map(({ taskId }) => taskId)).toEqual([`k${i}`]);
    }
    // What happened before is not delivered any more; what comes is.
    expect(await store.claimDeliveries({ of: 'left', limit: 10, except: [] })).toEqual([]);
    const told: string[] = [];
    store.onPushed((key) => told.push(key));
    const event = { statusUpdate: { taskId: 'k0', contextId: 'c', status: { state: 'TASK_STATE_WORKING' as const } } };
    await store.append({ key: 'k0', events: [logged(2, event)] });
    expect(told).toEqual(['k0']);
    const [delivery] = await store.claimDeliveries({ of: told, limit: 10, except: [] });
    expect(delivery).toMatchObject({ key: 'k0', cursor: 1, receiver: 'https://hooks.example.com', dialect: 'a2a-0.3' });
    await store.close();
  },
);
