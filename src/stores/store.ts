import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { A2AError } from '../core/model/errors.ts';
import { isTerminal } from '../core/model/lifecycle.ts';
import { UnreadableRow } from '../core/model/stored-form.ts';
import { unlessAborted } from '../core/model/timing.ts';
import type { DamagedRows } from '../core/ports/damaged-rows.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store, StoreBatch } from '../core/ports/store.ts';
import type { Append } from '../core/ports/task-store.ts';
import { createAgentModes } from './cluster/agent-modes.ts';
import type { ChannelOptions } from './cluster/channel.ts';
import { SharedClock } from './cluster/clock.ts';
import { figuresOf, replicasOf } from './cluster/figures.ts';
import { Leases } from './cluster/leases.ts';
import { openNats, readNatsUrl } from './cluster/nats.ts';
import { createSharedStorePeers, singleNode } from './cluster/shared-store-peers.ts';
import { DamagedRowList, textIn } from './damaged-rows.ts';
import type { Database } from './database.ts';
import { createExtensions } from './extensions.ts';
import { FullTextIndexer } from './full-text/indexer.ts';
import { fullTextTables } from './full-text/tables.ts';
import { newestMigration } from './migrations/index.ts';
import { migrate } from './migrations/run.ts';
import { PageTokens } from './page-token.ts';
import { guardWith, methodsOf } from './part-methods.ts';
import { createPushConfigs } from './push/configs.ts';
import { createPushDeliveries } from './push/outbox.ts';
import { createUndeliveredPush } from './push/undelivered.ts';
import { createAgentStates } from './tasks/agent-state.ts';
import { AppendQueue } from './tasks/append-queue.ts';
import { createIdempotencyKeys } from './tasks/idempotency-keys.ts';
import { createTaskLister } from './tasks/lister.ts';
import { TaskReader } from './tasks/reader.ts';
import { expireTasks } from './tasks/retention.ts';
import { createTaskSearch } from './tasks/search.ts';
import { createTakeover } from './tasks/takeover.ts';
import { createUpstreamIds } from './tasks/upstream-ids.ts';
import { escapeText } from './text.ts';

export interface StoreOptions {
  /** Name of this gateway, for logs; the store adds a suffix that makes it unique. */
  readonly instance: string;
  /**
   * What an acknowledged event survives: `process` (the default) the death of the process, `full` also a power failure,
   * at one fsync per batch. SQLite only; on PostgreSQL the server's `synchronous_commit` decides.
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

export interface SqlStoreOptions extends StoreOptions {
  /** The database as it may be shown: without a password. */
  readonly shown: string;
  /** Opens the database. Tables need not be there. */
  readonly connect: () => Promise<Database>;
}

