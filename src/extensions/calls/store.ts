import { type Kysely, type RawBuilder, sql } from 'kysely';
import { readStored, UnreadableRow } from '../../core/model/stored-form.ts';
import type { CallRecord } from '../../core/telemetry/call-log.ts';
import { textIn } from '../../stores/damaged-rows.ts';
import type { ColumnType, Statement, Traits } from '../../stores/database.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { type Migration, required } from '../../stores/migrations/step.ts';
import { guardWith } from '../../stores/part-methods.ts';
import type { Tables } from '../../stores/schema.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';
import type { CallPosition } from '../requests.ts';
import {
  bounds,
  countNames,
  type KeptCall,
  minuteMs,
  type NumberFilter,
  type NumberKey,
  type TimeRange,
} from './model.ts';

const countColumns = ['calls', 'failed', 'refused', 'tasks_ended', 'tasks_failed', 'left_out'] as const;
/** One more than there are bounds. Null counts as 0. */
const bucketColumns = [...bounds, Number.POSITIVE_INFINITY].map((_, at) => `b${at}`);
/** The values of `Numbers`, in their order. */
const valueColumns: readonly string[] = [...countColumns, ...bucketColumns];

/**
 * Replicas with the times of what they stored, failed and slow calls, numbers of minutes, and callers whose oldest calls were deleted
 * since there were too many of them.
 */
export const keptCalls: Migration = {
  number: 40,
  name: 'calls and their numbers',
  async up(db, traits) {
    await createCallTables(db, traits);
    await createNumberTables(db, traits);
  },
};

async function createCallTables({ schema }: Kysely<Tables>, { text, integer, clustered }: Traits): Promise<void> {
  await schema
    .createTable('call_instance')
    .$call(required(text, 'instance', 'replica'))
    .$call(required(integer, 'began_at', 'stored_at'))
    .addColumn('ended_at', integer)
    .addPrimaryKeyConstraint('call_instance_pkey', ['instance'])
    .modifyEnd(clustered)
    .execute();
  await schema
    .createTable('kept_call')
    .$call(required(integer, 'at'))
    .$call(required(text, 'id', 'principal', 'agent', 'operation', 'dialect', 'binding', 'error', 'body'))
    .$call(required(integer, 'refused'))
    .addPrimaryKeyConstraint('kept_call_pkey', ['at', 'id'])
    .modifyEnd(clustered)
    .execute();
  await schema.createIndex('kept_call_principal').on('kept_call').columns(['principal', 'at', 'id']).execute();
}

async function createNumberTables(db: Kysely<Tables>, { text, integer, clustered }: Traits): Promise<void> {
  const numbers = db.schema
    .createTable('call_numbers')
    .$call(required(integer, 'minute'))
    .$call(required(text, 'instance', 'agent', 'principal', 'dialect'))
    .$call(required(integer, ...countColumns));
  await bucketColumns
    .reduce((table, name) => table.addColumn(name as 'b0', integer), numbers as typeof numbers)
    .addPrimaryKeyConstraint('call_numbers_pkey', [
      ...(['minute', 'instance', 'agent', 'principal', 'dialect'] as const),
    ])
    .modifyEnd(clustered)
    .execute();
  await sql`create index call_numbers_left_out on call_numbers (minute) where left_out > 0`.execute(db);
  await db.schema
    .createTable('call_trim')
    .$call(required(text, 'principal'))
    .$call(required(integer, 'at', 'count'))
    .addPrimaryKeyConstraint('call_trim_pkey', ['principal'])
    .modifyEnd(clustered)
    .execute();
}

/** Rows of one statement. */
const atOnce = 200;
/** Calls that are read at once. */
const readAtOnce = 500;
/** Milliseconds of the minutes that are summed up at once: in between, others use the database. */
const summedAtOnce = 2 * 3_600_000;

/** A replica, from its start to its end, with the time up to which all of its calls and numbers are stored. By the store's clock. */
export interface Instance {
  /** Random id of its run (`CallLog.instance`). */
  readonly instance: string;
  /** Id of the replica; '' where there is one alone. */
  readonly replica: string;
  readonly beganAt: number;
  readonly storedAt: number;
  /** Undefined: it has not ended, or others have not noticed. */
  readonly endedAt: number | undefined;
}

/** Numbers of one minute, as they are stored: they replace what the instance has stored before. */
export interface StoredNumbers extends NumberKey {
  readonly values: ArrayLike<number>;
}

/** Sums of numbers with the same values of `by`. */
export interface NumberSum {
  /** Step of the range; 0 without steps. */
  readonly step: number;
  readonly agent: string;
  readonly principal: string;
  readonly dialect: string;
  /** In the order of `Numbers.values`. */
  readonly values: readonly number[];
}

