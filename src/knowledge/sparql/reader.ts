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
import { literal, resource, type Term } from '../../core/model/knowledge-terms.ts';
import type { KnowledgeReader } from '../../core/ports/knowledge-store.ts';
import { storedFrom } from '../../stores/knowledge/rows.ts';
import { TermSet } from '../../stores/knowledge/terms.ts';
import type { PageTokens } from '../../stores/page-token.ts';
import { type Annotations, nameOf, originalTerm, rowFrom, type StatementTerms } from './annotations.ts';
import type { Endpoint, ResultRow } from './endpoint.ts';
import { graphsOf, kg, type SpaceGraphs } from './graphs.ts';
import { fitting, isInstance, occurs } from './patterns.ts';
import { termFrom, writeId, writeText } from './terms.ts';

/** Patterns, and entities or names, per request. */
const patternsAtOnce = 40;
const namesAtOnce = 400;

const columns = '?s ?p ?o ?gk ?key';

export interface SparqlReaderDeps {
  readonly endpoint: Endpoint;
  readonly tokens: PageTokens;
  /** Id of the graph that serves as the default graph. */
  readonly defaultGraph: string | undefined;
}

interface FoundStatement extends StatementTerms {
  readonly key: string;
}

/** Reads graphs by SPARQL: one request for matching triples, another for their annotations. */
export class SparqlReader implements KnowledgeReader {
  readonly #endpoint: Endpoint;
  readonly #tokens: PageTokens;
  readonly #defaultGraph: string | undefined;

  constructor({ endpoint, tokens, defaultGraph }: SparqlReaderDeps) {
    this.#endpoint = endpoint;
    this.#tokens = tokens;
    this.#defaultGraph = defaultGraph;
  }

  /** Times are stamped by the clock of the gateway that writes. */
  now(): number {
    return Date.now();
  }

  async find(
    space: KnowledgeSpace,
    pattern: StatementPattern,
    { first, after = '' }: StatementPageRequest,
  ): Promise<Page<StoredStatement>> {
    const places = this.#places(space);
    const [key] = this.#tokens.read(listOf(space, pattern), after, 'after') ?? [];
    const where = fitting(places, pattern, key === undefined ? undefined : String(key));
    const rows = await this.#endpoint.select(`SELECT ${columns} { ${where} } ORDER BY ?key LIMIT ${first + 1}`);
    const [page] = await this.#pages(space, places, [{ pattern, rows }], first);
    return page ?? emptyPage;
  }

