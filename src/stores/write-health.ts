import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from '../core/ports/logger.ts';
import type { Tables } from './schema.ts';

/** Name of the row of `meta` that is written as a probe. */
const probe = 'probe';
/** Characters of the probe: more than a task usually appends, so that a disk with room for it has room for tasks. */
const probeSize = 64 * 1024;

/**
 * Tracks whether the store accepts writes. A full disk fails large writes and lets small ones through, such as
 * heartbeats: after a failed write, only a write of the probe's size proves that writing works again.
 */
export class WriteHealth {
  readonly #logger: Logger | undefined;
  /** Whether the last write failed. */
  failing = false;

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** Records that a statement failed because the database is unavailable. Logs the first failure. */
  failed(err: unknown): void {
    if (!this.failing) this.#logger?.warn({ err }, 'writing to the store failed');
    this.failing = true;
  }

  /** Records a successful write. Logs the first one after a failure. */
  written(): void {
    if (!this.failing) return;
    this.failing = false;
    this.#logger?.info({}, 'the store works again');
  }

  /** Resolves when the store can be read and, after a failed write, written. Rejects with the driver's error. */
  async check(sql: Kysely<Tables>): Promise<void> {
    if (!this.failing) {
      await sql.selectFrom('migration').select('number').limit(1).execute();
      return;
    }
    // Two transactions: a row that is inserted and deleted in one may never be written to the disk.
    const value = randomBytes(probeSize / 2).toString('hex');
    await sql
      .insertInto('meta')
      .values({ name: probe, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    await sql.deleteFrom('meta').where('name', '=', probe).execute();
    this.written();
  }
}