/** The calls that are looked for. Filters that the database does not know are the caller's. */
export interface KeptFilter extends Partial<Record<(typeof equalColumns)[number], string | undefined>> {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly behind?: CallPosition | undefined;
  /** Only failed calls, refused requests, or slow calls. Absent: any. */
  readonly outcome?: 'failed' | 'refused' | 'slow' | undefined;
  /** Whether only failed calls and refused requests are meant. */
  readonly failed?: boolean | undefined;
  /** Texts that a call has somewhere, in any case. */
  readonly texts?: readonly string[];
}

const equalColumns = ['agent', 'principal', 'operation', 'dialect', 'binding', 'error'] as const;

/** Calls of one caller that are not in the store, since there were too many. */
export interface LeftOut {
  readonly principal: string;
  readonly count: number;
  /** Milliseconds since the epoch: all of them arrived before. */
  readonly until: number;
}

/** Opens the tables of calls in the store (`Store.extend`). */
export async function openKeptCalls(host: StoreHost): Promise<KeptCalls> {
  await host.migrate('calls', [keptCalls]);
  return new KeptCalls(host);
}

/** Opens the question whether calls were ever kept (`Store.extend`). */
export async function openFormerCalls({ has, rows }: StoreHost) {
  return {
    /** Deletes everything, since the configuration keeps nothing any more. */
    async clear(): Promise<void> {
      if (!(await has(keptCalls))) return;
      for (const table of tables) await rows(sql`delete from ${sql.table(table)}`);
    },
  };
}

const tables = ['kept_call', 'call_numbers', 'call_instance', 'call_trim'] as const;

type Row = Readonly<Record<string, unknown>>;

/** Text as it is stored. PostgreSQL's JSON has no half of a character. */
const stored = (text: string): string => escapeText(text.toWellFormed());

/** A number that the database computed: PostgreSQL's driver has some as text. */
const numberOf = (value: unknown): number => Number(value ?? 0) || 0;

/** Members of a stored call that are texts, and those that are numbers. */
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
  if (record.at !== numberOf(row.at) || !Array.isArray(record.lossPaths))
    throw new UnreadableRow('its body is no call');
  return { id: textIn(row, 'id'), record };
}

/** The rows of calls and their numbers, to which all replicas add. */
export class KeptCalls {
  readonly #host: StoreHost;

  constructor(host: StoreHost) {
    this.#host = host;
  }