/** The SQL store, over the database that `connect` opens. Most of its methods are methods of one of its parts. */
export function createSqlStore({ shown, connect, ...options }: SqlStoreOptions): Store {
  const clock = new SharedClock();
  const damaged = new DamagedRowList(options.logger);
  let opened: StoreParts | undefined;
  let closing = false;
  const secrets = new Map<string, Promise<string>>();
  let onPushed: (key: string, elsewhere?: boolean) => void = () => undefined;

  const requireOpen = (): StoreParts => {
    if (!opened) throw notOpen();
    return opened;
  };

  const withParts = async <T>(use: (parts: StoreParts) => Promise<T>): Promise<T> => {
    const parts = requireOpen();
    try {
      return await use(parts);
    } catch (error) {
      throw parts.failure(error);
    }
  };

  return {
    damaged,

    ...methodsOf(requireOpen, 'reader', 'find', 'lastUse', 'load', 'findRecord', 'loadRecord', 'logBytes'),
    ...methodsOf(requireOpen, 'reader', 'events', 'latestTurn', 'turnRequest', 'positions'),
    ...methodsOf(requireOpen, 'lister', 'list'),
    ...methodsOf(requireOpen, 'search', 'searchTasks', 'changedTasks', 'countWaiting', 'overviewOf'),
    ...methodsOf(requireOpen, 'pushConfigs', 'webhookExcess', 'getPushConfig', 'deletePushConfig'),
    ...methodsOf(requireOpen, 'pushConfigs', 'listPushConfigs', 'listOwnersPushConfigs'),
    ...methodsOf(requireOpen, 'deliveries', 'claimDeliveries', 'reportDelivery', 'releaseDeliveries'),
    ...methodsOf(requireOpen, 'undelivered', 'listUndelivered', 'retryUndelivered'),
    ...methodsOf(requireOpen, 'calls', 'findCall', 'claimCall', 'answerCall', 'releaseCall', 'pin'),
    ...methodsOf(requireOpen, 'upstreamIds', 'upstreamOf', 'bindUpstreamContext', 'upstreamContextOf'),
    ...methodsOf(requireOpen, 'upstreamIds', 'upstreamTasksOf', 'ownTasksOf'),
    ...methodsOf(requireOpen, 'states', 'readState', 'writeState'),
    ...methodsOf(requireOpen, 'modes', 'agentModes', 'setAgentMode'),
    ...methodsOf(requireOpen, 'takeover', 'claimOrphans'),
    ...methodsOf(requireOpen, 'leases', 'orphanedAgents'),

    async open() {
      if (opened) throw new A2AError('internal', 'The store is open already.');
      const began = performance.now();
      let database: Database | undefined;
      try {
        database = await connect();
        await migrate(database, { logger: options.logger, damaged });
        opened = await openParts({
          ...options,
          database,
          damaged,
          began,
          clock,
          onPushed: (...event) => onPushed(...event),
        });
        closing = false;
      } catch (cause) {
        await database?.close().catch(() => undefined);
        throw cannotOpen(shown, cause);
      }
    },

    async ping(signal) {
      const answer = withParts(({ database }) => database.check());
      if (!signal) return answer;
      await unlessAborted(answer, signal).catch((cause: unknown) => {
        if (cause !== signal.reason) throw cause;
        throw new A2AError('unavailable', 'The store does not answer', { retryAfter, cause });
      });
    },

    figures: () => withParts(({ database }) => figuresOf(database)),

    replicas: () => withParts(({ database, leases }) => replicasOf(database, leases.instance, damaged)),

    backUp: () => withParts(async ({ database }) => database.backUp()),

    get connections() {
      return opened?.database.connections;
    },

    async close() {
      if (!opened || closing) return;
      closing = true;
      secrets.clear();
      const { appends, extensions, reader, peers, leases, database, indexer } = opened;
      try {
        await indexer?.close();
        await appends.idle();
        await extensions.close();
        await reader.idle();
        await (peers ? peers.close() : leases.withdraw());
      } catch (err) {
        // The other replicas notice by its missing heartbeat.
        options.logger?.debug({ err }, 'the store was closed without withdrawing its heartbeat');
      } finally {
        opened = undefined;
        await database.close();
      }
    },

    now: clock.now,

    append(append) {
      if (!opened || closing) return Promise.reject(notOpen());
      const { key, events, upstream } = append;
      if (endsUnfolded(append)) {
        return withParts(async ({ reader, appends }) => {
          await reader.keepOpening(key);
          await appends.append(append);
        });
      }
      if (events.length > 0 || !upstream) return opened.appends.append(append);
      return withParts(({ upstreamIds, leases }) => upstreamIds.bindOwn(key, upstream, leases.instance));
    },

    setDialect: (key, dialect) =>
      withParts(async ({ database }) => {
        await sql`
          update task set dialect = ${dialect}
          where key = ${escapeText(key)} and dialect <> ${dialect}`.execute(database.sql);
      }),

    putPushConfig: (key, config, dialect, origin = {}) =>
      withParts(async ({ pushConfigs }) => {
        const excess = await pushConfigs.put(key, config, dialect, origin);
        if (excess === undefined) onPushed(key);
        return excess;
      }),

    onPushed(listener) {
      onPushed = listener;
    },

    retract: (key, call, answer) =>
      withParts(async ({ calls, appends }) => {
        let removed = false;
        try {
          removed = await calls.retract(key, call, answer);
        } finally {
          // Unless its removal is confirmed, this gateway may own the task without working on it.
          if (removed) appends.forget(key);
          else appends.markUnconfirmed([key]);
        }
        return removed;
      }),

    expire: (before, limit) =>
      withParts(async ({ database, calls, upstreamIds, states, peers }) => {
        await peers?.expire();
        await calls.expire(limit);
        await upstreamIds.expire(before);
        const deleted = await expireTasks(database, before, limit);
        await states.expire(before, limit);
        return deleted;
      }),

    extend: (open) => withParts(({ extensions }) => extensions.open(open)),

    get crashSafe() {
      return opened !== undefined && !opened.database.failing;
    },

    get peers() {
      return requireOpen().peers ?? singleNode;
    },

    secret(name) {
      const known = secrets.get(name) ?? withParts(({ database }) => secretOf(database, name, damaged));
      secrets.set(name, known);
      known.catch(() => secrets.delete(name));
      return known;
    },
  };
}

