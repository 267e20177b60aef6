import { type RawBuilder, sql } from 'kysely';
import type { Requester } from '../../../../core/model/call.ts';
import type { DamagedRows } from '../../../../core/ports/damaged-rows.ts';
import type { Database, Prepared, Traits } from '../../../../stores/database.ts';
import type { PageTokens } from '../../../../stores/page-token.ts';
import { largestFor, pageBytes, rowsFor } from '../../../../stores/tasks/byte-limits.ts';
import {
  type BoundedCount,
  bounded,
  emptyPage,
  type KnowledgeView,
  listOf,
  type Page,
  type StatementPageRequest,
  type StatementPattern,
  type StoredStatement,
} from '../../model/graph.ts';
import type { KnowledgeSpace } from '../../model/knowledge.ts';
import { storedFrom } from '../rows.ts';
import { createTemplates, type Values } from '../templates.ts';
import { instances, type ReaderDeps } from './entities.ts';
import {
  columnNames,
  countForEach,
  countStatements,
  findForEach,
  findStatements,
  missingIn,
  openColumns,
  planFor,
  type Search,
  type SizedRow,
  searchShape,
  sizeOfRow,
  termsIn,
} from './statement-queries.ts';
import type { KnownTerms } from './term-dictionary.ts';
import { restricts, viewShape, viewValues } from './view.ts';

/** Number of instances per query. */
const instancesAtOnce = 50;

/** Reads statements from the store. */
export class StatementReader {
  readonly #database: Database;
  readonly #damaged: DamagedRows;
  readonly #findSpace: ReaderDeps['findSpace'];
  readonly #dictionary: ReaderDeps['terms'];
  readonly #tokens: PageTokens;
  readonly #traits: Traits;
  readonly #query: ReturnType<typeof createTemplates>;
  readonly #findProvenance: Prepared<{ provenance: string | null }>;
  readonly #findText: Prepared<{ body: string | null }>;

