import { sql } from 'kysely';
import type { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Peers, Question, Reservation } from '../../core/ports/peers.ts';
import type { Database, Interest } from '../database.ts';
import { escapeText, unescapeText } from '../text.ts';
import { Followers } from './followers.ts';
import { Answering } from './inbox.ts';
import type { Leases } from './leases.ts';
import type { Notice } from './notification.ts';
import { Notifications } from './notifications.ts';
import { Asking } from './outbox.ts';
import { RequestShares } from './shared-limits.ts';

/** Milliseconds between two looks for questions, in case no notification comes. */
const lookEvery = 1_000;
/** Milliseconds after which nobody can still be waiting for an answer. */
const oldAfter = 60 * 60 * 1_000;

export interface SharedPeersOptions {
  readonly database: Database;
  /** Opens a connection outside the pool. */
  readonly line: NonNullable<Database['line']>;
  readonly leases: Leases;
  /** Names the channels of this store's gateways. */
  readonly secret: string;
  /** Told of a task that has events for webhooks: written by another gateway, or by this one and not delivered by any. */
  readonly pushed: (key: string, elsewhere: boolean) => void;
  readonly failure: (error: unknown) => A2AError;
  readonly logger: Logger | undefined;
}

/** The gateways on one PostgreSQL: its tables say what is, and its notifications where to look. */
export class SharedPeers implements Peers {
  readonly shared = true;
  readonly #options: SharedPeersOptions;
  readonly #followers: Followers;
  readonly #notifications: Notifications;
  readonly #asking: Asking;
  readonly #answering: Answering;
  readonly #shares: RequestShares;
  #listener: (key?: string, seq?: number) => void = () => undefined;
  #onLeft: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SharedPeersOptions) {
    const { database, line, leases, secret, failure, logger } = options;
    const { instance } = leases;
    this.#options = options;
    this.#followers = new Followers(database, instance);
    this.#notifications = new Notifications({
      open: line,
      secret,
      instance,
      followers: this.#followers,
      onNotice: (notice) => this.#heard(notice),
      onGap: () => this.#missed(),
      undelivered: (key) => options.pushed(key, false),
      logger,
    });
    const told = (what: Omit<Notice, 'from'>) => (other: string) => this.#notifications.direct(other, what);
    this.#asking = new Asking({ database, instance, failure, logger, told: told({ asked: true }) });
    this.#answering = new Answering({ database, instance, logger, told: told({ answered: true }) });
    this.#shares = new RequestShares(database);
    leases.onReturned(() => this.#missed());
  }

  /** Begins to hear the others. Resolves also when that is not possible for now. */
  async open(): Promise<void> {
    const { leases } = this.#options;
    this.#timer = setInterval(() => {
      if (!leases.alone) this.#answering.look();
    }, lookEvery);
    this.#timer.unref();
    await this.#notifications.open();
  }

  /** Tells the gateways that have to hear of it what was written. Nothing waits for it. */
  written(key: string, seq: number, interest: Interest): void {
    if (interest.pushed || interest.followed) this.#notifications.written(key, seq, interest);
  }

  follow(keys: readonly string[]): Promise<string[]> {
    return this.#tried(() => this.#followers.follow(keys));
  }

  unfollow(keys: readonly string[]): Promise<void> {
    return this.#tried(() => this.#followers.unfollow(keys));
  }

  onWritten(listener: (key?: string, seq?: number) => void): void {
    this.#listener = listener;
  }

  onLeft(listener: () => void): void {
    this.#onLeft = listener;
  }

  onAsked(answer: (question: Question) => Promise<string>): void {
    this.#answering.onAsked(answer);
  }

  ask(gateway: string, question: Question, signal: AbortSignal): Promise<string> {
    return this.#asking.ask(gateway, question, signal);
  }

  async workerOf(key: string): Promise<string | undefined> {
    const { database, leases } = this.#options;
    return this.#tried(async () => {
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
    return this.#tried(async () => {
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
    return this.#tried(async () => {
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

  reserve(key: string, want: number, perMinute: number): Promise<Reservation> {
    return this.#tried(() => this.#shares.reserve(key, want, perMinute));
  }

  /** Deletes questions that nobody waits for, and whatever else nobody needs. */
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

  /** Takes leave of the others. Rejects when the database could not be told. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#answering.close();
    let left = false;
    try {
      await this.#asking.close();
      await this.#options.leases.withdraw();
      left = true;
    } finally {
      await this.#notifications.close(async () => (left ? this.#heirs() : []));
    }
  }

  /** The other gateways, where this one has left tasks behind that they may take over. */
  async #heirs(): Promise<string[]> {
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

  #heard({ left, written, pushed, asked, answered }: Notice): void {
    if (left) this.#onLeft();
    for (const [key, seq] of written ?? []) this.#listener(key, seq);
    for (const key of pushed ?? []) this.#options.pushed(key, true);
    if (asked) this.#answering.look();
    if (answered) this.#asking.look();
  }

  /** Others may have told this gateway something that it did not hear. */
  #missed(): void {
    this.#listener();
    this.#answering.look();
    this.#asking.look();
  }

  async #tried<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } catch (error) {
      throw this.#options.failure(error);
    }
  }
}
