import type { RawBuilder } from 'kysely';
import type { A2AError } from '../core/model/errors.ts';
import type { DamagedRows } from '../core/ports/damaged-rows.ts';
import type { SharedClock } from './cluster/clock.ts';
import type { TopicOptions, VersionQuery, WrittenTopic } from './cluster/store-watch.ts';
import type { Database } from './database.ts';
import type { Migration } from './migrations/step.ts';
import type { PageTokens } from './page-token.ts';

/** Interface of the SQL store for a function that opens an extension's tables (`Store.extend`). */
export interface StoreHost {
  readonly database: Database;
  readonly clock: SharedClock;
  readonly tokens: PageTokens;
  /** The rows that are left out. Rows of extensions are read with it, too. */
  readonly damaged: DamagedRows;
  /** The error that the store rejects with for an error of the database. */
  readonly failure: (error: unknown) => A2AError;
  /** Runs a query, and resolves with its rows. Rejects with the store's error. */
  readonly rows: <Row>(query: RawBuilder<Row>) => Promise<Row[]>;
  /**
   * A topic of the extension's rows (`StoreWatch`). @param version a scalar query of the rows, with another value after each
   * change
   */
  readonly topic: (name: string, version: VersionQuery, options?: TopicOptions) => WrittenTopic;
  /**
   * Applies the steps that the database lacks, while replicas work that do not know them. Their numbers must differ from those of
   * all other migrations of the store and of extensions.
   *
   * @param name name of the extension, for logs
   */
  readonly migrate: (name: string, steps: readonly Migration[]) => Promise<void>;
  /** Whether the database has a step of an extension, which may have been in use before. */
  readonly has: (step: Migration) => Promise<boolean>;
}

interface Closing {
  close?(): Promise<void>;
}

type Open<Part> = (host: never) => Promise<Part>;

/** Returns the parts of extensions in an open store, by the functions that opened them. */
export function createExtensions(host: StoreHost) {
  const parts = new Map<Open<object>, Promise<object>>();
  return {
    /** Opens the part with the first call. If that fails, the next call tries again. */
    open<Part extends object>(open: Open<Part>): Promise<Part> {
      const known = parts.get(open) as Promise<Part> | undefined;
      // The port does not know the kind of store; an extension of the SQL store expects this host.
      const opening = known ?? (open as (host: StoreHost) => Promise<Part>)(host);
      parts.set(open, opening);
      opening.catch(() => parts.delete(open));
      return opening;
    },

    /** Finishes the pending writes of the parts. */
    async close(): Promise<void> {
      for (const opened of await Promise.allSettled(parts.values())) {
        if (opened.status === 'fulfilled') await (opened.value as Closing).close?.();
      }
    },
  };
}
