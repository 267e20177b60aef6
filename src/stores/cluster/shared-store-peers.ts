import { sql } from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { BucketGrant, ForwardedRequest, Peers } from '../../core/ports/peers.ts';
import type { Database, TaskFlags } from '../database.ts';
import { generations } from '../migrations/0013-generations.ts';
import { guardWith } from '../part-methods.ts';
import { escapeText, unescapeText } from '../text.ts';
import type { OpenChannel } from './channel.ts';
import { createFollowers } from './followers.ts';
import { ForwardedCalls } from './forwarded-calls.ts';
import type { Leases } from './leases.ts';
import { Notifications, type ReplicaNotification } from './notifications.ts';
import { SharedBuckets } from './shared-limits.ts';
import type { StoreWatch } from './store-watch.ts';

/** Milliseconds within which forwarded calls are found if a notification is lost. */
const inboxWithin = 1_000;
/** Milliseconds after which no call can still be waiting for its answer. */
const oldAfter = 60 * 60 * 1_000;

export interface SharedStorePeersOptions {
  readonly database: Database;
  /** Opens the channel of notifications. */
  readonly openChannel: OpenChannel;
  readonly leases: Leases;
  readonly watch: StoreWatch;
  /** The store's secret, which its replicas share. */
  readonly secret: string;
  /** Called with a task that has events for webhooks; `elsewhere`: another replica wrote them. */
  readonly pushed: (key: string, elsewhere: boolean) => void;
  readonly failure: (error: unknown) => A2AError;
  readonly logger: Logger | undefined;
}

/** The replicas on one PostgreSQL. Its tables are authoritative; notifications only name the rows to read. */
export class SharedStorePeers implements Peers {
  readonly shared = true;
  readonly #options: SharedStorePeersOptions;
  #onTaskWritten: (key?: string, seq?: number) => void = () => undefined;
  #onReplicaLeft: () => void = () => undefined;
  readonly #followers: ReturnType<typeof createFollowers>;
  readonly #buckets: SharedBuckets;
  readonly #notifications: Notifications;
  readonly #calls: ForwardedCalls;
  readonly #withFailure: <T>(use: () => Promise<T>) => Promise<T>;

