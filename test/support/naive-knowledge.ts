import { randomUUID } from 'node:crypto';
import { A2AError } from '../../src/core/model/errors.ts';
import { hides } from '../../src/extensions/knowledge/alignment/visibility.ts';
import {
  type BoundedCount,
  bounded,
  type ChangeMeta,
  type EntityFilter,
  type KnowledgeChange,
  type KnowledgeView,
  type LogExtent,
  type Page,
  type StatementPageRequest,
  type StatementPattern,
  type StoredStatement,
} from '../../src/extensions/knowledge/model/graph.ts';
import type { KGStatement, KnowledgePatch, KnowledgeSpace } from '../../src/extensions/knowledge/model/knowledge.ts';
import { termOf, typePredicates } from '../../src/extensions/knowledge/model/terms.ts';
import type { KnowledgeLog, KnowledgeReader } from '../../src/extensions/knowledge/store/port.ts';

/** Returns the identity of a statement: equal for two statements that are one. */
export function identityOf({ subject, predicate, object, graph }: KGStatement): string {
  const { text, datatype } = termOf(object);
  return JSON.stringify([subject.id, predicate.id, text, datatype, graph ?? '']);
}

/** Whether a statement counts in a view. */
export const isSeen = (statement: StoredStatement, { minCertainty = 0, since = 0, hidden }: KnowledgeView): boolean =>
  (statement.certainty ?? 1) >= minCertainty && statement.at >= since && !hides(hidden, statement);

/** Types of an entity, from all statements that are given, one by one. Undefined where none is about it. */
export function typesIn(statements: readonly StoredStatement[], id: string): string[] | undefined {
  const about = statements.filter(({ subject, object }) => subject.id === id || object.id === id);
  if (about.length === 0) return undefined;
  const types = about.flatMap(({ subject, predicate, object }) => [
    ...(subject.id === id && subject.type !== undefined ? [subject.type] : []),
    ...(object.id === id && object.type !== undefined ? [object.type] : []),
    ...(subject.id === id && object.id !== undefined && typePredicates.has(predicate.id) ? [object.id] : []),
  ]);
  return [...new Set(types)].sort();
}

const same = (wanted: string | undefined, given: string | undefined) => wanted === undefined || wanted === given;

/** Statements that fit a pattern, found by looking at every one. */
export function fitting(statements: readonly StoredStatement[], pattern: StatementPattern): StoredStatement[] {
  const seen = statements.filter((statement) => isSeen(statement, pattern));
  return seen.filter(
    ({ subject, predicate, object, graph }) =>
      same(pattern.subject, subject.id) &&
      same(pattern.predicate, predicate.id) &&
      same(pattern.object, object.id) &&
      same(pattern.graph, graph ?? '') &&
      (pattern.value === undefined ||
        (object.id === undefined && termOf({ value: pattern.value }).text === termOf(object).text)) &&
      (pattern.subjectType === undefined || (typesIn(seen, subject.id) ?? []).includes(pattern.subjectType)),
  );
}

/** Ids of entities that fit a filter, in order. */
export function entitiesIn(statements: readonly StoredStatement[], filter: EntityFilter): string[] {
  const seen = statements.filter((statement) => isSeen(statement, filter));
  const ids = seen.flatMap(({ subject, object }) => (object.id === undefined ? [subject.id] : [subject.id, object.id]));
  const { type } = filter;
  return [...new Set(ids)].filter((id) => type === undefined || typesIn(seen, id)?.includes(type)).sort();
}

/**
 * One graph in memory, which looks at every statement for every question: what answers are held against. Spaces are not
 * distinguished. Counts its queries.
 */
export class NaiveKnowledge implements KnowledgeReader, KnowledgeLog {
  readonly statements = new Map<string, StoredStatement>();
  readonly log: KnowledgeChange[] = [];
  /** Names of the methods that were called. */
  readonly queries: string[] = [];
  readonly #listeners = new Set<() => void>();
  /** Changes up to this position are forgotten. */
  forgotten = 0;

