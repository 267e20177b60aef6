import { type RawBuilder, sql } from 'kysely';
import { isObject } from '../../../core/model/json.ts';
import { readStored, UnreadableRow } from '../../../core/model/stored-form.ts';
import type { CallRecord } from '../../../core/telemetry/call-log.ts';
import { integerIn, textIn, timeIn } from '../../../stores/damaged-rows.ts';
import type { ColumnType, Statement } from '../../../stores/database.ts';
import type { StoreHost } from '../../../stores/extensions.ts';
import { guardWith } from '../../../stores/part-methods.ts';
import { unescapeText } from '../../../stores/text.ts';
import type { CallPosition } from '../../requests.ts';
import { isRefused, type KeptCall } from '../model.ts';
import { numberOf, type Row, slices, stored, upsert } from './rows.ts';

/** Number of calls in one reading. */
const readAtOnce = 500;

/** Selection of kept calls. The caller applies the filters that the database does not know. */
export interface KeptFilter extends Partial<Record<(typeof equalColumns)[number], string | undefined>> {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly behind?: CallPosition | undefined;
  /** Only failed calls, refused requests or slow calls. Absent: all calls. */
  readonly outcome?: 'failed' | 'refused' | 'slow' | undefined;
  /** Whether to select only failed calls and refused requests. */
  readonly failed?: boolean | undefined;
  /** Texts that a call has anywhere, in upper or lower case. */
  readonly texts?: readonly string[];
}

const equalColumns = ['agent', 'principal', 'operation', 'dialect', 'binding', 'error'] as const;

/** Calls of a caller that were deleted since there were too many, all of which arrived before a time. */
export interface TrimmedCalls {
  readonly principal: string;
  readonly count: number;
  /** Time before which the deleted calls arrived: milliseconds since the epoch. */
  readonly until: number;
}

/** The rows of failed and slow calls. */
export class KeptCalls {
  readonly #host: StoreHost;

  constructor(host: StoreHost) {
    this.#host = host;
  }

  /** Returns the statements that insert calls. If a call is stored already, they replace its body. */
  insert(calls: readonly KeptCall[]): Statement[] {
    const { database } = this.#host;
    return slices(calls).map((slice) =>
      upsert(database, 'kept_call', columns, slice.map(rowOf), sql`(at, id) do update set body = excluded.body`),
    );
  }

  /** Yields calls, the latest first, in pages. One that matches in the database may not match the texts: the caller looks. */
  async *list(filter: KeptFilter): AsyncGenerator<readonly KeptCall[]> {
    const { rows, damaged } = this.#host;
    let { behind } = filter;
    for (;;) {
      const found = await rows(sql<Row>`select at, id, body from kept_call
        where ${this.#conditionOf({ ...filter, behind })} order by at desc, id desc limit ${readAtOnce}`);
      yield found.flatMap((row) => damaged.read('kept_call', [row.at, row.id], () => callOf(row)) ?? []);
      const last = found.length < readAtOnce ? undefined : found.at(-1);
      if (!last) return;
      behind = { at: numberOf(last.at), id: String(last.id) };
    }
  }

  #conditionOf({ from, until, behind, outcome, failed, texts = [], ...equal }: KeptFilter): RawBuilder<unknown> {
    const { like, integer } = this.#host.database.traits;
    const conditions = equalColumns.flatMap((name) =>
      equal[name] ? [sql`${sql.ref(name)} = ${stored(equal[name])}`] : [],
    );
    if (from !== undefined) conditions.push(sql`at >= ${Math.ceil(from)}`);
    if (until !== undefined && Number.isFinite(until)) conditions.push(sql`at < ${Math.ceil(until)}`);
    if (behind) conditions.push(sql`(at, id) < (cast(${Math.floor(behind.at)} as ${integer}), ${behind.id})`);
    if (failed) conditions.push(sql`error <> ''`);
    if (outcome !== undefined) conditions.push(outcomes[outcome]);
    for (const text of texts) conditions.push(sql`body ${like} ${patternOf(text)} escape '\\'`);
    return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
  }

  /**
   * Reads the callers of whom `trim` has deleted calls that may have arrived after a time. @param principal '' selects all
   * callers
   */
  async trimmed(principal: string, since: number): Promise<TrimmedCalls[]> {
    const { rows, damaged } = this.#host;
    const found = await rows(sql<Row>`select * from call_trim where at > ${since}
      ${principal === '' ? sql`` : sql`and principal = ${stored(principal)}`}`);
    return found.flatMap((row) => damaged.read('call_trim', [row.principal], () => trimmedOf(row)) ?? []);
  }

  /**
   * Deletes the oldest calls of the callers with the most, where there are more than `most` in all: about `limit`. Resolves with
   * whether there may be more.
   */
  async trim(most: number, limit: number): Promise<boolean> {
    if (!Number.isFinite(most)) return false;
    const { rows } = this.#host;
    const found = await rows(sql<Row>`select principal, count(*) as n from kept_call group by principal`);
    const counts = found.map((row) => ({ principal: String(row.principal), count: numberOf(row.n) }));
    const tooMany = counts.reduce((sum, { count }) => sum + count, 0) - most;
    let left = Math.min(limit, tooMany);
    for (const { principal, count } of excessOf(counts, most)) {
      if (left <= 0) break;
      const size = Math.min(count, left);
      await this.#trimCaller(principal, size);
      left -= size;
    }
    return tooMany > limit;
  }

  /** @param principal as it is stored */
  async #trimCaller(principal: string, count: number): Promise<void> {
    const { database, failure } = this.#host;
    const oldest = sql`select at, id from kept_call where principal = ${principal} order by at, id limit ${count}`;
    await guardWith(failure)(() =>
      database.transaction([
        sql`insert into call_trim (principal, at, count)
          select cast(${principal} as text), max(at) + 1, count(*) from (${oldest}) as oldest having count(*) > 0
          on conflict (principal) do update set at = excluded.at, count = call_trim.count + excluded.count`,
        sql`delete from kept_call where (at, id) in (${oldest})`,
      ]),
    );
  }
}

