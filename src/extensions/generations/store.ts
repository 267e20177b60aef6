import { type RawBuilder, sql } from 'kysely';
import { integerIn, textIn } from '../../stores/damaged-rows.ts';
import type { Transaction } from '../../stores/database.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { type Migration, required } from '../../stores/migrations/step.ts';
import { guardWith } from '../../stores/part-methods.ts';
import { type RefusedRow, writeRows } from '../../stores/refused-rows.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';
import {
  type GenerationTotal,
  idOf,
  type LostPath,
  most,
  overflow,
  type Use,
  type UseFilter,
  type UseKey,
} from './model.ts';

/** Counts by caller, agent, generation and binding, and the paths that calls lost. */
export const generationUses: Migration = {
  number: 36,
  name: 'calls of generations',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('generation_use')
      .$call(required(text, 'generation', 'principal', 'agent', 'binding'))
      .$call(required(integer, 'calls', 'new_work', 'would_be_refused', 'refused', 'first_at', 'last_at'))
      .addPrimaryKeyConstraint('generation_use_pkey', ['generation', 'principal', 'agent', 'binding'])
      .modifyEnd(clustered)
      .execute();
    await schema
      .createTable('generation_loss')
      .$call(required(text, 'generation', 'principal', 'agent', 'binding', 'path', 'agent_dialect'))
      .$call(required(integer, 'count', 'last_at'))
      .addPrimaryKeyConstraint('generation_loss_pkey', [
        ...(['generation', 'principal', 'agent', 'binding', 'path', 'agent_dialect'] as const),
      ])
      .modifyEnd(clustered)
      .execute();
  },
};

/** Milliseconds for which an entry stays after its last call. */
const keptFor = 400 * 86_400_000;
/** Milliseconds between two looks for entries that have been kept long enough. */
const forgetEvery = 3_600_000;

/** Opens the tables of calls of generations in the store (`Store.extend`). */
export async function openGenerationUses(host: StoreHost): Promise<GenerationUses> {
  await host.migrate('the calls of generations', [generationUses]);
  return new GenerationUses(host);
}

const keyOf = ({ generation, principal, agent, binding }: UseKey): RawBuilder<unknown> =>
  sql.join([generation, principal, agent, binding].map(escapeText));

const keyColumns = sql`generation, principal, agent, binding`;

const counts = ['calls', 'new_work', 'would_be_refused', 'refused'] as const;

/** The columns of an entry, plus the counts of a further one. */
const adding = sql.join([
  ...counts.map((name) => sql`${sql.ref(name)} = generation_use.${sql.ref(name)} + excluded.${sql.ref(name)}`),
  sql`first_at = case when generation_use.first_at <= excluded.first_at then generation_use.first_at else excluded.first_at end`,
  sql`last_at = case when generation_use.last_at >= excluded.last_at then generation_use.last_at else excluded.last_at end`,
]);

/** The statement that adds to an entry, or creates it. */
const upsert = (key: UseKey, { calls, newWork, wouldBeRefused, refused, firstAt, lastAt }: Use) => sql`
  insert into generation_use (${keyColumns}, calls, new_work, would_be_refused, refused, first_at, last_at)
  values (${keyOf(key)}, ${calls}, ${newWork}, ${wouldBeRefused}, ${refused}, ${Math.floor(firstAt)}, ${Math.floor(lastAt)})
  on conflict (${keyColumns}) do update set ${adding}`;

const exists = (key: UseKey) => sql`select 1 from generation_use where (${keyColumns}) = (${keyOf(key)})`;

