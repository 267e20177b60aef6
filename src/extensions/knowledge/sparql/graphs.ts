import type { KnowledgeSpace } from '../model/knowledge.ts';
import { idFrom, ownIds, ownNames } from '../rdf/iris.ts';
import { idBeginnings, iriOf, writeText } from './terms.ts';

/** The graphs of one tenant in a graph database. Agents that use the same endpoint share its contents. */
export interface SpaceGraphs {
  /** IRI of the graph of annotations, with one resource per statement. */
  readonly about: string;
  /** IRI of the change log, which is also the IRI of its graph. */
  readonly log: string;
  /** IRI of the graph for statements without a graph; undefined: the database's default graph. */
  readonly defaultGraph: string | undefined;
  graphIri(graph: string): string;
  graphFrom(iri: string): string;
  /** Returns the IRI prefixes of the graphs whose names begin with a text. */
  graphBeginnings(text: string): readonly string[];
  /** Returns a condition that a variable bound to a graph is one of the tenant's named graphs. */
  isNamed(variable: string): string;
}

/** Vocabulary of the gateway's own graphs. */
export const kg = 'urn:a2a-gateway:knowledge#';

/** Returns the IRI of a tenant's log. The IRI without a tenant is the prefix of all others. */
export const logIri = ({ tenant }: Pick<KnowledgeSpace, 'tenant'>): string =>
  `${ownNames}log:${encodeURIComponent(tenant)}`;

/**
 * Returns the graphs of a space. Without tenants, graphs have the names that callers use, so that the contents of an
 * existing database are visible. With tenants, each tenant has its own graphs, whose names begin with the tenant's
 * name.
 *
 * @param defaultGraph id of the graph that serves as the default graph
 */
export function graphsOf({ tenant }: KnowledgeSpace, defaultGraph: string | undefined): SpaceGraphs {
  const encoded = encodeURIComponent(tenant);
  const own = { about: `${ownNames}about:${encoded}`, log: logIri({ tenant }) };
  const begins = (variable: string, prefix: string) => `STRSTARTS(STR(${variable}), ${writeText(prefix)})`;
  const differs = (variable: string, iri: string) => `STR(${variable}) != ${writeText(iri)}`;
  if (tenant === '') {
    const iri = defaultGraph === undefined ? undefined : iriOf(defaultGraph);
    return {
      ...own,
      defaultGraph: iri,
      graphIri: iriOf,
      graphFrom: idFrom,
      graphBeginnings: idBeginnings,
      isNamed: (variable) =>
        `(!${begins(variable, ownNames)} || ${begins(variable, ownIds)})${iri ? ` && ${differs(variable, iri)}` : ''}`,
    };
  }
  const prefix = `${ownNames}graph:${encoded}:`;
  return {
    ...own,
    defaultGraph: prefix,
    graphIri: (graph) => prefix + encodeURIComponent(graph),
    graphFrom: (iri) => decodeURIComponent(iri.slice(prefix.length)),
    graphBeginnings: (text) => [prefix + encodeURIComponent(text)],
    isNamed: (variable) => `${begins(variable, prefix)} && ${differs(variable, prefix)}`,
  };
}
