import { type RawBuilder, sql } from 'kysely';
import type { ColumnType, Statement } from '../../../stores/database.ts';
import type { StoreHost } from '../../../stores/extensions.ts';
import { unescapeText } from '../../../stores/text.ts';
import { countNames, minuteMs, type NumberFilter, type NumberKey, others, type TimeRange } from '../model.ts';
import { numberOf, type Row, slices, stored, upsert } from './rows.ts';
import { valueColumns } from './tables.ts';

/** Milliseconds of the range that one statement adds up. Other statements use the database in between. */
const summedAtOnce = 2 * 3_600_000;

/** Stored numbers of one minute. They replace the numbers that the replica's run has stored before. */
export interface StoredNumbers extends NumberKey {
  readonly values: ArrayLike<number>;
}

/** Sum of the numbers that share a step and the names in `by`. */
export interface NumberSum {
  /** Number of the step in the range; 0 if there are no steps. */
  readonly step: number;
  readonly agent: string;
  readonly principal: string;
  readonly dialect: string;
  /** In the order of `Numbers.values`. */
  readonly values: readonly number[];
}

/** Number of failed and slow calls of one caller that the store has not taken. */
export interface NotTaken {
  readonly principal: string;
  readonly count: number;
  /** Last minute with such a call: milliseconds since the epoch. */
  readonly minute: number;
}

/** Rows of numbers. Each belongs to one minute and to one run of a replica. */
export class MinuteNumbers {
  readonly #host: StoreHost;

  constructor(host: StoreHost) {
    this.#host = host;
  }

  /** Returns the statements that insert the numbers of a replica's run, or replace numbers with equal keys. */
  insert(instance: string, numbers: readonly StoredNumbers[]): Statement[] {
    const replaced = sql.join(valueColumns.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`));
    const conflict = sql`(minute, instance, agent, principal, dialect) do update set ${replaced}`;
    return slices(numbers).map((slice) => {
      const records = slice.map((each) => rowOf(instance, each));
      return upsert(this.#host.database, 'call_numbers', columns, records, conflict);
    });
  }

  /** Reads the numbers of a replica's run with these keys. Keys without a row are left out. */
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

  /** Reads how many failed and slow calls of each caller match the filter but were not stored. */
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

  /** Counts the calls and refusals that were counted without their names, and that may match the filter. */
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

  /** Reads the first minute with numbers in a range of time, and the end of the last one. Equal: there are no numbers. */
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

/** Returns the value of a column. A bucket without calls is null, which takes no space. */
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

/**
 * Returns a condition for rows of calls that were counted without their names. An empty name may stand for the name in the
 * filter.
 */
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
