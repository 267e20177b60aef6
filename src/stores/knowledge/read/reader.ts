import { type RawBuilder, sql } from 'kysely';
import type { ReadBudget } from '../../../core/model/call.ts';
import type {
  BoundedCount,
  KnowledgeSpace,
  KnowledgeView,
  Page,
  StatementPageRequest,
  StatementPattern,
  StoredStatement,
} from '../../../core/model/knowledge.ts';
import type { Database, Prepared, Traits } from '../../database.ts';
import type { PageTokens } from '../../page-token.ts';
import { bytesOf, pageBytes, withinBytes } from '../../tasks/byte-limits.ts';
import { storedFrom } from '../rows.ts';
import type { createSpaces } from '../spaces.ts';
import { Templates, type Values } from '../templates.ts';
import { instances } from './entity-queries.ts';
import { columnNames, type KnownTerms, openColumns, planFor } from './plan.ts';
import {
  countForEach,
  countStatements,
  findForEach,
  findStatements,
  missingIn,
  type Search,
  type SizedRow,
  searchShape,
  sizeOfRow,
  termsIn,
} from './statement-queries.ts';
import type { TermLookup } from './term-dictionary.ts';
import { restricts, viewShape, viewValues } from './view.ts';

export interface ReaderDeps {
  readonly database: Database;
  readonly spaces: ReturnType<typeof createSpaces>;
  readonly terms: TermLookup;
  readonly tokens: PageTokens;
}

/** Instances per query. */
const instancesAtOnce = 50;

export const bounded = (count: number, atMost: number): BoundedCount => ({
  count: Math.min(count, atMost),
  exact: count <= atMost,
});

export const emptyPage: Page<never> = { items: [], endCursor: '', hasMore: false };

/** The identity of a list for page tokens; without the view, which moves with the clock. */
const listOf = (
  space: number,
  { subject, predicate, object, value, datatype, subjectType, graph }: StatementPattern,
): unknown[] => ['statements', space, subject, predicate, object, value, datatype, subjectType, graph];

const positionOf = ({ s, p, o, g }: SizedRow): number[] => [s, p, o, g];

