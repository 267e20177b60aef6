import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { LoggedEvent } from '../core/model/call.ts';
import type { TaskOwner } from '../core/model/ids.ts';
import type { StoreBackup, StoreConnections } from '../core/ports/store.ts';
import type { NewTaskRecord } from '../core/ports/task-store.ts';
import type { OpenChannel } from './cluster/channel.ts';
import type { Tables } from './schema.ts';
import { escapeOwner } from './text.ts';

/** Column types that both databases have. */
export type ColumnType = 'bigint' | 'text' | 'double precision';

/** The differences between the two databases that matter to the rest of the store. */
export interface Traits {
  /** Type of a text column. Both databases compare and sort it by code point. */
  readonly text: RawBuilder<unknown>;
  /** Type of a column of milliseconds or positions. */
  readonly integer: RawBuilder<unknown>;
  /** End of the definition of a table that is always read by its primary key. */
  readonly clustered: RawBuilder<unknown>;
  /** Milliseconds since the epoch by the database's clock, which all replicas share. */
  readonly now: RawBuilder<number>;
  /** Time when the database server started, by its clock: no replica could write before. 0: there is no server. */
  readonly serverSince: RawBuilder<number>;
  /** Statements that begin a transaction which changes the schema, with a short lock timeout. */
  readonly beginChange: readonly string[];
  /** 1 if a text is JSON, 0 if it is not; null if this database cannot tell. */
  isJson(text: RawBuilder<unknown>): RawBuilder<number | null>;
  /** Keyword of `create index` that lets others write meanwhile. */
  readonly concurrently: RawBuilder<unknown>;
  /** `like` for letters of ASCII in upper and lower case. */
  readonly like: RawBuilder<unknown>;
  /** Index of words. */
  readonly fullText: 'fts5' | 'tsvector';
  /** Whether rows can be locked, and locked rows skipped. */
  readonly rowLocks: boolean;
  /** A table from one parameter: the JSON text of an array of objects. */
  records(alias: string, columns: Readonly<Record<string, ColumnType>>, json: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Whether the database has lateral joins. SQLite has none, and needs none: its queries cost no round trip. */
  readonly lateral: boolean;
  /** Whether its planner uses statistics that ANALYZE collects. */
  readonly plansByStatistics: boolean;
  /** Type of an auto-incremented primary key. */
  readonly numbered: RawBuilder<unknown>;
  /** Whether a lock ensures that one process at a time serves the database: gateways of other processes are dead. */
  readonly oneProcess: boolean;
}

/** Changes of one transaction in one task. Text is escaped. */
export interface TaskWrite {
  readonly key: string;
  /** The task's position before; 0: the row is inserted. */
  readonly expected: number;
  /** The task's position after. */
  readonly seq: number;
  /** Position of the latest turn; null: unchanged. */
  readonly turn: number | null;
  /** New state; null: unchanged, as are `statusAt` and `owner`. */
  readonly state: string | null;
  readonly statusAt: number | null;
  readonly updatedAt: number;
  /** New owner of the task. */
  readonly owner: string | null;
  /** The gateway that must own the task for the write to apply; null: any. */
  readonly fence: string | null;
  /** Whether the write also applies to a task without an owner. */
  readonly free: boolean;
  readonly create: NewTask | undefined;
  /** The snapshot as JSON text. */
  readonly snapshot: string | undefined;
  readonly events: readonly LoggedEvent[];
  /** The request of `Append.turnRequest`. */
  readonly turnRequest: string | undefined;
  /** Reason why the task ended or waits; '': its state has no reason; null: unchanged. */
  readonly reason: string | null;
  /** The task's ids at its upstream agent; null: unchanged. */
  readonly upstreamId: string | null;
  readonly upstreamContextId: string | null;
  /** Whether earlier versions may need the ids in tables of their own, too. */
  readonly bound: boolean;
  /** Idempotency keys, as parameters of `claimKey`: claimed in the same transaction; if one is taken, nothing is written. */
  readonly keyed: readonly (readonly (string | number | null)[])[];
}

/** Flags of a task's row that say who must be notified when the task is written. */
export interface TaskFlags {
  /** Its events may be pushed to webhooks. */
  readonly pushed: boolean;
  /** Other replicas may follow it. */
  readonly followed: boolean;
}

/**
 * Outcome of a write. `refused`: the task was not at the expected position, or has another owner. `taken`: another call
 * has the idempotency key. `failed`: this task's transaction failed with the driver's error; after a lost answer it may
 * have been committed nevertheless. Otherwise it was written.
 */
export type WriteOutcome = 'refused' | 'taken' | { readonly failed: unknown } | TaskFlags;

/** The columns of a task's row that only its insert writes. */
export interface NewTask extends Omit<NewTaskRecord, 'key' | 'binding' | 'trace'> {
  readonly binding: string | null;
  /** The first line of the request; null: it is hidden. */
  readonly preview: string | null;
  /** Key of the task whose agent opened this one; null: a caller opened it. */
  readonly parent: string | null;
  /** Key of the task at the root of the tree; null: it is this one. */
  readonly root: string | null;
  readonly trace: string | null;
}

/** A statement of Kysely's, compiled or not. */
export type Statement<Row = unknown> =
  | CompiledQuery<Row>
  | { compile(sql: Kysely<Tables>): CompiledQuery<Row>; readonly sql?: never };

export const compiled = <Row>(statement: Statement<Row>, db: Kysely<Tables>): CompiledQuery<Row> =>
  'compile' in statement ? statement.compile(db) : statement;

/** A condition that a row belongs to the owner. @param table name of the table, needed if several tables are joined */
export function belongsTo(owner: TaskOwner, table?: string): RawBuilder<SqlBool> {
  const { agent, tenant, principal } = escapeOwner(owner);
  const column = (name: keyof TaskOwner): RawBuilder<unknown> =>
    sql.ref(table === undefined ? name : `${table}.${name}`);
  return sql`${column('agent')} = ${agent} and ${column('tenant')} = ${tenant} and ${column('principal')} = ${principal}`;
}

/** Collects the statements of one turn of the event loop in one transaction. */
export function transactionPerTurn(database: Database): (...statements: Statement[]) => Promise<number[]> {
  let pending: { readonly statements: Statement[]; readonly changed: Promise<number[]> } | undefined;
  const begin = (): NonNullable<typeof pending> => {
    const statements: Statement[] = [];
    const write = async (): Promise<number[]> => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      pending = undefined;
      return database.transaction(statements);
    };
    return { statements, changed: write() };
  };
  return async (...added) => {
    pending ??= begin();
    const { statements, changed } = pending;
    const first = statements.length;
    statements.push(...added);
    return (await changed).slice(first, first + added.length);
  };
}

