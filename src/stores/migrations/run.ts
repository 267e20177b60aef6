import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, type Kysely, sql as raw } from 'kysely';
import { heartbeat } from '../cluster/leases.ts';
import type { Database, Traits } from '../database.ts';
import type { Tables } from '../schema.ts';
import { migrations } from './index.ts';
import { type Migration, required } from './step.ts';

/** Attempts of a step that cannot get its locks, and the longest pause between two, in milliseconds. */
const contention = { attempts: 60, pause: 1_000 } as const;

/** Row of `meta` with the number of the oldest schema whose programs can work with this one. */
const needs = 'schema needs';

/** The schema of a database. */
interface Schema {
  /** Number of the last step; 0: no schema. */
  readonly number: number;
  /** Number of the schema that a program must know at least. */
  readonly needs: number;
}

/**
 * Migrates the schema, one step after the other, while other replicas go on working. A schema that is newer than this
 * program is left as it is. Rejects when this program cannot work with the schema, or when a step cannot get its locks.
 */
export async function migrate(database: Database, steps: readonly Migration[] = migrations): Promise<void> {
  const schema = requireKnown(await schemaOf(database), steps);
  // A newer program has applied the steps after those of this one.
  if (schema.number >= newest(steps)) return;
  await database.withSchemaLock(async (sql) => {
    const { integer, text } = database.traits;
    await sql.schema
      .createTable('migration')
      .ifNotExists()
      .addColumn('number', integer, (column) => column.primaryKey().notNull())
      .$call(required(text, 'name'))
      .$call(required(integer, 'applied_at'))
      .execute();
    for (const step of steps) await apply(database, sql, step);
    requireKnown(await read(sql), steps);
  });
}

const newest = (steps: readonly Migration[]): number => steps.at(-1)?.number ?? 0;

/** Rejects a schema that this program cannot work with. */
function requireKnown(schema: Schema, steps: readonly Migration[]): Schema {
  const known = newest(steps);
  if (schema.needs <= known) return schema;
  throw new Error(
    `its schema is version ${schema.number} and requires a program that knows version ${schema.needs}; this one knows version ${known}`,
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
  const { rows } = await raw<{ number: number | null }>`select max(number) as number from migration`.execute(sql);
  const number = rows[0]?.number ?? 0;
  if (number === 0) return { number, needs: 0 };
  const needed = await sql.selectFrom('meta').select('value').where('name', '=', needs).executeTakeFirst();
  return { number, needs: Number(needed?.value ?? 0) };
}

/** Applies a step; tries again while it cannot get its locks. An interrupted `online` step runs again. */
async function apply(database: Database, sql: Kysely<Tables>, step: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const once = (): Promise<void> => applyOnce(database.traits, sql, step);
      await (step.online ? once() : inTransaction(database.traits, sql, once));
      return;
    } catch (error) {
      if (!database.isContended(error)) throw error;
      if (attempt === contention.attempts) {
        const why = `the migration "${step.name}" could not lock its tables: other transactions hold them`;
        throw new Error(why, { cause: error });
      }
      await delay(Math.random() * contention.pause);
    }
  }
}

async function inTransaction({ beginChange }: Traits, sql: Kysely<Tables>, use: () => Promise<void>): Promise<void> {
  for (const statement of beginChange) await run(sql, statement);
  try {
    await use();
    await run(sql, 'commit');
  } catch (error) {
    // A broken connection has rolled back already; report what broke it.
    await run(sql, 'rollback').catch(() => undefined);
    throw error;
  }
}

/** Runs the step and records it, unless it has been applied. */
async function applyOnce(traits: Traits, sql: Kysely<Tables>, step: Migration): Promise<void> {
  if ((await read(sql)).number >= step.number) return;
  if (step.breaking) await requireNoReplica(sql, traits.now);
  await step.up(sql, traits);
  await recordStep(sql, step);
}

async function recordStep(db: Kysely<Tables>, { number, name, breaking }: Migration): Promise<void> {
  await raw`
    insert into migration (number, name, applied_at) values (${number}, ${name}, ${Date.now()})
    on conflict do nothing`.execute(db);
  if (!breaking) return;
  await raw`
    insert into meta (name, value) values (${needs}, ${String(number)})
    on conflict (name) do update set value = excluded.value`.execute(db);
}

/** Rejects while gateways are running: older ones would write what newer ones cannot read, or fail. */
async function requireNoReplica(sql: Kysely<Tables>, now: Traits['now']): Promise<void> {
  const isAlive = raw<boolean>`heartbeat > ${now} - ${heartbeat.deadAfter}`;
  const alive = await sql.selectFrom('gateway').select('instance').where(isAlive).execute();
  if (alive.length === 0) return;
  const names = alive.map(({ instance }) => instance).join(', ');
  throw new Error(`this migration needs all gateways to be stopped; still running: ${names}`);
}

const run = (sql: Kysely<Tables>, statement: string): Promise<unknown> =>
  sql.executeQuery(CompiledQuery.raw(statement));
