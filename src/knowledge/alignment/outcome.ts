import type { KGStatement, KnowledgePatch, KnowledgeSpace, StatementPattern } from '../../core/model/knowledge.ts';
import { datatypeOf, literal, type Term, termOf, typePredicates } from '../../core/model/knowledge-terms.ts';
import type { KnowledgeReader } from '../../core/ports/knowledge-store.ts';
import { type Outcome, type OutcomePattern, TooMuchToJudge } from './rule.ts';

/** Default for the statements that may be read to judge one update. */
export const mostStatements = 20_000;
const pageSize = 1_000;
/** Page size where one statement is enough. */
const someSize = 10;

const termKey = ({ text, datatype }: Term): string => `${datatype}\n${text}`;

const groupKey = ({ subject, predicate, graph = '' }: KGStatement): string =>
  JSON.stringify([subject.id, predicate.id, graph]);

/** The pattern of all statements with the same subject, predicate and graph. */
const groupOf = ({ subject, predicate, graph = '' }: KGStatement): OutcomePattern => ({
  subject: subject.id,
  predicate: predicate.id,
  graph,
});

/** The identity of a statement. */
const statementKey = (statement: KGStatement): string => `${groupKey(statement)}${termKey(termOf(statement.object))}`;

/** Whether a statement matches a pattern. */
function fits(
  { subject, predicate, object, value, datatype, graph }: OutcomePattern,
  { subject: s, predicate: p, object: o, graph: g = '' }: KGStatement,
): boolean {
  if (subject !== undefined && subject !== s.id) return false;
  if (predicate !== undefined && predicate !== p.id) return false;
  if (graph !== undefined && graph !== g) return false;
  if (object !== undefined) return object === o.id;
  if (value === undefined) return true;
  const term = termOf(o);
  const wanted = literal(value, datatype);
  return (
    o.id === undefined && term.text === wanted.text && (datatype === undefined || term.datatype === wanted.datatype)
  );
}

/** The contents of a store as if some patches had been applied. */
export class PatchedOutcome implements Outcome {
  readonly #most: number;
  readonly #store: KnowledgeReader;
  readonly #space: KnowledgeSpace;
  /** Statements that the patches add, by key. */
  readonly #brought = new Map<string, KGStatement>();
  /** Statements that some patch removed, by key. */
  readonly #removed = new Map<string, KGStatement>();
  /** Groups by subject, predicate and graph that a patch replaced. */
  readonly #cleared = new Map<string, KGStatement>();
  #goneOnes: Promise<readonly KGStatement[]> | undefined;
  #seen = 0;

  /** @param most statements that may be read */
  constructor(
    store: KnowledgeReader,
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    most: number = mostStatements,
  ) {
    this.#most = most;
    this.#store = store;
    this.#space = space;
    for (const { op, statement } of patches) this[op](statement);
  }

  /** Records a patch; the order matters. */
  add(statement: KGStatement): void {
    this.#brought.set(statementKey(statement), statement);
  }

  remove(statement: KGStatement): void {
    const key = statementKey(statement);
    this.#brought.delete(key);
    this.#removed.set(key, statement);
  }