  /**
   * Stores calls and numbers of a replica in one transaction: durable when it resolves. Calls and numbers with the same keys are
   * replaced.
   */
  async store(instance: Instance, calls: readonly KeptCall[], numbers: readonly StoredNumbers[]): Promise<void> {
    const { database, failure } = this.#host;
    const statements: Statement[] = [
      ...slices(calls).map((slice) => this.#insertCalls(slice)),
      ...slices(numbers).map((slice) => this.#insertNumbers(instance.instance, slice)),
      upsertInstance(instance),
    ];
    await guardWith(failure)(() => database.transaction(statements));
  }

  #insertCalls(calls: readonly KeptCall[]): Statement {
    const records = calls.map(({ id, record }) => ({
      at: record.at,
      id,
      principal: stored(record.principal ?? ''),
      agent: stored(record.agent),
      operation: stored(record.operation ?? ''),
      dialect: stored(record.dialect ?? ''),
      binding: stored(record.binding),
      error: stored(record.error ?? ''),
      body: JSON.stringify(record),
      refused: record.ms === undefined ? 1 : 0,
    }));
    return this.#insert('kept_call', callColumns, records, sql`(at, id) do update set body = excluded.body`);
  }

  #insertNumbers(instance: string, numbers: readonly StoredNumbers[]): Statement {
    const records = numbers.map(({ minute, agent, principal, dialect, values }) => ({
      minute,
      instance,
      agent: stored(agent),
      principal: stored(principal),
      dialect: stored(dialect),
      ...Object.fromEntries(valueColumns.map((name, at) => [name, valueAt(values, at)])),
    }));
    const replaced = sql.join(valueColumns.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`));
    return this.#insert(
      'call_numbers',
      numberColumns,
      records,
      sql`(minute, instance, agent, principal, dialect) do update set ${replaced}`,
    );
  }

  #insert(
    table: string,
    columns: Readonly<Record<string, ColumnType>>,
    records: readonly object[],
    conflict: RawBuilder<unknown>,
  ): Statement {
    const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
    const source = this.#host.database.traits.records('r', columns, sql`${JSON.stringify(records)}`);
    return sql`insert into ${sql.table(table)} (${names}) select ${names} from ${source} where 1 = 1 on conflict ${conflict}`;
  }

  /** The numbers of an instance with these keys, as far as the store has them. */
  async numbersOf(instance: string, keys: readonly NumberKey[]): Promise<StoredNumbers[]> {
    const found: StoredNumbers[] = [];
    for (const slice of slices(keys)) {
      const wanted = sql.join(
        slice.map(({ minute, agent, principal, dialect }) => {
          const texts = [agent, principal, dialect].map((text) => sql`cast(${stored(text)} as text)`);
          return sql`(cast(${minute} as ${this.#host.database.traits.integer}), ${sql.join(texts)})`;
        }),
      );
      const rows = await this.#host.rows(sql<Row>`select * from call_numbers where instance = ${instance}
        and (minute, agent, principal, dialect) in (values ${wanted})`);
      for (const row of rows) found.push({ ...keyOf(row), values: valuesOf(row) });
    }
    return found;
  }

  /** All replicas that have stored calls, and have not ended too long ago. */
  async instances(): Promise<Instance[]> {
    const { rows, damaged } = this.#host;
    const found = await rows(sql<Row>`select * from call_instance order by began_at, instance`);
    return found.flatMap((row) => damaged.read('call_instance', [row.instance], () => instanceOf(row)) ?? []);
  }

  /**
   * Notes that replicas have ended: those that have stored nothing since a time, but this one. Times by the store's clock.
   */
  async noteEnds(own: string, storedBefore: number): Promise<void> {
    const { rows, clock } = this.#host;
    await rows(sql`update call_instance set ended_at = ${clock.now()}
      where ended_at is null and instance <> ${own} and stored_at < ${storedBefore}`);
  }

  /** Yields kept calls, the latest first, in pages. One that matches in the database may not match the texts: the caller looks. */
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

  /** Failed and slow calls that match and are not in the store, by caller: those with the most first. */
  async leftOut({ agent, principal, dialect }: NumberFilter, range: TimeRange): Promise<LeftOut[]> {
    const { rows } = this.#host;
    const found = await rows(sql<Row>`select principal, sum(left_out) as n, max(minute) as minute from call_numbers
      where left_out > 0 and ${numberCondition({ agent, principal, dialect }, range)} group by principal`);
    const byCaller = new Map(
      found.map((row) => {
        const name = unescapeText(String(row.principal));
        return [name, { principal: name, count: numberOf(row.n), until: numberOf(row.minute) + minuteMs }];
      }),
    );
    const trimmed = await rows(sql<Row>`select * from call_trim where at > ${range.from}
      ${principal === '' ? sql`` : sql`and principal = ${stored(principal)}`}`);
    for (const row of trimmed) {
      const name = unescapeText(String(row.principal));
      const known = byCaller.get(name);
      const count = (known?.count ?? 0) + numberOf(row.count);
      byCaller.set(name, { principal: name, count, until: Math.max(known?.until ?? 0, numberOf(row.at)) });
    }
    return [...byCaller.values()].sort((one, other) => other.count - one.count);
  }

  /** Yields sums of numbers by what `by` names, and by step. The same key comes again with other parts of the range. */
  async *sums(
    filter: NumberFilter,
    { from, until }: TimeRange,
    by: readonly ('agent' | 'principal' | 'dialect')[],
    step: number | undefined,
  ): AsyncGenerator<readonly NumberSum[]> {
    const { first, end } = await this.#extentOf({ from, until });
    for (let at = first; at < end; at += summedAtOnce) {
      const range = { from: at, until: Math.min(end, at + summedAtOnce) };
      const names = by.map((name): RawBuilder<unknown> => sql.ref(name));
      if (step) names.push(sql`(minute - ${sql.lit(from)}) / ${sql.lit(step)} as step`);
      const group = names.length === 0 ? sql`` : sql`group by ${sql.join(names.map((_, at) => sql.lit(at + 1)))}`;
      const sums = valueColumns.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`);
      const rows = await this.#host.rows(sql<Row>`select ${sql.join([...names, ...sums])} from call_numbers
        where ${numberCondition(filter, range)} ${group}`);
      yield rows.map((row) => ({
        step: numberOf(row.step),
        agent: unescapeText(String(row.agent ?? '')),
        principal: unescapeText(String(row.principal ?? '')),
        dialect: unescapeText(String(row.dialect ?? '')),
        values: valuesOf(row),
      }));
    }
  }

  /** The first minute with numbers of a time, and the end of the last one. Equal: there are none. */
  async #extentOf({ from, until }: TimeRange): Promise<{ first: number; end: number }> {
    const condition = numberCondition({ agent: '', principal: '', dialect: '' }, { from, until });
    const [row] = await this.#host.rows(
      sql<Row>`select min(minute) as first, max(minute) as last from call_numbers where ${condition}`,
    );
    if (row?.first === null || row?.first === undefined) return { first: from, end: from };
    return { first: numberOf(row.first), end: numberOf(row.last) + minuteMs };
  }

  /** Deletes about `limit` rows of before a time. Resolves with whether there may be more. */
  async expire(before: number, limit: number): Promise<boolean> {
    const { database, failure } = this.#host;
    const changed = await guardWith(failure)(() =>
      database.transaction([
        sql`delete from kept_call where (at, id) in (select at, id from kept_call where at < ${before} order by at limit ${limit})`,
        sql`delete from call_numbers where minute < (
          select max(minute) + 1 from (select minute from call_numbers where minute < ${before} order by minute limit ${limit}) as old)`,
        sql`delete from call_instance where ended_at < ${before}`,
        sql`delete from call_trim where at < ${before}`,
      ]),
    );
    return changed.some((count) => count >= limit);
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
    const excess = excessOf(counts, most);
    let deleted = 0;
    for (const { principal, count } of excess) {
      if (deleted >= limit) return true;
      const size = Math.min(count, limit - deleted);
      await this.#trimCaller(principal, size);
      deleted += size;
      if (size < count) return true;
    }
    return false;
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

  /** Deletes what there is of a principal until a time, about `limit` rows of each kind. Resolves with their numbers. */
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

const callColumns = {
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
} as const;

const numberColumns: Readonly<Record<string, ColumnType>> = {
  minute: 'bigint',
  instance: 'text',
  agent: 'text',
  principal: 'text',
  dialect: 'text',
  ...Object.fromEntries(valueColumns.map((name) => [name, 'bigint' as const])),
};

const outcomes = {
  failed: sql`error <> '' and refused = 0`,
  refused: sql`refused = 1`,
  slow: sql`error = ''`,
} as const;

/** The value of a column. Buckets without calls are null, which costs no room. */
const valueAt = (values: ArrayLike<number>, at: number): number | null => {
  const value = values[at] ?? 0;
  return value === 0 && at >= countNames.length ? null : value;
};

const valuesOf = (row: Row): number[] => valueColumns.map((name) => numberOf(row[name]));

const keyOf = (row: Row): NumberKey => ({
  minute: numberOf(row.minute),
  agent: unescapeText(String(row.agent)),
  principal: unescapeText(String(row.principal)),
  dialect: unescapeText(String(row.dialect)),
});

const instanceOf = (row: Row): Instance => ({
  instance: textIn(row, 'instance'),
  replica: unescapeText(textIn(row, 'replica')),
  beganAt: numberOf(row.began_at),
  storedAt: numberOf(row.stored_at),
  endedAt: row.ended_at === null ? undefined : numberOf(row.ended_at),
});

/** The beginning of a row that exists stays. */
const upsertInstance = ({ instance, replica, beganAt, storedAt, endedAt }: Instance): Statement => sql`
  insert into call_instance (instance, replica, began_at, stored_at, ended_at)
  values (${instance}, ${stored(replica)}, ${beganAt}, ${storedAt}, ${endedAt ?? null})
  on conflict (instance) do update set replica = excluded.replica, stored_at = excluded.stored_at,
    ended_at = excluded.ended_at`;

function numberCondition(filter: NumberFilter, { from, until }: TimeRange): RawBuilder<unknown> {
  const conditions = [sql`minute >= ${from}`];
  if (Number.isFinite(until)) conditions.push(sql`minute < ${until}`);
  for (const name of ['agent', 'principal', 'dialect'] as const) {
    if (filter[name] !== '') conditions.push(sql`${sql.ref(name)} = ${stored(filter[name])}`);
  }
  return sql.join(conditions, sql` and `);
}

/** A pattern for JSON with a text in it. Letters beyond ASCII have an upper and a lower case that databases do not know. */
const patternOf = (text: string): string =>
  `%${JSON.stringify(text.toWellFormed())
    .slice(1, -1)
    .replace(/[\\%_]/g, '\\$&')
    .replace(/[^\x20-\x7e]+/g, '%')}%`;

/** How many calls of each caller are too many, so that `most` are left, and none that has fewer than others loses any. */
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

function slices<T>(all: readonly T[]): T[][] {
  const found: T[][] = [];
  for (let at = 0; at < all.length; at += atOnce) found.push(all.slice(at, at + atOnce));
  return found;
}
