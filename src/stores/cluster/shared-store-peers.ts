import { sql } from 'kysely';
import type { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { BucketGrant, ForwardedRequest, Peers } from '../../core/ports/peers.ts';
import type { Database, TaskFlags } from '../database.ts';
import { escapeText, unescapeText } from '../text.ts';
import { Followers } from './followers.ts';
import { PeerInbox } from './inbox.ts';
import type { Leases } from './leases.ts';
import type { ReplicaNotification } from './notification.ts';
import { Notifications } from './notifications.ts';
import { PeerOutbox } from './outbox.ts';
import { SharedBuckets } from './shared-limits.ts';

/** Milliseconds between two polls for questions, in case a notification is lost. */
const pollEvery = 1_000;
/** Milliseconds after which no call can still be waiting for its answer. */
const oldAfter = 60 * 60 * 1_000;

export interface SharedStorePeersOptions {
  readonly database: Database;
  /** Opens a connection outside the pool. */
  readonly openConnection: NonNullable<Database['openNotificationConnection']>;
  readonly leases: Leases;
  /** Secret part of the channel names. */
  readonly secret: string;
  /**
   * Called with a task that has events for webhooks: written by another replica, or by this one and not delivered by
   * any.
   */
  readonly pushed: (key: string, elsewhere: boolean) => void;
  readonly failure: (error: unknown) => A2AError;
  readonly logger: Logger | undefined;
}

/** The replicas on one PostgreSQL: its tables are authoritative, its notifications say where to look. */
export class SharedStorePeers implements Peers {
  readonly shared = true;
  readonly #options: SharedStorePeersOptions;
  readonly #followers: Followers;
  readonly #notifications: Notifications;
  readonly #outbox: PeerOutbox;
  readonly #inbox: PeerInbox;
  readonly #shares: SharedBuckets;
  #listener: (key?: string, seq?: number) => void = () => undefined;
  #onLeft: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SharedStorePeersOptions) {
    const { database, openConnection, leases, secret, failure, logger } = options;
    const { instance } = leases;
    this.#options = options;
    this.#followers = new Followers(database, instance);
    this.#notifications = new Notifications({
      open: openConnection,
      secret,
      instance,
      followers: this.#followers,
      onMessage: (notice) => this.#onMessage(notice),
      onGap: () => this.#onGap(),
      undelivered: (key) => options.pushed(key, false),
      logger,
    });
    const told = (what: Omit<ReplicaNotification, 'from'>) => (other: string) =>
      this.#notifications.direct(other, what);
    this.#outbox = new PeerOutbox({ database, instance, failure, logger, onQuestion: told({ asked: true }) });
    this.#inbox = new PeerInbox({ database, instance, logger, onAnswer: told({ answered: true }) });
    this.#shares = new SharedBuckets(database);
    leases.onLapsed(() => this.#onGap());
  }

  /** Starts to listen to the others. Resolves also when that is not possible for now. */
  async open(): Promise<void> {
    const { leases } = this.#options;
    this.#timer = setInterval(() => {
      if (!leases.isOnlyReplica) this.#inbox.poll();
    }, pollEvery);
    this.#timer.unref();
    await this.#notifications.open();
  }

  /** Notifies the replicas concerned that a task was written. Nothing waits for it. */
  written(key: string, seq: number, interest: TaskFlags): void {
    if (interest.pushed || interest.followed) this.#notifications.written(key, seq, interest);
  }

  follow(keys: readonly string[]): Promise<string[]> {
    return this.#withFailure(() => this.#followers.follow(keys));
  }

  unfollow(keys: readonly string[]): Promise<void> {
    return this.#withFailure(() => this.#followers.unfollow(keys));
  }

  onTaskWritten(listener: (key?: string, seq?: number) => void): void {
    this.#listener = listener;
  }

  onReplicaLeft(listener: () => void): void {
    this.#onLeft = listener;
  }

  onForwarded(answer: (question: ForwardedRequest) => Promise<string>): void {
    this.#inbox.onAsked(answer);
  }

  forward(gateway: string, question: ForwardedRequest, signal: AbortSignal): Promise<string> {
    return this.#outbox.ask(gateway, question, signal);
  }

  async leaseHolderOf(key: string): Promise<string | undefined> {
    const { database, leases } = this.#options;
    return this.#withFailure(async () => {
      const row = await database.sql
        .selectFrom('task')
        .innerJoin('gateway', 'gateway.instance', 'task.owner')
        .select('instance')
        .where('task.key', '=', escapeText(key))
        .where('instance', '<>', leases.instance)
        .executeTakeFirst();
      return row?.instance;
    });
  }

  async takenOver(keys: readonly string[]): Promise<string[]> {
    if (keys.length === 0) return [];
    const { database, leases } = this.#options;
    return this.#withFailure(async () => {
      const rows = await database.sql
        .selectFrom('task')
        .select('key')
        .where('key', 'in', keys.map(escapeText))
        .where('owner', 'is not', null)
        .where('owner', '<>', leases.instance)
        .execute();
      return rows.map(({ key }) => unescapeText(key));
    });
  }

  async lease(name: string, ms: number): Promise<boolean> {
    const { database, leases } = this.#options;
    const { now, integer } = database.traits;
    const until = sql<number>`${now} + cast(${Math.round(ms)} as ${integer})`;
    return this.#withFailure(async () => {
      const { numInsertedOrUpdatedRows } = await database.sql
        .insertInto('named_lease')
        .values({ name: escapeText(name), owner: leases.instance, until })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(({ ref }) => ({ owner: ref('excluded.owner'), until: ref('excluded.until') }))
            .where(({ eb, or, selectFrom }) =>
              or([
                eb('named_lease.owner', '=', leases.instance),
                eb('named_lease.until', '<', now),
                eb('named_lease.owner', 'not in', selectFrom('gateway').select('instance')),
              ]),
            ),
        )
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    });
  }

  reserve(key: string, want: number, perMinute: number): Promise<BucketGrant> {
    return this.#withFailure(() => this.#shares.reserve(key, want, perMinute));
  }

  /** Deletes expired questions, leases, followers and buckets. */
  async expire(): Promise<void> {
    const { database } = this.#options;
    await database.sql
      .deleteFrom('question')
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('asker', 'not in', selectFrom('gateway').select('instance')),
          eb('created_at', '<', sql<number>`${database.traits.now} - ${sql.lit(oldAfter)}`),
        ]),
      )
      .execute();
    await database.sql
      .deleteFrom('named_lease')
      .where('owner', 'not in', ({ selectFrom }) => selectFrom('gateway').select('instance'))
      .execute();
    await this.#followers.expire();
    await this.#shares.expire();
  }

  /** Withdraws from the other replicas. Rejects when the database could not be reached. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#inbox.close();
    let left = false;
    try {
      await this.#outbox.close();
      await this.#options.leases.withdraw();
      left = true;
    } finally {
      await this.#notifications.close(async () => (left ? this.#replicasToInform() : []));
    }
  }

  /** The other replicas, if this one has left tasks that they may take over. */
  async #replicasToInform(): Promise<string[]> {
    const { database, leases } = this.#options;
    const rows = await database.sql
      .selectFrom('gateway')
      .select('instance')
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('task').select('task.key').where('owner', '=', leases.instance)),
      )
      .execute();
    return rows.map(({ instance }) => instance);
  }

  #onMessage({ left, written, pushed, asked, answered }: ReplicaNotification): void {
    if (left) this.#onLeft();
    for (const [key, seq] of written ?? []) this.#listener(key, seq);
    for (const key of pushed ?? []) this.#options.pushed(key, true);
    if (asked) this.#inbox.poll();
    if (answered) this.#outbox.poll();
  }

  /** Notifications may have been lost: read everything. */
  #onGap(): void {
    this.#listener();
    this.#inbox.poll();
    this.#outbox.poll();
  }

  async #withFailure<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } catch (error) {
      throw this.#options.failure(error);
    }
  }
}
