import type { RawBuilder } from 'kysely';
import type {
  Count,
  KnowledgeSpace,
  KnowledgeView,
  Page,
  PageRequest,
  StatementPattern,
  StoredStatement,
} from '../../core/knowledge.ts';
import type { Database } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import { instances } from './entity-queries.ts';
import {
  countForEach,
  countStatements,
  type FoundRow,
  findForEach,
  findStatements,
  type Search,
  searchShape,
  termsIn,
} from './finding.ts';
import type { NameFinder } from './names.ts';
import { columnNames, type Known, openColumns, planFor } from './plan.ts';
import { storedFrom } from './rows.ts';
import type { Spaces } from './spaces.ts';
import { Templates, type Values } from './templates.ts';
import { restricts, viewShape, viewValues } from './view.ts';

/** Instances that are looked up together. */
const instancesAtOnce = 50;

const none: Count = { count: 0, exact: true };

/** As far as anybody asked. */
const bounded = (count: number, atMost: number): Count => ({ count: Math.min(count, atMost), exact: count <= atMost });

const nothing: Page<never> = { items: [], endCursor: '', hasMore: false };

/** What tells one list from another: views aside, which move with the clock. */
const listOf = (
  space: number,
  { subject, predicate, object, value, datatype, subjectType, graph }: StatementPattern,
): unknown[] => ['statements', space, subject, predicate, object, value, datatype, subjectType, graph];

const positionOf = ({ s, p, o, g }: FoundRow): number[] => [s, p, o, g];

/** Reads statements. */
export class StatementReader {
  readonly #database: Database;
  readonly #spaces: Spaces;
  readonly #names: NameFinder;
  readonly #tokens: PageTokens;
  readonly #queries: Templates;

  constructor(database: Database, spaces: Spaces, names: NameFinder, tokens: PageTokens) {
    this.#database = database;
    this.#spaces = spaces;
    this.#names = names;
    this.#tokens = tokens;
    this.#queries = new Templates(database);
  }

