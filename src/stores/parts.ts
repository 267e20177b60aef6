import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { A2AError } from '../core/model/errors.ts';
import { UnreadableRow } from '../core/model/stored-form.ts';
import type { AgentModeStore } from '../core/ports/agent-modes.ts';
import type { DamagedRows } from '../core/ports/damaged-rows.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Peers } from '../core/ports/peers.ts';
import type { StoreBatch } from '../core/ports/store.ts';
import type { StoreTopics } from '../core/ports/store-watch.ts';
import { createAgentModes } from './cluster/agent-modes.ts';
import type { ChannelOptions } from './cluster/channel.ts';
import type { SharedClock } from './cluster/clock.ts';
import { Leases } from './cluster/leases.ts';
import { openNats, readNatsUrl } from './cluster/nats.ts';
import { SharedStorePeers, singleNode } from './cluster/shared-store-peers.ts';
import { StoreWatch } from './cluster/store-watch.ts';
import { createTopics } from './cluster/topics.ts';
import { CombinedOperations } from './combined.ts';
import { textIn } from './damaged-rows.ts';
import type { Database } from './database.ts';
import { createExtensions } from './extensions.ts';
import { failureOf } from './failure.ts';
import { FullTextIndexer } from './full-text/indexer.ts';
import { fullTextTables } from './full-text/tables.ts';
import { newestMigration } from './migrations/index.ts';
import { migrate } from './migrations/run.ts';
import { PageTokens } from './page-token.ts';
import { type Failure, guardWith } from './part-methods.ts';
import { PushConfigs } from './push/configs.ts';
import { PushDeliveries } from './push/outbox.ts';
import { UndeliveredPushes } from './push/undelivered.ts';
import { AgentStateTables } from './tasks/agent-state.ts';
import { AppendQueue } from './tasks/append-queue.ts';
import { IdempotencyKeys } from './tasks/idempotency-keys.ts';
import { TaskLister } from './tasks/lister.ts';
import { TaskReader } from './tasks/reader.ts';
import { TaskSearch } from './tasks/search.ts';
import { createTakeover } from './tasks/takeover.ts';
import { UpstreamIdTables } from './tasks/upstream-ids.ts';

export interface StoreOptions {
  /** Name of this gateway, for logs; the store adds a suffix that makes it unique. */
  readonly instance: string;
  /**
   * Failures that an acknowledged event survives: `process` (the default) the death of the process, `full` also a power
   * failure, at one fsync per batch. SQLite only; on PostgreSQL the server's `synchronous_commit` decides.
   */
  readonly durability?: 'process' | 'full';
  /** Whether the words of messages, artifacts and statuses are indexed, for `TaskFilter.text`. Default false. */
  readonly fullText?: boolean;
  /**
   * NATS servers that carry notifications between replicas, as `nats://HOST:4222,nats://HOST:4222`. Default: PostgreSQL, by
   * LISTEN and NOTIFY.
   */
  readonly notifications?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Called after every transaction that wrote events. Must not throw. */
  readonly onBatch?: (batch: StoreBatch) => void;
}

export interface PartsOptions extends StoreOptions {
  readonly database: Database;
  readonly damaged: DamagedRows;
  readonly clock: SharedClock;
  /** Time when the store began to open, by `performance.now()`. */
  readonly began: number;
  /** Called with a task that has events for webhooks. @param elsewhere whether another replica wrote them */
  readonly onPushed: (key: string, elsewhere?: boolean) => void;
}

/** The parts of an open store. */
export interface StoreParts {
  readonly database: Database;
  readonly failure: Failure;
  readonly leases: Leases;
  readonly watch: StoreWatch;
  readonly topics: StoreTopics;
  /** Undefined: the database serves this gateway alone. */
  readonly peers: SharedStorePeers | undefined;
  readonly appends: AppendQueue;
  readonly reader: TaskReader;
  readonly lister: TaskLister;
  readonly search: TaskSearch;
  /** Undefined: words are not indexed. */
  readonly indexer: FullTextIndexer | undefined;
  readonly calls: IdempotencyKeys;
  readonly upstreamIds: UpstreamIdTables;
  readonly pushConfigs: PushConfigs;
  readonly deliveries: PushDeliveries;
  readonly undelivered: UndeliveredPushes;
  readonly states: AgentStateTables;
  readonly modes: AgentModeStore;
  readonly takeover: ReturnType<typeof createTakeover>;
  readonly extensions: ReturnType<typeof createExtensions>;
  readonly combined: CombinedOperations;
}