  constructor({ database, damaged, findSpace, terms, tokens }: ReaderDeps) {
    this.#database = database;
    this.#damaged = damaged;
    this.#findSpace = findSpace;
    this.#dictionary = terms;
    this.#tokens = tokens;
    this.#traits = database.traits;
    this.#query = createTemplates(database);
    this.#findProvenance = database.prepare(sql<{ provenance: string | null }>`
      select provenance from knowledge_statement
      where space = ${0} and s = ${0} and p = ${0} and o = ${0} and g = ${0}`);
    this.#findText = database.prepare(
      sql<{ body: string | null }>`select body from knowledge_term where space = ${0} and id = ${0}`,
    );
  }

  async find(
    at: KnowledgeSpace,
    pattern: StatementPattern,
    page: StatementPageRequest,
    requester?: Requester,
  ): Promise<Page<StoredStatement>> {
    const space = await this.#findSpace(at);
    if (space === undefined) return emptyPage;
    const list = listOf(space, pattern);
    const position = this.#tokens.read(list, page.after ?? '', 'after') as number[] | undefined;
    const rows: SizedRow[] = [];
    for (const search of await this.#searchesFor(space, [pattern])) {
      if (rows.length > page.first) break;
      const { o } = search.known;
      // Literals with the same text that come before the position have already been read.
      if (position && o !== undefined && o < (position[2] ?? 0)) continue;
      const after = o === undefined || o === position?.[2] ? position : undefined;
      rows.push(...(await this.#readRows(space, search, after, page.first + 1 - rows.length)));
    }
    return this.#buildPage(space, list, rows, page.first, requester);
  }

  async findEach(
    at: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
    requester?: Requester,
  ): Promise<readonly Page<StoredStatement>[]> {
    const space = await this.#findSpace(at);
    if (space === undefined) return patterns.map(() => emptyPage);
    const searches = await this.#searchesFor(space, patterns);
    const found: SizedRow[][] = patterns.map(() => []);
    const isAlone = (search: Search): boolean => !this.#traits.lateral || goesByInstances(search);
    for (const search of searches.filter(isAlone)) {
      found[search.i]?.push(...(await this.#readRows(space, search, undefined, first + 1)));
    }
    for (const group of grouped(searches.filter((search) => !isAlone(search)))) {
      for (const row of await this.#forEach('find', space, group, findForEach, first + 1)) {
        found[group[row.i]?.i ?? -1]?.push(row);
      }
    }
    const pages: Page<StoredStatement>[] = [];
    for (const [i, pattern] of patterns.entries()) {
      pages.push(await this.#buildPage(space, listOf(space, pattern), found[i] ?? [], first, requester));
    }
    return pages;
  }

  async count(
    at: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    atMost: number,
  ): Promise<readonly BoundedCount[]> {
    const space = await this.#findSpace(at);
    if (space === undefined) return patterns.map(() => bounded(0, atMost));
    const searches = await this.#searchesFor(space, patterns);
    const wholes = searches.filter(isWhole);
    const others = searches.filter((search) => !isWhole(search));
    const counts = patterns.map(() => 0);
    const add = (i: number, n: number): void => {
      counts[i] = (counts[i] ?? 0) + n;
    };
    if (this.#traits.lateral) {
      for (const group of grouped(others)) {
        for (const { i, n } of await this.#forEach('count', space, group, countForEach, atMost + 1)) {
          add(group[i]?.i ?? -1, Number(n));
        }
      }
    } else {
      for (const search of others) add(search.i, await this.#countOne(space, search, atMost + 1));
    }
    const results = counts.map((n) => bounded(n, atMost));
    for (const { i } of wholes) results[i] = { count: await this.#total(space), exact: true };
    return results;
  }

  async #countOne(space: number, search: Search, limit: number): Promise<number> {
    const values = valuesOf(space, search, limit);
    const [row] = await this.#query(`count ${searchShape(search)}`, () => countStatements(search), values);
    return Number(row?.n ?? 0);
  }

  /** Returns the searches for patterns; `i` is the index of the pattern. */
  async #searchesFor(space: number, patterns: readonly StatementPattern[]): Promise<IndexedSearch[]> {
    const terms = await this.#dictionary.find(space, patterns);
    return patterns.flatMap((view, i) => terms.known(view).map((known) => this.#searchFor(i, known, view)));
  }

  #searchFor(i: number, known: KnownTerms, view: KnowledgeView): IndexedSearch {
    return { i, traits: this.#traits, plan: planFor(known), known, view };
  }

  /** Runs one query for a group of searches. `i` of a row is the index within the group. */
  async #forEach<Row>(
    what: string,
    space: number,
    group: readonly IndexedSearch[],
    write: (search: Search) => RawBuilder<Row>,
    limit: number,
  ): Promise<Row[]> {
    const [first] = group;
    if (!first) return [];
    return this.#query(`${what} each ${searchShape(first)}`, () => write(first), {
      ...valuesOf(space, first, limit),
      each: JSON.stringify(group.map(({ known }, i) => ({ i, ...known }))),
    });
  }

  async #total(space: number): Promise<number> {
    const { rows } = await sql<{ statements: number }>`
      select statements from knowledge_space where id = ${space}`.execute(this.#database.sql);
    return rows[0]?.statements ?? 0;
  }

  async #readRows(
    space: number,
    search: Search,
    position: readonly number[] | undefined,
    limit: number,
  ): Promise<SizedRow[]> {
    if (goesByInstances(search)) return this.#rowsOfInstances(space, search, position, limit);
    // If all columns are known, there is at most one statement, and it has been read.
    if (position && openColumns(search).length === 0) return [];
    const after = position && Object.fromEntries(columnNames.map((name, i) => [`after_${name}`, position[i] ?? 0]));
    const values = { ...valuesOf(space, search, limit), ...after };
    const shape = `${after ? 'after' : 'find'} ${searchShape(search)}`;
    return this.#query(shape, () => findStatements(search, after !== undefined), values);
  }

  /** Reads the statements of the instances of a type, batch by batch, in the order of the plan. */
  async #rowsOfInstances(
    space: number,
    { known: { type, ...known }, view, traits }: Search,
    position: readonly number[] | undefined,
    limit: number,
  ): Promise<SizedRow[]> {
    const rows: SizedRow[] = [];
    const [reached] = position ?? [];
    for (let after = reached === undefined ? 0 : reached - 1; rows.length < limit; ) {
      const values = { space, type, after, limit: instancesAtOnce, ...viewValues(view) };
      const write = () => instances({ traits, view });
      const found = await this.#query(`instances ${viewShape(view)}`, write, values);
      const searches = found.map(({ id }, i) => this.#searchFor(i, { ...known, s: id }, view));
      if (position && searches[0]?.known.s === reached) {
        for (const first of searches.splice(0, 1)) rows.push(...(await this.#readRows(space, first, position, limit)));
      }
      for (const group of grouped(searches)) {
        rows.push(...(await this.#forEach('find', space, group, findForEach, limit - rows.length)));
      }
      after = found.at(-1)?.id ?? after;
      if (found.length < instancesAtOnce) break;
    }
    return rows.slice(0, limit);
  }

  /** Builds a page, which ends at its limit on items or bytes. */
  async #buildPage(
    space: number,
    list: readonly unknown[],
    rows: readonly SizedRow[],
    first: number,
    requester: Requester | undefined,
  ): Promise<Page<StoredStatement>> {
    const bytes = Math.min(pageBytes, largestFor(requester));
    const shown = await rowsFor(requester, rows.slice(0, first), bytes, sizeOfRow);
    const last = shown.at(-1);
    const items: StoredStatement[] = [];
    for (const row of shown) {
      const place = ['knowledge_statement', [space, row.s, row.p, row.o, row.g]] as const;
      const missing = this.#damaged.read(...place, () => missingIn(row));
      const whole = missing && (await this.#completed(space, row, missing));
      const item = whole && this.#damaged.read(...place, () => storedFrom(whole, termsIn(whole)));
      if (item) items.push(item);
    }
    return {
      items,
      endCursor: last ? this.#tokens.write(list, [last.s, last.p, last.o, last.g]) : '',
      hasMore: rows.length > shown.length,
    };
  }

  /** Returns a row with its large texts; undefined if one of them was deleted meanwhile. */
  async #completed(
    space: number,
    row: SizedRow,
    { terms, provenance }: ReturnType<typeof missingIn>,
  ): Promise<SizedRow | undefined> {
    if (terms.size === 0 && !provenance) return row;
    const texts: Record<string, string> = {};
    for (const [name, id] of terms) {
      const [found] = await this.#findText(space, id);
      if (typeof found?.body !== 'string') return undefined;
      texts[`${name}_body`] = found.body;
    }
    const [found] = provenance ? await this.#findProvenance(space, row.s, row.p, row.o, row.g) : [row];
    return found && { ...row, ...texts, provenance: found.provenance };
  }
}

interface IndexedSearch extends Search {
  readonly i: number;
}

const valuesOf = (space: number, { known, view }: Search, limit: number): Values => ({
  space,
  ...known,
  ...viewValues(view),
  limit,
});

/**
 * Whether to look up instances first: PostgreSQL would otherwise check the visibility of all rows before it sorts them.
 */
const goesByInstances = ({ plan, view, traits }: Search): boolean => plan.fromType && traits.lateral && restricts(view);

/** Whether a search covers all statements of the space, whose number is stored. */
const isWhole = ({ known, view }: Search): boolean => Object.keys(known).length === 0 && !restricts(view);

/** Groups searches that differ only in numbers, so that one query can answer each group. */
function grouped(searches: readonly IndexedSearch[]): Iterable<readonly IndexedSearch[]> {
  const groups = Map.groupBy(searches, ({ known, plan, view: { minCertainty, since, hidden } }) =>
    JSON.stringify([Object.keys(known).toSorted(), plan.named, minCertainty, since, hidden]),
  );
  return groups.values();
}
