import { type RawBuilder, sql } from 'kysely';
import type { StoreTopic } from '../../core/ports/store-watch.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { type Migration, required } from '../../stores/migrations/step.ts';
import { guardWith } from '../../stores/part-methods.ts';
import { escapeText } from '../../stores/text.ts';

/**
 * Budgets of trees of calls, and what their tasks have used of them. Null: without a bound. Costs are millionths. `calls`
 * shrinks with each call, and all shrink to what another gateway says that it has left.
 */
const tables: Migration = {
  number: 34,
  name: 'budgets of trees',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('tree_budget')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .$call(required(integer, 'made_at'))
      .addColumn('calls', integer)
      .addColumn('depth', integer)
      .addColumn('ends_at', integer)
      .addColumn('bytes', integer)
      .addColumn('cost', integer)
      .modifyEnd(clustered)
      .execute();
    await schema
      .createTable('tree_part')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .$call(required(text, 'budget'))
      .$call(required(integer, 'bytes', 'cost', 'changed_at'))
      .modifyEnd(clustered)
      .execute();
    await schema.createIndex('tree_part_of_budget').on('tree_part').column('budget').execute();
  },
};

/** Remaining budget. Absent members are without a bound. */
export interface TreeBudget {
  readonly calls?: number | undefined;
  readonly depth?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly endsAt?: number | undefined;
  readonly bytes?: number | undefined;
  readonly cost?: number | undefined;
}

/** Usage of one task. */
export interface TreePart {
  readonly key: string;
  readonly bytes: number;
  /** Cost since the last report. */
  readonly cost: number;
}

const million = 1_000_000;
/** Milliseconds after its last change for which a row stays. */
const keptFor = 31 * 86_400_000;

interface Row {
  readonly calls: number | string | null;
  readonly depth: number | string | null;
  readonly ends_at: number | string | null;
  readonly bytes: number | string | null;
  readonly cost: number | string | null;
  readonly used_bytes: number | string;
  readonly used_cost: number | string;
}

const known = (value: number | string | null): number | undefined => (value === null ? undefined : Number(value));
const scaled = (cost: number | undefined): number | null => (cost === undefined ? null : Math.round(cost * million));

