import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { Logger } from '../../core/ports/logger.ts';
import type { Database } from '../database.ts';
import { newestMigration } from '../migrations/index.ts';
import type { GatewayTable } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';
import type { SharedClock } from './clock.ts';

/** Milliseconds between two heartbeats, and since the last heartbeat until a replica is declared dead. */
export const heartbeat = { every: 2_000, deadAfter: 8_000 } as const;

/**
 * Milliseconds that may pass between the answers to two heartbeats. After a longer gap, the other replicas get time to send
 * theirs.
 */
const allowedSilence = 2 * heartbeat.every;
/**
 * Largest number of heartbeats in progress: one whose answer is lost must not delay the next ones until its connection times out.
 */
const mostBeating = 3;
/**
 * Milliseconds within which a heartbeat must be answered for it to declare other replicas dead. If it was slower, theirs may be
 * delayed, too.
 */
const promptWithin = heartbeat.every;

/** Gateways of this process. If a database serves one process at a time, all other gateways are dead. */
const localInstances = new Set<string>();

export interface LeasesOptions {
  readonly database: Database;
  /** The shared clock, which each heartbeat adjusts. */
  readonly clock: SharedClock;
  /** Name of this gateway; need not be unique. */
  readonly instance: string;
  readonly logger: Logger | undefined;
  /** Time when the store began to open, by `performance.now()`. */
  readonly since: number;
}

type ReplicaHeartbeat = Pick<GatewayTable, 'instance' | 'heartbeat'>;

/**
 * Sends heartbeats. A running task is leased to its owner as long as the owner's heartbeats continue. The tasks of a replica may
 * be taken over if it has sent no heartbeat for a while, has withdrawn, or ran in a process that no longer holds the lock of a
 * SQLite file.
 *
 * A replica whose heartbeats stop because the database is unavailable, or because it was paused, is not dead. After a start of
 * the server or of this gateway, and after a gap in this gateway's own heartbeats, the other replicas get as much time as it
 * takes to declare one dead. Only a heartbeat that is answered promptly declares others dead.
 */