/** Builds the parts over a database whose schema is current, and announces this gateway. */
export async function openParts(options: PartsOptions): Promise<StoreParts> {
  const { instance, logger, onBatch, onPushed, database, damaged, clock, began } = options;
  const failure = (error: unknown): A2AError => failureOf(database, error);
  const tokens = new PageTokens(await secretOf(database, 'page-token-secret', damaged));
  const reader = new TaskReader(database, damaged, (err) => logger?.debug({ err }, 'a snapshot could not be written'));
  const leases = new Leases({ database, clock, instance, logger, since: began });
  const calls = new IdempotencyKeys(database, leases, damaged);
  const upstreamIds = new UpstreamIdTables(database, clock, damaged);
  const { watch, topics } = openWatch(options, leases, () => peers);
  const peers = await createPeers(options, { leases, watch, failure });
  const appends = new AppendQueue({
    database,
    leases,
    reader,
    onBatch,
    failure,
    onPushable: onPushed,
    onWritten: (key, seq, flags) => peers?.written(key, seq, flags),
  });
  const search = new TaskSearch(database, tokens, options.fullText ?? false, damaged);
  if (options.fullText) await migrateFullText(options);
  await leases.announce();
  await peers?.open();
  const pushConfigs = new PushConfigs(database, tokens, damaged);
  const owns = (key: string): boolean => appends.owns(key);
  const states = new AgentStateTables({ database, clock, damaged, instance: leases.instance, owns });
  return {
    database,
    failure,
    leases,
    watch,
    topics,
    peers,
    appends,
    reader,
    lister: new TaskLister(database, reader, tokens),
    search,
    indexer: options.fullText ? createIndexer(options, search, peers) : undefined,
    calls,
    upstreamIds,
    pushConfigs,
    deliveries: new PushDeliveries(database, leases.instance, clock, damaged),
    undelivered: new UndeliveredPushes(database, tokens, damaged),
    states,
    modes: createAgentModes({ database, clock, damaged, topic: topics.agentModes }),
    takeover: createTakeover({ database, leases, reader, appends, logger }),
    extensions: openExtensions(options, { tokens, failure, watch }),
    combined: new CombinedOperations({ database, calls, appends, upstreamIds, states, peers, pushConfigs, onPushed }),
  };
}

/** The other replicas, if the database has a channel for notifications. */
async function createPeers(
  { database, damaged, logger, notifications, onPushed }: PartsOptions,
  parts: Pick<StoreParts, 'leases' | 'watch' | 'failure'>,
): Promise<SharedStorePeers | undefined> {
  const servers = notifications === undefined ? undefined : readNatsUrl(notifications);
  const openChannel = servers ? (from: ChannelOptions) => openNats(servers, from) : database.openChannel;
  if (!openChannel) return undefined;
  const secret = await secretOf(database, 'peers', damaged);
  return new SharedStorePeers({ ...parts, database, openChannel, logger, secret, pushed: onPushed });
}

/** The watch on the database, and the topics of the store. @param peers the other replicas; undefined: there are none */
function openWatch(
  { clock, database, logger }: PartsOptions,
  leases: Leases,
  peers: () => SharedStorePeers | undefined,
) {
  const watch = new StoreWatch({
    database,
    isAlone: () => database.traits.oneProcess && leases.others.length === 0,
    isNotified: () => peers()?.isNotified ?? false,
    notify: (topic) => peers()?.notifyOf(topic),
    logger,
  });
  leases.onOthers(() => watch.readAll());
  return { watch, topics: createTopics({ database, clock, watch }) };
}

const migrateFullText = ({ database, logger }: PartsOptions): Promise<void> =>
  migrate(database, { of: 'full text', steps: [fullTextTables], known: newestMigration, logger });

function createIndexer(
  { database, damaged, clock, logger }: PartsOptions,
  search: TaskSearch,
  peers: Peers = singleNode,
): FullTextIndexer {
  const changedTasks: TaskSearch['changedTasks'] = (position, limit) => search.changedTasks(position, limit);
  return new FullTextIndexer({ database, damaged, clock, peers, logger, changedTasks });
}

function openExtensions(
  { database, clock, damaged, logger }: PartsOptions,
  { tokens, failure, watch }: Pick<StoreParts, 'failure' | 'watch'> & { readonly tokens: PageTokens },
): StoreParts['extensions'] {
  const withFailure = guardWith(failure);
  return createExtensions({
    database,
    clock,
    tokens,
    damaged,
    failure,
    topic: (...topic) => watch.topic(...topic),
    rows: (query) => withFailure(async () => (await query.execute(database.sql)).rows),
    migrate: (of, steps) => migrate(database, { of, steps, known: newestMigration, logger }),
    has: ({ number }) =>
      withFailure(async () => {
        const found = await database.sql.selectFrom('migration').select('name').where('number', '=', number).execute();
        return found.length > 0;
      }),
  });
}

/** A random secret that all replicas share. The first call creates it, and so does a call that finds it damaged. */
export async function secretOf({ sql: db }: Database, name: string, damaged: DamagedRows): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  await sql`insert into meta (name, value) values (${name}, ${value}) on conflict do nothing`.execute(db);
  const read = async (): Promise<string | undefined> => {
    const row = await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
    if (!row) return undefined;
    return damaged.read('meta', [name], () => {
      if (textIn(row, 'value').length < value.length)
        throw new UnreadableRow('its secret is too short: another one takes its place');
      return row.value;
    });
  };
  const known = await read();
  if (known !== undefined) return known;
  await sql`
    insert into meta (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value where length(meta.value) < ${value.length}`.execute(db);
  return (await read()) ?? value;
}
