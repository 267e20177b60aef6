import type { KnowledgeSpace } from '../../core/model/knowledge.ts';
import { idFrom, ownIds, ownNames } from '../rdf/iris.ts';
import { idBeginnings, iriOf, writeText } from './terms.ts';

/** Where in a graph database everything of one tenant is. Agents that share an endpoint share what is in it. */
export interface SpaceGraphs {
  /** IRI of the graph that holds certainty, provenance, times and types: one resource for each statement. */
  readonly about: string;
  /** IRI of the graph that holds the change log, and of the log itself. */
  readonly log: string;
  /** IRI of the graph that statements without one are in; undefined: the database's default graph. */
  readonly defaultGraph: string | undefined;
  /** IRI of a named graph. */
  graphIri(graph: string): string;
  /** The name of a graph with an IRI. */
  graphFrom(iri: string): string;
  /** What the IRIs of graphs begin with whose names begin with a text. */
  graphBeginnings(text: string): readonly string[];
  /** That a variable, bound to the IRI of a graph, is one of the tenant's named graphs. */
  isNamed(variable: string): string;
}

const encode = (text: string): string => encodeURIComponent(text);

/**
 * The places of a space. Where there are no tenants, graphs are called what callers call them, so that a database that
 * is there already is seen as it is. Each tenant has graphs of its own, whose names begin with its name.
 *
 * @param defaultGraph id of the graph that stands for the default graph
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
/** What the IRIs of all logs begin with. */
export const logPrefix: string = `${ownNames}log:`;
