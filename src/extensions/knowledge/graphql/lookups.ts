import type {
  BoundedCount,
  EntityFilter,
  KnowledgeView,
  Page,
  StatementPattern,
  StoredStatement,
} from '../model/graph.ts';
import type { KnowledgeSpace } from '../model/knowledge.ts';
import type { KnowledgeReader } from '../store/port.ts';
import { countWork, takeTurn } from '../turns.ts';
import type { QueryBudget } from './budget.ts';

/** Maximum keys and work, in the units of `turns.ts`, of one request to the store, which cannot be interrupted. */
const largestBatch = 250;
const mostWork = 10_000;

/** Work of the store for a statement of a full page, for any other key, and for a counted row. */
const statementWork = 5;
const keyWork = 10;
const rowWork = 0.1;

/** A value that has been read from the store, or that the next `load` will read. */
export interface Lookup<Value> {
  value?: Value;
  /** The error that prevented reading the value. */
  error?: unknown;
  isLoaded: boolean;
}

/** The value of a field that depends on a lookup. */
export class Awaited {
  readonly lookup: Lookup<unknown>;
  /** Computes the value. May require another lookup. */
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

/** A list whose page and count are read only on request. */
export interface List<Item> {
  readonly page: () => Lookup<Page<Item>>;
  readonly count: (atMost: number) => Lookup<BoundedCount>;
}

/** Keys that are read with one request, and their lookups. */
interface Group {
  /** Work of the store for each key, in the units of `turns.ts`. */
  readonly work: number;
  readonly keys: unknown[];
  readonly lookups: Lookup<unknown>[];
  readonly read: (keys: readonly unknown[]) => Promise<readonly unknown[]>;
}

/**
 * Collects the lookups of a query's fields until `load` reads them: a few requests for each level of a traversal
 * instead of one per node. Nothing is read twice.
 */
export class Lookups {
  /** The statements that the query may see. */
  readonly view: KnowledgeView;
  readonly #store: KnowledgeReader;
  readonly #space: KnowledgeSpace;
  readonly #budget: QueryBudget;
  /** Aborts the query. */
  readonly #signal: AbortSignal;
  #groups = new Map<string, Group>();
  /** All lookups of the query, by group and key. */
  readonly #known = new Map<string, Lookup<unknown>>();

  constructor(
    store: KnowledgeReader,
    space: KnowledgeSpace,
    view: KnowledgeView,
    signal: AbortSignal,
    budget: QueryBudget,
  ) {
    this.view = view;
    this.#store = store;
    this.#space = space;
    this.#signal = signal;
    this.#budget = budget;
  }

  /** Returns the statements that match a pattern and the query's view. */
  statements(own: StatementPattern, { first, after }: Paging): List<StoredStatement> {
    const text = JSON.stringify(own);
    const pattern = { ...this.view, ...own };
    const pageWork = first * statementWork;
    return {
      page: () =>
        after === undefined
          ? this.#want(`page ${first}`, text, pattern, pageWork, this.#firstPages(first))
          : this.#wantAlone(`page ${first} ${after} ${text}`, pageWork, () =>
              this.#store.find(this.#space, pattern, { first, after }, this.#budget),
            ),
      count: (atMost) =>
        this.#want(`count ${atMost}`, text, pattern, keyWork + atMost * rowWork, this.#countsTo(atMost)),
    };
  }

  entities(own: Pick<EntityFilter, 'type'>, { first, after }: Paging): List<string> {
    const text = JSON.stringify(own);
    const filter = { ...this.view, ...own };
    const page = { first, ...(after !== undefined && { after }) };
    return {
      page: () =>
        this.#wantAlone(`entities ${first} ${after} ${text}`, first * keyWork, () =>
          this.#store.entities(this.#space, filter, page),
        ),
      count: (atMost) =>
        this.#wantAlone(`count of entities ${atMost} ${text}`, keyWork + atMost * rowWork, () =>
          this.#store.countEntities(this.#space, filter, atMost),
        ),
    };
  }

  /** Returns the types of an entity; undefined if the entity does not exist. */
  types(id: string): Lookup<readonly string[] | undefined> {
    return this.#want('types', id, id, keyWork, (ids: readonly string[]) => this.#typesOf(ids));
  }

  /** Reads the requested lookups, up to the first error, which is stored in the affected lookups. Never rejects. */
  async load(): Promise<void> {
    const requests = [...this.#groups.values()];
    this.#groups = new Map();
    try {
      for (const group of requests) await this.#readGroup(group);
    } catch {
      // The executor reports the error at a field that waits for the lookup.
    }
  }

  /**
   * Returns the lookup of a key. A new lookup is added to the next load.
   *
   * @param text identifies the key within its group
   */
  #want<Key, Value>(
    name: string,
    text: string,
    key: Key,
    work: number,
    read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  ): Lookup<Value> {
    const identity = `${name}\n${text}`;
    const found = this.#known.get(identity);
    if (found) return found as Lookup<Value>;
    const lookup: Lookup<Value> = { isLoaded: false };
    this.#known.set(identity, lookup);
    const group = this.#groups.get(name) ?? { keys: [], lookups: [], work, read: read as Group['read'] };
    this.#groups.set(name, group);
    group.keys.push(key);
    group.lookups.push(lookup);
    return lookup;
  }

  /** Returns a lookup that is read with a request of its own. */
  #wantAlone<Value>(name: string, work: number, read: () => Promise<Value>): Lookup<Value> {
    return this.#want(name, '', undefined, work, async () => [await read()]);
  }

  async #readGroup({ keys, lookups, work, read }: Group): Promise<void> {
    const batch = Math.max(1, Math.min(largestBatch, Math.floor(mostWork / work)));
    for (let from = 0; from < keys.length; from += batch) {
      const some = lookups.slice(from, from + batch);
      const turn = takeTurn();
      if (turn) await turn;
      // Counted in advance, so that only one of many queries reads in a turn.
      countWork(some.length * work);
      try {
        this.#signal.throwIfAborted();
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

  #firstPages(first: number) {
    return async (patterns: readonly StatementPattern[]) => {
      const [only] = patterns;
      if (only && patterns.length === 1) return [await this.#store.find(this.#space, only, { first }, this.#budget)];
      return this.#store.findEach(this.#space, patterns, first, this.#budget);
    };
  }

  #countsTo(atMost: number) {
    return (patterns: readonly StatementPattern[]) => this.#store.count(this.#space, patterns, atMost);
  }

  async #typesOf(ids: readonly string[]) {
    const found = await this.#store.typesOf(this.#space, ids, this.view);
    return ids.map((id) => found.get(id));
  }
}
