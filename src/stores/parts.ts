import { A2AError } from '../core/model/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { StoreBatch } from '../core/ports/store.ts';
import type { SharedClock } from './cluster/clock.ts';
import { Leases } from './cluster/leases.ts';
import { SharedStorePeers } from './cluster/shared-store-peers.ts';
import type { Database } from './database.ts';
import { SqlKnowledge } from './knowledge/store.ts';
import { PageTokens } from './page-token.ts';
import { PushConfigs } from './push/configs.ts';
import { PushDeliveries } from './push/outbox.ts';
import { secretOf } from './secrets.ts';
import { AppendQueue } from './tasks/append-queue.ts';
import { IdempotencyKeys } from './tasks/idempotency-keys.ts';
import { TaskLister } from './tasks/lister.ts';
import { TaskReader } from './tasks/reader.ts';
import { Retention } from './tasks/retention.ts';
import { Takeover } from './tasks/takeover.ts';
import { UpstreamIdTables } from './tasks/upstream-ids.ts';

/** The parts of an open store. */
export interface StoreParts {
  readonly database: Database;
  readonly appends: AppendQueue;
  readonly reader: TaskReader;
  readonly lister: TaskLister;
  readonly pushConfigs: PushConfigs;
  readonly deliveries: PushDeliveries;
  readonly calls: IdempotencyKeys;
  readonly upstreamIds: UpstreamIdTables;
  readonly leases: Leases;
  readonly takeover: Takeover;
  readonly retention: Retention;
  readonly knowledge: SqlKnowledge;
  /** Undefined: the store serves one gateway. */
  readonly peers: SharedStorePeers | undefined;
  /** The error that the store rejects with for an error of the database. */
  readonly failure: (error: unknown) => A2AError;
}

export interface PartsOptions {
  readonly database: Database;
  readonly clock: SharedClock;
  /** Name of this gateway; need not be unique. */
  readonly instance: string;
  readonly logger: Logger | undefined;
  readonly onBatch?: ((batch: StoreBatch) => void) | undefined;
  /** When the store began to open, by `performance.now()`. */
  readonly began: number;
  /** Called with a task that has events for webhooks. @param elsewhere whether another replica wrote them */
  readonly onPushed: (key: string, elsewhere?: boolean) => void;
}

/** Builds the parts over a database whose schema is current, and announces this gateway. */
export async function openParts(options: PartsOptions): Promise<StoreParts> {
  const { database, clock, instance, logger, onBatch, began, onPushed } = options;
  const failure = (error: unknown): A2AError => failureOf(database, error);
  const tokens = new PageTokens(await secretOf(database, 'page-token-secret'));
  const reader = new TaskReader(database, (err) => logger?.debug({ err }, 'a snapshot could not be written'));
  const leases = new Leases({ database, clock, instance, logger, since: began });
  const calls = new IdempotencyKeys(database, leases);
  const upstreamIds = new UpstreamIdTables(database, clock);
  const appends = new AppendQueue({
    database,
    instance: leases.instance,
    onBatch,
    isOwned: (key) => leases.isOwner(key),
    events: (key, after, limit) => reader.events(key, after, limit),
    onPushable: onPushed,
    onWritten: (key, seq, flags) => peers?.written(key, seq, flags),
    failure,
  });
  const { openNotificationConnection: openConnection } = database;
  const peers =
    openConnection &&
    new SharedStorePeers({
      ...{ database, openConnection, leases, failure, logger },
      secret: await secretOf(database, 'peers'),
      pushed: onPushed,
    });
  await leases.announce();
  await peers?.open();
  return {
    ...{ database, appends, reader, calls, upstreamIds, leases, peers, failure },
    lister: new TaskLister(database, reader, tokens),
    pushConfigs: new PushConfigs(database, tokens),
    deliveries: new PushDeliveries(database, leases.instance, clock),
    takeover: new Takeover({ database, leases, reader, appends, logger }),
    retention: new Retention(database, calls, upstreamIds),
    knowledge: new SqlKnowledge({ database, clock, tokens, failure }),
  };
}

/** Seconds after which callers may try again while the database is unavailable. */
export const retryAfter = 5;

function failureOf(database: Database, cause: unknown): A2AError {
  if (cause instanceof A2AError) return cause;
  if (!database.isUnavailable(cause)) return A2AError.from(cause);
  return new A2AError('unavailable', `The store is unavailable: ${database.reasonOf(cause)}`, { retryAfter, cause });
}
