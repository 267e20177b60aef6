import { type RawBuilder, sql } from 'kysely';
import type { ColumnType, Statement } from '../../../stores/database.ts';
import type { StoreHost } from '../../../stores/extensions.ts';
import { unescapeText } from '../../../stores/text.ts';
import { countNames, minuteMs, type NumberFilter, type NumberKey, others, type TimeRange } from '../model.ts';
import { numberOf, type Row, slices, stored, upsert } from './rows.ts';
import { valueColumns } from './tables.ts';

/** Milliseconds of the minutes that are summed up at once: in between, others use the database. */
const summedAtOnce = 2 * 3_600_000;

/** Numbers of one minute, as they are stored: they replace what the run of the replica has stored before. */
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

/** Failed and slow calls of one caller that the store has not taken. */
export interface NotTaken {
  readonly principal: string;
  readonly count: number;
  /** Milliseconds since the epoch: the last minute with one of them. */
  readonly minute: number;
}

/** The rows of numbers, each of one minute at one run of a replica. */
export class MinuteNumbers {
  readonly #host: StoreHost;

  constructor(host: StoreHost) {
    this.#host = host;
  }

  /** The statements that insert numbers of a run of a replica, or replace those with the same keys. */
  insert(instance: string, numbers: readonly StoredNumbers[]): Statement[] {
    const replaced = sql.join(valueColumns.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`));
    const conflict = sql`(minute, instance, agent, principal, dialect) do update set ${replaced}`;
    return slices(numbers).map((slice) => {
      const records = slice.map((each) => rowOf(instance, each));
      return upsert(this.#host.database, 'call_numbers', columns, records, conflict);
    });
  }

  /** The numbers of a run of a replica with these keys, as far as the store has them. */
  async of(instance: string, keys: readonly NumberKey[]): Promise<StoredNumbers[]> {
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

  /** The callers with failed and slow calls that the store has not taken, of the calls that match. */
  async notTaken(filter: NumberFilter, range: TimeRange): Promise<NotTaken[]> {
    const found = await this.#host.rows(sql<Row>`select principal, sum(left_out) as n, max(minute) as minute
      from call_numbers where left_out > 0 and (${conditionOf(filter, range)} or ${ofOthers(filter, range)})
      group by principal`);
    return found.map((row) => ({
      principal: unescapeText(String(row.principal)),
      count: numberOf(row.n),
      minute: numberOf(row.minute),
    }));
  }

  /** The number of calls and refusals for which there was no room, and that may be ones that match, beyond those that do. */
  async countedWithOthers(filter: NumberFilter, range: TimeRange): Promise<number> {
    const [row] = await this.#host.rows(sql<Row>`select sum(calls + refused) as n from call_numbers
      where ${ofOthers(filter, range)} and not (${conditionOf(filter, range)})`);
    return numberOf(row?.n);
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
        where ${conditionOf(filter, range)} ${group}`);
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
    const condition = conditionOf({ agent: '', principal: '', dialect: '' }, { from, until });
    const [row] = await this.#host.rows(
      sql<Row>`select min(minute) as first, max(minute) as last from call_numbers where ${condition}`,
    );
    if (row?.first === null || row?.first === undefined) return { first: from, end: from };
    return { first: numberOf(row.first), end: numberOf(row.last) + minuteMs };
  }
}

const columns: Readonly<Record<string, ColumnType>> = {
  minute: 'bigint',
  instance: 'text',
  agent: 'text',
  principal: 'text',
  dialect: 'text',
  ...Object.fromEntries(valueColumns.map((name) => [name, 'bigint' as const])),
};

const rowOf = (instance: string, { minute, agent, principal, dialect, values }: StoredNumbers): Row => ({
  minute,
  instance,
  agent: stored(agent),
  principal: stored(principal),
  dialect: stored(dialect),
  ...Object.fromEntries(valueColumns.map((name, at) => [name, valueAt(values, at)])),
});

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

/** The rows of calls for which there was no room. Names that they lack may be those of the filter. */
function ofOthers(filter: NumberFilter, range: TimeRange): RawBuilder<unknown> {
  const ofMinutes = conditionOf({ agent: '', principal: others, dialect: '' }, range);
  const names = (['agent', 'dialect'] as const).map((name) =>
    filter[name] === '' ? sql`` : sql` and ${sql.ref(name)} in ('', ${stored(filter[name])})`,
  );
  return sql`${ofMinutes}${sql.join(names, sql``)}`;
}

function conditionOf(filter: NumberFilter, { from, until }: TimeRange): RawBuilder<unknown> {
  const conditions = [sql`minute >= ${from}`];
  if (Number.isFinite(until)) conditions.push(sql`minute < ${until}`);
  for (const name of ['agent', 'principal', 'dialect'] as const) {
    if (filter[name] !== '') conditions.push(sql`${sql.ref(name)} = ${stored(filter[name])}`);
  }
  return sql.join(conditions, sql` and `);
}
