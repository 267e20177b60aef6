import type { KnowledgeSpace } from '../../core/model/knowledge.ts';
import { idFrom, ownIds, ownNames } from '../rdf/iris.ts';
import { idBeginnings, iriOf, writeText } from './terms.ts';

/** The graphs of one tenant in a graph database. Agents that share an endpoint share its contents. */
export interface SpaceGraphs {
  /** IRI of the graph of annotations: one resource per statement. */
  readonly about: string;
  /** IRI of the graph of the change log, and of the log itself. */
  readonly log: string;
  /** IRI of the graph for statements without one; undefined: the database's default graph. */
  readonly defaultGraph: string | undefined;
  /** IRI of a named graph. */
  graphIri(graph: string): string;
  /** The name of a graph with an IRI. */
  graphFrom(iri: string): string;
  /** Prefixes of the IRIs of graphs whose names have a prefix. */
  graphBeginnings(text: string): readonly string[];
  /** A condition that a variable, bound to a graph, is one of the tenant's named graphs. */
  isNamed(variable: string): string;
}

const encode = (text: string): string => encodeURIComponent(text);

/**
 * The graphs of a space. Without tenants, graphs have the names that callers use, so that an existing database is
 * visible as it is. With tenants, each has its own graphs, with its name as a prefix.
 *
 * @param defaultGraph id of the graph that serves as the default graph
 */
export function graphsOf({ tenant }: KnowledgeSpace, defaultGraph: string | undefined): SpaceGraphs {
  const about = `${ownNames}about:${encode(tenant)}`;
  const log = `${ownNames}log:${encode(tenant)}`;
  if (tenant === '') {
    const own = defaultGraph === undefined ? undefined : iriOf(defaultGraph);
    const notOwn = (variable: string) => (own === undefined ? '' : ` && STR(${variable}) != ${writeText(own)}`);
    return {
      about,
      log,
      defaultGraph: own,
      graphIri: iriOf,
      graphFrom: idFrom,
      graphBeginnings: idBeginnings,
      isNamed: (variable) =>
        `(!STRSTARTS(STR(${variable}), ${writeText(ownNames)}) || STRSTARTS(STR(${variable}), ${writeText(ownIds)}))${notOwn(variable)}`,
    };
  }
  const prefix = `${ownNames}graph:${encode(tenant)}:`;
  return {
    about,
    log,
    defaultGraph: prefix,
    graphIri: (graph) => prefix + encode(graph),
    graphBeginnings: (text) => [prefix + encode(text)],
    graphFrom: (iri) => decodeURIComponent(iri.slice(prefix.length)),
    isNamed: (variable) =>
      `STRSTARTS(STR(${variable}), ${writeText(prefix)}) && STR(${variable}) != ${writeText(prefix)}`,
  };
}

/** Vocabulary of the gateway's own graphs. */
export const kg = 'urn:a2a-gateway:knowledge#';
/** Prefix of the IRIs of all logs. */
export const logPrefix: string = `${ownNames}log:`;
