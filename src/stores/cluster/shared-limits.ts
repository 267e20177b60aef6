import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { BucketGrant } from '../../core/ports/peers.ts';
import type { Database, Prepared, Traits } from '../database.ts';
import { escapeText } from '../text.ts';

/** Milliseconds in which an empty bucket fills. */
const minute = 60_000;
/** Largest number of milliseconds that one statement waits for another. */
const longestWait = 10_000;
/** Characters of a key; a longer one is hashed. */
const maxKey = 256;
/** Buckets per statement. */
const batch = 500;

interface PendingReservation extends Pick<PromiseWithResolvers<BucketGrant>, 'resolve' | 'reject'> {
  readonly key: string;
  readonly want: number;
  readonly each: number;
}

interface ShareRow {
  readonly key: string;
  readonly granted: number;
  readonly wait: number;
}

/**
 * Token buckets that all replicas share. A bucket is one number: the time when it will be full again, by the database's clock.
 * Reservations of one turn of the event loop share a statement, and those that arrive meanwhile share the next one.
 */
export class SharedBuckets {
  readonly #db: Database['sql'];
  readonly #traits: Traits;
  #waiting: PendingReservation[] = [];
  #taking = false;
  readonly #take: Prepared<ShareRow>;

  constructor(database: Database) {
    this.#db = database.sql;
    this.#traits = database.traits;
    this.#take = database.prepare(takeStatement(database));
  }

  /** Implements `Peers.reserve`. Rejects with the driver's errors. */
  reserve(key: string, want: number, perMinute: number): Promise<BucketGrant> {
    const { promise, resolve, reject } = Promise.withResolvers<BucketGrant>();
    const most = Math.floor(perMinute);
    const wanted = { key: bucketKey(key), want: Math.min(want, most), each: minute / perMinute, resolve, reject };
    this.#waiting.push(wanted);
    if (!this.#taking) {
      this.#taking = true;
      setImmediate(() => void this.#takeAll());
    }
    return promise;
  }

  /** Deletes buckets that have been full for a minute: they equal those that do not exist. */
  async expire(): Promise<void> {
    await sql`delete from request_share where regained < ${this.#traits.now} - ${sql.lit(minute)}`.execute(this.#db);
  }

  async #takeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const wanted = this.#next();
      try {
        // Sorting gives every replica the same order, which prevents deadlocks.
        const keys = [...wanted.keys()].toSorted();
        const rows = await this.#take(JSON.stringify(keys.map((key) => wanted.get(key))));
        for (const { key, granted, wait } of rows) {
          wanted.get(key)?.resolve({ granted, wait: granted > 0 ? 0 : Math.max(0, wait) });
        }
      } catch (error) {
        for (const { reject } of wanted.values()) reject(error);
      }
    }
    this.#taking = false;
  }

  /** The reservations for the next statement, which takes from each bucket once: further reservations of one bucket wait. */
  #next(): Map<string, PendingReservation> {
    const wanted = new Map<string, PendingReservation>();
    const left: PendingReservation[] = [];
    for (const each of this.#waiting) {
      if (wanted.size < batch && !wanted.has(each.key)) wanted.set(each.key, each);
      else left.push(each);
    }
    this.#waiting = left;
    return wanted;
  }
}

/** The key of a bucket in the database. */
export const bucketKey = (key: string): string =>
  escapeText(key.length > maxKey ? createHash('sha256').update(key).digest('base64url') : key);

/**
 * Creates missing buckets, full except for the wanted requests, and takes what is available from the others. In the row that the
 * insert proposes, `granted` is the wanted number and `at` the time when the statement began. A statement that waited for another
 * finds a later time in the row. If the clock was set back, a bucket is empty at worst.
 */
function takeStatement({ traits }: Database) {
  const began = sql`(extract(epoch from clock_timestamp()) * 1000)::double precision`;
  const now = sql`case when s."at" < excluded."at" + ${sql.lit(longestWait)} then greatest(s."at", excluded."at")
    else excluded."at" end`;
  const from = sql`least(greatest(s.regained, ${now}), ${now} + ${sql.lit(minute)})`;
  const available = sql`floor((${now} + ${sql.lit(minute)} - ${from}) / excluded."each" + 1e-6)`;
  const granted = sql`cast(greatest(0, least(excluded.granted, ${available})) as bigint)`;
  const wanted = traits.records('w', { key: 'text', want: 'bigint', each: 'double precision' }, sql`${''}`);
  return sql<ShareRow>`
    insert into request_share as s ("key", regained, "each", granted, "at")
    select w."key", n."at" + w.want * w."each", w."each", w.want, n."at"
    from ${wanted} cross join (select ${began} as "at") as n
    order by w."key"
    on conflict ("key") do update set
      regained = ${from} + ${granted} * excluded."each", "each" = excluded."each", granted = ${granted}, "at" = ${now}
    returning "key", granted, regained + "each" - ${sql.lit(minute)} - "at" as wait`;
}
