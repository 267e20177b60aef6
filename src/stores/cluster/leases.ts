import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Logger } from '../../core/ports/logger.ts';
import type { Database } from '../database.ts';
import type { GatewayTable, TaskRow } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';
import type { SharedClock } from './clock.ts';

/** Milliseconds between two heartbeats, and without one until a gateway is declared dead. */
export const heartbeat = { every: 2_000, deadAfter: 8_000 } as const;

/** Milliseconds between the answers to two heartbeats. After a longer silence the others get time to announce themselves. */
const allowedSilence = 2 * heartbeat.every;
/** Milliseconds that a heartbeat may take. A slower one says nothing of the others: they may have waited as long. */
const promptWithin = heartbeat.every;

/** Gateways of this process. Where a database serves one process at a time, all others are dead. */
const localInstances = new Set<string>();

export interface LeasesOptions {
  readonly database: Database;
  /** Is put right by each heartbeat. */
  readonly clock: SharedClock;
  /** Name of this gateway; need not be unique. */
  readonly instance: string;
  readonly logger: Logger | undefined;
  /** When the store began to open, by `performance.now()`. */
  readonly since: number;
}

/** The announcement of another gateway. */
interface ReplicaHeartbeat extends Pick<GatewayTable, 'instance' | 'heartbeat'> {
  /** Whether it has been silent for as long as a dead one. */
  readonly late: boolean;
}

/**
 * This gateway's announcement, and those of the others. A task under way belongs to a gateway; when that gateway has
 * shown no sign of life for a while, has withdrawn, or ran in another process that has lost the lock of a SQLite file, its
 * tasks may be taken over.
 *
 * A gateway that was silent because the database was away, or stood still, is not dead. After the server was started, and
 * after this gateway had no answer from it for a while, the others get as much time as a dead gateway to announce
 * themselves; and only a heartbeat that was answered quickly declares others dead.
 */
export class Leases {
  /** Name of this gateway in the database: another one each time it is opened. */
  readonly instance: string;
  readonly #database: Database;
  readonly #clock: SharedClock;
  readonly #logger: Logger | undefined;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #missed = false;
  #withdrawn = false;
  #announced = false;
  /** When the answer to the last heartbeat came; before the first one, when the store began to open. */
  #lastAnswerAt: number;
  /** Until when nobody is declared dead. */
  #graceUntil = 0;
  /** How many others there are, as far as is known. */
  #others = 0;
  #onLapsed: () => void = () => undefined;

  constructor({ database, clock, instance, logger, since }: LeasesOptions) {
    this.#lastAnswerAt = since;
    this.#database = database;
    this.#clock = clock;
    this.instance = escapeText(`${instance}/${randomUUID().slice(0, 8)}`);
    this.#logger = logger;
  }