/** The statement that adds to a lost path of an entry, or creates it where the entry has room. */
function upsertLoss(key: UseKey, { path, agentDialect, count, lastAt }: LostPath, integer: RawBuilder<unknown>) {
  const ofUse = sql`from generation_loss where (${keyColumns}) = (${keyOf(key)})`;
  const values = [key.generation, key.principal, key.agent, key.binding, path, agentDialect].map(
    (each) => sql`cast(${escapeText(each)} as text)`,
  );
  return sql`
    insert into generation_loss (${keyColumns}, path, agent_dialect, count, last_at)
    select ${sql.join(values)}, cast(${count} as ${integer}), cast(${Math.floor(lastAt)} as ${integer})
    where (select count(*) ${ofUse}) < ${most.paths}
      or exists (select 1 ${ofUse} and path = ${escapeText(path)} and agent_dialect = ${agentDialect})
    on conflict (${keyColumns}, path, agent_dialect) do update set count = generation_loss.count + excluded.count,
      last_at = case when generation_loss.last_at >= excluded.last_at then generation_loss.last_at else excluded.last_at end`;
}

/** Adds the counts of some entries, one after the other. An entry that finds no room is counted in one of all such entries. */
function* added({ database }: StoreHost, deltas: readonly Use[]): Transaction<void> {
  const compile = (query: RawBuilder<unknown>) => query.compile(database.sql);
  const [counted] = yield compile(sql`select count(*) as n from generation_use`);
  let room = most.uses - Number((counted as { readonly n: number | string }).n);
  for (const delta of deltas) {
    const isKnown = room >= deltas.length || (yield compile(exists(delta))).length > 0;
    if (!isKnown && room <= 0) {
      yield compile(upsert(overflow, delta));
      continue;
    }
    if (!isKnown) room -= 1;
    yield compile(upsert(delta, delta));
    for (const path of delta.lost) yield compile(upsertLoss(delta, path, database.traits.integer));
  }
}

type Row = Readonly<Record<string, unknown>>;

const textOf = (row: Row, column: string): string => unescapeText(textIn(row, column));

const useKeyOf = (row: Row): UseKey => ({
  generation: textOf(row, 'generation'),
  principal: textOf(row, 'principal'),
  agent: textOf(row, 'agent'),
  binding: textOf(row, 'binding'),
});

/** Throws UnreadableRow. */
const useOf = (row: Row): Use => ({
  ...useKeyOf(row),
  calls: integerIn(row, 'calls'),
  newWork: integerIn(row, 'new_work'),
  wouldBeRefused: integerIn(row, 'would_be_refused'),
  refused: integerIn(row, 'refused'),
  firstAt: integerIn(row, 'first_at'),
  lastAt: integerIn(row, 'last_at'),
  lost: [],
});

/** Throws UnreadableRow. */
const lostOf = (row: Row): LostPath => ({
  path: textOf(row, 'path'),
  agentDialect: textOf(row, 'agent_dialect'),
  count: integerIn(row, 'count'),
  lastAt: integerIn(row, 'last_at'),
});

/** A number that the database computed: PostgreSQL's driver has some as text. */
const numberOf = (value: unknown): number => Number(value ?? 0) || 0;

