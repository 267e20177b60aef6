import { sql } from 'kysely';
import type { CallKey } from '../core/model/ids.ts';
import type { PushOrigin, WebhookExcess } from '../core/ports/push-store.ts';
import type { SharedStorePeers } from './cluster/shared-store-peers.ts';
import type { Database } from './database.ts';
import type { PushConfigs } from './push/configs.ts';
import type { AgentStateTables } from './tasks/agent-state.ts';
import type { AppendQueue } from './tasks/append-queue.ts';
import type { IdempotencyKeys } from './tasks/idempotency-keys.ts';
import { expireTasks } from './tasks/retention.ts';
import type { UpstreamIdTables } from './tasks/upstream-ids.ts';
import { escapeText } from './text.ts';

interface CombinedParts {
  readonly database: Database;
  readonly calls: IdempotencyKeys;
  readonly appends: AppendQueue;
  readonly upstreamIds: UpstreamIdTables;
  readonly states: AgentStateTables;
  readonly peers: SharedStorePeers | undefined;
  readonly pushConfigs: PushConfigs;
  /** Called with a task that has events for webhooks. */
  readonly onPushed: (key: string) => void;
}

/** Operations of the store that involve several of its parts. */
export class CombinedOperations {
  readonly #parts: CombinedParts;

  constructor(parts: CombinedParts) {
    this.#parts = parts;
  }

  async setDialect(key: string, dialect: string): Promise<void> {
    await sql`
      update task set dialect = ${dialect}
      where key = ${escapeText(key)} and dialect <> ${dialect}`.execute(this.#parts.database.sql);
  }

  async putPushConfig(
    key: string,
    config: Parameters<PushConfigs['put']>[1],
    dialect: string,
    origin: PushOrigin = {},
  ): Promise<WebhookExcess | undefined> {
    const excess = await this.#parts.pushConfigs.put(key, config, dialect, origin);
    if (excess === undefined) this.#parts.onPushed(key);
    return excess;
  }

  async retract(key: string, call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    const { calls, appends } = this.#parts;
    let removed = false;
    try {
      removed = await calls.retract(key, call, answer);
    } finally {
      // Unless the removal is confirmed, this gateway may own the task without working on it.
      if (removed) appends.forget(key);
      else appends.markUnconfirmed([key]);
    }
    return removed;
  }

  async expire(before: number, limit: number): Promise<number> {
    const { database, calls, upstreamIds, states, peers } = this.#parts;
    await peers?.expire();
    await calls.expire(limit);
    await upstreamIds.expire(before);
    const deleted = await expireTasks(database, before, limit);
    await states.expire(before, limit);
    return deleted;
  }
}