  now(): number {
    return Date.now();
  }

  get all(): StoredStatement[] {
    return [...this.statements.values()];
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  async find(_: KnowledgeSpace, pattern: StatementPattern, page: StatementPageRequest): Promise<Page<StoredStatement>> {
    this.queries.push('find');
    return this.#page(pattern, page, fitting(this.all, pattern), identityOf);
  }

  async findEach(_: KnowledgeSpace, patterns: readonly StatementPattern[], first: number) {
    this.queries.push('findEach');
    return patterns.map((pattern) => this.#page(pattern, { first }, fitting(this.all, pattern), identityOf));
  }

  async count(_: KnowledgeSpace, patterns: readonly StatementPattern[], atMost: number): Promise<BoundedCount[]> {
    this.queries.push('count');
    return patterns.map((pattern) => bounded(fitting(this.all, pattern).length, atMost));
  }

  async entities(_: KnowledgeSpace, filter: EntityFilter, page: StatementPageRequest): Promise<Page<string>> {
    this.queries.push('entities');
    return this.#page(filter, page, entitiesIn(this.all, filter), (id) => id);
  }

  async countEntities(_: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    this.queries.push('countEntities');
    return bounded(entitiesIn(this.all, filter).length, atMost);
  }

  async typesOf(_: KnowledgeSpace, ids: readonly string[], view: KnowledgeView = {}) {
    this.queries.push('typesOf');
    const seen = this.all.filter((statement) => isSeen(statement, view));
    const found = new Map<string, readonly string[]>();
    for (const id of ids) {
      const types = typesIn(seen, id);
      if (types) found.set(id, types);
    }
    return found;
  }

  async changes(_: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]> {
    return this.log.filter(({ position }) => position > Math.max(after, this.forgotten)).slice(0, limit);
  }

  async extent(): Promise<LogExtent> {
    return { first: this.forgotten + 1, last: this.log.length };
  }

  watch(_: KnowledgeSpace, listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  apply(patches: readonly KnowledgePatch[], meta: ChangeMeta = {}, at: number = Date.now()): void {
    for (const patch of patches) this.#patch(patch, meta, at);
    for (const listener of this.#listeners) listener();
  }

  #patch({ op, statement }: KnowledgePatch, meta: ChangeMeta, at: number): void {
    const identity = identityOf(statement);
    const before = this.statements.get(identity);
    const { subject, predicate, graph = '' } = statement;
    const meant =
      op === 'replace'
        ? fitting(this.all, { subject: subject.id, predicate: predicate.id, graph })
        : before
          ? [before]
          : [];
    if (op === 'remove' && !before) return;
    if (op !== 'add') for (const gone of meant) this.statements.delete(identityOf(gone));
    if (op !== 'remove') this.statements.set(identity, { ...statement, at });
    this.log.push({
      position: this.log.length + 1,
      changeId: randomUUID(),
      at,
      op,
      statement: (op === 'remove' && before) || statement,
      ...(op !== 'remove' && meant.length > 0 && { replaced: meant }),
      meta,
    });
  }

  /** In the order of keys, so that the order stays while others write. */
  #page<Item>(
    list: object,
    { first, after }: StatementPageRequest,
    items: readonly Item[],
    key: (item: Item) => string,
  ) {
    const [of, last] = after?.startsWith('[') ? (JSON.parse(after) as [string, string]) : [];
    if (after !== undefined && of !== JSON.stringify(list)) {
      throw A2AError.invalidParams(undefined, [{ field: 'after', description: 'is of another list' }]);
    }
    const sorted = items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    const rest = sorted.filter((item) => last === undefined || key(item) > last);
    const page = rest.slice(0, first);
    const end = page.at(-1);
    const endCursor = end === undefined ? '' : JSON.stringify([JSON.stringify(list), key(end)]);
    return { items: page, endCursor, hasMore: rest.length > first };
  }
}