interface PartsOptions extends StoreOptions {
  readonly database: Database;
  readonly damaged: DamagedRows;
  readonly clock: SharedClock;
  /** When the store began to open, by `performance.now()`. */
  readonly began: number;
  /** Called with a task that has events for webhooks. @param elsewhere whether another replica wrote them */
  readonly onPushed: (key: string, elsewhere?: boolean) => void;
}

/** Builds the parts over a database whose schema is current, and announces this gateway. */
async function openParts(options: PartsOptions) {
  const { instance, logger, onBatch, database, damaged, clock, began, onPushed } = options;
  const { fullText = false, notifications } = options;
  const failure = (error: unknown): A2AError => failureOf(database, error);
  const withFailure = guardWith(failure);
  const tokens = new PageTokens(await secretOf(database, 'page-token-secret', damaged));
  const reader = new TaskReader(database, damaged, (err) => logger?.debug({ err }, 'a snapshot could not be written'));
  const leases = new Leases({ database, clock, instance, logger, since: began });
  const calls = createIdempotencyKeys(database, leases, damaged);
  const upstreamIds = createUpstreamIds(database, clock, damaged);
  const appends = new AppendQueue({
    database,
    leases,
    reader,
    onBatch,
    failure,
    onPushable: onPushed,
    onWritten: (key, seq, flags) => peers?.written(key, seq, flags),
  });
  const servers = notifications === undefined ? undefined : readNatsUrl(notifications);
  const openChannel = servers ? (from: ChannelOptions) => openNats(servers, from) : database.openChannel;
  const peers =
    openChannel &&
    createSharedStorePeers({
      database,
      openChannel,
      leases,
      failure,
      logger,
      secret: await secretOf(database, 'peers', damaged),
      pushed: onPushed,
    });
  if (fullText) await migrate(database, { of: 'full text', steps: [fullTextTables], known: newestMigration, logger });
  await leases.announce();
  await peers?.open();
  const search = createTaskSearch(database, tokens, fullText, damaged);
  const { changedTasks } = search;
  return {
    database,
    appends,
    reader,
    calls,
    upstreamIds,
    leases,
    peers,
    failure,
    lister: createTaskLister(database, reader, tokens),
    search,
    indexer: fullText
      ? new FullTextIndexer({ database, damaged, clock, peers: peers ?? singleNode, logger, changedTasks })
      : undefined,
    pushConfigs: createPushConfigs(database, tokens, damaged),
    deliveries: createPushDeliveries(database, leases.instance, clock, damaged),
    undelivered: createUndeliveredPush(database, tokens, damaged),
    states: createAgentStates({
      database,
      clock,
      damaged,
      instance: leases.instance,
      owns: (key) => appends.owns(key),
    }),
    modes: createAgentModes(database, clock, damaged),
    takeover: createTakeover({ database, leases, reader, appends, logger }),
    extensions: createExtensions({
      database,
      clock,
      tokens,
      damaged,
      failure,
      rows: (query) => withFailure(async () => (await query.execute(database.sql)).rows),
      migrate: (of, steps) => migrate(database, { of, steps, known: newestMigration, logger }),
    }),
  };
}

/** A random secret that all replicas share. The first call creates it; so does one that finds it damaged. */
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

type StoreParts = Awaited<ReturnType<typeof openParts>>;

/** Whether a task ends without a snapshot, and with an event that is not the whole task. */
const endsUnfolded = ({ create, status, snapshot, events }: Append): boolean => {
  if (create || !status || !isTerminal(status.state) || snapshot || events.length === 0) return false;
  const { task } = events.at(-1)?.event ?? {};
  // A `task` event keeps a history or artifacts that it lacks.
  return !task?.history || !task.artifacts;
};

/** Seconds after which callers may try again while the database is unavailable. */
const retryAfter = 5;

function failureOf(database: Database, cause: unknown): A2AError {
  if (cause instanceof A2AError) return cause;
  if (!database.isUnavailable(cause)) return A2AError.from(cause);
  return new A2AError('unavailable', `The store is unavailable: ${database.reasonOf(cause)}`, { retryAfter, cause });
}

/** What to do about some reasons, by their codes. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: '; is PostgreSQL running there?',
  '3D000': '; create it first, for example with createdb',
  '42P07':
    '; its tables are those of another program: use another database, or a schema with options=-c search_path=NAME',
};

/** The error for a database that cannot be opened. */
function cannotOpen(shown: string, cause: unknown): A2AError {
  const { message = String(cause), code = '' } = (cause ?? {}) as { message?: string; code?: string };
  return new A2AError('unavailable', `The store ${shown} cannot be opened: ${message}${remedies[code] ?? ''}`, {
    cause,
  });
}

const notOpen = (): A2AError => new A2AError('unavailable', 'The store is not open.', { retryAfter });