  replace(statement: KGStatement): void {
    const group = groupKey(statement);
    this.#cleared.set(group, statement);
    for (const [key, brought] of this.#brought) if (groupKey(brought) === group) this.#brought.delete(key);
    this.add(statement);
  }

  async find(pattern: OutcomePattern): Promise<readonly KGStatement[]> {
    const [found = []] = await this.findEach([pattern]);
    return found;
  }

  async findEach(patterns: readonly OutcomePattern[]): Promise<readonly (readonly KGStatement[])[]> {
    const stored = await this.#stored(patterns);
    return stored.map((statements, index) => {
      const kept = statements.filter((statement) => !this.#isGone(statement));
      for (const brought of this.#brought.values()) if (fits(patterns[index] ?? {}, brought)) kept.push(brought);
      return kept;
    });
  }

  /** Whether each pattern has a match. */
  async someEach(patterns: readonly OutcomePattern[]): Promise<readonly boolean[]> {
    if (patterns.length === 0) return [];
    const pages = await this.#store.findEach(this.#space, patterns, someSize);
    const found: boolean[] = [];
    for (const [index, first] of pages.entries()) {
      const pattern = patterns[index] ?? {};
      let page = first;
      const isThere = (statement: KGStatement) => !this.#isGone(statement);
      let some = page.items.some(isThere) || [...this.#brought.values()].some((brought) => fits(pattern, brought));
      while (!some && page.hasMore) {
        page = await this.#store.find(this.#space, pattern, { first: pageSize, after: page.endCursor });
        this.#look(page.items.length);
        some = page.items.some(isThere);
      }
      found.push(some);
    }
    return found;
  }

  async typesOf(ids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const types = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
    const wavering = new Set<string>();
    for (const old of await this.removed()) for (const [id] of typesSaid(old)) if (types.has(id)) wavering.add(id);

    const steady = ids.filter((id) => !wavering.has(id));
    if (steady.length > 0) {
      this.#look(steady.length);
      for (const [id, said] of await this.#store.typesOf(this.#space, steady)) {
        for (const type of said) types.get(id)?.add(type);
      }
    }
    // A removed statement may have been the only one to state a type: read all statements of these entities.
    const around = [...wavering].flatMap((id): OutcomePattern[] => [{ subject: id }, { object: id }]);
    const said = [...(await this.findEach(around)).flat(), ...this.#brought.values()];
    for (const statement of said) for (const [id, type] of typesSaid(statement)) types.get(id)?.add(type);
    return types;
  }

  /** Ids of the direct instances of a type. */
  async instancesOf(type: string): Promise<readonly string[]> {
    const brought = [...this.#brought.values()].flatMap(typesSaid).filter(([, said]) => said === type);
    const found = new Set(brought.map(([id]) => id));
    for (let after = '', more = true; more; ) {
      const page = await this.#store.entities(this.#space, { type }, { first: pageSize, after });
      this.#look(page.items.length);
      for (const id of page.items) found.add(id);
      [more, after] = [page.hasMore, page.endCursor];
    }
    const types = await this.typesOf([...found]);
    return [...found].filter((id) => types.get(id)?.has(type));
  }

  /** Stored statements that the patches remove. */
  removed(): Promise<readonly KGStatement[]> {
    this.#goneOnes ??= this.#readGone();
    return this.#goneOnes;
  }

  async #readGone(): Promise<readonly KGStatement[]> {
    const groups = [...this.#cleared.values()].map(groupOf);
    const single = [...this.#removed.values()].map((statement): OutcomePattern => {
      const { id, value = '', type } = statement.object;
      const object = id === undefined ? { value, datatype: type || datatypeOf(value) } : { object: id };
      return { ...groupOf(statement), ...object };
    });
    const patterns = [...groups, ...single];
    if (patterns.length === 0) return [];
    const stored = (await this.#stored(patterns)).flat();
    return stored.filter((statement) => this.#isGone(statement) && !this.#brought.has(statementKey(statement)));
  }

  /** Whether the patches remove or change a stored statement. */
  #isGone(statement: KGStatement): boolean {
    const key = statementKey(statement);
    return this.#brought.has(key) || this.#removed.has(key) || this.#cleared.has(groupKey(statement));
  }

  /** All stored statements of each pattern. */
  async #stored(patterns: readonly OutcomePattern[]): Promise<KGStatement[][]> {
    if (patterns.length === 0) return [];
    const pages = await this.#store.findEach(this.#space, patterns, pageSize);
    const found: KGStatement[][] = [];
    for (const [index, { items, hasMore, endCursor }] of pages.entries()) {
      const all: KGStatement[] = [...items];
      this.#look(items.length);
      for (let [more, after] = [hasMore, endCursor]; more; ) {
        const pattern: StatementPattern = patterns[index] ?? {};
        const page = await this.#store.find(this.#space, pattern, { first: pageSize, after });
        this.#look(page.items.length);
        for (const item of page.items) all.push(item);
        [more, after] = [page.hasMore, page.endCursor];
      }
      found.push(all);
    }
    return found;
  }

  #look(statements: number): void {
    this.#seen += statements;
    if (this.#seen <= this.#most) return;
    throw new TooMuchToJudge(`the update depends on more than ${this.#most} statements`);
  }
}

/** The types that a statement states: pairs of an entity's id and its type. */
export function typesSaid({ subject, predicate, object }: KGStatement): [id: string, type: string][] {
  const said: [string, string][] = [];
  if (subject.type) said.push([subject.id, subject.type]);
  if (object.id === undefined) return said;
  if (object.type) said.push([object.id, object.type]);
  if (typePredicates.has(predicate.id)) said.push([subject.id, object.id]);
  return said;
}
