import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from '../core/ports/logger.ts';
import type { Tables } from './schema.ts';

/** Name of what is written to see whether writing works. */
const probe = 'probe';
/** Characters of it: more than what a task usually appends, so that room for this is room for that. */
const probeSize = 64 * 1024;

/**
 * Whether the store takes writes, as the last ones tell. A disk that is full fails what needs room and lets all else
 * through, a heartbeat for instance: only what failed before is believed to work again when it does.
 */
export class WriteHealth {
  readonly #logger: Logger | undefined;
  #failing = false;

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** Whether the last write failed. */
  get failing(): boolean {
    return this.#failing;
  }

  /** The database was away for a statement. Logs the first time. */
  failed(err: unknown): void {
    if (!this.#failing) this.#logger?.warn({ err }, 'the store fails');
    this.#failing = true;
  }

  /** Events were written. Logs the first time after a failure. */
  written(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#logger?.info({}, 'the store works again');
  }

  /** Resolves when the store can be read and, where there is doubt, written. Rejects with the driver's error. */
  async check(sql: Kysely<Tables>): Promise<void> {
    if (!this.#failing) {
      await sql.selectFrom('migration').select('number').limit(1).execute();
      return;
    }
    // Two transactions: what is inserted and deleted in one may never need the room.
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
