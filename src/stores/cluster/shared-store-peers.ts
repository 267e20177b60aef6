import { sql } from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Peers } from '../../core/ports/peers.ts';
import type { Database, TaskFlags } from '../database.ts';
import { generations } from '../migrations/0013-generations.ts';
import { guardWith } from '../part-methods.ts';
import { escapeText, unescapeText } from '../text.ts';
import type { OpenChannel } from './channel.ts';
import { createFollowers } from './followers.ts';
import { createForwardedCalls } from './forwarded-calls.ts';
import type { Leases } from './leases.ts';
import { Notifications, type ReplicaNotification } from './notifications.ts';
import { createSharedBuckets } from './shared-limits.ts';

/** Milliseconds between two polls for questions, in case a notification is lost. */
const pollEvery = 1_000;
/** Milliseconds after which no call can still be waiting for its answer. */
const oldAfter = 60 * 60 * 1_000;

export interface SharedStorePeersOptions {
  readonly database: Database;
  /** Opens the channel of notifications. */
  readonly openChannel: OpenChannel;
  readonly leases: Leases;
  /** The store's secret, which its replicas share. */
  readonly secret: string;
  /** Called with a task that has events for webhooks; `elsewhere`: another replica wrote them. */
  readonly pushed: (key: string, elsewhere: boolean) => void;
  readonly failure: (error: unknown) => A2AError;
  readonly logger: Logger | undefined;
}

/** The replicas on one PostgreSQL: its tables are authoritative, its notifications say where to look. */
export function createSharedStorePeers(options: SharedStorePeersOptions) {
  const { database, openChannel, leases, secret, failure, logger, pushed } = options;
  const { sql: db, traits } = database;
  const { instance } = leases;
  let onTaskWritten: (key?: string, seq?: number) => void = () => undefined;
  let onReplicaLeft: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;

  const followers = createFollowers(database, instance);
  const buckets = createSharedBuckets(database);
  const onMessage = (notification: ReplicaNotification): void => {
    if (notification.left) onReplicaLeft();
    for (const [key, seq] of notification.written ?? []) onTaskWritten(key, seq);
    for (const key of notification.pushed ?? []) pushed(key, true);
    if (notification.asked) calls.pollInbox();
    if (notification.answered) calls.pollOutbox();
  };
  /** Notifications may have been lost: read everything. */
  const onGap = (): void => {
    onTaskWritten();
    calls.pollInbox();
    calls.pollOutbox();
  };
  const notifications = new Notifications({
    open: openChannel,
    secret,
    instance,
    followers,
    onMessage,
    onGap,
    logger,
    undelivered: (key) => pushed(key, false),
  });
  const calls = createForwardedCalls({
    database,
    instance,
    failure,
    logger,
    notify: (replica, what) => notifications.direct(replica, what),
  });
  leases.onLapsed(onGap);

  const withFailure = guardWith(failure);

  /** The other replicas, if this one has left tasks that they may take over. */
  const replicasToInform = async (): Promise<string[]> => {
    const { rows } = await sql<{ instance: string }>`
      select instance from gateway where exists (select 1 from task where owner = ${instance})`.execute(db);
    return rows.map((row) => row.instance);
  };

  return {
    shared: true,
    get hasOlderReplica() {
      return leases.oldestSchema < generations.number;
    },

    /** Starts to listen to the others. Resolves also when that is not possible for now. */
    async open(): Promise<void> {
      timer = setInterval(() => {
        if (!leases.isOnlyReplica) calls.pollInbox();
      }, pollEvery);
      timer.unref();
      await notifications.open();
    },

    /** Notifies the replicas concerned that a task was written. Nothing waits for it. */
    written: (key: string, seq: number, flags: TaskFlags): void => notifications.written(key, seq, flags),

    follow: (keys) => withFailure(() => followers.follow(keys)),
    unfollow: (keys) => withFailure(() => followers.unfollow(keys)),
    onTaskWritten(listener) {
      onTaskWritten = listener;
    },
    onReplicaLeft(listener) {
      onReplicaLeft = listener;
    },
    onForwarded: (handler) => calls.onForwarded(handler),
    forward: (replica, request, signal) => calls.forward(replica, request, signal),

    leaseHolderOf: (key) =>
      withFailure(async () => {
        const { rows } = await sql<{ instance: string }>`
          select instance from task join gateway on instance = task.owner
          where task.key = ${escapeText(key)} and instance <> ${instance}`.execute(db);
        return rows[0]?.instance;
      }),

    takenOver: (keys) =>
      withFailure(async () => {
        if (keys.length === 0) return [];
        const owned = db.selectFrom('task').select('key').where('owner', 'is not', null).where('owner', '<>', instance);
        const rows = await owned.where('key', 'in', keys.map(escapeText)).execute();
        return rows.map(({ key }) => unescapeText(key));
      }),

    lease: (name, ms) =>
      withFailure(async () => {
        const { numAffectedRows } = await sql`
          insert into named_lease as held (name, owner, until)
          values (${escapeText(name)}, ${instance}, ${traits.now} + cast(${Math.round(ms)} as ${traits.integer}))
          on conflict (name) do update set owner = excluded.owner, until = excluded.until
          where held.owner = ${instance} or held.until < ${traits.now}
            or held.owner not in (select instance from gateway)`.execute(db);
        return numAffectedRows === 1n;
      }),

    reserve: (key, want, perMinute) => withFailure(() => buckets.reserve(key, want, perMinute)),

    /** Deletes expired questions, leases, followers and buckets. */
    async expire(): Promise<void> {
      const live = sql`(select instance from gateway)`;
      const old = sql`created_at < ${traits.now} - ${sql.lit(oldAfter)}`;
      await sql`delete from question where asker not in ${live} or ${old}`.execute(db);
      await sql`delete from named_lease where owner not in ${live}`.execute(db);
      await followers.expire();
      await buckets.expire();
    },

    /** Withdraws from the other replicas. Rejects when the database could not be reached. */
    async close(): Promise<void> {
      clearInterval(timer);
      let left = false;
      try {
        await calls.close();
        await leases.withdraw();
        left = true;
      } finally {
        await notifications.close(async () => (left ? replicasToInform() : []));
      }
    },
  } satisfies Peers & Record<string, unknown>;
}

/** The peers of a gateway that has its store to itself: there are none, and every lease and reservation is granted. */
export const singleNode: Peers = {
  shared: false,
  hasOlderReplica: false,
  onTaskWritten: () => undefined,
  follow: async () => [],
  unfollow: async () => undefined,
  onReplicaLeft: () => undefined,
  leaseHolderOf: async () => undefined,
  takenOver: async () => [],
  forward: async () => {
    throw new A2AError('unavailable', 'No other replica uses this store.');
  },
  onForwarded: () => undefined,
  lease: async () => true,
  reserve: async (_key, want) => ({ granted: want, wait: 0 }),
};
