import type { JsonObject } from '../../../../core/model/json.ts';
import { trimEnd } from '../../../../core/model/text.ts';

/** A statement as queries return it: null is left out. */
export interface Statement {
  readonly subject: { readonly id: string; readonly type?: string; readonly types?: readonly string[] };
  readonly predicate: { readonly id: string };
  readonly object: {
    readonly id?: string;
    readonly value?: string | number | boolean;
    readonly type?: string;
    /** All types of the resource, where they were asked for. */
    readonly types?: readonly string[];
  };
  readonly graph?: string;
  readonly certainty?: number;
  readonly provenance?: JsonObject;
  readonly timestamp?: string;
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** To read the next page; undefined on the last one. */
  readonly after?: string;
  /** At most 1,000 or 100,000, as the gateway counts; `exact` says whether it is all. */
  readonly total?: { readonly count: number; readonly exact: boolean };
}

/** Which statements are shown. Empty fields mean all. */
export interface StatementFilter {
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
  readonly value?: string;
  readonly type?: string;
  readonly graph?: string;
  readonly minCertainty?: number;
}

const texts = ['subject', 'predicate', 'object', 'value', 'type'] as const;

/** The filter in the address. `graph` may be given and empty: the default graph. */
export function filterFrom(query: URLSearchParams): StatementFilter {
  const given = texts.flatMap((name) => (query.get(name) ? [[name, query.get(name) as string] as const] : []));
  const graph = query.get('graph');
  const certainty = query.get('minCertainty') ?? '';
  const minCertainty = Number(certainty);
  const isCertainty = certainty !== '' && minCertainty >= 0 && minCertainty <= 1;
  return {
    ...(Object.fromEntries(given) as Partial<Record<(typeof texts)[number], string>>),
    ...(graph !== null && { graph }),
    ...(isCertainty && { minCertainty }),
  };
}

/** The fields of a page of statements. */
const selection = (subject = '', object = ''): string => `
  nodes {
    subject { id type ${subject} } predicate { id } object { id value type ${object} }
    graph certainty provenance timestamp
  }
  pageInfo { endCursor hasNextPage }
  totalCount totalCountIsExact`;

const types = 'entity { types }';

/** Asks for statements. */
export const statementsQuery = `query ($subject: ID, $predicate: ID, $object: ID, $value: String, $type: ID, $graph: ID,
  $minCertainty: Float, $first: Int, $after: String) {
  statements(subject: $subject, predicate: $predicate, object: $object, value: $value, type: $type, graph: $graph,
    minCertainty: $minCertainty, first: $first, after: $after) {${selection()}
  }
}`;

/** Asks for what is around one entity, in both directions, with the types of its neighbours. */
export const entityQuery = `query ($id: ID!, $first: Int, $outAfter: String, $inAfter: String) {
  entity(id: $id) {
    types
    out(first: $first, after: $outAfter) {${selection('', types)}
    }
    in(first: $first, after: $inAfter) {${selection(types)}
    }
  }
}`;

/** Asks for entities. */
export const entitiesQuery = `query ($type: ID, $first: Int, $after: String) {
  entities(type: $type, first: $first, after: $after) {
    nodes { id types }
    pageInfo { endCursor hasNextPage }
    totalCount totalCountIsExact
  }
}`;

export interface EntityRow {
  readonly id: string;
  readonly types: readonly string[];
}

/** An entity with its statements. */
export interface EntityDetails {
  readonly types: readonly string[];
  readonly out: Page<Statement>;
  readonly in: Page<Statement>;
}

/** What a query answers, as far as these pages read it: everything may be missing or null. */
interface Connection {
  readonly nodes?: readonly unknown[];
  readonly pageInfo?: { readonly endCursor?: string | null; readonly hasNextPage?: boolean };
  readonly totalCount?: number;
  readonly totalCountIsExact?: boolean;
}

function pageOf<Item>(connection: unknown, read: (node: unknown) => Item): Page<Item> {
  const { nodes = [], pageInfo, totalCount, totalCountIsExact = true } = (connection ?? {}) as Connection;
  const after = pageInfo?.hasNextPage ? pageInfo.endCursor : undefined;
  return {
    items: nodes.map(read),
    ...(after && { after }),
    ...(totalCount !== undefined && { total: { count: totalCount, exact: totalCountIsExact } }),
  };
}

/** The same without nulls, which GraphQL returns for absent values. */
const withoutNulls = <Value extends object>(value: Value): Value =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null || one === undefined ? [] : [[key, one]])),
  ) as Value;

/** A subject or an object, with the types of its entity in the place of the entity. */
function termFrom<Term extends object>(term: Term & { entity?: { types?: readonly string[] } | null }): Term {
  const { entity, ...rest } = term;
  return { ...withoutNulls(rest), ...(entity?.types && { types: entity.types }) } as Term;
}

function statementFrom(node: unknown): Statement {
  const { subject, object, ...rest } = withoutNulls(node as Statement);
  return { ...rest, subject: termFrom(subject), object: termFrom(object) };
}

export const statementsFrom = (data: unknown): Page<Statement> =>
  pageOf((data as { statements?: unknown } | null)?.statements, statementFrom);

export const entitiesFrom = (data: unknown): Page<EntityRow> =>
  pageOf((data as { entities?: unknown } | null)?.entities, (node) => node as EntityRow);

/** Undefined: there is no such entity. */
export function entityFrom(data: unknown): EntityDetails | undefined {
  const entity = (data as { entity?: { types?: string[]; out?: unknown; in?: unknown } | null } | null)?.entity;
  if (!entity) return undefined;
  return { types: entity.types ?? [], out: pageOf(entity.out, statementFrom), in: pageOf(entity.in, statementFrom) };
}

/** The last part of an IRI, for people. The whole one is shown beside it, or in the title. */
export function shortName(iri: string): string {
  const end = trimEnd(iri, '/#:');
  const at = Math.max(end.lastIndexOf('/'), end.lastIndexOf('#'), end.lastIndexOf(':'));
  return at >= 0 && at < end.length - 1 ? end.slice(at + 1) : iri;
}

/** A number in the words of the pages: `more than 1,000`. */
export const countText = ({ count, exact }: { readonly count: number; readonly exact: boolean }): string =>
  `${exact ? '' : 'more than '}${count.toLocaleString('en-US')}`;