/** Reads statements. */
export class StatementReader {
  readonly #deps: ReaderDeps;
  readonly #traits: Traits;
  readonly #queries: Templates;
  readonly #provenance: Prepared<{ provenance: string | null }>;
  readonly #text: Prepared<{ body: string | null }>;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
    const { database } = deps;
    this.#traits = database.traits;
    this.#queries = new Templates(database);
    this.#provenance = database.prepare(sql`
      select provenance from knowledge_statement
      where space = ${0} and s = ${0} and p = ${0} and o = ${0} and g = ${0}`);
    this.#text = database.prepare(sql`select body from knowledge_term where space = ${0} and id = ${0}`);
  }

  async find(
    at: KnowledgeSpace,
    pattern: StatementPattern,
    page: StatementPageRequest,
    room?: ReadBudget,
  ): Promise<Page<StoredStatement>> {
    const space = await this.#deps.spaces.find(at);
    if (space === undefined) return emptyPage;
    const list = listOf(space, pattern);
    const position = this.#deps.tokens.read(list, page.after ?? '', 'after') as number[] | undefined;
    const known = (await this.#deps.terms.find(space, [pattern])).known(pattern);
    const rows: SizedRow[] = [];
    for (const each of known) {
      if (rows.length > page.first) break;
      // Literals with the same text that are before the position have been read.
      if (position && each.o !== undefined && each.o < (position[2] ?? 0)) continue;
      const after = each.o === undefined || each.o === position?.[2] ? position : undefined;
      rows.push(...(await this.#rows(space, each, pattern, after, page.first + 1 - rows.length)));
    }
    return this.#page(space, list, rows, page.first, room);
  }

  async findEach(
    at: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
    room?: ReadBudget,
  ): Promise<readonly Page<StoredStatement>[]> {
    const space = await this.#deps.spaces.find(at);
    if (space === undefined) return patterns.map(() => emptyPage);
    const searches = await this.#searches(space, patterns);
    const found: SizedRow[][] = patterns.map(() => []);
    const isAlone = ({ known, pattern }: IndexedSearch): boolean =>
      !this.#traits.lateral || this.#goesByInstances(this.#search(known, pattern));
    for (const { i, known, pattern } of searches.filter(isAlone)) {
      found[i]?.push(...(await this.#rows(space, known, pattern, undefined, first + 1)));
    }
    for (const group of grouped(searches.filter((search) => !isAlone(search)))) {
      for (const row of await this.#forEach('find', space, group, findForEach, first + 1)) {
        found[group[row.i]?.i ?? -1]?.push(row);
      }
    }
    const pages: Page<StoredStatement>[] = [];
    for (const [i, pattern] of patterns.entries()) {
      pages.push(await this.#page(space, listOf(space, pattern), found[i] ?? [], first, room));
    }
    return pages;
  }

  async count(at: KnowledgeSpace, pattern: StatementPattern, atMost: number): Promise<BoundedCount> {
    const space = await this.#deps.spaces.find(at);
    if (space === undefined) return bounded(0, atMost);
    const known = (await this.#deps.terms.find(space, [pattern])).known(pattern);
    if (known.length === 1 && Object.keys(known[0] ?? {}).length === 0 && !restricts(pattern)) {
      return { count: await this.#total(space), exact: true };
    }
    let count = 0;
    for (const each of known) {
      if (count <= atMost) count += await this.#countOne(space, each, pattern, atMost + 1 - count);
    }
    return bounded(count, atMost);
  }

  async countEach(
    at: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    atMost: number,
  ): Promise<readonly BoundedCount[]> {
    const space = await this.#deps.spaces.find(at);
    if (space === undefined) return patterns.map(() => bounded(0, atMost));
    const searches = await this.#searches(space, patterns);
    const counts = patterns.map(() => 0);
    const add = (i: number, n: number): void => {
      counts[i] = (counts[i] ?? 0) + n;
    };
    if (this.#traits.lateral) {
      for (const group of grouped(searches)) {
        for (const { i, n } of await this.#forEach('count', space, group, countForEach, atMost + 1)) {
          add(group[i]?.i ?? -1, Number(n));
        }
      }
    } else {
      for (const { i, known, pattern } of searches) add(i, await this.#countOne(space, known, pattern, atMost + 1));
    }
    return counts.map((count) => bounded(count, atMost));
  }

  async #countOne(space: number, known: KnownTerms, view: KnowledgeView, limit: number): Promise<number> {
    const search = this.#search(known, view);
    const values = this.#values(space, search, limit);
    const [row] = await this.#queries.run(`count ${searchShape(search)}`, () => countStatements(search), values);
    return Number(row?.n ?? 0);
  }

  /** Searches for patterns, each with the index of its pattern. */
  async #searches(space: number, patterns: readonly StatementPattern[]): Promise<IndexedSearch[]> {
    const names = await this.#deps.terms.find(space, patterns);
    return patterns.flatMap((pattern, i) => names.known(pattern).map((known) => ({ i, known, pattern })));
  }

  /** Runs one query for a group of searches; `i` of a row is the index in the group. */
  #forEach<Row>(
    what: string,
    space: number,
    group: readonly [IndexedSearch, ...IndexedSearch[]],
    write: (search: Search) => RawBuilder<Row>,
    limit: number,
  ): Promise<Row[]> {
    const [{ known, pattern }] = group;
    const search = this.#search(known, pattern);
    return this.#queries.run(`${what} each ${searchShape(search)}`, () => write(search), {
      ...this.#values(space, search, limit),
      each: JSON.stringify(group.map((one, i) => ({ i, ...one.known }))),
    });
  }

  async #total(space: number): Promise<number> {
    const row = this.#deps.database.sql.selectFrom('knowledge_space').select('statements').where('id', '=', space);
    return (await row.executeTakeFirst())?.statements ?? 0;
  }

  #search(known: KnownTerms, view: KnowledgeView): Search {
    return { traits: this.#traits, plan: planFor(known), known, view };
  }

  #values(space: number, { known, view }: Search, limit: number): Values {
    return { space, ...known, ...viewValues(view), limit };
  }

  async #rows(
    space: number,
    known: KnownTerms,
    view: KnowledgeView,
    position: readonly number[] | undefined,
    limit: number,
  ): Promise<SizedRow[]> {
    const search = this.#search(known, view);
    if (this.#goesByInstances(search)) return this.#rowsOfInstances(space, known, view, position, limit);
    // If all columns are known, there is one statement at most, and it has been read.
    if (position && openColumns(search.plan, known).length === 0) return [];
    const after = position && Object.fromEntries(columnNames.map((name, i) => [`after_${name}`, position[i] ?? 0]));
    const values = { ...this.#values(space, search, limit), ...after };
    const shape = `${after ? 'after' : 'find'} ${searchShape(search)}`;
    return this.#queries.run(shape, () => findStatements(search, after !== undefined), values);
  }

  /**
   * Whether to look up instances before their statements. PostgreSQL would check the visibility of all instances before
   * it sorts them, however few are wanted.
   */
  #goesByInstances({ plan, view }: Search): boolean {
    return plan.fromType && this.#traits.lateral && restricts(view);
  }

  /** Statements of the instances of a type, batch by batch, in the order of the plan. */
  async #rowsOfInstances(
    space: number,
    { type, ...known }: KnownTerms,
    view: KnowledgeView,
    position: readonly number[] | undefined,
    limit: number,
  ): Promise<SizedRow[]> {
    const rows: SizedRow[] = [];
    const [reached] = position ?? [];
    for (let after = reached === undefined ? 0 : reached - 1; rows.length < limit; ) {
      const scope = { traits: this.#traits, view };
      const values = { space, type, after, limit: instancesAtOnce, ...viewValues(view) };
      const found = await this.#queries.run(`instances ${viewShape(view)}`, () => instances(scope), values);
      const searches = found.map(({ id }, i): IndexedSearch => ({ i, known: { ...known, s: id }, pattern: view }));
      if (position && searches[0]?.known.s === reached) {
        const [{ known: first }] = searches.splice(0, 1) as [IndexedSearch];
        rows.push(...(await this.#rows(space, first, view, position, limit)));
      }
      for (const group of grouped(searches)) {
        rows.push(...(await this.#forEach('find', space, group, findForEach, limit - rows.length)));
      }
      after = found.at(-1)?.id ?? after;
      if (found.length < instancesAtOnce) break;
    }
    return rows.slice(0, limit);
  }

  /** Builds a page, which also ends by bytes. */
  async #page(
    space: number,
    list: readonly unknown[],
    rows: readonly SizedRow[],
    first: number,
    room: ReadBudget | undefined,
  ): Promise<Page<StoredStatement>> {
    const shown = withinBytes(rows.slice(0, first), pageBytes, sizeOfRow);
    await room?.reserve(bytesOf(shown, sizeOfRow));
    const last = shown.at(-1);
    const items: StoredStatement[] = [];
    for (const row of shown) {
      const whole = await this.#whole(space, row);
      if (whole) items.push(storedFrom(whole, termsIn(whole)));
    }
    return {
      items,
      endCursor: last ? this.#deps.tokens.write(list, positionOf(last)) : '',
      hasMore: rows.length > shown.length,
    };
  }

  /** A row with its large texts; undefined if one of them was deleted meanwhile. */
  async #whole(space: number, row: SizedRow): Promise<SizedRow | undefined> {
    const { terms, provenance } = missingIn(row);
    if (terms.size === 0 && !provenance) return row;
    const texts: Record<string, string> = {};
    for (const [name, id] of terms) {
      const [found] = await this.#text(space, id);
      if (typeof found?.body !== 'string') return undefined;
      texts[`${name}_body`] = found.body;
    }
    const [found] = provenance ? await this.#provenance(space, row.s, row.p, row.o, row.g) : [row];
    return found && { ...row, ...texts, provenance: found.provenance };
  }
}

interface IndexedSearch {
  readonly i: number;
  readonly known: KnownTerms;
  readonly pattern: StatementPattern;
}

/** Groups the searches that differ only in numbers, which one query can answer. */
function grouped(searches: readonly IndexedSearch[]): (readonly [IndexedSearch, ...IndexedSearch[]])[] {
  const groups = new Map<string, [IndexedSearch, ...IndexedSearch[]]>();
  for (const search of searches) {
    const { minCertainty, since, hidden } = search.pattern;
    const columns = Object.keys(search.known).toSorted();
    const key = JSON.stringify([columns, planFor(search.known).named, minCertainty, since, hidden]);
    const group = groups.get(key);
    if (group) group.push(search);
    else groups.set(key, [search]);
  }
  return [...groups.values()];
}