/** Returns the assignments that lower each column of a budget to `left`, if more is left. */
function lowering(
  { calls, depth, endsAt, bytes, cost }: TreeBudget,
  integer: RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  const usedOf = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select coalesce(sum(${column}), 0) from tree_part where budget = tree_budget.id)`;
  const lower = (
    column: RawBuilder<unknown>,
    most: number | null | undefined,
    used = sql`0`,
  ): RawBuilder<unknown>[] => {
    if (most === undefined || most === null) return [];
    const bound = sql`cast(${most} as ${integer}) + ${used}`;
    return [sql`${column} = case when ${column} <= ${bound} then ${column} else ${bound} end`];
  };
  return [
    lower(sql`calls`, calls),
    lower(sql`depth`, depth),
    lower(sql`ends_at`, endsAt && Math.floor(endsAt)),
    lower(sql`bytes`, bytes && Math.floor(bytes), usedOf(sql`bytes`)),
    lower(sql`cost`, scaled(cost), usedOf(sql`cost`)),
  ].flat();
}

/** A scalar query of what is left of budgets, and what tasks have used of them. */
function versionOf(ids: readonly string[]): RawBuilder<unknown> {
  if (ids.length === 0) return sql`null`;
  const list = sql.join(ids.map(escapeText));
  const sumOf = (column: RawBuilder<unknown>) => sql`coalesce(sum(${column}), 0)`;
  return sql`(
    select ${sumOf(sql`coalesce(ends_at, 0)`)} || ' ' || ${sumOf(sql`coalesce(bytes, 0)`)} || ' ' || ${sumOf(sql`coalesce(cost, 0)`)}
    from tree_budget where id in (${list})) || (
    select ' ' || ${sumOf(sql`bytes`)} || ' ' || ${sumOf(sql`cost`)} from tree_part where budget in (${list}))`;
}

/** Opens the tables of budgets in the store (`Store.extend`), which are empty until a tree has one. */
export async function openTreeBudgets(host: StoreHost): Promise<TreeBudgets> {
  await host.migrate('the budgets of trees', [tables]);
  const budgets = new TreeBudgets(host);
  await budgets.forget();
  return budgets;
}

/** Opens the usage of deleted tasks, if a tree ever had a budget (`Store.extend`). */
export async function openTreeUsage({ has, database }: StoreHost) {
  return {
    /** Deletes the usage of tasks, and the trees that began with them. Resolves with the number of rows. */
    async erase(keys: readonly string[]): Promise<number> {
      if (keys.length === 0 || !(await has(tables))) return 0;
      const list = sql.join(keys.map(escapeText));
      const counts = await database.transaction([
        sql`delete from tree_part where key in (${list}) or budget in (${list})`,
        sql`delete from tree_budget where id in (${list})`,
      ]);
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

/** Rows of budgets of trees, and of the usage by tasks. */
export class TreeBudgets {
  readonly #host: StoreHost;
  readonly #topic: StoreTopic;
  #followed: () => Iterable<string> = () => [];

  constructor(host: StoreHost) {
    this.#host = host;
    // Running tasks write so often that notifications would cost more than readings.
    this.#topic = host.topic('tree budgets', () => versionOf([...this.#followed()]), { isNotified: false });
  }

  /** Deletes rows that were last changed long ago. */
  async forget(): Promise<void> {
    const { rows } = this.#host;
    const before = Date.now() - keptFor;
    await rows(sql`delete from tree_part where changed_at < ${before}`);
    await rows(sql`delete from tree_budget where made_at < ${before}`);
  }

  /**
   * Calls `changed` after changes of budgets by other replicas.
   *
   * @param ids returns the ids of the budgets to follow
   */
  follow(ids: () => Iterable<string>, within: number, changed: () => void): () => void {
    this.#followed = ids;
    return this.#topic.listen(within, changed);
  }

  /** Creates a budget, or lowers the remaining budget. */
  async open(id: string, left: TreeBudget): Promise<void> {
    const { database, rows } = this.#host;
    const created = await rows(sql`
      insert into tree_budget (id, made_at, calls, depth, ends_at, bytes, cost)
      values (${escapeText(id)}, ${Date.now()}, ${left.calls ?? null}, ${left.depth ?? null}, ${left.endsAt ?? null},
        ${left.bytes ?? null}, ${scaled(left.cost)})
      on conflict do nothing returning id`);
    const lower = lowering(left, database.traits.integer);
    if (created.length > 0 || lower.length === 0) return;
    await rows(sql`update tree_budget set ${sql.join(lower)} where id = ${escapeText(id)}`);
  }

  /** Returns the rest of a budget. Undefined: there is no such budget. */
  async read(id: string): Promise<TreeBudget | undefined> {
    const [row] = await this.#host.rows(sql<Row>`
      select calls, depth, ends_at, bytes, cost,
        (select coalesce(sum(bytes), 0) from tree_part where budget = tree_budget.id) as used_bytes,
        (select coalesce(sum(cost), 0) from tree_part where budget = tree_budget.id) as used_cost
      from tree_budget where id = ${escapeText(id)}`);
    if (!row) return undefined;
    const bytes = known(row.bytes);
    const cost = known(row.cost);
    return {
      calls: known(row.calls),
      depth: known(row.depth),
      endsAt: known(row.ends_at),
      bytes: bytes === undefined ? undefined : bytes - Number(row.used_bytes),
      cost: cost === undefined ? undefined : (cost - Number(row.used_cost)) / million,
    };
  }

  /** Takes one call from a budget. Resolves with false if no call is left. */
  async takeCall(id: string): Promise<boolean> {
    const changed = await this.#host.rows(sql`
      update tree_budget set calls = calls - 1 where id = ${escapeText(id)} and (calls is null or calls >= 1) returning id`);
    return changed.length === 1;
  }

  /** Stores the usage of tasks. */
  async put(budget: string, parts: readonly TreePart[]): Promise<void> {
    const { database, failure } = this.#host;
    await guardWith(failure)(() =>
      database.transaction(
        parts.map(
          ({ key, bytes, cost }) => sql`
            insert into tree_part (key, budget, bytes, cost, changed_at)
            values (${escapeText(key)}, ${escapeText(budget)}, ${bytes}, ${scaled(cost)}, ${Date.now()})
            on conflict (key) do update set bytes = excluded.bytes, cost = tree_part.cost + excluded.cost,
              changed_at = excluded.changed_at`,
        ),
      ),
    );
  }

  /** Reads the costs that these tasks have reported. Tasks without a report are left out. */
  async costs(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (keys.length === 0) return new Map();
    const escaped = new Map(keys.map((key) => [escapeText(key), key]));
    const found = await this.#host.rows(sql<{ key: string; cost: number | string }>`
      select key, cost from tree_part where key in (${sql.join([...escaped.keys()])}) and cost > 0`);
    return new Map(found.map(({ key, cost }) => [escaped.get(key) ?? key, Number(cost) / million]));
  }
}

/** Remaining budgets in memory. They are read again after a possible change. */
export class CurrentBudgets {
  readonly #known = new Map<string, TreeBudget>();
  /** Number of changes. A reading from before the latest change is out of date. */
  #changes = 0;
  #unfollow: (() => void) | undefined;

  /** Begins to read budgets again after changes by other replicas (`TreeBudgets.follow`). */
  follow(budgets: TreeBudgets, ids: () => Iterable<string>, within: number): void {
    this.#unfollow ??= budgets.follow(ids, within, () => this.changed());
  }

  /** Notes that this replica or another one has changed budgets. */
  changed(): void {
    this.#changes += 1;
    this.#known.clear();
  }

  async get(id: string, read: () => Promise<TreeBudget>): Promise<TreeBudget> {
    const known = this.#known.get(id);
    if (known) return known;
    const changes = this.#changes;
    const budget = await read();
    if (changes === this.#changes) this.#known.set(id, budget);
    return budget;
  }

  close(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.changed();
  }
}
