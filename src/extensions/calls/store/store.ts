import { sql } from 'kysely';
import { textIn, timeIn } from '../../../stores/damaged-rows.ts';
import type { Statement } from '../../../stores/database.ts';
import type { StoreHost } from '../../../stores/extensions.ts';
import { guardWith } from '../../../stores/part-methods.ts';
import { type RefusedRow, writeRows } from '../../../stores/refused-rows.ts';
import { unescapeText } from '../../../stores/text.ts';
import { type KeptCall, minuteMs, type NumberFilter, type TimeRange } from '../model.ts';
import { KeptCalls } from './calls.ts';
import { MinuteNumbers, type StoredNumbers } from './numbers.ts';
import { type Row, stored } from './rows.ts';
import { keptCalls, tables } from './tables.ts';

/** One run of a replica, and the time up to which all of its calls and numbers are stored. Times by the store's clock. */
export interface Instance {
  /** Random id of the run (`CallLog.instance`). */
  readonly instance: string;
  /** Id of the replica. '': it is the only one. */
  readonly replica: string;
  readonly beganAt: number;
  readonly storedAt: number;
  /** Undefined: the run has not ended, or no other replica has noticed its end. */
  readonly endedAt: number | undefined;
}

/** Number of failed and slow calls of one caller that are missing from the store. */
export interface LeftOut {
  readonly principal: string;
  readonly count: number;
  /** Time before which these calls arrived: milliseconds since the epoch. */
  readonly until: number;
}

/** Row that a replica stores: a call, or the numbers of a minute. */
export type CallRow = KeptCall | StoredNumbers;

const isCall = (row: CallRow): row is KeptCall => 'record' in row;
const isNumbers = (row: CallRow): row is StoredNumbers => !isCall(row);

/** Opens the tables of calls in the store (`Store.extend`). */
export async function openCallStore(host: StoreHost): Promise<CallStore> {
  await host.migrate('calls', [keptCalls]);
  return new CallStore(host);
}

/** Opens a look at whether calls were ever kept (`Store.extend`). */
export async function openFormerCalls({ has, rows }: StoreHost) {
  return {
    /** Deletes all rows, since the configuration no longer keeps calls. */
    async clear(): Promise<void> {
      if (!(await has(keptCalls))) return;
      for (const table of tables) await rows(sql`delete from ${sql.table(table)}`);
    },
  };
}

/** Stored calls and numbers of all replicas, and the runs of these replicas. */
export class CallStore {
  readonly #host: StoreHost;
  readonly calls: KeptCalls;
  readonly numbers: MinuteNumbers;

  constructor(host: StoreHost) {
    this.#host = host;
    this.calls = new KeptCalls(host);
    this.numbers = new MinuteNumbers(host);
  }

  /**
   * Stores calls and numbers of a replica in one transaction: durable when it resolves. Rows with equal keys are replaced.
   *
   * @returns the rows that the database refuses. All others are stored
   */
  async store(instance: Instance, rows: readonly CallRow[]): Promise<RefusedRow<CallRow>[]> {
    const { database, failure } = this.#host;
    return guardWith(failure)(() =>
      writeRows(database, rows, (part) =>
        database.transaction([
          upsertInstance(instance),
          ...this.calls.insert(part.filter(isCall)),
          ...this.numbers.insert(instance.instance, part.filter(isNumbers)),
        ]),
      ),
    );
  }

  /** Reads the runs of all replicas that have stored calls. Runs that ended long ago are deleted. */
  async instances(): Promise<Instance[]> {
    const { rows, damaged } = this.#host;
    const found = await rows(sql<Row>`select * from call_instance order by began_at, instance`);
    return found.flatMap((row) => damaged.read('call_instance', [row.instance], () => instanceOf(row)) ?? []);
  }

  /**
   * Stores the ends of runs, except of runs that have stored rows at or after `storedBefore`. Times by the store's clock.
   *
   * @param ends times by the ids of runs
   */
  async noteEnds(ends: ReadonlyMap<string, number>, storedBefore: number): Promise<void> {
    for (const [instance, endedAt] of ends) {
      await this.#host.rows(sql`update call_instance set ended_at = ${endedAt}
        where ended_at is null and instance = ${instance} and stored_at < ${storedBefore}`);
    }
  }

  /**
   * Counts the failed and slow calls of each caller that match the filter but are missing from the store. The caller with the
   * most comes first.
   */
  async leftOut(filter: NumberFilter, range: TimeRange): Promise<LeftOut[]> {
    const notTaken = await this.numbers.notTaken(filter, range);
    const byCaller = new Map(
      notTaken.map(({ principal, count, minute }) => [principal, { principal, count, until: minute + minuteMs }]),
    );
    for (const { principal, count, until } of await this.calls.trimmed(filter.principal, range.from)) {
      const known = byCaller.get(principal);
      byCaller.set(principal, {
        principal,
        count: (known?.count ?? 0) + count,
        until: Math.max(known?.until ?? 0, until),
      });
    }
    return [...byCaller.values()].sort((one, other) => other.count - one.count);
  }

  /** Deletes about `limit` rows from before a time. Resolves with whether there may be more. */
  async expire(before: number, limit: number): Promise<boolean> {
    const { database, failure } = this.#host;
    // The calls of a minute that began later are not all from before the time.
    const lastMinute = before - minuteMs;
    const changed = await guardWith(failure)(() =>
      database.transaction([
        sql`delete from kept_call where (at, id) in (select at, id from kept_call where at < ${before} order by at limit ${limit})`,
        sql`delete from call_numbers where minute < (
          select max(minute) + 1 from (select minute from call_numbers where minute <= ${lastMinute} order by minute limit ${limit}) as old)`,
        sql`delete from call_instance where ended_at < ${before}`,
        sql`delete from call_trim where at < ${before}`,
      ]),
    );
    return changed.some((count) => count >= limit);
  }

  /**
   * Deletes about `limit` rows of each kind that a principal has from before a time. Resolves with the numbers of deleted rows.
   */
  async erase(principal: string, before: number, limit: number): Promise<{ calls: number; numbers: number }> {
    const { database, failure } = this.#host;
    const name = stored(principal);
    const key = sql`minute, instance, agent, principal, dialect`;
    const [calls = 0, numbers = 0] = await guardWith(failure)(() =>
      database.transaction([
        sql`delete from kept_call where (at, id) in (
          select at, id from kept_call where principal = ${name} and at <= ${before} limit ${limit})`,
        sql`delete from call_numbers where (${key}) in (
          select ${key} from call_numbers where principal = ${name} and minute <= ${before} limit ${limit})`,
        sql`delete from call_trim where principal = ${name} and at <= ${before + 1}`,
      ]),
    );
    return { calls, numbers };
  }
}

const instanceOf = (row: Row): Instance => ({
  instance: textIn(row, 'instance'),
  replica: unescapeText(textIn(row, 'replica')),
  beganAt: timeIn(row, 'began_at'),
  storedAt: timeIn(row, 'stored_at'),
  endedAt: row.ended_at === null ? undefined : timeIn(row, 'ended_at'),
});

/** If the row exists, it keeps the time at which the run began. */
const upsertInstance = ({ instance, replica, beganAt, storedAt, endedAt }: Instance): Statement => sql`
  insert into call_instance (instance, replica, began_at, stored_at, ended_at)
  values (${instance}, ${stored(replica)}, ${beganAt}, ${storedAt}, ${endedAt ?? null})
  on conflict (instance) do update set replica = excluded.replica, stored_at = excluded.stored_at,
    ended_at = excluded.ended_at`;
