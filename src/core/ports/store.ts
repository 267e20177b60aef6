import type { AdminStore } from './admin-store.ts';
import type { AgentModeStore } from './agent-modes.ts';
import type { AgentStates } from './agent-state.ts';
import type { DamagedRows } from './damaged-rows.ts';
import type { PushOutbox } from './push-store.ts';
import type { SharedTaskStore } from './task-store.ts';
import type { UpstreamIds } from './upstream-ids.ts';

/** Milliseconds for which a write whose answer was lost may still be carried out. */
export const unconfirmedFor = 60_000;

/** The size and duration of one transaction. */
export interface StoreBatch {
  readonly tasks: number;
  readonly events: number;
  readonly seconds: number;
}

/** The state of a store's database. */
export interface StoreFigures {
  /** Live replicas, this one included. */
  readonly replicas: number;
  /** Push configurations with undelivered events, of a bounded sample. */
  readonly push: {
    /** Those that can be delivered now, or are being delivered. */
    readonly due: number;
    /** Those that failed and wait for their next attempt. */
    readonly waiting: number;
    /** Time of the oldest undelivered event: milliseconds, by the store's clock. */
    readonly oldest: number | undefined;
  };
}

export interface StoreConnections {
  readonly open: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

/** A copy of a database as it was at one moment. */
export interface StoreBackup {
  /** Bytes, about. */
  readonly expectedSize: number;
  /** The bytes of the copy, then its size and digest. Ending them early removes what was copied. */
  readonly parts: AsyncGenerator<
    { readonly data: Uint8Array } | { readonly size: number; readonly sha256: string },
    void,
    void
  >;
}

/** A replica, as the store knows it. Times are milliseconds, by the store's clock. */
export interface ReplicaRecord {
  /** Unique; another one each time the replica opens its store. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  readonly isAlive: boolean;
  /** Whether it is the replica that asks. */
  readonly isThis: boolean;
  /** Number of tasks that it works on. */
  readonly tasks: number;
}

/** A store with everything in it, and its life cycle. */
export interface Store extends SharedTaskStore, UpstreamIds, PushOutbox, AgentStates, AgentModeStore, AdminStore {
  /** Connects, migrates, registers this replica and starts its heartbeat. */
  open(): Promise<void>;
  /** Whether the database answers; rejects with `unavailable` when not. */
  ping(signal?: AbortSignal): Promise<void>;
  /** The state of the database, at a bounded cost. */
  figures(): Promise<StoreFigures>;
  /** The replicas on the store, this one first. Dead ones are listed until another replica has noticed their death. */
  replicas(): Promise<ReplicaRecord[]>;
  /** Copies the database while it is written. Rejects where the database has tools of its own for that. */
  backUp(): Promise<StoreBackup>;
  /** The rows that cannot be read. */
  readonly damaged: DamagedRows;
  /** Undefined: the database is embedded. */
  readonly connections: StoreConnections | undefined;
  /** A random secret that is created at the first access, and is the same for all replicas from then on. */
  secret(name: string): Promise<string>;
  /**
   * What an extension keeps in the same database: the store knows nothing of it but the function that opens it. The first
   * call with a function calls it; further ones resolve with the same part. Rejects with `unavailable` while the store is
   * not open, and with what the function rejects with; the next call then tries again.
   *
   * @param open gets what this kind of store offers: `StoreHost`, from the SQL store. A `close` of the part is called before
   * the store closes
   */
  extend<Part extends object>(open: (host: never) => Promise<Part>): Promise<Part>;
  /** Finishes pending writes, also those of extensions, unregisters this replica and closes. */
  close(): Promise<void>;
}
