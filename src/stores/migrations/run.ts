import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, type Kysely, sql as raw } from 'kysely';
import { heartbeat } from '../cluster/leases.ts';
import type { Database } from '../database.ts';
import type { Tables } from '../schema.ts';
import { migrations } from './index.ts';
import type { Migration } from './step.ts';

/** Times that a step is begun when others hold on to a table, and the longest pause between two, in milliseconds. */
const contention = { attempts: 60, pause: 1_000 } as const;

/** The row of `meta` that holds the number of the oldest schema whose programs can work with this one. */
const needs = 'schema needs';

/** Which schema there is. */
interface Schema {
  /** Of the last step; 0: there is none. */
  readonly number: number;
  /** What a program has to know at least. */
  readonly needs: number;
}

/**
 * Brings the schema up to date, one step after the other; those who work with it go on meanwhile. A schema that is newer
 * than this program is left as it is. Rejects when this program cannot work with it, or when a step finds no moment in
 * which it can be done.
 */
export async function migrate(database: Database, steps: readonly Migration[] = migrations): Promise<void> {
  const there = await schemaOf(database);
  requireKnown(there, steps);
  // Others may be at work on steps that are newer than this program: they are none of its business.
  if (there.number >= newest(steps)) return;
  await database.withSchemaLock(async (sql) => {
    const { integer, text } = database.traits;
    await sql.schema
      .createTable('migration')
      .ifNotExists()
      .addColumn('number', integer, (column) => column.primaryKey().notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('applied_at', integer, (column) => column.notNull())
      .execute();
    for (const step of steps) await apply(database, sql, step);
    requireKnown(await read(sql), steps);
  });
}

/** Rejects when the schema is older than this program, or one that it cannot work with. */
export async function requireCurrent(database: Database, steps: readonly Migration[] = migrations): Promise<void> {
  const there = await schemaOf(database);
  requireKnown(there, steps);
  if (there.number >= newest(steps)) return;
  throw new Error(
    `its schema has number ${there.number}, and this program needs ${newest(steps)}; a gateway updates it`,
  );
}

const newest = (steps: readonly Migration[]): number => steps.at(-1)?.number ?? 0;

function requireKnown(there: Schema, steps: readonly Migration[]): void {
  const known = newest(steps);
  if (there.needs <= known) return;
  throw new Error(
    `its schema has number ${there.number} and needs a program that knows ${there.needs}; this one knows ${known}`,
  );
}

async function schemaOf(database: Database): Promise<Schema> {
  try {
    return await read(database.sql);
  } catch (error) {
    if (database.isUnavailable(error)) throw error;
    // The tables are not there yet.
    return { number: 0, needs: 0 };
  }
}

async function read(sql: Kysely<Tables>): Promise<Schema> {
  const row = await sql
    .selectFrom('migration')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  const number = row?.number ?? 0;
  if (number === 0) return { number, needs: 0 };
  const needed = await sql.selectFrom('meta').select('value').where('name', '=', needs).executeTakeFirst();
  return { number, needs: Number(needed?.value ?? 0) };
}

/** Does a step, unless it has been done. */
async function apply(database: Database, sql: Kysely<Tables>, step: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await (step.online ? applyOnline(database, sql, step) : applyInTransaction(database, sql, step));
      return;
    } catch (error) {
      if (!database.isContended(error)) throw error;
      if (attempt === contention.attempts) {
        const why = `its schema cannot be changed while others hold on to its tables (${step.name})`;
        throw new Error(why, { cause: error });
      }
      await delay(Math.random() * contention.pause);
    }
  }
}

/** The step and the note that it was done, in one transaction. */
async function applyInTransaction({ traits }: Database, sql: Kysely<Tables>, step: Migration): Promise<void> {
  for (const statement of traits.beginChange) await run(sql, statement);
  try {
    if ((await read(sql)).number < step.number) {
      if (step.breaking) await requireNoReplica(sql, traits.now);
      await step.up(sql, traits);
      await recordStep(sql, step);
    }
    await run(sql, 'commit');
  } catch (error) {
    // A connection that broke has rolled back already; what broke it is what matters.
    await run(sql, 'rollback').catch(() => undefined);
    throw error;
  }
}

/** The step by itself, and then the note. When it is cut off in between, it is done once more. */
async function applyOnline({ traits }: Database, sql: Kysely<Tables>, step: Migration): Promise<void> {
  if ((await read(sql)).number >= step.number) return;
  await step.up(sql, traits);
  await recordStep(sql, step);
}

async function recordStep(sql: Kysely<Tables>, { number, name, breaking }: Migration): Promise<void> {
  await sql
    .insertInto('migration')
    .values({ number, name, applied_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (!breaking) return;
  const value = String(number);
  await sql
    .insertInto('meta')
    .values({ name: needs, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Rejects while gateways are at work: those of before would write what those of after cannot read, or fail. */
async function requireNoReplica(sql: Kysely<Tables>, now: Database['traits']['now']): Promise<void> {
  const alive = await sql
    .selectFrom('gateway')
    .select('instance')
    .where(raw<boolean>`heartbeat > ${now} - ${heartbeat.deadAfter}`)
    .execute();
  if (alive.length === 0) return;
  const who = alive.map(({ instance }) => instance).join(', ');
  throw new Error(`its schema can be changed only when no gateway is at work on it; there is ${who}`);
}

const run = (sql: Kysely<Tables>, statement: string): Promise<unknown> =>
  sql.executeQuery(CompiledQuery.raw(statement));
