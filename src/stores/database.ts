import type { CompiledQuery, Kysely, RawBuilder } from 'kysely';
import type { LoggedEvent } from '../core/model/call.ts';
import type { StoreConnections } from '../core/ports/store.ts';
import type { Tables } from './schema.ts';

/** Types of columns that both databases know. */
export type ColumnType = 'bigint' | 'text' | 'double precision';

/** Where the two databases differ, as far as the rest of the store has to know. */
export interface Traits {
  /** Type of a text column. Compared by code point on both, so that both sort alike. */
  readonly text: RawBuilder<unknown>;
  /** Type of a column that holds milliseconds or positions. */
  readonly integer: RawBuilder<unknown>;
  /** What ends the definition of a table that is always read by its primary key. */
  readonly clustered: RawBuilder<unknown>;
  /** Milliseconds since the epoch by the database's clock, which all its gateways share. */
  readonly now: RawBuilder<number>;
  /** When the database's server was started, by that clock: nobody could write before. 0: it has none. */
  readonly serverSince: RawBuilder<number>;
  /** Statements that begin a transaction which changes the schema. It does not wait long for others. */
  readonly beginChange: readonly string[];
  /** In `create index`: that others go on writing meanwhile. */
  readonly concurrently: RawBuilder<unknown>;
  /** Whether rows can be locked, and rows that others have locked passed over. */
  readonly rowLocks: boolean;
  /** Rows of a table that is given as one parameter: the JSON text of an array of objects. */
  records(alias: string, columns: Readonly<Record<string, ColumnType>>, json: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Whether a query may be answered for each row of a table at once. Where it may not, asking costs no round trip. */
  readonly lateral: boolean;
  /** Whether it plans queries by what it has seen of the tables when it last looked at them. */
  readonly plansByStatistics: boolean;
  /** Type of a column that numbers the rows of its table, and is their primary key. */
  readonly numbered: RawBuilder<unknown>;
  /** Whether one process at a time serves the database, which a lock ensures: gateways of other processes are dead. */
  readonly oneProcess: boolean;
}

/** All that one transaction changes about one task. Text is escaped already. */
export interface TaskWrite {
  readonly key: string;
  /** The row's position before; 0: the row is made. */
  readonly expected: number;
  /** The row's position after. */
  readonly seq: number;
  /** Position of the latest turn among the events; null when there is none. */
  readonly turn: number | null;
  /** Null: unchanged, as are `statusAt` and `owner` then. */
  readonly state: string | null;
  readonly statusAt: number | null;
  readonly updatedAt: number;
  /** Who works on the task from now on. */
  readonly owner: string | null;
  /** The gateway that must own the task; null when it does not matter. */
  readonly fence: string | null;
  /** Whether it does as well when nobody owns the task. */
  readonly free: boolean;
  readonly create: NewTask | undefined;
  /** JSON text. */
  readonly snapshot: string | undefined;
  readonly events: readonly LoggedEvent[];
  readonly bound: UpstreamBinding | undefined;
  /** Taken with the events, or nothing is written. */
  readonly keyed: readonly IdempotencyKeyWrite[];
  /** The gateway that writes. */
  readonly instance: string;
}

/** An idempotency key with the turn that its call begins. */
export interface IdempotencyKeyWrite {
  readonly agent: string;
  readonly tenant: string;
  readonly principal: string;
  readonly key: string;
  readonly digest: string;
  readonly nonce: string;
  readonly taskKey: string;
  /** Position before the turn. */
  readonly seq: number;
}

/** What a task and its context are called at an upstream agent. */
export interface UpstreamBinding {
  readonly key: string;
  readonly agent: string;
  readonly tenant: string;
  readonly principal: string;
  readonly id: string;
  readonly contextId: string;
  /** There. */
  readonly upstreamTaskId: string;
  /** There; '' where the agent knows none. */
  readonly upstreamContextId: string;
  readonly at: number;
}

/** Whether somebody has to hear of what was written to a task. */
export interface TaskFlags {
  /** Its events may be pushed to webhooks. */
  readonly pushed: boolean;
  /** Other gateways may follow it. */
  readonly followed: boolean;
}

/**
 * What became of a write: nothing, since the task was not where it was expected to be, or another call has the
 * idempotency key; or who has to hear of it.
 */
export type WriteOutcome = 'refused' | 'taken' | TaskFlags;

/** What a task's row is made of, and what never changes in it. */
export interface NewTask {
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
  readonly principal: string;
  readonly contextId: string;
  readonly createdAt: number;
  readonly dialect: string;
}

/** A statement that is prepared once. Parameters in the order in which they stand in its text. */
export type Prepared<Row> = (...parameters: readonly (string | number | null)[]) => Promise<Row[]>;

/** A transaction, statement by statement: it is given the rows of each one that it yields. */
export type Transaction<Result> = Generator<CompiledQuery, Result, readonly unknown[]>;

/** A statement for a connection of one's own. */
export interface NotificationStatement {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly unknown[];
}

/** A connection of one's own, outside the pool: for what hangs on one connection, as listening does. */
export interface NotificationConnection {
  /** Runs one statement; one that has a name is planned once. Rejects with the driver's own errors. */
  run<Row extends object>(statement: NotificationStatement): Promise<Row[]>;
  /** Calls `listener` with what is notified on channels that this connection listens on. */
  onNotification(listener: (channel: string, payload: string) => void): void;
  close(): Promise<void>;
}

/** The seam between the store and a database driver. Everything rejects with the driver's own errors. */
export interface Database {
  readonly traits: Traits;
  /** For whatever is not hot. No transactions through this: `atomically` is there for them. */
  readonly sql: Kysely<Tables>;
  prepare<Row>(query: CompiledQuery<Row>): Prepared<Row>;
  /** Runs the statements in one transaction; resolves with how many rows each one changed. */
  transaction(statements: readonly CompiledQuery[]): Promise<number[]>;
  /**
   * Runs a transaction whose statements follow from what others answered. Begun anew when others were in its way, or the
   * schema has changed.
   */
  transact<Result>(begin: () => Transaction<Result>): Promise<Result>;
  /**
   * Writes in one transaction. A task that is not where it was expected to be is left alone, the others are written all
   * the same.
   */
  write(tasks: readonly TaskWrite[]): Promise<WriteOutcome[]>;
  /**
   * Runs statements one after the other while no other gateway can do the same, without the limits of time that calls
   * have. Transactions are begun and ended by statements of their own.
   */
  withSchemaLock<T>(use: (sql: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Whether the last write failed since the database was away. */
  readonly failing: boolean;
  /** Resolves when the database can be read and, if writing failed the last time, written. Rejects as all others do. */
  check(): Promise<void>;
  /** Those that are open, where there are any. */
  readonly connections?: StoreConnections;
  /** Whether this error means that the database is away, or busy for too long, rather than that it refuses. */
  isUnavailable(error: unknown): boolean;
  /** Whether it means that others were in the way, and the same may succeed in a moment. */
  isContended(error: unknown): boolean;
  /** What is wrong with a database that is away, in a few words for callers: `its disk is full`. */
  reasonOf(error: unknown): string;
  /**
   * Opens a connection outside the pool, and calls `onEnd` once when it is lost. Absent: the database serves one gateway
   * alone.
   */
  readonly openNotificationConnection?: (onEnd: () => void) => Promise<NotificationConnection>;
  close(): Promise<void>;
}
