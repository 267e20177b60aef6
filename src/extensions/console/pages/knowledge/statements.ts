import { trimEnd } from '../../../../core/model/text.ts';
import type { KGStatement } from '../../../../gen/knowledge-v1/types.ts';
import type { FilterTable } from '../../tasks/filters.ts';
import { count } from '../../ui/format.ts';

/** The end of a statement. Queries return null for absent members. */
interface Term {
  readonly id?: string | null;
  readonly value?: unknown;
  readonly type?: string | null;
  /** All types of a resource, if requested. */
  readonly entity?: { readonly types: readonly string[] } | null;
}

/** A statement in the form of queries. */
export interface Statement extends Pick<KGStatement, 'predicate'> {
  readonly subject: Term & { readonly id: string };
  readonly object: Term;
  readonly graph?: string | null;
  readonly certainty?: number | null;
  readonly provenance?: object | null;
  readonly timestamp?: string;
}

/** A page of statements. */
export interface Page {
  readonly items: readonly Statement[];
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

/** Returns the filters that an address names. The gateway reports faults of a certainty. */
export const filterFrom = (query: URLSearchParams) =>
  Object.fromEntries(
    Object.keys(filters).flatMap((name) => {
      const text = query.get(name);
      if (!text) return [];
      return [[name, name === 'minCertainty' && !Number.isNaN(Number(text)) ? Number(text) : text]];
    }),
  );

const entity = 'entity @include(if: $types) { types }';

/** Query for statements, and the types of their ends. */
export const statementsQuery = `query ($subject: ID, $predicate: ID, $object: ID, $value: String, $type: ID, $graph: ID,
  $minCertainty: Float, $first: Int, $after: String, $types: Boolean = false) {
  statements(subject: $subject, predicate: $predicate, object: $object, value: $value, type: $type, graph: $graph,
    minCertainty: $minCertainty, first: $first, after: $after) {
    nodes {
      subject { id type ${entity} } predicate { id } object { id value type ${entity} }
      graph certainty provenance timestamp
    }
    pageInfo { endCursor hasNextPage }
    totalCount totalCountIsExact
  }
}`;

/** Answer of the query: everything may be missing or null. */
interface Answer {
  readonly statements?: {
    readonly nodes?: readonly Statement[];
    readonly pageInfo?: { readonly endCursor?: string | null; readonly hasNextPage?: boolean };
    readonly totalCount?: number;
    readonly totalCountIsExact?: boolean;
  } | null;
}

/** Returns the page in the answer to the query. */
export function pageOf(data: unknown): Page {
  const { nodes = [], pageInfo, totalCount, totalCountIsExact = true } = (data as Answer | null)?.statements ?? {};
  const more = totalCountIsExact ? '' : 'more than ';
  return {
    items: nodes,
    after: (pageInfo?.hasNextPage && pageInfo.endCursor) || undefined,
    total: totalCount === undefined ? undefined : more + count(totalCount),
  };
}

/** Returns the identity of a statement. */
export const keyOf = ({ subject, predicate, object, graph }: Statement): string =>
  JSON.stringify([subject.id, predicate.id, object.id, object.value, object.type, graph]);

/** Returns the last part of an IRI, for people. The whole one is shown next to it, or in the title. */
export function shortName(iri: string): string {
  const end = trimEnd(iri, '/#:');
  const at = Math.max(end.lastIndexOf('/'), end.lastIndexOf('#'), end.lastIndexOf(':'));
  return at >= 0 && at < end.length - 1 ? end.slice(at + 1) : iri;
}
