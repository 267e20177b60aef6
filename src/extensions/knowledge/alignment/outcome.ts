import type { Page, StatementPattern } from '../model/graph.ts';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from '../model/knowledge.ts';
import { datatypeOf, literal, type Term, termOf, typePredicates } from '../model/terms.ts';
import type { KnowledgeReader } from '../store/port.ts';
import { countWork, takeTurn } from '../turns.ts';
import { type Outcome, type OutcomePattern, TooMuchToJudge } from './rule.ts';

/** Maximum number of statements that are read to judge one update. */
const mostStatements = 20_000;
const pageSize = 1_000;
/** Page size for checking whether any statement matches. */
const someSize = 10;
/**
 * Patterns per request to the store, and the work for one pattern and for one statement, in the units of `turns.ts`.
 */
const batch = 100;
const patternWork = 10;
const statementWork = 3;

const termKey = ({ text, datatype }: Term): string => `${datatype}\n${text}`;

const groupKey = ({ subject, predicate, graph = '' }: KGStatement): string =>
  JSON.stringify([subject.id, predicate.id, graph]);

/** Returns the pattern of all statements with the statement's subject, predicate and graph. */
const groupOf = ({ subject, predicate, graph = '' }: KGStatement): OutcomePattern => ({
  subject: subject.id,
  predicate: predicate.id,
  graph,
});

function patternOf(statement: KGStatement): OutcomePattern {
  const { id, value = '', type } = statement.object;
  const object = id === undefined ? { value, datatype: type || datatypeOf(value) } : { object: id };
  return { ...groupOf(statement), ...object };
}

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
  const expected = literal(value, datatype);
  return (
    o.id === undefined && term.text === expected.text && (datatype === undefined || term.datatype === expected.datatype)
  );
}

/** The contents of a store as they would be after some patches. */
export class PatchedOutcome implements Outcome {
  readonly #store: KnowledgeReader;
  readonly #space: KnowledgeSpace;
  /** Statements that the patches add, by key. */
  readonly #added = new Map<string, KGStatement>();
  /** Statements that a `remove` patch names, by key. */
  readonly #removed = new Map<string, KGStatement>();
  /** One statement for each replaced group of subject, predicate and graph, by the group's key. */
  readonly #replaced = new Map<string, KGStatement>();
  #readRemoved: Promise<readonly KGStatement[]> | undefined;
  #charged = 0;

