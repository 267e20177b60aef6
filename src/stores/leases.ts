import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from '../core/ports.ts';
import type { Database } from './database.ts';
import type { GatewayTable, TaskRow } from './schema.ts';
import { escapeText, unescapeText } from './text.ts';

/** Milliseconds between two heartbeats, and without one until a gateway is taken for dead. */
export const heartbeat = { every: 2_000, deadAfter: 8_000 } as const;

/** Milliseconds between two heartbeats that arrive, beyond which others may not have come through either. */
const tolerable = 2 * heartbeat.every;

/** Gateways of this process. Where a database serves one process at a time, all others are dead. */
const running = new Set<string>();

/** Told of what the heartbeat brings to light. */
export interface LeaseListener {
  /** Another gateway is there, after there was none. */
  company(): void;
  /** This gateway was away for so long that what it held may be another's. */
  returned(): void;
}

/**
 * This gateway's announcement, and those of the others. A task under way belongs to a gateway; when that gateway has
 * shown no sign of life for a while, has withdrawn, or ran in another process that has lost the lock of a SQLite file, its
 * tasks may be taken over.
 *
 * Who was silent because the database was away is not dead: neither after the server was started, nor after this
 * gateway could not reach it, is anybody buried before it has had the time to announce itself.
 */
export class Leases {
  /** Name of this gateway in the database: another one each time it is opened. */
  readonly instance: string;
  readonly #database: Database;
  readonly #logger: Logger | undefined;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #missed = false;
  #withdrawn = false;
  /** When the last heartbeat began that arrived; 0 before the first one. */
  #beaten = 0;
  /** Until when nobody is taken for dead. */
  #lenient = 0;
  /** The others, as far as is known. */
  readonly #others = new Set<string>();
  #listener: LeaseListener | undefined;

  constructor(database: Database, instance: string, logger: Logger | undefined) {
    this.#database = database;
    this.instance = escapeText(`${instance}/${randomUUID().slice(0, 8)}`);
    this.#logger = logger;
  }

  /** Announces this gateway and begins its heartbeat. */
  async announce(): Promise<void> {
    running.add(this.instance);
    try {
      await this.#bury();
      await this.#beat();
    } catch (error) {
      running.delete(this.instance);
      throw error;
    }
    this.#timer = setInterval(() => {
      this.#beating ??= this.#beat()
        .then(
          () => this.#noticed(undefined),
          (err: unknown) => this.#noticed(err),
        )
        .finally(() => {
          this.#beating = undefined;
        });
    }, heartbeat.every);
    this.#timer.unref();
  }

  /** Whether no other gateway uses the store, as far as is known. */
  get alone(): boolean {
    return this.#others.size === 0;
  }

  /** At most one listener. */
  listen(listener: LeaseListener): void {
    this.#listener = listener;
  }

  /** Another gateway has been heard of. */
  met(instance: string): void {
    if (instance !== this.instance) this.#know([...this.#others, instance]);
  }

  /** Ends the heartbeat and withdraws the announcement: what is still under way may be taken over at once. */
  async withdraw(): Promise<void> {
    this.#withdrawn = true;
    clearInterval(this.#timer);
    await this.#beating;
    running.delete(this.instance);
    await this.#database.sql.deleteFrom('gateway').where('instance', '=', this.instance).execute();
  }

  /** Milliseconds by the database's clock: a gateway whose last heartbeat was before is late. 0: nobody is. */
  get lateBefore(): RawBuilder<number> {
    const { now, serverSince, integer } = this.#database.traits;
    if (performance.now() < this.#lenient) return sql<number>`cast(0 as ${integer})`;
    const late = sql<number>`${now} - ${sql.lit(heartbeat.deadAfter)}`;
    return sql<number>`case when ${serverSince} < ${late} then ${late} else 0 end`;
  }

  /** Whether a gateway with this announcement is alive. */
  isAlive({ instance, heartbeat }: Pick<GatewayTable, 'instance' | 'heartbeat'>, lateBefore: number): boolean {
    return heartbeat >= lateBefore && (!this.#database.traits.oneProcess || running.has(instance));
  }

  /**
   * Makes tasks under way this gateway's: those of dead gateways, and those in `doubtful` that it owns already without
   * anybody working on them. Resolves with their rows, at most `limit`.
   *
   * @param agents those whose tasks are meant; undefined: all
   */
  async claim(limit: number, doubtful: readonly string[], agents?: readonly string[]): Promise<TaskRow[]> {
    const { sql: db, traits } = this.#database;
    await this.#beat();
    await this.#bury();
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

  /** Removes the announcements of the dead. One that was only silent announces itself again with its next heartbeat. */
  async #bury(): Promise<void> {
    const { sql: db, traits } = this.#database;
    await db
      .deleteFrom('gateway')
      .where((eb) => {
        const late = eb('heartbeat', '<', this.lateBefore);
        return traits.oneProcess ? eb.or([late, eb('instance', 'not in', [...running])]) : late;
      })
      .execute();
  }

  async #beat(): Promise<void> {
    const { sql: db, traits } = this.#database;
    const began = performance.now();
    const { numUpdatedRows } = await db
      .updateTable('gateway')
      .set({ heartbeat: traits.now })
      .where('instance', '=', this.instance)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      if (this.#withdrawn) return;
      await this.#appear();
    }
    if (!traits.oneProcess) {
      const others = db.selectFrom('gateway').select('instance').where('instance', '<>', this.instance);
      this.#know((await others.execute()).map(({ instance }) => instance));
    }
    const before = this.#beaten;
    this.#beaten = Math.max(before, began);
    if (before === 0) return;
    const away = began - before;
    if (away > tolerable) this.#lenient = performance.now() + heartbeat.deadAfter;
    if (away <= heartbeat.deadAfter && numUpdatedRows > 0n) return;
    const buried = numUpdatedRows === 0n;
    this.#logger?.warn({ ms: Math.round(away), buried }, 'this gateway was away from the store');
    this.#listener?.returned();
  }

  async #appear(): Promise<void> {
    const { sql: db, traits } = this.#database;
    await db
      .insertInto('gateway')
      .values({
        instance: this.instance,
        host: escapeText(hostname()),
        pid: process.pid,
        started_at: this.#startedAt,
        heartbeat: traits.now,
      })
      .onConflict((conflict) => conflict.column('instance').doUpdateSet({ heartbeat: traits.now }))
      .execute();
  }

  #know(others: readonly string[]): void {
    const wasAlone = this.alone;
    this.#others.clear();
    for (const other of others) this.#others.add(other);
    if (wasAlone && !this.alone) this.#listener?.company();
  }

  /** Says once that heartbeats fail, and once that they do not any more. That the database is away, it says itself. */
  #noticed(err: unknown): void {
    if (err !== undefined && this.#database.isAway(err)) return;
    if (err !== undefined && !this.#missed) this.#logger?.warn({ err }, 'the heartbeat fails');
    if (err === undefined && this.#missed) this.#logger?.info({}, 'the heartbeat works again');
    this.#missed = err !== undefined;
  }
}
