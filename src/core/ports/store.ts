import type { AdminStore } from './admin-store.ts';
import type { AgentModeStore } from './agent-modes.ts';
import type { AgentStates } from './agent-state.ts';
import type { DamagedRows } from './damaged-rows.ts';
import type { PushOutbox } from './push-store.ts';
import type { StoreTopics } from './store-watch.ts';
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
    /** Configurations with events that can be delivered now, or are being delivered. */
    readonly due: number;
    /** Configurations whose delivery failed and waits for its next attempt. */
    readonly waiting: number;
    /** Time of the oldest undelivered event: milliseconds, by the store's clock. */
    readonly oldest: number | undefined;
  };
}

export interface StoreConnections {
  readonly open: number;
  readonly idle: number;
  /** Number of queries that wait for a connection. */
  readonly waiting: number;
}

/** A consistent copy of a database. */
export interface StoreBackup {
  /** Approximate size in bytes. */
  readonly expectedSize: number;
  /** The bytes of the copy, then its size and digest. Ending the iteration early removes the copy. */
  readonly parts: AsyncGenerator<
    { readonly data: Uint8Array } | { readonly size: number; readonly sha256: string },
    void,
    void
  >;
}

/** A replica, as the store knows it. Times are in milliseconds, by the store's clock. */
export interface ReplicaRecord {
  /** Unique id; a new one each time the replica opens its store. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  readonly isAlive: boolean;
  /** Whether it is the replica that reads the list. */
  readonly isThis: boolean;
  /** Number of tasks that it works on. */
  readonly tasks: number;
}

/** The complete store, with its life cycle. */
export interface Store extends SharedTaskStore, UpstreamIds, PushOutbox, AgentStates, AgentModeStore, AdminStore {
  /** Connects, migrates, registers this replica and starts its heartbeat. */
  open(): Promise<void>;
  /** Checks that the database answers; rejects with `unavailable` if it does not. */
  ping(signal?: AbortSignal): Promise<void>;
  /** Returns the state of the database, at a bounded cost. */
  figures(): Promise<StoreFigures>;
  /**
   * Returns the replicas on the store, this one first. Dead ones are listed until another replica has noticed their
   * death.
   */
  replicas(): Promise<ReplicaRecord[]>;
  /** Copies the database while it is written. Rejects if the database has tools of its own for that. */
  backUp(): Promise<StoreBackup>;
  /** The changes in the store, by this replica and others, for code that waits for them. */
  readonly topics: StoreTopics;
  /** The rows that cannot be read. */
  readonly damaged: DamagedRows;
  /** The connections to the database. Undefined: the database is embedded. */
  readonly connections: StoreConnections | undefined;
  /** Returns a random secret that is created at the first access, and is shared by all replicas from then on. */
  secret(name: string): Promise<string>;
  /**
   * Opens an extension's part of the database: the store knows only the function that opens it. The first call with a
   * function calls it; further ones resolve with the same part. Rejects with `unavailable` while the store is not open,
   * and with the function's own rejection; the next call then tries again.
   *
   * @param open receives the interface of this kind of store: `StoreHost`, from the SQL store. A `close` of the part is
   * called before the store closes
   */
  extend<Part extends object>(open: (host: never) => Promise<Part>): Promise<Part>;
  /** Finishes pending writes, also those of extensions, unregisters this replica and closes. */
  close(): Promise<void>;
}