/** A prepared statement. Takes its parameters in the order of the placeholders. */
export type Prepared<Row> = (...parameters: readonly (string | number | null)[]) => Promise<Row[]>;

/** A transaction as a generator of statements: it receives the rows of each statement that it yields. */
export type Transaction<Result> = Generator<CompiledQuery, Result, readonly unknown[]>;

/** Interface of a database driver. Everything rejects with the driver's own errors. */
export interface Database {
  readonly traits: Traits;
  /** Kysely, for statements off the hot path. Not for transactions: use `transaction` or `transact`. */
  readonly sql: Kysely<Tables>;
  /**
   * Kysely with priority over all others that wait for a connection: for the statements that keep this replica's
   * ownership.
   */
  readonly urgent: Kysely<Tables>;
  /** Prepares a statement, in which all values are placeholders. */
  prepare<Row>(statement: Statement<Row>): Prepared<Row>;
  /** Runs the statements in one transaction; resolves with the number of rows that each one changed. */
  transaction(statements: readonly Statement[]): Promise<number[]>;
  /**
   * Runs a transaction whose statements depend on earlier results. It is retried when it conflicts with another one, or
   * when the schema has changed.
   */
  transact<Result>(begin: () => Transaction<Result>): Promise<Result>;
  /**
   * Writes tasks from the start of the list, as many as do not take long, in few transactions. Resolves with an outcome for each
   * of these. Skips a task that is not at its expected position. Rejects if all of them failed.
   */
  write(tasks: readonly TaskWrite[]): Promise<WriteOutcome[]>;
  /**
   * Runs statements while no other replica can change the schema, without the time-outs of ordinary calls. The
   * statements begin and end their own transactions.
   */
  withSchemaLock<T>(use: (sql: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * Creates the tables of all steps in a new database, and records the steps. Resolves with false if it has tables. Absent: the
   * steps create them.
   */
  readonly createTables?: () => Promise<boolean>;
  /** Whether the last write failed because the database was unavailable. */
  readonly failing: boolean;
  /** Resolves when the database can be read and, after a failed write, written. Rejects with the driver's error. */
  check(): Promise<void>;
  /** Copies the database while it is written. Throws if this gateway cannot, with a message that names the right tool. */
  backUp(): StoreBackup;
  /** The open connections, if the database has connections. */
  readonly connections?: StoreConnections;
  /** Whether the error means that the database is unavailable or overloaded; not that it rejects the statement. */
  isUnavailable(error: unknown): boolean;
  /** Whether the error is a conflict with another transaction, so that a retry may succeed. */
  isContended(error: unknown): boolean;
  /** The reason in a few words for callers, such as `its disk is full`. */
  reasonOf(error: unknown): string;
  /** Opens a channel to other replicas over the database. Absent: the database serves one process. */
  readonly openChannel?: OpenChannel;
  close(): Promise<void>;
}

/**
 * Kysely over a function that runs single statements. It has no transactions, which would mix with the statements of other calls.
 */
export function kyselyOver(
  dialect: Omit<Dialect, 'createDriver'>,
  executeQuery: DatabaseConnection['executeQuery'],
): Kysely<Tables> {
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery() {
      throw new TypeError('Results are read whole.');
    },
  };
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: async () => connection,
    async beginTransaction() {
      throw new TypeError('Use Database.transaction or Database.transact.');
    },
  });
  return new Kysely({ dialect: { ...dialect, createDriver: () => driver } });
}