  async find(at: KnowledgeSpace, pattern: StatementPattern, page: PageRequest): Promise<Page<StoredStatement>> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return nothing;
    const list = listOf(space, pattern);
    const position = this.#tokens.read(list, page.after ?? '', 'after') as number[] | undefined;
    const known = (await this.#names.find(space, [pattern])).known(pattern);
    const rows: FoundRow[] = [];
    for (const each of known) {
      if (rows.length > page.first) break;
      // Of literals with the same text, those that are before the position have been read.
      if (position && each.o !== undefined && each.o < (position[2] ?? 0)) continue;
      const after = each.o === undefined || each.o === position?.[2] ? position : undefined;
      rows.push(...(await this.#rows(space, each, pattern, after, page.first + 1 - rows.length)));
    }
    return this.#page(list, rows, page.first);
  }

  async findEach(
    at: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
  ): Promise<readonly Page<StoredStatement>[]> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return patterns.map(() => nothing);
    const searches = await this.#searches(space, patterns);
    const found: FoundRow[][] = patterns.map(() => []);
    const take = (i: number, rows: readonly FoundRow[]): void => void found[i]?.push(...rows);
    if (this.#database.traits.lateral) {
      const isOne = ({ known, pattern }: OneSearch): boolean => this.#goesByInstances(this.#search(known, pattern));
      for (const { i, known, pattern } of searches.filter(isOne)) {
        take(i, await this.#rows(space, known, pattern, undefined, first + 1));
      }
      for (const group of grouped(searches.filter((search) => !isOne(search)))) {
        for (const row of await this.#forEach('find', space, group, findForEach, first + 1)) {
          take(group[row.i]?.i ?? -1, [row]);
        }
      }
    } else {
      for (const { i, known, pattern } of searches)
        take(i, await this.#rows(space, known, pattern, undefined, first + 1));
    }
    return patterns.map((pattern, i) => this.#page(listOf(space, pattern), found[i] ?? [], first));
  }

  async count(at: KnowledgeSpace, pattern: StatementPattern, atMost: number): Promise<Count> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return none;
    const known = (await this.#names.find(space, [pattern])).known(pattern);
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
  ): Promise<readonly Count[]> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return patterns.map(() => none);
    const searches = await this.#searches(space, patterns);
    const counts = patterns.map(() => 0);
    const add = (i: number, n: number): void => {
      counts[i] = (counts[i] ?? 0) + n;
    };
    if (this.#database.traits.lateral) {
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

  async #countOne(space: number, known: Known, view: KnowledgeView, limit: number): Promise<number> {
    const search = this.#search(known, view);
    const values = this.#values(space, search, limit);
    const [row] = await this.#queries.run(`count ${searchShape(search)}`, () => countStatements(search), values);
    return Number(row?.n ?? 0);
  }

  /** What patterns come to in numbers, each with the pattern's place. */
  async #searches(space: number, patterns: readonly StatementPattern[]): Promise<OneSearch[]> {
    const names = await this.#names.find(space, patterns);
    return patterns.flatMap((pattern, i) => names.known(pattern).map((known) => ({ i, known, pattern })));
  }

  /** Asks one query for a whole group; `i` of its rows is the place in the group. */
  #forEach<Row>(
    what: string,
    space: number,
    group: readonly [OneSearch, ...OneSearch[]],
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
    const { sql } = this.#database;
    const row = await sql.selectFrom('knowledge_space').select('statements').where('id', '=', space).executeTakeFirst();
    return row?.statements ?? 0;
  }

  #search(known: Known, view: KnowledgeView): Search {
    return { traits: this.#database.traits, plan: planFor(known), known, view };
  }

  #values(space: number, { known, view }: Search, limit: number): Values {
    return { space, ...known, ...viewValues(view), limit };
  }

  async #rows(
    space: number,
    known: Known,
    view: KnowledgeView,
    position: readonly number[] | undefined,
    limit: number,
  ): Promise<FoundRow[]> {
    const search = this.#search(known, view);
    if (this.#goesByInstances(search)) return this.#rowsOfInstances(space, known, view, position, limit);
    // Where everything is known there is one statement at most, and it has been read.
    if (position && openColumns(search.plan, known).length === 0) return [];
    const after = position && Object.fromEntries(columnNames.map((name, i) => [`after_${name}`, position[i] ?? 0]));
    const values = { ...this.#values(space, search, limit), ...after };
    const shape = `${after ? 'after' : 'find'} ${searchShape(search)}`;
    return this.#queries.run(shape, () => findStatements(search, after !== undefined), values);
  }

  /**
   * Whether instances are looked up before their statements. PostgreSQL would judge of all of them whether they count as
   * such before it sorts them, however few are asked for.
   */
  #goesByInstances({ plan, view }: Search): boolean {
    return plan.fromType && this.#database.traits.lateral && restricts(view);
  }

  /** Statements of a type's instances, some of which are looked up at once, in the order of the plan. */
  async #rowsOfInstances(
    space: number,
    { type, ...known }: Known,
    view: KnowledgeView,
    position: readonly number[] | undefined,
    limit: number,
  ): Promise<FoundRow[]> {
    const rows: FoundRow[] = [];
    const [reached] = position ?? [];
    for (let after = reached === undefined ? 0 : reached - 1; rows.length < limit; ) {
      const scope = { traits: this.#database.traits, view };
      const asked = { space, type, after, limit: instancesAtOnce, ...viewValues(view) };
      const found = await this.#queries.run(`instances ${viewShape(view)}`, () => instances(scope), asked);
      const searches = found.map(({ id }, i): OneSearch => ({ i, known: { ...known, s: id }, pattern: view }));
      if (position && searches[0]?.known.s === reached) {
        const [{ known: first }] = searches.splice(0, 1) as [OneSearch];
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

  #page(list: readonly unknown[], rows: readonly FoundRow[], first: number): Page<StoredStatement> {
    const shown = rows.slice(0, first);
    const last = shown.at(-1);
    return {
      items: shown.map((row) => storedFrom(row, termsIn(row))),
      endCursor: last ? this.#tokens.write(list, positionOf(last)) : '',
      hasMore: rows.length > first,
    };
  }
}

interface OneSearch {
  readonly i: number;
  readonly known: Known;
  readonly pattern: StatementPattern;
}

/** Those that differ in numbers only, which one query can answer. */
function grouped(searches: readonly OneSearch[]): (readonly [OneSearch, ...OneSearch[]])[] {
  const groups = new Map<string, [OneSearch, ...OneSearch[]]>();
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
