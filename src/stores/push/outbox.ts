import { type CompiledQuery, sql } from 'kysely';
import { readStored, unreadable } from '../../core/model/stored-form.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { Delivery, DeliveryQuery, DeliveryReport } from '../../core/ports/push-store.ts';
import type { SharedClock } from '../cluster/clock.ts';
import { integerIn } from '../damaged-rows.ts';
import { type Database, type Statement, type Traits, transactionPerTurn } from '../database.ts';
import type { PushConfigRow, TaskRow } from '../schema.ts';
import { escapeText, unescapeOwner, unescapeText } from '../text.ts';

/** Largest number of unreadable configurations that are remembered. */
const mostLeftOut = 500;
/** Number of task keys in one statement. */
const keysAtOnce = 200;

/**
 * Deliveries to webhooks: claims them, and records their progress.
 *
 * @param instance this gateway's name in rows
 */
export class PushDeliveries {
  readonly #database: Database;
  readonly #instance: string;
  readonly #clock: SharedClock;
  readonly #damaged: DamagedRows;
  readonly #db: Database['sql'];
  readonly #traits: Traits;
  readonly #reportQuery: CompiledQuery;
  readonly #deadQuery: CompiledQuery;
  readonly #write: (...statements: Statement[]) => Promise<number[]>;
  /** Configurations that this version cannot read: they are left to other replicas, and not claimed again. */
  readonly #leftOut = new Map<string, readonly [key: string, id: string]>();

  constructor(database: Database, instance: string, clock: SharedClock, damaged: DamagedRows) {
    this.#database = database;
    this.#instance = instance;
    this.#clock = clock;
    this.#damaged = damaged;
    this.#db = database.sql;
    this.#traits = database.traits;
    this.#reportQuery = reportStatement(this.#traits).compile(this.#db);
    this.#deadQuery = deadStatement(this.#traits).compile(this.#db);
    this.#write = transactionPerTurn(database);
  }