const trimmedOf = (row: Row): TrimmedCalls => ({
  principal: unescapeText(textIn(row, 'principal')),
  count: integerIn(row, 'count'),
  until: timeIn(row, 'at'),
});

const columns: Readonly<Record<string, ColumnType>> = {
  at: 'bigint',
  id: 'text',
  principal: 'text',
  agent: 'text',
  operation: 'text',
  dialect: 'text',
  binding: 'text',
  error: 'text',
  body: 'text',
  refused: 'bigint',
};

const outcomes = {
  failed: sql`error <> '' and refused = 0`,
  refused: sql`refused = 1`,
  slow: sql`error = ''`,
} as const;

const rowOf = ({ id, record }: KeptCall): Row => ({
  at: record.at,
  id,
  principal: stored(record.principal ?? ''),
  agent: stored(record.agent),
  operation: stored(record.operation ?? ''),
  dialect: stored(record.dialect ?? ''),
  binding: stored(record.binding),
  error: stored(record.error ?? ''),
  body: JSON.stringify(record),
  refused: isRefused(record) ? 1 : 0,
});

/** Members of a stored call that are texts, and members that are numbers. */
const members = {
  string: [
    ...(['principal', 'address', 'agent', 'tenant', 'operation', 'dialect', 'binding', 'status', 'error'] as const),
    ...(['reason', 'taskId', 'taskKey', 'requestId', 'traceId', 'policy', 'refusedBy'] as const),
  ],
  number: ['at', 'ms', 'events', 'losses'],
} as const satisfies Readonly<Record<string, readonly (keyof CallRecord)[]>>;

/** Throws UnreadableRow. */
function callOf(row: Row): KeptCall {
  const record = readStored<CallRecord>('A call', textIn(row, 'body'));
  for (const type of ['string', 'number'] as const) {
    for (const name of members[type]) {
      const value: unknown = record[name];
      if (value !== undefined && typeof value !== type) throw new UnreadableRow(`its ${name} is no ${type}`);
    }
  }
  const { at, lossPaths, decisions = [] } = record;
  const areReadable = isListOf(lossPaths, isText) && isListOf(decisions, isDecision);
  if (at !== timeIn(row, 'at') || !areReadable) throw new UnreadableRow('its body is no call');
  return { id: textIn(row, 'id'), record };
}

const isListOf = (value: unknown, isMember: (member: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isMember);

const isText = (value: unknown): boolean => typeof value === 'string';

const isDecision = (value: unknown): boolean => isObject(value) && isText(value.rule) && isText(value.outcome);

/**
 * Returns a pattern for JSON that contains a text. Other characters than those of ASCII match anything, since databases do not
 * know their upper and lower case.
 */
const patternOf = (text: string): string =>
  `%${JSON.stringify(text.toWellFormed())
    .slice(1, -1)
    .replace(/[\\%_]/g, '\\$&')
    .replace(/[^\x20-\x7e]+/g, '%')}%`;

/** How many calls of each caller are too many, so that at most `most` are left, and none that has fewer than others loses any. */
export function excessOf(
  counts: readonly { readonly principal: string; readonly count: number }[],
  most: number,
): { readonly principal: string; readonly count: number }[] {
  const ordered = counts.toSorted((one, other) => one.count - other.count);
  let left = most;
  let share = Number.POSITIVE_INFINITY;
  for (const [at, { count }] of ordered.entries()) {
    const even = Math.floor(left / (ordered.length - at));
    if (count > even) {
      share = even;
      break;
    }
    left -= count;
  }
  return ordered
    .filter(({ count }) => count > share)
    .map(({ principal, count }) => ({ principal, count: count - share }))
    .reverse();
}
