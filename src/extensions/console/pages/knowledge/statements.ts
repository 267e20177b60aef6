import { trimEnd } from '../../../../core/model/text.ts';
import type { KGStatement } from '../../../../gen/knowledge-v1/types.ts';
import type { FilterTable } from '../../tasks/filters.ts';

/** The end of a statement. Queries return null for absent members. */
interface Term {
  readonly id?: string | null;
  readonly value?: unknown;
  readonly type?: string | null;
  /** All types of a resource, if requested. */
  readonly entity?: { readonly types: readonly string[] } | null;
}

/** A statement in the form of queries and changes. */
export interface Statement extends Pick<KGStatement, 'predicate'> {
  readonly subject: Term & { readonly id: string };
  readonly object: Term;
  readonly graph?: string | null;
  readonly certainty?: number | null;
  readonly provenance?: object | null;
  readonly timestamp?: string;
}

export interface Entity {
  readonly id: string;
  readonly types: readonly string[];
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Cursor for reading the next page; undefined on the last one. */
  readonly after?: string | undefined;
  /** Total number: at most as many as the gateway counts, and then `more than 1,000`. */
  readonly total?: string | undefined;
}

/** The filters of statements, by their names in the address and in queries. */
export const filters = {
  subject: { field: 'subject', label: 'Subject id' },
  predicate: { field: 'predicate', label: 'Predicate id' },
  object: { field: 'object', label: 'Object id' },
  value: { field: 'value', label: 'Value' },
  type: { field: 'type', label: "Subject's type" },
  graph: { field: 'graph', label: 'Graph id' },
  minCertainty: { field: 'minCertainty', label: 'Minimum certainty' },
} as const satisfies FilterTable;

const { value: _, minCertainty: __, ...ofChanges } = filters;
/** The filters of changes: the arguments of a subscription. */
export const changeFilters: FilterTable = ofChanges;

/** Returns the filters that an address names. The gateway reports faults of a certainty. */
export const filterFrom = (query: URLSearchParams, table: FilterTable = filters) =>
  Object.fromEntries(
    Object.keys(table).flatMap((name) => {
      const text = query.get(name);
      if (!text) return [];
      return [[name, name === 'minCertainty' && !Number.isNaN(Number(text)) ? Number(text) : text]];
    }),
  );

const paging = `
    pageInfo { endCursor hasNextPage }
    totalCount totalCountIsExact`;

const entity = 'entity @include(if: $types) { types }';

/** Query for statements, and the types of their ends. */
export const statementsQuery = `query ($subject: ID, $predicate: ID, $object: ID, $value: String, $type: ID, $graph: ID,
  $minCertainty: Float, $first: Int, $after: String, $types: Boolean = false) {
  statements(subject: $subject, predicate: $predicate, object: $object, value: $value, type: $type, graph: $graph,
    minCertainty: $minCertainty, first: $first, after: $after) {
    nodes {
      subject { id type ${entity} } predicate { id } object { id value type ${entity} }
      graph certainty provenance timestamp
    }${paging}
  }
}`;

/** Query for entities. */
export const entitiesQuery = `query ($type: ID, $first: Int, $after: String) {
  entities(type: $type, first: $first, after: $after) {
    nodes { id types }${paging}
  }
}`;

/** Answer of a query, as far as these pages read it: everything may be missing or null. */
type Answer<Item> = Readonly<Record<string, Connection<Item> | null>> | null | undefined;

interface Connection<Item> {
  readonly nodes?: readonly Item[];
  readonly pageInfo?: { readonly endCursor?: string | null; readonly hasNextPage?: boolean };
  readonly totalCount?: number;
  readonly totalCountIsExact?: boolean;
}

/** Returns the page in the answer to one of the queries. */
export function pageOf<Item>(data: unknown): Page<Item> {
  const [connection] = Object.values((data as Answer<Item>) ?? {});
  const { nodes = [], pageInfo, totalCount, totalCountIsExact = true } = connection ?? {};
  return {
    items: nodes,
    after: (pageInfo?.hasNextPage && pageInfo.endCursor) || undefined,
    total: totalCount === undefined ? undefined : countText(totalCount, totalCountIsExact),
  };
}

const countText = (count: number, isExact: boolean): string =>
  `${isExact ? '' : 'more than '}${count.toLocaleString('en-US')}`;

/** Returns the identity of a statement. */
export const keyOf = ({ subject, predicate, object, graph }: Statement): string =>
  JSON.stringify([subject.id, predicate.id, object.id, object.value, object.type, graph]);

/** Returns the last part of an IRI, for people. The whole one is shown next to it, or in the title. */
export function shortName(iri: string): string {
  const end = trimEnd(iri, '/#:');
  const at = Math.max(end.lastIndexOf('/'), end.lastIndexOf('#'), end.lastIndexOf(':'));
  return at >= 0 && at < end.length - 1 ? end.slice(at + 1) : iri;
}
