import { sql as raw } from 'kysely';
import { beforeAll, expect, it, vi } from 'vitest';
import type { TaskOwner } from '../../../src/core/model/ids.ts';
import type { Database } from '../../../src/stores/database.ts';
import { migrations, newestMigration } from '../../../src/stores/migrations/index.ts';
import { migrate } from '../../../src/stores/migrations/run.ts';
import type { Migration } from '../../../src/stores/migrations/step.ts';
import { openSqlite } from '../../../src/stores/sqlite/database.ts';
import { createSqlStore } from '../../../src/stores/store.ts';
import { alice, bob, logged } from '../../contract/store-fixtures.ts';
import { emptyDatabases } from '../../contract/store-kinds.ts';
import { silent } from '../../support/core.ts';
import { sharedPostgres } from '../../support/postgres.ts';

beforeAll(sharedPostgres);

it.each(Object.entries(emptyDatabases))(
  'push configurations of before belong to the owners of their tasks (%s)',
  async (_, open) => {
    const database = await open();
    await migrate(database, { steps: migrations.slice(0, 1) });
    const { sql } = database;
    const info = vi.fn();
    const times = { status_at: 1, created_at: 1, updated_at: 1, seq: 1, turn_seq: 1 };
    const row = { ...times, context_id: 'c', state: 'COMPLETED', dialect: 'a2a-1.0', owner: null };
    for (const [i, owner] of [alice, bob, { ...alice, tenant: 't' }].entries()) {
      await sql
        .insertInto('task')
        .values({ key: `k${i}`, id: `k${i}`, ...owner, ...row })
        .execute();
      const body = JSON.stringify({ id: 'p', taskId: `k${i}`, url: 'https://hooks.example.com/' });
      const config = { key: `k${i}`, id: 'p', dialect: 'a2a-0.3', body };
      // Rows of that time have no owner.
      await sql
        .insertInto('push_config')
        .values(config as typeof config & TaskOwner)
        .execute();
    }
    const store = createSqlStore({
      shown: '',
      instance: 'test',
      logger: { ...silent, info },
      connect: async () => database,
    });
    await store.open();
    // Each step is logged, with the rows that it changed.
    expect(info.mock.calls.map(([{ ms: _, ...step }, message]) => [message, step.number])).toEqual(
      migrations.slice(1).map(({ number }) => ['migrated the schema of the store', number]),
    );
    const step = { number: 2, name: 'push configuration owners', rows: 3, ms: expect.any(Number) };
    expect(info.mock.calls[0]?.[0]).toEqual(step);
    for (const [i, owner] of [alice, bob, { ...alice, tenant: 't' }].entries()) {
      const { configs } = await store.listOwnersPushConfigs(owner, { size: 10, token: '' });
      expect(configs.map(({ taskId }) => taskId)).toEqual([`k${i}`]);
    }
    // Events from before the migration are not delivered; new ones are.
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

it('on SQLite, what others write while the schema is changed stays out of its transaction', async () => {
  const database = await openSqlite({ path: ':memory:', flush: false });
  await migrate(database);
  const { sql } = database;
  const put = (name: string) => sql.insertInto('meta').values({ name, value: '' });
  const step: Migration = {
    number: newestMigration + 1,
    name: 'step that fails',
    async up() {
      writing = [put('alone').execute(), database.transaction([put('together')])];
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('it fails');
    },
  };
  let writing: Promise<unknown>[] = [];
  await expect(migrate(database, { steps: [...migrations, step] })).rejects.toThrow('it fails');
  await Promise.all(writing);
  const rows = sql.selectFrom('meta').select('name').where('name', 'in', ['alone', 'together']).execute();
  expect(await rows).toHaveLength(2);
  await database.close();
});

it('a new SQLite database gets the tables and rows that the steps make, from one script', async () => {
  const [stepwise, atOnce] = await Promise.all([1, 2].map(() => openSqlite({ path: ':memory:', flush: false })));
  if (!stepwise || !atOnce) throw new Error('not opened');
  await migrate(stepwise, { steps: [...migrations] });
  await migrate(atOnce);
  const script = await scriptOf(stepwise);
  await expect(script).toMatchFileSnapshot('../../../src/stores/sqlite/tables.sql');
  expect(await scriptOf(atOnce)).toBe(script);
});

/** The script that makes the tables of a database, and its rows. */
async function scriptOf({ sql }: Database): Promise<string> {
  const { rows: tables } = await raw<{ sql: string }>`
    select sql from sqlite_schema where sql is not null and name not like 'sqlite~_%' escape '~' order by rowid
  `.execute(sql);
  const now = "cast(unixepoch('subsec') * 1000 as integer)";
  const { rows } = await raw<{ sql: string }>`
    select format('insert into migration values (%d, %Q, ${raw.raw(now.replaceAll("'", "''"))})', number, name) as sql
    from migration union all select format('insert into meta values (%Q, %Q)', name, value) from meta
  `.execute(sql);
  return [...tables, ...rows].map((row) => `${row.sql};\n`).join('');
}
