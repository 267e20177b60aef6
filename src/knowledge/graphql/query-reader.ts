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
import type { ReadBudget } from '../../core/model/memory.ts';
import type { KnowledgeReader } from '../../core/ports/knowledge-store.ts';

/** Ids per request to the store. */
const largestBatch = 1_000;

/** Statements per request to the store. */
const largestAnswer = 20_000;

type Statements = Page<StoredStatement>;

/** The reads of a query: one view, nothing read twice, one request per level of a traversal. */
export class QueryReader {
  readonly #reader: KnowledgeReader;
  readonly #space: KnowledgeSpace;
  readonly #signal: AbortSignal;
  readonly #room: ReadBudget;
  /** The statements that the query may see. */
  readonly view: KnowledgeView;
  readonly #pages = new Map<string, Promise<Statements>>();
  readonly #finders = new Map<number, Batch<StatementPattern, Statements>>();
  readonly #counters = new Map<number, Batch<StatementPattern, BoundedCount>>();
  readonly #types = new Map<string, Promise<readonly string[] | undefined>>();
  readonly #typeFinder: Batch<string, readonly string[] | undefined>;

  /** @param room memory budget, reserved before statements are read */
  constructor(
    reader: KnowledgeReader,
    space: KnowledgeSpace,
    view: KnowledgeView,
    signal: AbortSignal,
    room: ReadBudget,
  ) {
    this.#room = room;
    this.#reader = reader;
    this.#space = space;
    this.#signal = signal;
    this.view = view;
    this.#typeFinder = new Batch(async (ids) => {
      this.#signal.throwIfAborted();
      const types = await this.#reader.typesOf(this.#space, ids, this.view);
      return ids.map((id) => types.get(id));
    }, largestBatch);
  }

  /** Statements of a pattern, which includes the view. */
  statements(pattern: StatementPattern, page: StatementPageRequest): Promise<Statements> {
    const key = JSON.stringify([pattern, page.first, page.after]);
    return once(this.#pages, key, () => this.#find(pattern, page));
  }

  /** Ids of entities of a filter, which includes the view. */
  entities(filter: EntityFilter, page: StatementPageRequest): Promise<Page<string>> {
    return this.#reader.entities(this.#space, filter, page);
  }

  /** Counts with the same maximum are batched. */
  count(pattern: StatementPattern, atMost: number): Promise<BoundedCount> {
    const counter =
      this.#counters.get(atMost) ?? new Batch((patterns) => this.#countEach(patterns, atMost), largestBatch);
    this.#counters.set(atMost, counter);
    return counter.load(pattern);
  }

  countEntities(filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    return this.#reader.countEntities(this.#space, filter, atMost);
  }

  /** Types of an entity; undefined if it does not exist. */
  types(id: string): Promise<readonly string[] | undefined> {
    return once(this.#types, id, () => this.#typeFinder.load(id));
  }

  /** First pages of the same size are batched. */
  #find(pattern: StatementPattern, page: StatementPageRequest): Promise<Statements> {
    if (page.after !== undefined) return this.#reader.find(this.#space, pattern, page, this.#room);
    const { first } = page;
    const finder = this.#finders.get(first) ?? this.#newFinder(first);
    this.#finders.set(first, finder);
    return finder.load(pattern);
  }

  #newFinder(first: number): Batch<StatementPattern, Statements> {
    const largest = Math.min(largestBatch, Math.ceil(largestAnswer / first));
    return new Batch((patterns) => this.#findEach(patterns, first), largest);
  }

  async #countEach(patterns: readonly StatementPattern[], atMost: number): Promise<readonly BoundedCount[]> {
    this.#signal.throwIfAborted();
    const [only] = patterns;
    if (only && patterns.length === 1) return [await this.#reader.count(this.#space, only, atMost)];
    return this.#reader.countEach(this.#space, patterns, atMost);
  }

  async #findEach(patterns: readonly StatementPattern[], first: number): Promise<readonly Statements[]> {
    this.#signal.throwIfAborted();
    const [only] = patterns;
    if (only && patterns.length === 1) return [await this.#reader.find(this.#space, only, { first }, this.#room)];
    return this.#reader.findEach(this.#space, patterns, first, this.#room);
  }
}

function once<Value>(kept: Map<string, Promise<Value>>, key: string, load: () => Promise<Value>): Promise<Value> {
  const known = kept.get(key);
  if (known) return known;
  const value = load();
  kept.set(key, value);
  return value;
}

/** A pending key. */
interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects keys until all running resolvers wait, then loads all of them at once: one request per level of a traversal
 * instead of one per node.
 */
class Batch<Key, Value> {
  readonly #load: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly #largest: number;
  #waiting: Waiting<Key, Value>[] = [];

  /**
   * @param load loads the values of keys, in their order
   * @param largest keys per request
   */
  constructor(load: (keys: readonly Key[]) => Promise<readonly Value[]>, largest: number) {
    this.#load = load;
    this.#largest = largest;
  }

  /** Rejects as `load` does. */
  load(key: Key): Promise<Value> {
    // Promises that have just resolved run first and may ask for more: ticks come after them.
    if (this.#waiting.length === 0) Promise.resolve().then(() => process.nextTick(() => void this.#ask()));
    return new Promise((resolve, reject) => this.#waiting.push({ key, resolve, reject }));
  }

  async #ask(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < asked.length; from += this.#largest) {
      await this.#answer(asked.slice(from, from + this.#largest));
    }
  }

  async #answer(asked: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await this.#load(asked.map(({ key }) => key));
      asked.forEach(({ resolve }, index) => {
        resolve(values[index] as Value);
      });
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