  /** Announces this gateway and begins its heartbeat. */
  async announce(): Promise<void> {
    localInstances.add(this.instance);
    try {
      await this.#removeDead(await this.#beat());
    } catch (error) {
      localInstances.delete(this.instance);
      throw error;
    }
    this.#timer = setInterval(() => {
      this.#beating ??= this.#beat()
        .then(
          () => this.#logHeartbeat(undefined),
          (err: unknown) => this.#logHeartbeat(err),
        )
        .finally(() => {
          this.#beating = undefined;
        });
    }, heartbeat.every);
    this.#timer.unref();
  }

  /** Whether no other gateway uses the store, as far as is known. */
  get isOnlyReplica(): boolean {
    return this.#others === 0;
  }

  /** Calls `listener` when this gateway was away for so long that what it held may be another's. At most one. */
  onLapsed(listener: () => void): void {
    this.#onLapsed = listener;
  }

  /** Ends the heartbeat and withdraws the announcement: what is still under way may be taken over at once. */
  async withdraw(): Promise<void> {
    this.#withdrawn = true;
    clearInterval(this.#timer);
    await this.#beating;
    localInstances.delete(this.instance);
    await this.#database.sql.deleteFrom('gateway').where('instance', '=', this.instance).execute();
  }

  /**
   * Makes tasks under way this gateway's: those of dead gateways, and those in `doubtful` that it owns already without
   * anybody working on them. Resolves with their rows, at most `limit`.
   *
   * @param agents those whose tasks are meant; undefined: all
   */
  async claim(limit: number, doubtful: readonly string[], agents?: readonly string[]): Promise<TaskRow[]> {
    const { sql: db, traits } = this.#database;
    await this.#removeDead(await this.#beat());
    let orphans = db
      .selectFrom('task')
      .select('task.key')
      .where('owner', 'is not', null)
      .where((eb) => {
        const dead = eb('owner', 'not in', eb.selectFrom('gateway').select('instance'));
        const abandoned = agents ? eb.and([dead, eb('agent', 'in', agents.map(escapeText))]) : dead;
        const ownDoubtful = eb('owner', '=', this.instance).and('task.key', 'in', doubtful.map(escapeText));
        return doubtful.length > 0 ? eb.or([abandoned, ownDoubtful]) : abandoned;
      })
      .limit(limit);
    // Two gateways that look at once get different tasks.
    if (traits.rowLocks) orphans = orphans.forUpdate().skipLocked();
    return db.updateTable('task').set({ owner: this.instance }).where('key', 'in', orphans).returningAll().execute();
  }

  /** Keys of the tasks that are this gateway's. */
  async owned(): Promise<string[]> {
    const rows = await this.#database.sql.selectFrom('task').select('key').where('owner', '=', this.instance).execute();
    return rows.map(({ key }) => unescapeText(key));
  }

  /** Names of the agents that dead gateways' tasks are of. */
  async orphanedAgents(): Promise<string[]> {
    const rows = await this.#database.sql
      .selectFrom('task')
      .select('agent')
      .distinct()
      .where('owner', 'is not', null)
      .where('owner', 'not in', ({ selectFrom }) => selectFrom('gateway').select('instance'))
      .execute();
    return rows.map(({ agent }) => unescapeText(agent));
  }

  /** Removes announcements of dead gateways, unless they have announced themselves since they were looked at. */
  async #removeDead(dead: readonly ReplicaHeartbeat[]): Promise<void> {
    if (dead.length === 0) return;
    await this.#database.sql
      .deleteFrom('gateway')
      .where(({ or, and }) => or(dead.map(({ instance, heartbeat }) => and({ instance, heartbeat }))))
      .execute();
  }

  /** Announces this gateway once more. Resolves with the others that are dead. */
  async #beat(): Promise<ReplicaHeartbeat[]> {
    const { sql: db, traits } = this.#database;
    const began = performance.now();
    const announced = await db
      .updateTable('gateway')
      .set({ heartbeat: traits.now })
      .where('instance', '=', this.instance)
      .returning('heartbeat')
      .executeTakeFirst();
    const removed = announced === undefined;
    if (removed && this.#withdrawn) return [];
    const sign = announced ?? (await this.#register());
    // A database of one process has the clock of that process.
    if (sign && !traits.oneProcess) this.#clock.learn(sign.heartbeat, began, performance.now());
    const others = await this.#readOthers();
    const answered = performance.now();
    const silence = answered - this.#lastAnswerAt;
    this.#lastAnswerAt = answered;
    if (silence > allowedSilence) this.#graceUntil = answered + heartbeat.deadAfter;
    if (this.#announced && (removed || silence > heartbeat.deadAfter)) {
      this.#logger?.warn({ ms: Math.round(silence), removed }, 'the store was unreachable');
      this.#onLapsed();
    }
    this.#announced = true;
    const judges = answered - began < promptWithin && answered >= this.#graceUntil;
    return others.filter(
      ({ instance, late }) => (judges && late) || (traits.oneProcess && !localInstances.has(instance)),
    );
  }

  /** The other gateways. None is late that had no time to announce itself since the server was started. */
  async #readOthers(): Promise<ReplicaHeartbeat[]> {
    const { sql: db, traits } = this.#database;
    const rows = await db
      .selectFrom('gateway')
      .select(['instance', 'heartbeat', traits.now.as('now'), traits.serverSince.as('since')])
      .where('instance', '<>', this.instance)
      .execute();
    this.#others = rows.length;
    return rows.map(({ instance, heartbeat: at, now, since }) => ({
      instance,
      heartbeat: at,
      late: now - Math.max(at, since) > heartbeat.deadAfter,
    }));
  }

  async #register(): Promise<Pick<GatewayTable, 'heartbeat'> | undefined> {
    const { sql: db, traits } = this.#database;
    return db
      .insertInto('gateway')
      .values({
        instance: this.instance,
        host: escapeText(hostname()),
        pid: process.pid,
        started_at: this.#startedAt,
        heartbeat: traits.now,
      })
      .onConflict((conflict) => conflict.column('instance').doUpdateSet({ heartbeat: traits.now }))
      .returning('heartbeat')
      .executeTakeFirst();
  }

  /** Says once that heartbeats fail, and once that they do not any more. That the database is away, it says itself. */
  #logHeartbeat(err: unknown): void {
    if (err !== undefined && this.#database.isUnavailable(err)) return;
    if (err !== undefined && !this.#missed) this.#logger?.warn({ err }, 'the heartbeat failed');
    if (err === undefined && this.#missed) this.#logger?.info({}, 'the heartbeat works again');
    this.#missed = err !== undefined;
  }
}
