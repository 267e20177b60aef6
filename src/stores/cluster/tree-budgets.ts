import { sql } from 'kysely';
import type { StoreHost } from '../extensions.ts';
import { type Migration, required } from '../migrations/step.ts';
import { guardWith } from '../part-methods.ts';
import { escapeText } from '../text.ts';

/**
 * Budgets of trees of calls, and what their tasks have used of them. Null: without a bound. Costs are millionths. `calls`,
 * `bytes` and `cost` shrink where parts are given to other gateways, `calls` also with each call.
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

/** What is left of a budget. Absent: without a bound. */
export interface TreeBudget {
  readonly calls?: number | undefined;
  readonly depth?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly endsAt?: number | undefined;
  readonly bytes?: number | undefined;
  readonly cost?: number | undefined;
}

/** What one task has used. */
export interface TreePart {
  readonly key: string;
  readonly bytes: number;
  /** What has been added since the last time. */
  readonly cost: number;
}

const million = 1_000_000;
/** Milliseconds for which rows stay after their last change. */
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

/** What the store keeps of budgets (`Store.extend`): nothing, until a tree has one. */
export async function openTreeBudgets({ database, failure, rows, migrate }: StoreHost) {
  await migrate('the budgets of trees', [tables]);
  const { integer } = database.traits;
  const withFailure = guardWith(failure);
  const forget = async (): Promise<void> => {
    const before = Date.now() - keptFor;
    await rows(sql`delete from tree_part where changed_at < ${before}`);
    await rows(sql`delete from tree_budget where made_at < ${before}`);
  };
  await forget();
  return {
    forget,

    /** Creates a budget, unless there is one. */
    async open(id: string, { calls, depth, endsAt, bytes, cost }: TreeBudget): Promise<void> {
      await rows(sql`
        insert into tree_budget (id, made_at, calls, depth, ends_at, bytes, cost)
        values (${escapeText(id)}, ${Date.now()}, ${calls ?? null}, ${depth ?? null}, ${endsAt ?? null},
          ${bytes ?? null}, ${scaled(cost)})
        on conflict do nothing`);
    },

    /** What is left. Undefined: there is no such budget. */
    async read(id: string): Promise<TreeBudget | undefined> {
      const [row] = await rows(sql<Row>`
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
    },

    /** Takes a part of a budget. False: fewer calls are left. */
    async take(id: string, { calls = 0, bytes = 0, cost = 0 }: TreeBudget): Promise<boolean> {
      const changed = await rows(sql`
        update tree_budget set calls = calls - cast(${calls} as integer),
          bytes = bytes - cast(${bytes} as ${integer}), cost = cost - cast(${scaled(cost)} as ${integer})
        where id = ${escapeText(id)} and (calls is null or calls >= ${calls}) returning id`);
      return changed.length === 1;
    },

    /** Gives back a part that was taken. */
    async give(id: string, { calls = 0, bytes = 0, cost = 0 }: TreeBudget): Promise<void> {
      await rows(sql`
        update tree_budget set calls = calls + cast(${calls} as integer),
          bytes = bytes + cast(${bytes} as ${integer}), cost = cost + cast(${scaled(cost)} as ${integer})
        where id = ${escapeText(id)}`);
    },

    /** Writes what tasks have used. */
    async put(budget: string, parts: readonly TreePart[]): Promise<void> {
      await withFailure(() =>
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
    },

    /** The costs of these tasks, as far as they have reported any. */
    async costs(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (keys.length === 0) return new Map();
      const escaped = new Map(keys.map((key) => [escapeText(key), key]));
      const found = await rows(sql<{ key: string; cost: number | string }>`
        select key, cost from tree_part where key in (${sql.join([...escaped.keys()])}) and cost > 0`);
      return new Map(found.map(({ key, cost }) => [escaped.get(key) ?? key, Number(cost) / million]));
    },
  };
}

export type TreeBudgets = Awaited<ReturnType<typeof openTreeBudgets>>;
