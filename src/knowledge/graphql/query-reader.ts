import type { ReadBudget } from '../../core/model/call.ts';
import type {
  BoundedCount,
  EntityFilter,
  KnowledgeSpace,
  KnowledgeView,
  Page,
  StatementPageRequest,
  StatementPattern,
  StoredStatement,
} from '../../core/model/knowledge.ts';
import type { KnowledgeReader } from '../../core/ports/knowledge-store.ts';

/** Ids per request to the store. */
const largestBatch = 1_000;

/** Statements per request to the store. */
const largestAnswer = 20_000;

type Statements = Page<StoredStatement>;

export type QueryReader = ReturnType<typeof createQueryReader>;

/**
 * Creates the reader of a query: one view, nothing read twice, one request per level of a traversal.
 *
 * @param view the statements that the query may see
 * @param budget memory budget, reserved before statements are read
 */
export function createQueryReader(
  store: KnowledgeReader,
  space: KnowledgeSpace,
  view: KnowledgeView,
  signal: AbortSignal,
  budget: ReadBudget,
) {
  /** First pages of the same size are batched. */
  const findFirst = memoized((first: number) => {
    const largest = Math.min(largestBatch, Math.ceil(largestAnswer / first));
    return batched<StatementPattern, Statements>(largest, signal, async (patterns) => {
      const [only] = patterns;
      if (only && patterns.length === 1) return [await store.find(space, only, { first }, budget)];
      return store.findEach(space, patterns, first, budget);
    });
  });

  /** Counts with the same maximum are batched. */
  const countUpTo = memoized((atMost: number) =>
    batched<StatementPattern, BoundedCount>(largestBatch, signal, async (patterns) => {
      const [only] = patterns;
      if (only && patterns.length === 1) return [await store.count(space, only, atMost)];
      return store.countEach(space, patterns, atMost);
    }),
  );

  const findTypes = batched(largestBatch, signal, async (ids: readonly string[]) => {
    const types = await store.typesOf(space, ids, view);
    return ids.map((id) => types.get(id));
  });

  return {
    view,
    /** Statements of a pattern, which includes the view. */
    statements: memoized(
      (pattern: StatementPattern, page: StatementPageRequest): Promise<Statements> =>
        page.after === undefined ? findFirst(page.first)(pattern) : store.find(space, pattern, page, budget),
      (pattern, { first, after }) => JSON.stringify([pattern, first, after]),
    ),
    count: (pattern: StatementPattern, atMost: number): Promise<BoundedCount> => countUpTo(atMost)(pattern),
    /** Ids of entities of a filter, which includes the view. */
    entities: (filter: EntityFilter, page: StatementPageRequest) => store.entities(space, filter, page),
    countEntities: (filter: EntityFilter, atMost: number) => store.countEntities(space, filter, atMost),
    /** Types of an entity; undefined if it does not exist. */
    types: memoized(findTypes),
  };
}

/** A function that computes its value once for each key, which is its argument by default. */
function memoized<Args extends unknown[], Value>(
  compute: (...args: Args) => Value,
  keyOf: (...args: Args) => unknown = (...[only]) => only,
): (...args: Args) => Value {
  const values = new Map<unknown, Value>();
  return (...args) => {
    const key = keyOf(...args);
    const value = values.get(key) ?? compute(...args);
    values.set(key, value);
    return value;
  };
}

/**
 * Collects keys until all running resolvers wait, then loads all of them at once: one request per level of a traversal
 * instead of one per node.
 *
 * @param largest keys per request
 * @param load loads the values of keys, in their order; its rejections are those of the keys
 */
function batched<Key, Value>(
  largest: number,
  signal: AbortSignal,
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  type Waiting = PromiseWithResolvers<Value> & { readonly key: Key };
  let waiting: Waiting[] = [];

  const loadBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      signal.throwIfAborted();
      const values = await load(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const loadAll = async (): Promise<void> => {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += largest) await loadBatch(all.slice(from, from + largest));
  };

  return (key) => {
    // Promises that have just resolved run first and may ask for more: ticks come after them.
    if (waiting.length === 0) Promise.resolve().then(() => process.nextTick(() => void loadAll()));
    const one = { key, ...Promise.withResolvers<Value>() };
    waiting.push(one);
    return one.promise;
  };
}
