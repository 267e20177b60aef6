import type { KnowledgeSpace } from '../../../core/model/knowledge.ts';
import type {
  BoundedCount,
  EntityFilter,
  KnowledgeView,
  Page,
  StatementPattern,
  StoredStatement,
} from '../model/graph.ts';
import type { KnowledgeReader } from '../store/port.ts';
import { countWork, takeTurn } from '../turns.ts';
import type { QueryBudget } from './budget.ts';

/** Keys per request to the store, and its work at most, in the units of `turns.ts`: it is not interrupted. */
const largestBatch = 250;
const mostWork = 10_000;

/** Work of the store for a statement of a page that may be full, for another key, and for a row that is counted. */
const statementWork = 5;
const keyWork = 10;
const rowWork = 0.1;

/** A value that is read from the store, or will be by the next `load`. */
export interface Lookup<Value> {
  value?: Value;
  /** Why it could not be read. */
  error?: unknown;
  isLoaded: boolean;
}

/** The value of a field that a lookup has to be loaded for. */
export class Awaited {
  readonly lookup: Lookup<unknown>;
  /** Computes the value; it may need another lookup. */
  readonly read: () => unknown;

  constructor(lookup: Lookup<unknown>, read: () => unknown) {
    this.lookup = lookup;
    this.read = read;
  }
}

export const whenLoaded = <Value>(lookup: Lookup<Value>, read: (value: Value) => unknown): Awaited =>
  new Awaited(lookup, () => read(lookup.value as Value));

export interface Paging {
  readonly first: number;
  readonly after?: string | undefined;
}

/** A page of a list, and the number of all items: only what is asked for is read, and once. */
export class List<Item> {
  /** Absent: nobody has asked for it. */
  page?: Lookup<Page<Item>>;
  readonly paging: Paging;
  readonly #readPage: () => Lookup<Page<Item>>;
  readonly #countItems: (atMost: number) => Lookup<BoundedCount>;
  readonly #counts = new Map<number, Lookup<BoundedCount>>();

  constructor(
    paging: Paging,
    readPage: () => Lookup<Page<Item>>,
    countItems: (atMost: number) => Lookup<BoundedCount>,
  ) {
    this.paging = paging;
    this.#readPage = readPage;
    this.#countItems = countItems;
  }

  wantPage(): Lookup<Page<Item>> {
    this.page ??= this.#readPage();
    return this.page;
  }

  wantCount(atMost: number): Lookup<BoundedCount> {
    const lookup = this.#counts.get(atMost) ?? this.#countItems(atMost);
    this.#counts.set(atMost, lookup);
    return lookup;
  }
}

/** Keys that are read together, with their lookups. */
interface Group {
  /** Work of the store for each key: see `turns.ts`. */
  readonly work: number;
  readonly keys: unknown[];
  readonly lookups: Lookup<unknown>[];
  readonly read: (keys: readonly unknown[]) => Promise<readonly unknown[]>;
}

export type Lookups = ReturnType<typeof createLookups>;

/**
 * Collects what the fields of a query need until `load` reads it: for a level of a traversal a few requests, instead of
 * one per node. Nothing is read twice.
 *
 * @param view the statements that the query may see
 * @param signal ends the query
 */
export function createLookups(
  store: KnowledgeReader,
  space: KnowledgeSpace,
  view: KnowledgeView,
  signal: AbortSignal,
  budget: QueryBudget,
) {
  let groups = new Map<unknown, Group>();
  const lists = new Map<string, List<unknown>>();
  const types = new Map<string, Lookup<readonly string[] | undefined>>();

  /** Adds a key to the next load. */
  function want<Key, Value>(
    group: unknown,
    key: Key,
    work: number,
    read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  ): Lookup<Value> {
    const lookup: Lookup<Value> = { isLoaded: false };
    const known = groups.get(group) ?? { keys: [], lookups: [], work, read: read as Group['read'] };
    groups.set(group, known);
    known.keys.push(key);
    known.lookups.push(lookup);
    return lookup;
  }

  const wantAlone = <Value>(work: number, read: () => Promise<Value>): Lookup<Value> =>
    want(Symbol('alone'), undefined, work, async () => [await read()]);

  async function readGroup({ keys, lookups, work, read }: Group): Promise<void> {
    const batch = Math.max(1, Math.min(largestBatch, Math.floor(mostWork / work)));
    for (let from = 0; from < keys.length; from += batch) {
      const some = lookups.slice(from, from + batch);
      const turn = takeTurn();
      if (turn) await turn;
      // Counted before, so that of many queries one reads in a turn.
      countWork(some.length * work);
      try {
        signal.throwIfAborted();
        const values = await read(keys.slice(from, from + batch));
        for (const [index, lookup] of some.entries()) {
          lookup.value = values[index];
          lookup.isLoaded = true;
        }
      } catch (error) {
        for (const lookup of some) lookup.error = error;
        throw error;
      }
    }
  }

  const firstPages = (first: number) => async (patterns: readonly StatementPattern[]) => {
    const [only] = patterns;
    if (only && patterns.length === 1) return [await store.find(space, only, { first }, budget)];
    return store.findEach(space, patterns, first, budget);
  };

  const countsTo = (atMost: number) => (patterns: readonly StatementPattern[]) => store.count(space, patterns, atMost);

  const typesOf = async (ids: readonly string[]) => {
    const found = await store.typesOf(space, ids, view);
    return ids.map((id) => found.get(id));
  };

  function listOf<Item>(key: readonly unknown[], create: () => List<Item>): List<Item> {
    const text = JSON.stringify(key);
    const list = (lists.get(text) as List<Item> | undefined) ?? create();
    lists.set(text, list as List<unknown>);
    return list;
  }

  return {
    view,

    /** Statements of a pattern, of which the view is not yet a part. */
    statements(own: StatementPattern, paging: Paging): List<StoredStatement> {
      const { first, after } = paging;
      return listOf(['statements', own, first, after], () => {
        const pattern = { ...view, ...own };
        return new List(
          paging,
          () =>
            after === undefined
              ? want(`${first}`, pattern, first * statementWork, firstPages(first))
              : wantAlone(first * statementWork, () => store.find(space, pattern, { first, after }, budget)),
          (atMost) => want(`count ${atMost}`, pattern, keyWork + atMost * rowWork, countsTo(atMost)),
        );
      });
    },

    /** Ids of entities. */
    entities(own: Pick<EntityFilter, 'type'>, paging: Paging): List<string> {
      const { first, after } = paging;
      const filter = { ...view, ...own };
      const page = { first, ...(after !== undefined && { after }) };
      return listOf(
        ['entities', own, first, after],
        () =>
          new List(
            paging,
            () => wantAlone(first * keyWork, () => store.entities(space, filter, page)),
            (atMost) => wantAlone(keyWork + atMost * rowWork, () => store.countEntities(space, filter, atMost)),
          ),
      );
    },

    /** Types of an entity; undefined if it does not exist. */
    types(id: string): Lookup<readonly string[] | undefined> {
      const lookup = types.get(id) ?? want('types', id, keyWork, typesOf);
      types.set(id, lookup);
      return lookup;
    },

    /** Reads what is wanted, up to the first error, which its lookups have then. Never rejects. */
    async load(): Promise<void> {
      const requests = [...groups.values()];
      groups = new Map();
      try {
        for (const group of requests) await readGroup(group);
      } catch {
        // The executor finds it where a field waits for it.
      }
    },
  };
}
