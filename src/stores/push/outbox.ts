import { type CompiledQuery, type SqlBool, sql } from 'kysely';
import type { Delivery, DeliveryQuery, DeliveryReport } from '../../core/ports/push-store.ts';
import type { SharedClock } from '../cluster/clock.ts';
import type { Database } from '../database.ts';
import type { PushConfigRow } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';

/** Task keys per statement. */
const keysAtOnce = 200;

/** Deliveries to webhooks: claims them, and records their progress. */
export class PushDeliveries {
  readonly #database: Database;
  readonly #instance: string;
  readonly #clock: SharedClock;
  #statements: { readonly report: CompiledQuery; readonly dead: CompiledQuery } | undefined;
  /** The statements of this turn of the event loop, which share one transaction, and the rows that each changed. */
  #pending: { readonly statements: CompiledQuery[]; readonly changed: Promise<number[]> } | undefined;

  /** @param instance this gateway's name in rows */
  constructor(database: Database, instance: string, clock: SharedClock) {
    this.#clock = clock;
    this.#database = database;
    this.#instance = instance;
  }

  async claim({ of, limit, except }: DeliveryQuery): Promise<Delivery[]> {
    if (typeof of === 'string') return this.#claim(of, limit, except);
    const claimed: Delivery[] = [];
    for (let at = 0; at < of.length && claimed.length < limit; at += keysAtOnce) {
      claimed.push(...(await this.#claim(of.slice(at, at + keysAtOnce), limit - claimed.length, except)));
    }
    return claimed;
  }

  async report(delivery: Delivery, report: DeliveryReport): Promise<boolean> {
    const { cursor, attempts, keep, delay, stop, failure, dead } = report;
    const id = [escapeText(delivery.key), escapeText(delivery.config.id), delivery.lease];
    this.#statements ??= this.#prepare();
    this.#pending ??= this.#batch();
    const { statements, changed } = this.#pending;
    if (dead) {
      const values = [dead.seq, dead.last, escapeText(failure ?? ''), this.#clock.now()];
      statements.push({ ...this.#statements.dead, parameters: [...values, ...id] });
    }
    const written = failure === undefined ? null : escapeText(failure);
    const values = [cursor, attempts, delay === undefined ? null : Math.round(delay), stop ? 0 : 1, keep ? 1 : 0];
    const at = statements.push({ ...this.#statements.report, parameters: [...values, written, ...id] }) - 1;
    return (await changed)[at] === 1;
  }

  async release(isHeld: (key: string, id: string, lease: number) => boolean): Promise<void> {
    const db = this.#database.sql;
    const rows = await db
      .selectFrom('push_config')
      .select(['key', 'id', 'lease'])
      .where('owner', '=', this.#instance)
      .execute();
    const lost = rows.filter(({ key, id, lease }) => !isHeld(unescapeText(key), unescapeText(id), lease));
    await this.#database.transaction(
      lost.map(({ key, id, lease }) =>
        db
          .updateTable('push_config')
          .set({ owner: null })
          .where('key', '=', key)
          .where('id', '=', id)
          .where('lease', '=', lease)
          .compile(),
      ),
    );
  }

  async #claim(of: readonly string[] | 'due' | 'left', limit: number, except: readonly string[]): Promise<Delivery[]> {
    const { sql: db, traits } = this.#database;
    let wanted = db
      .selectFrom('push_config')
      .innerJoin('task', 'task.key', 'push_config.key')
      .select(['push_config.key', 'push_config.id'])
      .where('push_config.active', '=', 1)
      .whereRef('push_config.cursor', '<', 'task.seq')
      .where(({ or, eb, selectFrom }) =>
        or([
          eb('push_config.owner', 'is', null),
          eb('push_config.owner', 'not in', selectFrom('gateway').select('instance')),
        ]),
      )
      .limit(limit);
    const isDue = sql<SqlBool>`push_config.due_at <= ${traits.now}`;
    if (of === 'due') wanted = wanted.where(isDue).orderBy('push_config.due_at');
    else if (of === 'left') wanted = wanted.where('push_config.due_at', 'is', null);
    else {
      wanted = wanted
        .where('push_config.key', 'in', of.map(escapeText))
        .where(({ or, eb }) => or([eb('push_config.due_at', 'is', null), isDue]));
    }
    if (except.length > 0) wanted = wanted.where('push_config.receiver', 'not in', except.map(escapeText));
    // Replicas that claim at the same time get different ones.
    if (traits.rowLocks) wanted = wanted.forUpdate('push_config').skipLocked();
    const rows = await db
      .updateTable('push_config')
      .set(({ eb }) => ({ owner: this.#instance, lease: eb('lease', '+', 1) }))
      .where(({ eb, refTuple }) => eb(refTuple('key', 'id'), 'in', wanted.$asTuple('key', 'id')))
      .returningAll()
      .execute();
    return rows.map(deliveryOf);
  }

  /** Kysely compiles the statements once; the values come later, in the order of the placeholders. */
  #prepare(): { readonly report: CompiledQuery; readonly dead: CompiledQuery } {
    const { sql: db, traits } = this.#database;
    const mark = sql<never>`${null}`;
    const report = db
      .updateTable('push_config')
      .set({
        cursor: mark,
        attempts: mark,
        due_at: sql`${traits.now} + cast(${null} as ${traits.integer})`,
        active: mark,
        owner: sql`case when cast(${null} as ${traits.integer}) = 1 then owner end`,
        failure: mark,
      })
      .where('key', '=', '')
      .where('id', '=', '')
      .where('lease', '=', 0)
      .compile();
    const value = (type: typeof traits.text) => sql<never>`cast(${null} as ${type})`;
    const dead = db
      .insertInto('push_dead')
      .columns(['key', 'id', 'seq', 'last_seq', 'receiver', 'reason', 'at'])
      .expression(({ selectFrom }) =>
        selectFrom('push_config')
          .select(['key', 'id', value(traits.integer).as('seq'), value(traits.integer).as('last_seq'), 'receiver'])
          .select([value(sql`text`).as('reason'), value(traits.integer).as('at')])
          .where('key', '=', '')
          .where('id', '=', '')
          .where('lease', '=', 0),
      )
      .onConflict((conflict) => conflict.doNothing())
      .compile();
    return { report, dead };
  }

  #batch(): { readonly statements: CompiledQuery[]; readonly changed: Promise<number[]> } {
    const statements: CompiledQuery[] = [];
    const write = async (): Promise<number[]> => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      this.#pending = undefined;
      return this.#database.transaction(statements);
    };
    return { statements, changed: write() };
  }
}

function deliveryOf(row: PushConfigRow): Delivery {
  const config = JSON.parse(row.body) as Delivery['config'];
  return {
    key: unescapeText(row.key),
    owner: {
      agent: unescapeText(row.agent),
      tenant: unescapeText(row.tenant),
      principal: unescapeText(row.principal),
    },
    config,
    dialect: row.dialect,
    receiver: unescapeText(row.receiver) || receiverOf(config.url),
    cursor: row.cursor,
    attempts: row.attempts,
    since: row.since,
    hops: row.hops,
    lease: row.lease,
  };
}

/** Scheme, host and port of a webhook; the whole text if it is no URL. */
export const receiverOf = (url: string): string => URL.parse(url)?.origin ?? url;