  constructor(options: SharedStorePeersOptions) {
    this.#options = options;
    const { database, openChannel, secret, failure, logger } = options;
    const { instance } = options.leases;
    this.#followers = createFollowers(database, instance);
    this.#buckets = new SharedBuckets(database);
    this.#notifications = new Notifications({
      open: openChannel,
      secret,
      instance,
      followers: this.#followers,
      onMessage: this.#onMessage,
      onGap: this.#onGap,
      logger,
      undelivered: (key) => this.#options.pushed(key, false),
    });
    this.#calls = new ForwardedCalls({
      database,
      instance,
      failure,
      logger,
      notify: (replica, what) => this.#notifications.direct(replica, what),
    });
    this.#options.leases.onLapsed(this.#onGap);
    this.#withFailure = guardWith(failure);
  }

  readonly #onMessage = (notification: ReplicaNotification): void => {
    if (notification.left) this.#onReplicaLeft();
    for (const [key, seq] of notification.written ?? []) this.#onTaskWritten(key, seq);
    for (const key of notification.pushed ?? []) this.#options.pushed(key, true);
    this.#options.watch.notified(notification.topics ?? []);
    if (notification.asked) this.#calls.pollInbox();
    if (notification.answered) this.#calls.pollOutbox();
  };

  /** Reads everything, because notifications may have been lost. */
  readonly #onGap = (): void => {
    this.#onTaskWritten();
    this.#options.watch.readAll();
    this.#calls.pollInbox();
    this.#calls.pollOutbox();
  };

  get hasOlderReplica(): boolean {
    return this.#options.leases.oldestSchema < generations.number;
  }

  /** Starts to listen to the other replicas. Also resolves if that is not possible at the moment. */
  async open(): Promise<void> {
    const { database, leases, watch } = this.#options;
    const inbox = watch.topic('forwarded calls', () => ForwardedCalls.versionOf(database, leases.instance));
    inbox.listen(inboxWithin, () => this.#calls.pollInbox());
    await this.#notifications.open();
  }

  /** Whether notifications of other replicas arrive, as far as is known. */
  get isNotified(): boolean {
    return this.#notifications.isOpen;
  }

  /** Notifies the other replicas that rows of a topic have changed. */
  notifyOf(topic: string): void {
    for (const other of this.#options.leases.others) this.#notifications.direct(other, { topics: [topic] });
  }

  /** Notifies the replicas concerned that a task was written. Nothing waits for it. */
  written(key: string, seq: number, flags: TaskFlags): void {
    this.#notifications.written(key, seq, flags);
  }

  follow(keys: readonly string[]): Promise<string[]> {
    return this.#withFailure(() => this.#followers.follow(keys));
  }

  unfollow(keys: readonly string[]): Promise<void> {
    return this.#withFailure(() => this.#followers.unfollow(keys));
  }

  onTaskWritten(listener: (key?: string | undefined, seq?: number | undefined) => void): void {
    this.#onTaskWritten = listener;
  }

  onReplicaLeft(listener: () => void): void {
    this.#onReplicaLeft = listener;
  }

  onForwarded(handler: (request: ForwardedRequest) => Promise<string>): void {
    this.#calls.onForwarded(handler);
  }

  forward(replica: string, request: ForwardedRequest, signal: AbortSignal): Promise<string> {
    return this.#calls.forward(replica, request, signal);
  }

  leaseHolderOf(key: string): Promise<string | undefined> {
    return this.#withFailure(async () => {
      const { rows } = await sql<{ instance: string }>`
          select instance from task join gateway on instance = task.owner
          where task.key = ${escapeText(key)} and instance <> ${this.#options.leases.instance}`.execute(
        this.#options.database.sql,
      );
      return rows[0]?.instance;
    });
  }

  takenOver(keys: readonly string[]): Promise<string[]> {
    return this.#withFailure(async () => {
      if (keys.length === 0) return [];
      const owned = this.#options.database.sql
        .selectFrom('task')
        .select('key')
        .where('owner', 'is not', null)
        .where('owner', '<>', this.#options.leases.instance);
      const rows = await owned.where('key', 'in', keys.map(escapeText)).execute();
      return rows.map(({ key }) => unescapeText(key));
    });
  }

  lease(name: string, ms: number): Promise<boolean> {
    return this.#withFailure(async () => {
      const { numAffectedRows } = await sql`
          insert into named_lease as held (name, owner, until)
          values (${escapeText(name)}, ${this.#options.leases.instance}, ${this.#options.database.traits.now} + cast(${Math.round(ms)} as ${this.#options.database.traits.integer}))
          on conflict (name) do update set owner = excluded.owner, until = excluded.until
          where held.owner = ${this.#options.leases.instance} or held.until < ${this.#options.database.traits.now}
            or held.owner not in (select instance from gateway)`.execute(this.#options.database.sql);
      return numAffectedRows === 1n;
    });
  }

  reserve(key: string, want: number, perMinute: number): Promise<BucketGrant> {
    return this.#withFailure(() => this.#buckets.reserve(key, want, perMinute));
  }

  /** Deletes expired questions, leases, followers and buckets. */
  async expire(): Promise<void> {
    const live = sql`(select instance from gateway)`;
    const old = sql`created_at < ${this.#options.database.traits.now} - ${sql.lit(oldAfter)}`;
    await sql`delete from question where asker not in ${live} or ${old}`.execute(this.#options.database.sql);
    await sql`delete from named_lease where owner not in ${live}`.execute(this.#options.database.sql);
    await this.#followers.expire();
    await this.#buckets.expire();
  }

  /** Withdraws from the other replicas. Rejects when the database could not be reached. */
  async close(): Promise<void> {
    let left = false;
    try {
      await this.#calls.close();
      await this.#options.leases.withdraw();
      left = true;
    } finally {
      await this.#notifications.close(async () =>
        left ? replicasToInform(this.#options.database, this.#options.leases.instance) : [],
      );
    }
  }
}

/** The peers of a gateway whose store no other replica uses. Every lease and reservation is granted. */
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

/** The other replicas, if this one has left tasks that they may take over. */
async function replicasToInform({ sql: db }: Database, instance: string): Promise<string[]> {
  const { rows } = await sql<{ instance: string }>`
    select instance from gateway where exists (select 1 from task where owner = ${instance})`.execute(db);
  return rows.map((row) => row.instance);
}
