import { randomBytes } from 'node:crypto';
import { type Kysely, sql as raw } from 'kysely';
import type { Logger } from '../core/ports/logger.ts';
import type { Tables } from './schema.ts';

/** Name of the row of `meta` that is written as a probe. */
const probe = 'probe';
/** Characters of the probe. It is larger than most appends, so that a disk with room for the probe has room for tasks. */
const probeSize = 64 * 1024;

/**
 * Tracks whether the store accepts writes. A full disk fails large writes and lets small ones through, such as
 * heartbeats: after a failed write, only a write of the probe's size proves that writing works again.
 */
export class WriteHealth {
  readonly #isUnavailable: (error: unknown) => boolean;
  readonly #logger: Logger | undefined;
  /** Whether the last write failed because the database was unavailable. */
  failing = false;

  constructor(isUnavailable: (error: unknown) => boolean, logger: Logger | undefined) {
    this.#isUnavailable = isUnavailable;
    this.#logger = logger;
  }

  /**
   * Runs statements. Logs the first failure because of an unavailable database.
   *
   * @param isWrite whether they write tasks. The first such write that succeeds after a failure is logged, too
   */
  async track<T>(use: () => Promise<T>, isWrite = false): Promise<T> {
    try {
      const result = await use();
      if (isWrite && this.failing) this.#logger?.info({}, 'the store works again');
      if (isWrite) this.failing = false;
      return result;
    } catch (err) {
      if (this.#isUnavailable(err)) {
        if (!this.failing) this.#logger?.warn({ err }, 'writing to the store failed');
        this.failing = true;
      }
      throw err;
    }
  }

  /** Resolves when the store can be read and, after a failed write, written. Rejects with the driver's error. */
  async check(sql: Kysely<Tables>): Promise<void> {
    if (!this.failing) {
      await sql.selectFrom('migration').select('number').limit(1).execute();
      return;
    }
    await this.track(async () => {
      // Two transactions: a row that is inserted and deleted in one may never be written to the disk.
      const value = randomBytes(probeSize / 2).toString('hex');
      await raw`
        insert into meta (name, value) values (${probe}, ${value})
        on conflict (name) do update set value = excluded.value`.execute(sql);
      await sql.deleteFrom('meta').where('name', '=', probe).execute();
    }, true);
  }
}