export class Leases {
  /** Name of this gateway in the database; a new one each time the store is opened. */
  readonly instance: string;
  readonly #options: LeasesOptions;
  /** Time of the first heartbeat, by the database's clock. Undefined: there was none yet. */
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #beating = new Set<Promise<void>>();
  #missed = false;
  #withdrawn = false;
  #announced = false;
  /** Time when the last heartbeat was answered. Before the first one: time when the store began to open. */
  #lastAnswerAt: number;
  /** No replica is declared dead before this time. */
  #graceUntil = 0;
  /** The other replicas that have a heartbeat, as last read. */
  others: readonly string[] = [];
  /** Number of the newest step of the schema that all replicas know, as last read. */
  oldestSchema: number = newestMigration;
  #onLapsed: () => void = () => undefined;
  #onOthers: () => void = () => undefined;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.#lastAnswerAt = options.since;
    this.instance = escapeText(`${options.instance}/${randomUUID().slice(0, 8)}`);
  }

  /** Registers this gateway and starts its heartbeat. */
  async announce(): Promise<void> {
    localInstances.add(this.instance);
    try {
      await this.#removeDead(await this.#beat());
    } catch (error) {
      localInstances.delete(this.instance);
      throw error;
    }
    this.#timer = setInterval(() => {
      if (this.#beating.size === mostBeating) return;
      const beating = this.#beat()
        .then(
          () => this.#logHeartbeat(),
          (err: unknown) => this.#logHeartbeat(err),
        )
        .finally(() => this.#beating.delete(beating));
      this.#beating.add(beating);
    }, heartbeat.every);
    this.#timer.unref();
  }

  /** Sets the listener that is called when this gateway's heartbeats stopped for so long that others may have its leases. */
  onLapsed(listener: () => void): void {
    this.#onLapsed = listener;
  }

  /** Sets the listener that is called when the set of other replicas has changed. */
  onOthers(listener: () => void): void {
    this.#onOthers = listener;
  }

  /** Stops the heartbeat and deletes its row: running tasks may be taken over at once. */
  async withdraw(): Promise<void> {
    this.#withdrawn = true;
    clearInterval(this.#timer);
    await Promise.all(this.#beating);
    localInstances.delete(this.instance);
    await this.#options.database.sql.deleteFrom('gateway').where('instance', '=', this.instance).execute();
  }

  /**
   * Takes over running tasks: those of dead replicas, and those in `unconfirmed` that this gateway owns without working on them.
   * Resolves with their keys, at most `limit`.
   *
   * @param agents names of the agents whose tasks are taken over; undefined: all
   */
  async claim(limit: number, unconfirmed: readonly string[], agents?: readonly string[]): Promise<string[]> {
    const { urgent: db, traits } = this.#options.database;
    await this.#removeDead(await this.#beat());
    let orphans = db
      .selectFrom('task')
      .select('task.key')
      .where('owner', 'is not', null)
      .where((eb) => {
        const isLeft = eb('owner', 'not in', eb.selectFrom('gateway').select('instance'));
        const isOwn = eb('owner', '=', this.instance).and('task.key', 'in', unconfirmed.map(escapeText));
        return eb.or([
          agents ? eb.and([isLeft, eb('agent', 'in', agents.map(escapeText))]) : isLeft,
          ...(unconfirmed.length > 0 ? [isOwn] : []),
        ]);
      })
      .limit(limit);
    // Replicas that claim at the same time get different tasks.
    if (traits.rowLocks) orphans = orphans.forUpdate().skipLocked();
    const claimed = db.updateTable('task').set({ owner: this.instance }).where('key', 'in', orphans).returning('key');
    return (await claimed.execute()).map(({ key }) => unescapeText(key));
  }

  /** Keys of the tasks that this gateway owns. */
  async owned(): Promise<string[]> {
    const { urgent: db } = this.#options.database;
    const rows = await db.selectFrom('task').select('key').where('owner', '=', this.instance).execute();
    return rows.map(({ key }) => unescapeText(key));
  }

  /** Whether this replica owns the task. */
  async isOwner(key: string): Promise<boolean> {
    const row = this.#options.database.urgent.selectFrom('task').select('owner').where('key', '=', escapeText(key));
    return (await row.executeTakeFirst())?.owner === this.instance;
  }

  /** Names of the agents whose tasks dead replicas have left. */
  async orphanedAgents(): Promise<string[]> {
    const { rows } = await sql<{ agent: string }>`
      select distinct agent from task
      where owner is not null and owner not in (select instance from gateway)`.execute(this.#options.database.sql);
    return rows.map(({ agent }) => unescapeText(agent));
  }

  /** Deletes heartbeats of dead replicas, unless they have changed since they were read. */
  async #removeDead(dead: readonly ReplicaHeartbeat[]): Promise<void> {
    if (dead.length === 0) return;
    await this.#options.database.urgent
      .deleteFrom('gateway')
      .where(({ or, and }) => or(dead.map(({ instance, heartbeat }) => and({ instance, heartbeat }))))
      .execute();
  }

  /** Sends a heartbeat. Resolves with the other replicas that are dead. */
  async #beat(): Promise<ReplicaHeartbeat[]> {
    const { urgent: db, traits } = this.#options.database;
    const began = performance.now();
    const announced = await db
      .updateTable('gateway')
      .set({ heartbeat: traits.now })
      .where('instance', '=', this.instance)
      .returning('heartbeat')
      .executeTakeFirst();
    const removed = announced === undefined;
    if (removed && this.#withdrawn) return [];
    const row = announced ?? (await this.#register());
    // A database of one process shares that process's clock.
    if (row && !traits.oneProcess) this.#options.clock.learn(row.heartbeat, began, performance.now());
    const others = await this.#readOthers();
    const answered = performance.now();
    const silence = answered - this.#lastAnswerAt;
    this.#lastAnswerAt = answered;
    // A gateway that has just started does not know whether the others could reach the database before.
    if (silence > allowedSilence || !(this.#announced || traits.oneProcess))
      this.#graceUntil = answered + heartbeat.deadAfter;
    if (this.#announced && (removed || silence > heartbeat.deadAfter)) {
      this.#options.logger?.warn({ ms: Math.round(silence), removed }, 'the store was unreachable');
      this.#onLapsed();
    }
    this.#announced = true;
    const mayJudge = answered - began < promptWithin && answered >= this.#graceUntil;
    return others.filter(
      ({ instance, late }) => (mayJudge && late) || (traits.oneProcess && !localInstances.has(instance)),
    );
  }

  /**
   * Reads the other replicas, and whether they are late. None is late before it had time for a heartbeat since the server
   * started.
   */
  async #readOthers() {
    const { urgent: db, traits } = this.#options.database;
    const rows = await db
      .selectFrom('gateway')
      .select(['instance', 'heartbeat', 'schema', traits.now.as('now'), traits.serverSince.as('since')])
      .where('instance', '<>', this.instance)
      .execute();
    const others = rows.map(({ instance }) => instance);
    const isSame = others.length === this.others.length && others.every((other) => this.others.includes(other));
    this.others = others;
    if (!isSame) this.#onOthers();
    // A schema number that cannot be read counts as 0, as for versions that know none.
    this.oldestSchema = Math.min(
      newestMigration,
      ...rows.map(({ schema }) => (Number.isSafeInteger(schema) ? schema : 0)),
    );
    return rows.map(({ now, since, schema: _, ...row }) => ({
      ...row,
      // A heartbeat that is not a number is never renewed.
      late: !(now - Math.max(row.heartbeat, since) <= heartbeat.deadAfter),
    }));
  }

  async #register(): Promise<Pick<GatewayTable, 'heartbeat'> | undefined> {
    const { urgent: db, traits } = this.#options.database;
    const identity = { instance: this.instance, host: escapeText(hostname()), pid: process.pid };
    const row = await db
      .insertInto('gateway')
      .values({
        ...identity,
        started_at: this.#startedAt ?? traits.now,
        heartbeat: traits.now,
        schema: newestMigration,
      })
      .onConflict((conflict) => conflict.column('instance').doUpdateSet({ heartbeat: traits.now }))
      .returning('heartbeat')
      .executeTakeFirst();
    this.#startedAt ??= row?.heartbeat;
    return row;
  }

  /** Logs the first heartbeat that fails, unless the database is unavailable, and the first one that succeeds again. */
  #logHeartbeat(err?: unknown): void {
    if (err !== undefined && this.#options.database.isUnavailable(err)) return;
    if (err !== undefined && !this.#missed) this.#options.logger?.warn({ err }, 'the heartbeat failed');
    if (err === undefined && this.#missed) this.#options.logger?.info({}, 'the heartbeat works again');
    this.#missed = err !== undefined;
  }
}
