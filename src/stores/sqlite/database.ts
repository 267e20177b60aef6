import { readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { StoreBackup } from '../../core/ports/store.ts';
import {
  compiled,
  type Database,
  kyselyOver,
  type Prepared,
  type Statement,
  type TaskWrite,
  type Traits,
  type Transaction,
  type WriteOutcome,
} from '../database.ts';
import type { Tables } from '../schema.ts';
import { WriteHealth } from '../write-health.ts';
import { backUp, removeUnfinishedBackups } from './backup.ts';
import { Checkpoints } from './checkpoints.ts';
import { fileLost, isBusy, isCorrupt, isFileLost, isUnavailable, reasonOf } from './errors.ts';
import { createPrivateFile, fileAt, makeFile, newFileId, requireOwn, requireOwnLog, withReason } from './file.ts';
import { lockSqlite } from './lock.ts';
import { SqliteThread } from './thread.ts';
import { createSqliteTaskWriter } from './writer.ts';

const traits: Traits = {
  text: sql`text`,
  integer: sql`integer`,
  clustered: sql`without rowid`,
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  serverSince: sql<number>`0`,
  beginChange: ['begin immediate'],
  isJson: (text) => sql`json_valid(${text})`,
  concurrently: sql``,
  like: sql`like`,
  fullText: 'fts5',
  rowLocks: false,
  records: (alias, columns, json) => {
    const each = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(each)} from json_each(${json})) as ${sql.ref(alias)}`;
  },
  lateral: false,
  plansByStatistics: false,
  numbered: sql`integer primary key autoincrement`,
  oneProcess: true,
};

const dialect = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
};

/** Milliseconds to wait for another process's transaction: while blocking the event loop, and in total. */
const busyTimeout = { blocking: 50, total: 5_000 } as const;

/** KiB of page cache. */
const cacheSize = 32 * 1024;
/** Number of cached prepared statements. Statements with lists differ in length. */
const maxStatements = 200;
/** Milliseconds after which a transaction takes no further task: its commit may take as long again. */
const longestWrite = 2;
/** Milliseconds between two checks whether the file still exists. */
const lookEvery = 5_000;

export interface SqliteOptions {
  /** Absolute or relative to the working directory; `:memory:` for a database in memory. */
  readonly path: string;
  /** Whether every commit is flushed to the disk, so that it survives a power failure. */
  readonly flush: boolean;
  /** Whether to lock the file for this process. The open then fails if another process holds the lock. */
  readonly lock?: boolean;
  readonly logger?: Logger | undefined;
}

/** Opens a SQLite database and creates its folder. Rejects with the error of the system or of SQLite. */
export async function openSqlite({ path, flush, lock = false, logger }: SqliteOptions): Promise<Database> {
  let unlock: (() => void) | undefined;
  let connection: DatabaseSync | undefined;
  const synchronous = flush ? 'full' : 'normal';
  try {
    if (path !== ':memory:') {
      makeFile(path, logger);
      if (lock) unlock = lockSqlite(path, createPrivateFile);
      if (lock) removeUnfinishedBackups(path);
      if (lock) requireOwnLog(path);
    }
    const opened = new DatabaseSync(path, { timeout: busyTimeout.blocking });
    connection = opened;
    requireOwn(opened);
    await retryBusy(() => {
      const { user_version: id } = opened.prepare('pragma user_version').get() ?? {};
      // Written before the log begins, so that it is in the database file.
      if (id === 0) opened.exec(`pragma user_version = ${newFileId()}`);
      opened.exec('pragma journal_mode = wal');
      opened.exec(`pragma synchronous = ${synchronous}`);
      opened.exec(`pragma cache_size = -${cacheSize}`);
    });
    if (path === ':memory:') return new SqliteDatabase(opened, { logger, unlock });
    const thread = new SqliteThread(path, synchronous);
    const checkpoints = new Checkpoints(thread, opened, logger);
    return new SqliteDatabase(opened, { path, logger, unlock, thread, checkpoints });
  } catch (error) {
    connection?.close();
    unlock?.();
    throw withReason(error, path);
  }
}

/**
 * Retries while another process is writing, without blocking the event loop for long.
 *
 * @param before returns a promise that each attempt waits for. Default: no wait
 */
async function retryBusy<T>(use: () => T, before?: () => Promise<unknown> | undefined): Promise<T> {
  let until: number | undefined;
  for (;;) {
    for (let first = before?.(); first; first = before?.()) await first;
    try {
      return use();
    } catch (error) {
      until ??= steadyNow() + busyTimeout.total;
      if (!isBusy(error) || steadyNow() > until) throw error;
      await delay(5 + Math.random() * 20);
    }
  }
}

interface CachedStatement {
  readonly statement: StatementSync;
  /** Reads the rows of the statement. Absent: it returns no rows. */
  readonly read: ReturnType<typeof rowsOf> | undefined;
}

/**
 * Reads the rows of a statement as objects of one shape. Rows of `node:sqlite` are dictionaries: creating and reading them costs
 * more than the query.
 */
function rowsOf(statement: StatementSync): (parameters: readonly SQLInputValue[]) => object[] {
  const names = statement.columns().map(({ name }) => name);
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  statement.setReturnArrays(true);
  const read = allOf(statement);
  return (parameters) =>
    read(parameters).map((values) => {
      const row: Record<string, unknown> = { ...empty };
      for (let at = 0; at < values.length; at += 1) row[names[at] as string] = values[at];
      return row;
    });
}

/**
 * All rows of a statement. An integer that a double cannot hold, which occurs only in a damaged row, is returned as the nearest
 * double: otherwise `node:sqlite` would refuse all rows. A statement that writes is not run again, and has its integers converted
 * from the start.
 */
function allOf(statement: StatementSync): (parameters: readonly SQLInputValue[]) => SQLInputValue[][] {
  const all = (parameters: readonly SQLInputValue[]) => statement.all(...parameters) as unknown as SQLInputValue[][];
  const converted = (parameters: readonly SQLInputValue[]) => {
    statement.setReadBigInts(true);
    const rows = all(parameters);
    return rows.map((values) => values.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
  };
  if (!/^\s*(?:select|with|pragma)\b/i.test(statement.sourceSQL)) return converted;
  return (parameters) => {
    try {
      return all(parameters);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'ERR_OUT_OF_RANGE') throw error;
      try {
        return converted(parameters);
      } finally {
        statement.setReadBigInts(false);
      }
    }
  };
}

interface SqliteParts {
  readonly logger: Logger | undefined;
  readonly unlock: (() => void) | undefined;
  /** Path of the file. This member and the following ones are absent for a database in memory. */
  readonly path?: string;
  readonly thread?: SqliteThread;
  readonly checkpoints?: Checkpoints;
}

class SqliteDatabase implements Database {
  readonly traits = traits;
  readonly isContended = isBusy;
  readonly reasonOf = reasonOf;
  readonly sql: Kysely<Tables>;
  readonly #path: string | undefined;
  /** Identifies the file that was opened. */
  readonly #file: string | undefined;
  readonly #looking: NodeJS.Timeout | undefined;
  readonly #logger: Logger | undefined;
  /** Error that makes the file unusable: it is lost or damaged. */
  #defect: unknown;
  readonly urgent: Kysely<Tables>;
  readonly #connection: DatabaseSync;
  /** Statements that begin and commit a transaction. Parsing them takes as long as running them. */
  readonly #ends: Readonly<Record<'begin' | 'commit', StatementSync>>;
  readonly #health: WriteHealth;
  /** Statements by their text, the latest used last. */
  readonly #statements = new Map<string, CachedStatement>();
  /** Kysely for statements that change the schema. Meanwhile all others wait. */
  readonly #schema: Kysely<Tables>;
  /** Resolves when the schema is no longer being changed. The connection has one transaction at a time. */
  #changing: Promise<void> | undefined;
  /** Writer of tasks, which is prepared once the tables exist. */
  #writer: ReturnType<typeof createSqliteTaskWriter> | undefined;
  readonly #unlock: (() => void) | undefined;
  readonly #thread: SqliteThread | undefined;
  readonly #checkpoints: Checkpoints | undefined;

  constructor(connection: DatabaseSync, { path, logger, unlock, thread, checkpoints }: SqliteParts) {
    this.#path = path;
    this.#connection = connection;
    this.#ends = { begin: connection.prepare('begin immediate'), commit: connection.prepare('commit') };
    this.#unlock = unlock;
    this.#thread = thread;
    this.#checkpoints = checkpoints;
    this.#logger = logger;
    if (path !== undefined) {
      this.#file = fileAt(path);
      this.#looking = setInterval(() => this.#look(), lookEvery).unref();
    }
    this.#health = new WriteHealth((error) => this.isUnavailable(error), logger);
    const over = (attempt: <T>(use: () => T) => Promise<T>): Kysely<Tables> =>
      kyselyOver(dialect, <Row>(query: CompiledQuery) =>
        this.#health.track(() => attempt(() => this.#execute<Row>(query))),
      );
    this.sql = over((use) => this.#retryBusy(use));
    this.#schema = over((use) => this.#retryBusy(use, true));
    this.urgent = this.sql;
  }

  prepare<Row>(statement: Statement<Row>): Prepared<Row> {
    const read = rowsOf(this.#connection.prepare(compiled(statement, this.sql).sql));
    return async (...parameters) => {
      try {
        return read(parameters) as Row[];
      } catch (error) {
        throw this.#noticed(error);
      }
    };
  }

  transaction(statements: readonly Statement[]): Promise<number[]> {
    const queries = statements.map((each) => compiled(each, this.sql));
    return this.#transaction(() => queries.map((each) => Number(this.#execute(each).numAffectedRows ?? 0)));
  }

  transact<Result>(begin: () => Transaction<Result>): Promise<Result> {
    return this.#transaction(() => {
      const steps = begin();
      let step = steps.next([]);
      while (!step.done) step = steps.next(this.#execute(step.value).rows);
      return step.value;
    });
  }

  async write(tasks: readonly TaskWrite[]): Promise<WriteOutcome[]> {
    this.#writer ??= await this.#retryBusy(() => createSqliteTaskWriter(this.#connection, this));
    const writer = this.#writer;
    return this.#transaction(() => {
      const until = performance.now() + longestWrite;
      const outcomes: WriteOutcome[] = [];
      for (const task of tasks) {
        outcomes.push(writer(task));
        if (performance.now() > until) break;
      }
      return outcomes;
    }, true);
  }

  /**
   * Runs changes of the schema. The file is locked for this process; without the lock, each transaction waits for other
   * processes.
   */
  async withSchemaLock<T>(use: (sql: Kysely<Tables>) => Promise<T>): Promise<T> {
    while (this.#changing) await this.#changing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changing = promise;
    try {
      return await use(this.#schema);
    } finally {
      this.#changing = undefined;
      resolve();
    }
  }

  createTables(): Promise<boolean> {
    return this.#transaction(() => {
      if (this.#connection.prepare('select 1 from sqlite_schema').get()) return false;
      this.#connection.exec(readFileSync(new URL('./tables.sql', import.meta.url), 'utf8'));
      return true;
    });
  }

  get failing(): boolean {
    return this.#health.failing;
  }

  async check(): Promise<void> {
    this.#look();
    if (this.#defect) throw this.#defect;
    return this.#health.check(this.sql);
  }

  backUp(): StoreBackup {
    const path = this.#path;
    if (path === undefined) throw new A2AError('unsupportedOperation', 'A store in memory has no backup.');
    return backUp(path);
  }

  isUnavailable(error: unknown): boolean {
    return isUnavailable(error) || !this.#connection.isOpen;
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.sql.destroy();
    this.#checkpoints?.close();
    await this.#thread?.close();
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
    this.#unlock?.();
  }

  /** Checks whether the file is still the one that was opened. Once it is not, all writes are refused. */
  #look(): void {
    if (isFileLost(this.#defect) || this.#path === undefined || fileAt(this.#path) === this.#file) return;
    this.#defect = fileLost(this.#path);
    this.#logger?.error({ err: this.#defect }, 'the file of the store is lost; refusing all writes');
  }

  /**
   * Checks whether an error means that the file is damaged. If so, this gateway is not ready from then on, but still reads and
   * writes as far as possible.
   */
  #noticed(error: unknown): unknown {
    if (!this.#defect && isCorrupt(error)) {
      this.#defect = error;
      this.#logger?.error({ err: error }, 'the file of the store is corrupt; stop the gateway and restore a backup');
    }
    return error;
  }

  #retryBusy<T>(use: () => T, changesSchema = false): Promise<T> {
    const others = (): Promise<unknown> | undefined => this.#changing ?? this.#checkpoints?.pause;
    return retryBusy(use, changesSchema ? undefined : others).catch((error: unknown) => {
      throw this.#noticed(error);
    });
  }

  /** @param isWrite whether it writes tasks */
  async #transaction<T>(use: () => T, isWrite = false): Promise<T> {
    const result = await this.#health.track(() => this.#retryBusy(() => this.#commit(use)), isWrite);
    this.#checkpoints?.written();
    return result;
  }

  /** Runs a transaction. It never awaits, so that no other statement of this process gets into the transaction. */
  #commit<T>(use: () => T): T {
    if (this.#defect && isFileLost(this.#defect)) throw this.#defect;
    this.#ends.begin.run();
    try {
      const result = use();
      this.#ends.commit.run();
      return result;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
      throw error;
    }
  }

  #execute<Row>({ sql: text, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, read } = this.#statement(text);
    const values = parameters as readonly SQLInputValue[];
    if (read) return { rows: read(values) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  }

  #statement(text: string): CachedStatement {
    let cached = this.#statements.get(text);
    if (cached) this.#statements.delete(text);
    else {
      const statement = this.#connection.prepare(text);
      cached = { statement, read: statement.columns().length > 0 ? rowsOf(statement) : undefined };
      const [oldest] = this.#statements.size >= maxStatements ? this.#statements.keys() : [];
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(text, cached);
    return cached;
  }
}