/** The rows of calls by caller, agent, generation and binding, to which all replicas add. */
export class GenerationUses {
  readonly #host: StoreHost;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(host: StoreHost) {
    this.#host = host;
  }

  /**
   * Adds counts, which are durable when it resolves. Entries in one order at all replicas: none waits for another one that waits for it.
   *
   * @param onAdded called with those that are durable, also where it rejects for others
   * @returns the counts that the database refuses, for which none of the others is left out
   */
  add(uses: readonly Use[], onAdded?: (uses: readonly Use[]) => void): Promise<RefusedRow<Use>[]> {
    const { database, failure } = this.#host;
    const write = async (part: readonly Use[]): Promise<void> => {
      await database.transact(() => added(this.#host, part));
      onAdded?.(part);
    };
    return guardWith(failure)(() => writeRows(database, uses, write));
  }

  /** The entries that a filter selects, by their keys. */
  async list(
    { generation, principal, agent }: UseFilter,
    size: number,
    pageToken: string,
  ): Promise<{ readonly items: readonly Use[]; readonly nextPageToken: string }> {
    const { rows, tokens } = this.#host;
    const list = ['generation uses', generation, principal, agent];
    const from = tokens.read(list, pageToken);
    const conditions = [
      sql`generation <> ''`,
      ...Object.entries({ generation, principal, agent }).flatMap(([name, value]) =>
        value === '' ? [] : [sql`${sql.ref(name)} = ${escapeText(value)}`],
      ),
      ...(from ? [sql`(${keyColumns}) > (${sql.join(from)})`] : []),
    ];
    const found = await rows(sql<Row>`select * from generation_use where ${sql.join(conditions, sql` and `)}
      order by ${keyColumns} limit ${size + 1}`);
    const last = found.length > size ? found[size - 1] : undefined;
    const items = await this.#withLosses(found.slice(0, size).flatMap((row) => this.#read(row) ?? []));
    const position = last && ['generation', 'principal', 'agent', 'binding'].map((name) => String(last[name]));
    return { items, nextPageToken: position ? tokens.write(list, position) : '' };
  }

  #read(row: Row): Use | undefined {
    const key = [row.generation, row.principal, row.agent, row.binding];
    return this.#host.damaged.read('generation_use', key, () => useOf(row));
  }

  async #withLosses(uses: readonly Use[]): Promise<Use[]> {
    if (uses.length === 0) return [];
    const { damaged, rows } = this.#host;
    const keys = sql.join(uses.map((use) => sql`(${keyOf(use)})`));
    const found = await rows(sql<Row>`select * from generation_loss where (${keyColumns}) in (values ${keys})
      order by count desc, path, agent_dialect`);
    const lost = new Map<string, LostPath[]>();
    for (const row of found) {
      const key = [row.generation, row.principal, row.agent, row.binding, row.path, row.agent_dialect];
      const read = damaged.read('generation_loss', key, () => ({ id: idOf(useKeyOf(row)), path: lostOf(row) }));
      if (!read) continue;
      const others = lost.get(read.id);
      if (others) others.push(read.path);
      else lost.set(read.id, [read.path]);
    }
    return uses.map((use) => ({ ...use, lost: lost.get(idOf(use)) ?? [] }));
  }

  /** The sums of all entries by generation, when the first call was counted, and how many calls have no entry. */
  async totals(): Promise<{ totals: GenerationTotal[]; since: number | undefined; uncounted: number }> {
    const found = await this.#host.rows(sql<Row>`select generation, count(distinct principal) as callers,
      sum(calls) as calls, sum(new_work) as new_work, sum(would_be_refused) as would_be_refused, sum(refused) as refused,
      min(first_at) as first_at, max(last_at) as last_at from generation_use group by generation order by generation`);
    const totals = found.map((row) => ({
      generation: String(row.generation),
      callers: numberOf(row.callers),
      calls: numberOf(row.calls),
      newWork: numberOf(row.new_work),
      wouldBeRefused: numberOf(row.would_be_refused),
      refused: numberOf(row.refused),
      lastAt: numberOf(row.last_at),
    }));
    const since = found.length === 0 ? undefined : Math.min(...found.map((row) => numberOf(row.first_at)));
    const uncounted = totals.find(({ generation }) => generation === '')?.calls ?? 0;
    return { totals: totals.filter(({ generation }) => generation !== ''), since, uncounted };
  }

  /** Deletes the entries of a principal that began at a time or before. Resolves with their number. */
  async erase(principal: string, before: number): Promise<number> {
    const { database, failure } = this.#host;
    const isOld = sql`principal = ${escapeText(principal)} and first_at <= ${before}`;
    const [, count = 0] = await guardWith(failure)(() =>
      database.transaction([
        sql`delete from generation_loss where principal = ${escapeText(principal)}
          and (${keyColumns}) in (select ${keyColumns} from generation_use where ${isOld})`,
        sql`delete from generation_use where ${isOld}`,
      ]),
    );
    return count;
  }

  /** Deletes entries whose last call was long ago, once an hour. */
  async forget(): Promise<void> {
    const { clock, rows } = this.#host;
    const now = clock.now();
    if (now - this.#forgotAt < forgetEvery) return;
    this.#forgotAt = now;
    const before = now - keptFor;
    await rows(sql`delete from generation_use where last_at < ${before}`);
    await rows(sql`delete from generation_loss where last_at < ${before}`);
  }
}