  constructor(store: KnowledgeReader, space: KnowledgeSpace, patches: readonly KnowledgePatch[]) {
    this.#store = store;
    this.#space = space;
    for (const { op, statement } of patches) {
      const key = statementKey(statement);
      const group = groupKey(statement);
      this.#added.delete(key);
      if (op === 'remove') this.#removed.set(key, statement);
      if (op === 'replace') {
        this.#replaced.set(group, statement);
        for (const [other, added] of this.#added) if (groupKey(added) === group) this.#added.delete(other);
      }
      if (op !== 'remove') this.#added.set(key, statement);
    }
  }

  async find(pattern: OutcomePattern): Promise<readonly KGStatement[]> {
    const [found = []] = await this.findEach([pattern]);
    return found;
  }

  async findEach(patterns: readonly OutcomePattern[]): Promise<readonly (readonly KGStatement[])[]> {
    const stored = await this.#findStored(patterns);
    return stored.map((statements, index) => [
      ...statements.filter((statement) => !this.#isGone(statement)),
      ...this.#findAdded(patterns[index] ?? {}),
    ]);
  }

  async someEach(patterns: readonly OutcomePattern[]): Promise<readonly boolean[]> {
    if (patterns.length === 0) return [];
    const found: boolean[] = [];
    for (const [index, first] of (await this.#pages(patterns, someSize)).entries()) {
      const pattern = patterns[index] ?? {};
      const isThere = ({ items }: Page<KGStatement>): boolean => !items.every((statement) => this.#isGone(statement));
      let page: Page<KGStatement> = first;
      let some = isThere(page) || this.#findAdded(pattern).length > 0;
      while (!some && page.hasMore) {
        page = await this.#page(pattern, page.endCursor);
        some = isThere(page);
      }
      found.push(some);
    }
    return found;
  }

  async typesOf(ids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const types = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
    const retyped = new Set((await this.removed()).flatMap(typesStated).flatMap(([id]) => (types.has(id) ? id : [])));
    const others = ids.filter((id) => !retyped.has(id));
    if (others.length > 0) {
      this.#charge(others.length);
      for (const [id, stored] of await this.#store.typesOf(this.#space, others)) types.set(id, new Set(stored));
    }
    // A removed statement may have been the only one to state a type: read all statements about these entities.
    const around = [...retyped].flatMap((id): OutcomePattern[] => [{ subject: id }, { object: id }]);
    const statements = [...(await this.findEach(around)).flat(), ...this.#added.values()];
    for (const [id, type] of statements.flatMap(typesStated)) types.get(id)?.add(type);
    return types;
  }

  /** Returns the ids of the direct instances of a type. */
  async instancesOf(type: string): Promise<readonly string[]> {
    const added = [...this.#added.values()].flatMap(typesStated).filter(([, stated]) => stated === type);
    const found = new Set(added.map(([id]) => id));
    for (let after = '', more = true; more; ) {
      const page = await this.#store.entities(this.#space, { type }, { first: pageSize, after });
      this.#charge(page.items.length);
      for (const id of page.items) found.add(id);
      [more, after] = [page.hasMore, page.endCursor];
    }
    const types = await this.typesOf([...found]);
    return [...found].filter((id) => types.get(id)?.has(type));
  }

  /** Returns the stored statements that the patches remove, or add again without a type that they stated. */
  removed(): Promise<readonly KGStatement[]> {
    this.#readRemoved ??= this.#findRemoved();
    return this.#readRemoved;
  }

  async #findRemoved(): Promise<readonly KGStatement[]> {
    const single = [...this.#removed.values()].map(patternOf);
    const stored = (await this.#findStored([...[...this.#replaced.values()].map(groupOf), ...single])).flat();
    const again = await this.#pages([...this.#added.values()].map(patternOf), 1);
    return [...stored, ...again.flatMap(({ items }) => items)].filter((statement) => {
      const added = this.#added.get(statementKey(statement));
      if (!added) return this.#isGone(statement);
      const stated = typesStated(added);
      return typesStated(statement).some(([id, type]) => !stated.some(([i, t]) => i === id && t === type));
    });
  }

  /** Whether the patches remove or overwrite a stored statement. */
  #isGone(statement: KGStatement): boolean {
    const key = statementKey(statement);
    return this.#added.has(key) || this.#removed.has(key) || this.#replaced.has(groupKey(statement));
  }

  #findAdded(pattern: OutcomePattern): KGStatement[] {
    return [...this.#added.values()].filter((added) => fits(pattern, added));
  }

  async #findStored(patterns: readonly OutcomePattern[]): Promise<KGStatement[][]> {
    if (patterns.length === 0) return [];
    const found: KGStatement[][] = [];
    for (const [index, first] of (await this.#pages(patterns, pageSize)).entries()) {
      this.#charge(first.items.length);
      const all: KGStatement[] = [...first.items];
      for (let { hasMore, endCursor } = first; hasMore; ) {
        const page = await this.#page(patterns[index] ?? {}, endCursor);
        for (const item of page.items) all.push(item);
        ({ hasMore, endCursor } = page);
      }
      found.push(all);
    }
    return found;
  }

  async #pages(patterns: readonly OutcomePattern[], first: number): Promise<Page<KGStatement>[]> {
    const pages: Page<KGStatement>[] = [];
    for (let from = 0; from < patterns.length; from += batch) {
      const turn = takeTurn();
      if (turn) await turn;
      const some = patterns.slice(from, from + batch);
      countWork(some.length * patternWork);
      for (const page of await this.#store.findEach(this.#space, some, first)) {
        countWork(page.items.length * statementWork);
        pages.push(page);
      }
    }
    return pages;
  }

  async #page(pattern: StatementPattern, after: string): Promise<Page<KGStatement>> {
    const turn = takeTurn();
    if (turn) await turn;
    const page = await this.#store.find(this.#space, pattern, { first: pageSize, after });
    countWork(page.items.length * statementWork);
    this.#charge(page.items.length);
    return page;
  }

  #charge(statements: number): void {
    this.#charged += statements;
    if (this.#charged > mostStatements) {
      throw new TooMuchToJudge(`the update depends on more than ${mostStatements} statements`);
    }
  }
}

/** The methods of an outcome that rules in another process use. */
export type ReadOutcome = Pick<PatchedOutcome, 'findEach' | 'someEach' | 'typesOf' | 'instancesOf'>;

/** Returns the types that a statement states, as pairs of an entity's id and its type. */
export function typesStated({ subject, predicate, object }: KGStatement): [id: string, type: string][] {
  const stated: [string, string][] = [];
  if (subject.type) stated.push([subject.id, subject.type]);
  if (object.id === undefined) return stated;
  if (object.type) stated.push([object.id, object.type]);
  if (typePredicates.has(predicate.id)) stated.push([subject.id, object.id]);
  return stated;
}
