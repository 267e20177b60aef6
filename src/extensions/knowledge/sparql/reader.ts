import type { DamagedRows } from '../../../core/ports/damaged-rows.ts';
import type { PageTokens } from '../../../stores/page-token.ts';
import {
  type BoundedCount,
  bounded,
  type EntityFilter,
  emptyPage,
  type KnowledgeView,
  listOf,
  type Page,
  type StatementPageRequest,
  type StatementPattern,
  type StoredStatement,
} from '../model/graph.ts';
import type { KnowledgeSpace } from '../model/knowledge.ts';
import { literal, resource, type Term } from '../model/terms.ts';
import type { KnowledgeReader } from '../store/port.ts';
import { storedFrom } from '../store/rows.ts';
import { TermSet } from '../store/terms.ts';
import { type Annotations, annotationsIn, nameOf, originalTerm, rowFrom, type StatementTerms } from './annotations.ts';
import type { Endpoint, ResultRow } from './endpoint.ts';
import { kg, type SpaceGraphs } from './graphs.ts';
import { fitting, isInstance, occurs } from './patterns.ts';
import { termFrom, writeId, writeText } from './terms.ts';

/** Maximum number of patterns per request, and of entities or names per request. */
const patternsAtOnce = 40;
const namesAtOnce = 400;

const columns = '?s ?p ?o ?gk ?key';

/** Groups items into lists of at most `size`. */
export const inChunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

interface PatternRows {
  readonly pattern: StatementPattern;
  readonly rows: ResultRow[];
}

/** Reads graphs with SPARQL: one request for the matching triples, and one for their annotations. */
export class SparqlReader implements KnowledgeReader {
  readonly #select: Endpoint['select'];
  readonly #tokens: PageTokens;
  readonly #graphsOf: (space: KnowledgeSpace) => SpaceGraphs;
  readonly #damaged: DamagedRows;

  constructor(
    { select }: Endpoint,
    tokens: PageTokens,
    graphsOf: (space: KnowledgeSpace) => SpaceGraphs,
    damaged: DamagedRows,
  ) {
    this.#select = select;
    this.#tokens = tokens;
    this.#graphsOf = graphsOf;
    this.#damaged = damaged;
  }

  /** Times are set by the clock of the gateway that writes. */
  now(): number {
    return Date.now();
  }

