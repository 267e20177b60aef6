import type { KnowledgeStore } from './knowledge-store.ts';
import type { PushOutbox } from './push-store.ts';
import type { SharedTaskStore } from './task-store.ts';
import type { UpstreamIds } from './upstream-ids.ts';

/** What one transaction wrote. */
export interface StoreBatch {
  readonly tasks: number;
  readonly events: number;
  readonly seconds: number;
}

/** How things stand in a store's database. */
export interface StoreFigures {
  /** Gateways that are alive, this one included. */
  readonly replicas: number;
  /** Push configurations that have something to deliver, of those that were looked at. */
  readonly push: {
    /** Those that can be tried now, or are being tried. */
    readonly due: number;
    /** Those that failed, and wait for their next attempt. */
    readonly waiting: number;
    /** When the oldest event happened that is to be delivered: milliseconds, by the store's clock. */
    readonly oldest: number | undefined;
  };
}

/** Connections to a database. */
export interface StoreConnections {
  readonly open: number;
  readonly idle: number;
  /** How many wait for one. */
  readonly waiting: number;
}

/** A store's life. */
export interface Store extends SharedTaskStore, UpstreamIds, PushOutbox {
  /** Connects, migrates, announces this gateway and begins its heartbeat. */
  open(): Promise<void>;
  /** Whether the database answers; rejects with `unavailable` when not. */
  ping(signal?: AbortSignal): Promise<void>;
  /** How things stand, at a bounded price. */
  figures(): Promise<StoreFigures>;
  /** Undefined: the database is reached without any. */
  readonly connections: StoreConnections | undefined;
  /** A secret of the database's own: random, made by whoever asks first, the same for every gateway and at any time. */
  secret(name: string): Promise<string>;
  /** What agents know, while the store is open. Throws `unavailable` while it is not. */
  readonly knowledge: KnowledgeStore;
  /** Finishes what is pending, withdraws the announcement and closes. */
  close(): Promise<void>;
}
