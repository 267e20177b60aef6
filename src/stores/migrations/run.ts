import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type Kysely,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  sql as raw,
  type UnknownRow,
  UpdateQueryNode,
} from 'kysely';
import { UnreadableRow } from '../../core/model/stored-form.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Database, Traits } from '../database.ts';
import type { Tables } from '../schema.ts';
import { optionalSteps } from './0017-optional-steps.ts';
import { migrations } from './index.ts';
import { type Migration, required } from './step.ts';

/** Attempts of a step that cannot get its locks, and the longest pause between two, in milliseconds. */
const contention = { attempts: 60, pause: 1_000 } as const;

/** Row of `meta` with the number of the oldest schema whose programs can work with this one. */
const needs = 'schema needs';

/** The schema of a database. */
interface Schema {
  /** Numbers of the steps that were applied, in ascending order; empty: no schema. */
  readonly applied: readonly number[];
  /** Names of steps that were applied and whose numbers cannot be read. */
  readonly named: ReadonlySet<string>;
  /** Number of the oldest schema that a program must know. */
  readonly needs: number;
}

export interface MigrateOptions {
  /** Owner of the steps, for logs. Default: the store. */
  readonly of?: string;
  /** Default: those of the store. */
  readonly steps?: readonly Migration[];
  /** Number of the newest step that this program knows. Default: the newest of `steps`. */
  readonly known?: number;
  readonly logger?: Logger | undefined;
  readonly damaged?: DamagedRows;
}

/**
 * Applies the steps that the database lacks, one after the other, while other replicas go on working. A schema that is newer than
 * this program stays unchanged. Rejects when this program cannot work with the schema, or when a step cannot get its locks.
 */
export async function migrate(
  database: Database,
  { of = 'the store', steps = migrations, known = newest(steps), logger, damaged }: MigrateOptions = {},
): Promise<void> {
  const schema = requireKnown(await schemaOf(database, damaged), known);
  if (steps.every((step) => isApplied(schema, step))) return;
  const isNew = !steps.some((step) => isApplied(schema, step));
  const created = `created the tables of ${of}`;
  if (isNew && steps === migrations && (await database.createTables?.())) {
    logger?.debug({ schema: newest(steps) }, created);
    return;
  }
  let applied = 0;
  await database.withSchemaLock(async (sql) => {
    for (const step of steps) {
      const began = performance.now();
      const rows = await apply(database, sql, step);
      if (rows === undefined) continue;
      applied += 1;
      if (isNew) continue;
      const ms = Math.round(performance.now() - began);
      logger?.info({ number: step.number, name: step.name, rows, ms }, 'migrated the schema of the store');
    }
    requireKnown(await read(sql), known);
  });
  if (isNew && applied > 0) logger?.debug({ schema: newest(steps) }, created);
}

/** Counts the rows that `update` changes. */
class RowCounter implements KyselyPlugin {
  rows = 0;
  /** Ids of the updates: SQLite reports rows for statements of every kind. */
  readonly #updates = new WeakSet<object>();

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    if (UpdateQueryNode.is(node)) this.#updates.add(queryId);
    return node;
  }

  async transformResult({ queryId, result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    if (this.#updates.has(queryId)) this.rows += Number(result.numAffectedRows ?? 0);
    return result;
  }
}

const isApplied = ({ applied, named }: Schema, { number, name }: Migration): boolean =>
  applied.includes(number) || named.has(name);

const newest = (steps: readonly Migration[]): number => steps.at(-1)?.number ?? 0;

/** Rejects a schema that this program cannot work with. */
function requireKnown(schema: Schema, known: number): Schema {
  if (schema.needs <= known) return schema;
  throw new Error(
    `its schema is version ${schema.applied.at(-1)} and requires a program that knows version ${schema.needs}; this one knows version ${known}`,
  );
}

async function schemaOf(database: Database, damaged: DamagedRows | undefined): Promise<Schema> {
  try {
    return await read(database.sql, damaged);
  } catch (error) {
    if (database.isUnavailable(error)) throw error;
    // The tables are not there yet.
    return { applied: [], named: new Set(), needs: 0 };
  }
}

async function read(sql: Kysely<Tables>, damaged?: DamagedRows): Promise<Schema> {
  const rows = await sql.selectFrom('migration').select(['number', 'name']).orderBy('number').execute();
  const lost = rows.filter(({ number }) => !Number.isSafeInteger(number));
  for (const { name } of lost) damaged?.note('migration', [name], new UnreadableRow('its number is none of a step'));
  const applied = rows.flatMap(({ number }) => (Number.isSafeInteger(number) ? [number] : []));
  const named = new Set(lost.map(({ name }) => name));
  if (rows.length === 0) return { applied, named, needs: 0 };
  const needed = await sql.selectFrom('meta').select('value').where('name', '=', needs).executeTakeFirst();
  const number = Number(needed?.value ?? 0);
  if (Number.isSafeInteger(number)) return { applied, named, needs: number };
  // Only the steps then decide which schema a program must know.
  damaged?.note('meta', [needs], new UnreadableRow('it is not a number of a schema'));
  return { applied, named, needs: 0 };
}

/**
 * Applies a step; tries again while it cannot get its locks. An interrupted `online` step runs again. Resolves with the number of
 * rows that it changed; undefined if it had been applied before.
 */
async function apply(database: Database, sql: Kysely<Tables>, step: Migration): Promise<number | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const once = (): Promise<number | undefined> => applyOnce(database.traits, sql, step);
      return await (step.online ? once() : inTransaction(database.traits, sql, once));
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

async function inTransaction<T>({ beginChange }: Traits, sql: Kysely<Tables>, use: () => Promise<T>): Promise<T> {
  for (const statement of beginChange) await run(sql, statement);
  try {
    const result = await use();
    await run(sql, 'commit');
    return result;
  } catch (error) {
    // A broken connection has rolled back already; report what broke it.
    await run(sql, 'rollback').catch(() => undefined);
    throw error;
  }
}

/** Runs the step and records it, unless it has been applied. */
async function applyOnce(traits: Traits, sql: Kysely<Tables>, step: Migration): Promise<number | undefined> {
  if (step.number === 1) await createMigrationTable(traits, sql);
  if (isApplied(await read(sql), step)) return undefined;
  const counter = new RowCounter();
  await step.up(sql.withPlugin(counter), traits);
  await recordStep(sql, step);
  return counter.rows;
}

/** Creates the table in the transaction of the first step, so that a database in which this step fails gets no table. */
async function createMigrationTable({ integer, text }: Traits, sql: Kysely<Tables>): Promise<void> {
  await sql.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('number', integer, (column) => column.primaryKey().notNull())
    .$call(required(text, 'name'))
    .$call(required(integer, 'applied_at'))
    .execute();
}

async function recordStep(db: Kysely<Tables>, { number, name }: Migration): Promise<void> {
  await raw`
    insert into migration (number, name, applied_at) values (${number}, ${name}, ${Date.now()})
    on conflict do nothing`.execute(db);
  const schema = await read(db);
  // Programs before that step assume that every step up to their newest was applied.
  const theirs = Math.min(number, optionalSteps.number - 1);
  const isWhole = schema.applied.filter((each) => each <= theirs).length === theirs;
  if (isWhole || schema.needs >= optionalSteps.number) return;
  await raw`
    insert into meta (name, value) values (${needs}, ${String(optionalSteps.number)})
    on conflict (name) do update set value = excluded.value`.execute(db);
}

const run = (sql: Kysely<Tables>, statement: string): Promise<unknown> =>
  sql.executeQuery(CompiledQuery.raw(statement));