  async find(
    space: KnowledgeSpace,
    pattern: StatementPattern,
    { first, after = '' }: StatementPageRequest,
  ): Promise<Page<StoredStatement>> {
    const [key] = this.#tokens.read(listOf(space.tenant, pattern), after, 'after') ?? [];
    const where = fitting(this.#graphsOf(space), pattern, key === undefined ? undefined : String(key));
    const rows = await this.#select(`SELECT ${columns} { ${where} } ORDER BY ?key LIMIT ${first + 1}`);
    const [page] = await this.#pages(space, [{ pattern, rows: [...rows] }], first);
    return page ?? emptyPage;
  }

  async findEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
  ): Promise<readonly Page<StoredStatement>[]> {
    const read = patterns.map((pattern): PatternRows => ({ pattern, rows: [] }));
    for (const some of inChunks([...patterns.entries()], patternsAtOnce)) {
      const groups = some.map(([index, pattern]) => {
        const where = fitting(this.#graphsOf(space), pattern);
        return `{ SELECT ${columns} ?n { ${where} BIND(${index} AS ?n) } ORDER BY ?key LIMIT ${first + 1} }`;
      });
      for (const row of await this.#select(`SELECT ${columns} ?n { ${groups.join(' UNION ')} }`)) {
        read[Number(row.n?.value)]?.rows.push(row);
      }
    }
    return this.#pages(space, read, first);
  }

  async count(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    atMost: number,
  ): Promise<readonly BoundedCount[]> {
    const counts: BoundedCount[] = patterns.map(() => ({ count: 0, exact: true }));
    for (const some of inChunks([...patterns.entries()], patternsAtOnce)) {
      const groups = some.map(
        ([index, pattern]) =>
          `{ { SELECT (COUNT(*) AS ?c) { ${this.#counted(space, pattern, atMost)} } } BIND(${index} AS ?n) }`,
      );
      for (const { n, c } of await this.#select(`SELECT ?n ?c { ${groups.join(' UNION ')} }`)) {
        counts[Number(n?.value)] = bounded(Number(c?.value ?? 0), atMost);
      }
    }
    return counts;
  }

  async entities(
    space: KnowledgeSpace,
    filter: EntityFilter,
    { first, after = '' }: StatementPageRequest,
  ): Promise<Page<string>> {
    const list = ['entities', space.tenant, filter.type];
    const [last] = this.#tokens.read(list, after, 'after') ?? [];
    const beyond = last === undefined ? '' : `FILTER(?key > ${writeText(String(last))})`;
    const where = entitiesWhere(this.#graphsOf(space), filter);
    const query = `SELECT DISTINCT ?e ?key { ${where} BIND(STR(?e) AS ?key) ${beyond} } ORDER BY ?key LIMIT ${first + 1}`;
    const rows = await this.#select(query);
    const shown = rows.slice(0, first);
    const key = shown.at(-1)?.key?.value;
    return {
      items: shown.flatMap(({ e }) => (e && termFrom(e)?.text) ?? []),
      endCursor: key === undefined ? '' : this.#tokens.write(list, [key]),
      hasMore: rows.length > first,
    };
  }

  async countEntities(space: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    const entities = `SELECT DISTINCT ?e { ${entitiesWhere(this.#graphsOf(space), filter)} } LIMIT ${atMost + 1}`;
    const [row] = await this.#select(`SELECT (COUNT(*) AS ?n) { { ${entities} } }`);
    return bounded(Number(row?.n?.value ?? 0), atMost);
  }

  async typesOf(
    space: KnowledgeSpace,
    ids: readonly string[],
    view: KnowledgeView = {},
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const graphs = this.#graphsOf(space);
    const types = new Map<string, Set<string>>();
    for (const some of inChunks(ids, namesAtOnce)) {
      const values = `VALUES ?e { ${some.map(writeId).join(' ')} }`;
      const there = `SELECT DISTINCT ?e { ${values} FILTER EXISTS ${occurs(graphs, '?e', view)} }`;
      for (const { e } of await this.#select(there)) types.set((e && termFrom(e)?.text) ?? '', new Set());
      for (const { e, t } of await this.#select(
        `SELECT DISTINCT ?e ?t { ${values} ${isInstance(graphs, '?e', '?t', view)} }`,
      )) {
        const entity = e && termFrom(e);
        const type = t && termFrom(t);
        if (entity && type?.datatype === '') types.get(entity.text)?.add(type.text);
      }
    }
    // In the order of the given ids.
    return new Map(ids.flatMap((id) => (types.has(id) ? [[id, [...(types.get(id) ?? [])]] as const] : [])));
  }

  /** Returns the annotations of statements, by the names of their resources. */
  async annotationsOf(
    graphs: SpaceGraphs,
    found: readonly StatementTerms[],
  ): Promise<ReadonlyMap<string, Annotations>> {
    const annotations = new Map<string, Annotations>();
    for (const names of inChunks([...new Set(found.map(nameOf))], namesAtOnce)) {
      const values = names.map((name) => `<${name}>`).join(' ');
      const rows = await this.#select(
        `SELECT ?m ?a { VALUES ?m { ${values} } GRAPH <${graphs.about}> { ?m <${kg}about> ?a } }`,
      );
      for (const { m, a } of rows) {
        const read =
          m && a && this.#damaged.read('annotations of the graph database', [m.value], () => annotationsIn(a.value));
        if (m && read) annotations.set(m.value, read);
      }
    }
    return annotations;
  }

  async #pages(space: KnowledgeSpace, read: readonly PatternRows[], first: number) {
    const graphs = this.#graphsOf(space);
    const found = read.map(({ pattern, rows }) =>
      rows.slice(0, first).flatMap((row) => statementIn(graphs, pattern, row)),
    );
    const annotations = await this.annotationsOf(graphs, found.flat());
    const terms = new TermSet(1);
    return read.map(({ pattern, rows }, index): Page<StoredStatement> => {
      const key = rows[Math.min(first, rows.length) - 1]?.key?.value;
      const items = (found[index] ?? []).map((statement) => {
        const own = annotations.get(nameOf(statement));
        return storedFrom(rowFrom({ ...statement, o: originalTerm(statement.o, own) }, own, terms), terms.get);
      });
      const endCursor = key === undefined ? '' : this.#tokens.write(listOf(space.tenant, pattern), [key]);
      return { items, endCursor, hasMore: rows.length > first };
    });
  }

  #counted(space: KnowledgeSpace, pattern: StatementPattern, atMost: number): string {
    return `{ SELECT ?key { ${fitting(this.#graphsOf(space), pattern)} } LIMIT ${atMost + 1} }`;
  }
}

function entitiesWhere(graphs: SpaceGraphs, { type, ...view }: EntityFilter): string {
  const isOne = type === undefined ? '' : `FILTER EXISTS ${isInstance(graphs, '?e', writeId(type), view)}`;
  return `${occurs(graphs, '?e', view)} FILTER(isIRI(?e)) ${isOne}`;
}

/** Returns the statement of a row. Terms that the pattern specifies are not in the row. */
export function statementIn(
  graphs: SpaceGraphs,
  pattern: StatementPattern,
  { s, p, o, gk }: ResultRow,
): StatementTerms[] {
  const subject = s ? termFrom(s)?.text : pattern.subject;
  const predicate = p ? termFrom(p)?.text : pattern.predicate;
  const object = o ? termFrom(o) : givenObject(pattern);
  if (subject === undefined || predicate === undefined || object === undefined) return [];
  return [{ s: subject, p: predicate, o: object, g: gk?.value ? graphs.graphFrom(gk.value) : '' }];
}

function givenObject({ object, value, datatype }: StatementPattern): Term | undefined {
  if (object !== undefined) return resource(object);
  return value === undefined ? undefined : literal(value, datatype);
}
