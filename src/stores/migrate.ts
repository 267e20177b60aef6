import { CompiledQuery, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import { type Migration, migrations } from './migrations/index.ts';
import type { Tables } from './schema.ts';

/**
 * Brings the schema up to date, in one transaction that only one gateway at a time can be in. Rejects when the schema
 * is newer than this program: an older gateway must not write to it.
 */
export async function migrate({ sql, traits }: Database, steps: readonly Migration[] = migrations): Promise<void> {
  await sql.connection().execute(async (connection) => {
    const run = (statement: string): Promise<unknown> => connection.executeQuery(CompiledQuery.raw(statement));
    for (const statement of traits.beginExclusive) await run(statement);
    try {
      const current = await version(connection, traits);
      const newest = steps.at(-1)?.number ?? 0;
      if (current > newest) throw new Error(`The store's schema has number ${current}; this program knows ${newest}.`);
      for (const step of steps.filter(({ number }) => number > current)) {
        await step.up(connection, traits);
        const row = { number: step.number, name: step.name, applied_at: Date.now() };
        await connection.insertInto('migration').values(row).execute();
      }
      await run('commit');
    } catch (error) {
      // A connection that broke has rolled back already; what broke it is what matters.
      await run('rollback').catch(() => undefined);
      throw error;
    }
  });
}

/** Rejects when the schema is not exactly the one that this program knows. */
export async function requireCurrent({ sql }: Database, steps: readonly Migration[] = migrations): Promise<void> {
  const row = await sql
    .selectFrom('migration')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  const newest = steps.at(-1)?.number ?? 0;
  if (row?.number === newest) return;
  throw new Error(`its schema has number ${row?.number ?? 0}, and this program knows ${newest}`);
}

async function version(sql: Kysely<Tables>, { integer, text }: Database['traits']): Promise<number> {
  await sql.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('number', integer, (column) => column.primaryKey().notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('applied_at', integer, (column) => column.notNull())
    .execute();
  const row = await sql
    .selectFrom('migration')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  return row?.number ?? 0;
}