  async findEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    first: number,
  ): Promise<readonly Page<StoredStatement>[]> {
    const places = this.#places(space);
    const asked: { pattern: StatementPattern; rows: ResultRow[] }[] = patterns.map((pattern) => ({
      pattern,
      rows: [],
    }));
    for (let from = 0; from < patterns.length; from += patternsAtOnce) {
      const groups = patterns.slice(from, from + patternsAtOnce).map((pattern, index) => {
        const where = fitting(places, pattern, undefined);
        return `{ SELECT ${columns} ?n { ${where} BIND(${from + index} AS ?n) } ORDER BY ?key LIMIT ${first + 1} }`;
      });
      for (const row of await this.#endpoint.select(`SELECT ${columns} ?n { ${groups.join(' UNION ')} }`)) {
        asked[Number(row.n?.value)]?.rows.push(row);
      }
    }
    return this.#pages(space, places, asked, first);
  }

  async count(space: KnowledgeSpace, pattern: StatementPattern, atMost: number): Promise<BoundedCount> {
    const where = fitting(this.#places(space), pattern, undefined);
    return this.#count(`{ SELECT ?key { ${where} } LIMIT ${atMost + 1} }`, atMost);
  }

  async countEach(
    space: KnowledgeSpace,
    patterns: readonly StatementPattern[],
    atMost: number,
  ): Promise<readonly BoundedCount[]> {
    const places = this.#places(space);
    const counts: BoundedCount[] = patterns.map(() => ({ count: 0, exact: true }));
    for (let from = 0; from < patterns.length; from += patternsAtOnce) {
      const groups = patterns.slice(from, from + patternsAtOnce).map((pattern, index) => {
        const where = fitting(places, pattern, undefined);
        const counted = `{ SELECT (COUNT(*) AS ?c) { { SELECT ?key { ${where} } LIMIT ${atMost + 1} } } }`;
        return `{ ${counted} BIND(${from + index} AS ?n) }`;
      });
      for (const { n, c } of await this.#endpoint.select(`SELECT ?n ?c { ${groups.join(' UNION ')} }`)) {
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
    const where = entitiesWhere(this.#places(space), filter);
    const query = `SELECT DISTINCT ?e ?key { ${where} BIND(STR(?e) AS ?key) ${beyond} } ORDER BY ?key LIMIT ${first + 1}`;
    const rows = await this.#endpoint.select(query);
    const shown = rows.slice(0, first);
    const key = shown.at(-1)?.key?.value;
    return {
      items: shown.flatMap(({ e }) => (e ? [termFrom(e)?.text ?? []] : [])).flat(),
      endCursor: key === undefined ? '' : this.#tokens.write(list, [key]),
      hasMore: rows.length > first,
    };
  }

  async countEntities(space: KnowledgeSpace, filter: EntityFilter, atMost: number): Promise<BoundedCount> {
    const where = entitiesWhere(this.#places(space), filter);
    return this.#count(`{ SELECT DISTINCT ?e { ${where} } LIMIT ${atMost + 1} }`, atMost);
  }

  async typesOf(
    space: KnowledgeSpace,
    ids: readonly string[],
    view: KnowledgeView = {},
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const places = this.#places(space);
    const types = new Map<string, Set<string>>();
    for (let from = 0; from < ids.length; from += namesAtOnce) {
      const values = `VALUES ?e { ${ids
        .slice(from, from + namesAtOnce)
        .map(writeId)
        .join(' ')} }`;
      const there = await this.#endpoint.select(
        `SELECT DISTINCT ?e { ${values} FILTER EXISTS ${occurs(places, '?e', view)} }`,
      );
      for (const { e } of there) types.set((e && termFrom(e)?.text) ?? '', new Set());
      const said = await this.#endpoint.select(
        `SELECT DISTINCT ?e ?t { ${values} ${isInstance(places, '?e', '?t', view)} }`,
      );
      for (const { e, t } of said) {
        const [entity, type] = [e && termFrom(e), t && termFrom(t)];
        if (entity && type?.datatype === '') types.get(entity.text)?.add(type.text);
      }
    }
    // In the order of the request.
    return new Map(ids.flatMap((id) => (types.has(id) ? [[id, [...(types.get(id) ?? [])]] as const] : [])));
  }

  /** Reads annotations of statements, by the names of their resources. */
  async about(places: SpaceGraphs, found: readonly StatementTerms[]): Promise<Map<string, Annotations>> {
    const about = new Map<string, Annotations>();
    const names = [...new Set(found.map(nameOf))];
    for (let from = 0; from < names.length; from += namesAtOnce) {
      const values = names.slice(from, from + namesAtOnce).map((name) => `<${name}>`);
      const query = `SELECT ?m ?a { VALUES ?m { ${values.join(' ')} } GRAPH <${places.about}> { ?m <${kg}about> ?a } }`;
      for (const { m, a } of await this.#endpoint.select(query)) {
        if (m && a) about.set(m.value, JSON.parse(a.value) as Annotations);
      }
    }
    return about;
  }

  #places(space: KnowledgeSpace): SpaceGraphs {
    return graphsOf(space, this.#defaultGraph);
  }

  async #pages(
    space: KnowledgeSpace,
    places: SpaceGraphs,
    asked: readonly { readonly pattern: StatementPattern; readonly rows: readonly ResultRow[] }[],
    first: number,
  ): Promise<Page<StoredStatement>[]> {
    const shown = asked.map(({ pattern, rows }) =>
      rows.slice(0, first).flatMap((row) => foundFrom(places, pattern, row)),
    );
    const about = await this.about(places, shown.flat());
    const terms = new TermSet(1);
    return asked.map(({ pattern, rows }, index) => {
      const key = rows.slice(0, first).at(-1)?.key?.value;
      const items = (shown[index] ?? []).map((found) => {
        const own = about.get(nameOf(found));
        return storedFrom(rowFrom({ ...found, o: originalTerm(found.o, own) }, own, terms), terms.get);
      });
      const endCursor = key === undefined ? '' : this.#tokens.write(listOf(space, pattern), [key]);
      return { items, endCursor, hasMore: rows.length > first };
    });
  }

  async #count(group: string, atMost: number): Promise<BoundedCount> {
    const [row] = await this.#endpoint.select(`SELECT (COUNT(*) AS ?n) { ${group} }`);
    return bounded(Number(row?.n?.value ?? 0), atMost);
  }
}

const bounded = (count: number, atMost: number): BoundedCount => ({
  count: Math.min(count, atMost),
  exact: count <= atMost,
});

const emptyPage: Page<never> = { items: [], endCursor: '', hasMore: false };

/** The identity of a list for page tokens; without the view. */
const listOf = (
  { tenant }: KnowledgeSpace,
  { subject, predicate, object, value, datatype, subjectType, graph }: StatementPattern,
): unknown[] => ['statements', tenant, subject, predicate, object, value, datatype, subjectType, graph];

function entitiesWhere(places: SpaceGraphs, { type, ...view }: EntityFilter): string {
  const isOne = type === undefined ? '' : `FILTER EXISTS ${isInstance(places, '?e', writeId(type), view)}`;
  return `${occurs(places, '?e', view)} FILTER(isIRI(?e)) ${isOne}`;
}

/** The statement of a row; known terms of the pattern are not in the row. */
function foundFrom(places: SpaceGraphs, pattern: StatementPattern, { s, p, o, gk, key }: ResultRow): FoundStatement[] {
  const subject = s ? termFrom(s)?.text : pattern.subject;
  const predicate = p ? termFrom(p)?.text : pattern.predicate;
  const object: Term | undefined = o ? termFrom(o) : givenObject(pattern);
  if (subject === undefined || predicate === undefined || object === undefined) return [];
  const g = gk?.value ? places.graphFrom(gk.value) : '';
  return [{ s: subject, p: predicate, o: object, g, key: key?.value ?? '' }];
}

function givenObject({ object, value, datatype }: StatementPattern): Term | undefined {
  if (object !== undefined) return resource(object);
  return value === undefined ? undefined : literal(value, datatype);
}