  async claimDeliveries({ of, limit, except }: DeliveryQuery): Promise<Delivery[]> {
    if (typeof of === 'string') return this.#claim(of, limit, except);
    const claimed: Delivery[] = [];
    for (let at = 0; at < of.length && claimed.length < limit; at += keysAtOnce) {
      claimed.push(...(await this.#claim(of.slice(at, at + keysAtOnce), limit - claimed.length, except)));
    }
    return claimed;
  }

  async reportDelivery(delivery: Delivery, report: DeliveryReport): Promise<boolean> {
    const { cursor, attempts, keep, delay, stop, failure, dead } = report;
    const id = [escapeText(delivery.key), escapeText(delivery.config.id), delivery.lease];
    const statements: CompiledQuery[] = [];
    if (dead) {
      const values = [dead.seq, dead.last, escapeText(failure ?? ''), this.#clock.now()];
      statements.push({ ...this.#deadQuery, parameters: [...values, ...id] });
    }
    const reason = failure === undefined ? null : escapeText(failure);
    const values = [cursor, attempts, delay === undefined ? null : Math.round(delay), stop ? 0 : 1, keep ? 1 : 0];
    statements.push({ ...this.#reportQuery, parameters: [...values, reason, ...id, cursor] });
    return (await this.#write(...statements)).at(-1) === 1;
  }

  async releaseDeliveries(isHeld: (key: string, id: string, lease: number) => boolean): Promise<void> {
    const { rows } = await sql<Pick<PushConfigRow, 'key' | 'id' | 'lease'>>`
      select key, id, lease from push_config where owner = ${this.#instance}`.execute(this.#db);
    const lost = rows.filter(({ key, id, lease }) => !isHeld(unescapeText(key), unescapeText(id), lease));
    await this.#database.transaction(
      lost.map(
        ({ key, id, lease }) =>
          sql`update push_config set owner = null where key = ${key} and id = ${id} and lease = ${lease}`,
      ),
    );
  }

  async #claim(
    of: readonly string[] | 'due' | 'left',
    limit: number,
    except: DeliveryQuery['except'],
  ): Promise<Delivery[]> {
    // Replicas that claim at the same time get different ones.
    const skipLocked = this.#traits.rowLocks ? sql`for update of push_config skip locked` : sql``;
    const isDue = sql`push_config.due_at <= ${this.#traits.now}`;
    const isWanted =
      of === 'due'
        ? isDue
        : of === 'left'
          ? sql`push_config.due_at is null`
          : sql`push_config.key in (${sql.join(of.map(escapeText))}) and (push_config.due_at is null or ${isDue})`;
    const excepted = except.map(({ receiver, principal }) => sql`(${escapeText(receiver)}, ${escapeText(principal)})`);
    const isExcepted = sql`(push_config.receiver, push_config.principal) in (values ${sql.join(excepted)})`;
    const skipped = [...this.#leftOut.values()].map(([key, id]) => sql`(${key}, ${id})`);
    const isLeftOut = sql`(push_config.key, push_config.id) in (values ${sql.join(skipped)})`;
    const { rows } = await sql<ClaimedRow>`
      update push_config set owner = ${this.#instance}, lease = lease + 1
      where (key, id) in (
        select push_config.key, push_config.id from push_config join task on task.key = push_config.key
        where push_config.active = 1 and push_config.cursor < task.seq
          and (push_config.owner is null or push_config.owner not in (select instance from gateway))
          and ${isWanted} ${except.length > 0 ? sql`and not ${isExcepted}` : sql``}
          ${skipped.length > 0 ? sql`and not ${isLeftOut}` : sql``}
        ${of === 'due' ? sql`order by push_config.due_at` : sql``} limit ${limit}
        ${skipLocked})
      returning *, (select trace from task where task.key = push_config.key) as trace`.execute(this.#db);
    const claimed = rows.map(
      (row) => this.#damaged.read('push_config', [row.key, row.id], () => deliveryOf(row)) ?? row,
    );
    const deliveries = claimed.filter((each): each is Delivery => 'config' in each);
    if (deliveries.length < rows.length)
      await this.#leaveOut(claimed.filter((each): each is ClaimedRow => 'body' in each));
    return deliveries;
  }

  /** Releases the deliveries that this version cannot read. */
  async #leaveOut(rows: readonly ClaimedRow[]): Promise<void> {
    for (const { key, id } of rows) {
      const [oldest] = this.#leftOut.size >= mostLeftOut ? this.#leftOut.keys() : [];
      if (oldest !== undefined) this.#leftOut.delete(oldest);
      this.#leftOut.set(`${key}\n${id}`, [key, id]);
    }
    await this.#database.transaction(
      rows.map(
        ({ key, id, lease }) =>
          sql`update push_config set owner = null where key = ${key} and id = ${id} and lease = ${lease}`,
      ),
    );
  }
}

/**
 * Its parameters: cursor, attempts, delay, active, whether the lease is kept, failure; key, id, lease, cursor. A report whose
 * answer was lost may be executed after later reports with the same lease, and changes nothing then.
 */
const reportStatement = ({ now, integer }: Traits) => sql`
  update push_config set cursor = ${null}, attempts = ${null}, due_at = ${now} + cast(${null} as ${integer}),
    active = ${null}, owner = case when cast(${null} as ${integer}) = 1 then owner end, failure = ${null}
  where key = ${null} and id = ${null} and lease = ${null} and cursor <= ${null}`;

/** Its parameters: first and last position, reason, time; key, id, lease. */
const deadStatement = ({ integer }: Traits) => sql`
  insert into push_dead (key, id, seq, last_seq, receiver, reason, at)
  select key, id, cast(${null} as ${integer}), cast(${null} as ${integer}), receiver, cast(${null} as text),
    cast(${null} as ${integer})
  from push_config where key = ${null} and id = ${null} and lease = ${null}
  on conflict do nothing`;

type ClaimedRow = PushConfigRow & Pick<TaskRow, 'trace'>;

function deliveryOf(row: ClaimedRow): Delivery {
  const config = readConfig(row.body);
  return {
    key: unescapeText(row.key),
    owner: unescapeOwner(row),
    config,
    dialect: unescapeText(row.dialect),
    receiver: unescapeText(row.receiver) || receiverOf(config.url),
    cursor: integerIn(row, 'cursor'),
    attempts: integerIn(row, 'attempts'),
    since: integerIn(row, 'since'),
    hops: integerIn(row, 'hops'),
    ...(typeof row.trace === 'string' && { trace: row.trace }),
    lease: integerIn(row, 'lease'),
  };
}

/** Scheme, host and port of a webhook; the whole text if it is not a URL. */
export const receiverOf = (url: string): string => URL.parse(url)?.origin ?? url;

/** @throws A2AError `unavailable` for a configuration that cannot be read */
export function readConfig(text: string): Delivery['config'] {
  const config = readStored<Delivery['config']>('A webhook', text);
  if (typeof config.url === 'string' && typeof config.id === 'string') return config;
  throw unreadable('A webhook', 'it has no URL or no id');
}
