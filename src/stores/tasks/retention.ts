import type { Database } from '../database.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import type { UpstreamIdTables } from './upstream-ids.ts';

/** Events deleted in one transaction; a task with more is deleted in a transaction of its own. */
const batchEvents = 5_000;
/** Tasks deleted in one transaction. */
const batchTasks = 200;

/** Deletes tasks that came to rest long ago, with everything that refers to them. */
export class Retention {
  readonly #database: Database;
  readonly #calls: IdempotencyKeys;
  readonly #upstreamIds: UpstreamIdTables;

  constructor(database: Database, calls: IdempotencyKeys, upstreamIds: UpstreamIdTables) {
    this.#database = database;
    this.#calls = calls;
    this.#upstreamIds = upstreamIds;
  }

  /** Resolves with the number of deleted tasks, at most `limit`; fewer when no more are left. */
  async expire(before: number, limit: number): Promise<number> {
    await this.#calls.expire(limit);
    await this.#upstreamIds.expire(before);
    let deleted = 0;
    while (deleted < limit) {
      const keys = await this.#oldest(before, Math.min(limit - deleted, batchTasks));
      if (keys.length === 0) break;
      deleted += await this.#delete(keys, before);
      // Let other calls use the database first.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return deleted;
  }

  async #oldest(before: number, limit: number): Promise<string[]> {
    const rows = await this.#database.sql
      .selectFrom('task')
      .select(['key', 'seq'])
      .where('owner', 'is', null)
      .where('updated_at', '<', before)
      .orderBy('updated_at')
      .limit(limit)
      .execute();
    let events = 0;
    const keys: string[] = [];
    for (const { key, seq } of rows) {
      events += seq;
      if (keys.length > 0 && events > batchEvents) break;
      keys.push(key);
    }
    return keys;
  }

  /** Skips tasks that were continued meanwhile. */
  async #delete(keys: readonly string[], before: number): Promise<number> {
    const { sql } = this.#database;
    const [deleted = 0] = await this.#database.transaction([
      sql
        .deleteFrom('task')
        .where('key', 'in', keys)
        .where('owner', 'is', null)
        .where('updated_at', '<', before)
        .compile(),
      ...(['task_event', 'task_snapshot', 'push_config', 'push_dead', 'upstream_task'] as const).map((table) =>
        sql
          .deleteFrom(table)
          .where('key', 'in', keys)
          .where('key', 'not in', sql.selectFrom('task').select('task.key').where('task.key', 'in', keys))
          .compile(),
      ),
    ]);
    return deleted;
  }
}
