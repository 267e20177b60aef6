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
  /** The rows that are left out: those of extensions are read by it, too. */
  readonly damaged: DamagedRows;
  /** The error that the store rejects with for an error of the database. */
  readonly failure: (error: unknown) => A2AError;
  /** The rows of a query. Rejects with that error. */
  readonly rows: <Row>(query: RawBuilder<Row>) => Promise<Row[]>;
  /**
   * A topic of the extension's rows (`StoreWatch`). @param version a scalar query of the rows: another value after each change
   */
  readonly topic: (name: string, version: VersionQuery, options?: TopicOptions) => WrittenTopic;
  /**
   * Applies the steps that the database lacks, beside replicas that work without them. No other migration, of the store or
   * of an extension, has their numbers.
   *
   * @param name of the extension, for logs
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
    /** The first call opens it. One that failed is tried again by the next call. */
    open<Part extends object>(open: Open<Part>): Promise<Part> {
      const known = parts.get(open) as Promise<Part> | undefined;
      // The port knows no kind of store; who extends the SQL store expects its host.
      const opening = known ?? (open as (host: StoreHost) => Promise<Part>)(host);
      parts.set(open, opening);
      opening.catch(() => parts.delete(open));
      return opening;
    },

    /** Finishes their pending writes. */
    async close(): Promise<void> {
      for (const opened of await Promise.allSettled(parts.values())) {
        if (opened.status === 'fulfilled') await (opened.value as Closing).close?.();
      }
    },
  };
}
