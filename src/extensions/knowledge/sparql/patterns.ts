import type { Hidden, KnowledgeView, StatementPattern } from '../model/graph.ts';
import { literal, typePredicates } from '../model/terms.ts';
import { rdf } from '../rdf/iris.ts';
import { kg, type SpaceGraphs } from './graphs.ts';
import { canonical, idBeginnings, iriOf, writeId, writeTerm, writeText } from './terms.ts';

/** Builds SPARQL group patterns. Terms from callers are inserted only by `terms.ts`. */

/** Characters of a literal in its sort key. A digest represents the rest. */
const orderedLength = 200;

/** Subject, predicate and object, each a term or a variable. */
export interface Triple {
  readonly s: string;
  readonly p: string;
  readonly o: string;
}

export const tripleOf = ({ subject, predicate, object, value, datatype }: StatementPattern): Triple => ({
  s: subject === undefined ? '?s' : writeId(subject),
  p: predicate === undefined ? '?p' : writeId(predicate),
  o: objectOf(object, value, datatype),
});

function objectOf(id: string | undefined, value: StatementPattern['value'], datatype: string | undefined): string {
  if (id !== undefined) return writeId(id);
  return value === undefined || datatype === undefined ? '?o' : writeTerm(literal(value, datatype));
}

const isVariable = (term: string): boolean => term.startsWith('?');

const any = (conditions: readonly string[]): string => conditions.join(' || ');

/** Returns conditions that an IRI is one of the names. */
const isOneOf = (
  expression: string,
  names: readonly string[],
  iri: (name: string) => string,
  beginnings: (text: string) => readonly string[],
): string[] =>
  names.flatMap((name) =>
    name.endsWith('*')
      ? beginnings(name.slice(0, -1)).map((text) => `STRSTARTS(${expression}, ${writeText(text)})`)
      : [`${expression} = ${writeText(iri(name))}`],
  );

/** Returns a condition that a predicate and a graph (its IRI as text, '' for the default graph) are not hidden. */
function notHidden(graphs: SpaceGraphs, hidden: Hidden = {}, predicate: string, graph: string): string {
  const { predicates = [], graphs: names = [] } = hidden;
  const conditions = [
    ...isOneOf(`STR(${predicate})`, predicates, iriOf, idBeginnings),
    ...isOneOf(
      graph,
      names.filter((name) => name !== ''),
      graphs.graphIri,
      graphs.graphBeginnings,
    ),
    ...(names.includes('') ? [`${graph} = ""`] : []),
    ...(names.includes('*') ? ['true'] : []),
  ];
  return conditions.length === 0 ? '' : `FILTER(!(${any(conditions)}))`;
}

/**
 * Returns a pattern for the visible statements of a triple in a graph; absent: in any graph. `?gk` is the graph's IRI
 * as text.
 *
 * @param mark suffix of the variables if the pattern is nested in another group
 */
export function statements(
  graphs: SpaceGraphs,
  triple: Triple,
  graph: string | undefined,
  view: KnowledgeView,
  mark = '',
): string {
  const { s, p, o } = triple;
  const text = `${s} ${p} ${o}`;
  const { defaultGraph } = graphs;
  const g = `?g${mark}`;
  const gk = `?gk${mark}`;
  const unnamed = `{ ${defaultGraph === undefined ? text : `GRAPH <${defaultGraph}> { ${text} }`} BIND("" AS ${gk}) }`;
  const named = `{ GRAPH ${g} { ${text} } FILTER(${graphs.isNamed(g)}) BIND(STR(${g}) AS ${gk}) }`;
  const one = (iri: string) => `{ GRAPH <${iri}> { ${text} } BIND(${writeText(iri)} AS ${gk}) }`;
  const iri = graph === undefined || graph === '' ? undefined : graphs.graphIri(graph);
  const inOne = iri === undefined || iri === defaultGraph ? unnamed : one(iri);
  const where = graph === undefined ? `${unnamed} UNION ${named}` : inOne;
  const filters = [isVariable(s) ? `FILTER(isIRI(${s}))` : '', isVariable(o) ? `FILTER(!isBlank(${o}))` : ''];
  return `{ ${where} ${filters.join(' ')} ${visible(graphs, triple, view, mark)} }`;
}

/** Returns a condition that a statement in the graph `?gk` is visible. */
function visible(
  graphs: SpaceGraphs,
  { s, p, o }: Triple,
  { minCertainty, since, hidden }: KnowledgeView,
  mark: string,
): string {
  const gk = `?gk${mark}`;
  const m = `?m${mark}`;
  const value = `?mv${mark}`;
  const filters = [notHidden(graphs, hidden, p, gk)];
  const about = (what: string): string =>
    `GRAPH <${graphs.about}> { ${m} <${rdf}object> ${o} ; <${rdf}subject> ${s} ; <${rdf}predicate> ${p} ; <${kg}graph> ${gk} ; <${kg}${what}> ${value} }`;
  if (minCertainty !== undefined) {
    filters.push(`FILTER NOT EXISTS { ${about('certainty')} FILTER(${value} < ${numberOf(minCertainty)}) }`);
  }
  if (since !== undefined) {
    filters.push(`FILTER EXISTS { ${about('at')} FILTER(${value} >= ${numberOf(since)}) }`);
  }
  return filters.join(' ');
}

/** Formats a number as an integer or decimal term, with all its digits. */
export function numberOf(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const text = String(value);
  const digits = text.includes('e') ? value.toFixed(20) : text;
  return `"${digits}"^^<http://www.w3.org/2001/XMLSchema#decimal>`;
}

/**
 * Returns a condition that an entity is an instance of a type, according to statements or annotations. Both may be
 * terms or variables.
 */
export function isInstance(graphs: SpaceGraphs, entity: string, type: string, view: KnowledgeView): string {
  const { minCertainty, since, hidden } = view;
  const predicates = [...typePredicates].map(writeId).join(' ');
  const stated = `{ VALUES ?tp { ${predicates} } ${statements(graphs, { s: entity, p: '?tp', o: type }, undefined, view, 't')} }`;
  const own = [notHidden(graphs, hidden, '?hp', '?hg')];
  if (minCertainty !== undefined) {
    const certainty = `GRAPH <${graphs.about}> { ?h <${kg}certainty> ?hc }`;
    own.push(`FILTER NOT EXISTS { ${certainty} FILTER(?hc < ${numberOf(minCertainty)}) }`);
  }
  if (since !== undefined) own.push(`FILTER(?ha >= ${numberOf(since)})`);
  const hanging = (role: 'subject' | 'object'): string =>
    `{ GRAPH <${graphs.about}> { ?h <${kg}${role}Type> ${type} ; <${rdf}${role}> ${entity} ; <${rdf}predicate> ?hp ; <${kg}graph> ?hg ; <${kg}at> ?ha } ${own.join(' ')} }`;
  return `{ ${stated} UNION ${hanging('subject')} UNION ${hanging('object')} }`;
}

/** Returns a condition that an entity is the subject or object of a visible statement. */
export const occurs = (graphs: SpaceGraphs, entity: string, view: KnowledgeView): string =>
  `{ ${statements(graphs, { s: entity, p: '?ep', o: '?eo' }, undefined, view, 'e')} UNION ${statements(graphs, { s: '?es', p: '?ep', o: entity }, undefined, view, 'e')} }`;

/** Returns a condition that `?o` is a literal with a text, in any form in which the engine stores its value. */
function isWritten(text: string): string {
  const texts = new Set([text, canonical({ text, datatype: 'xsd:dateTime' }).text]);
  const same = [`STR(?o) IN (${[...texts].map(writeText).join(', ')})`];
  const number = Number(text);
  if (String(number) === text && Number.isFinite(number)) {
    same.push(`(isNumeric(?o) && ?o = ${writeTerm(literal(number))})`);
  }
  return `FILTER(isLiteral(?o) && (${any(same)}))`;
}

/** Returns a pattern for matching statements; with `after`, those that follow it in the order of `?key`. */
export function fitting(graphs: SpaceGraphs, pattern: StatementPattern, after?: string): string {
  const { value, datatype, object, subjectType, graph, ...view } = pattern;
  const triple = tripleOf(pattern);
  const { s, p, o } = triple;
  const filters: string[] = [];
  if (value !== undefined && object !== undefined) filters.push('FILTER(false)');
  else if (value !== undefined && datatype === undefined) filters.push(isWritten(literal(value).text));
  if (subjectType !== undefined) {
    filters.push(`FILTER EXISTS ${isInstance(graphs, s, writeId(subjectType), view)}`);
  }
  const long = `IF(STRLEN(STR(${o})) > ${orderedLength}, CONCAT(SUBSTR(STR(${o}), 1, ${orderedLength}), SHA256(STR(${o}))), STR(${o}))`;
  const last = `IF(isIRI(${o}), CONCAT("<", STR(${o})), CONCAT("'", ${long}, " ", STR(DATATYPE(${o})), " ", LANG(${o})))`;
  const key = `BIND(CONCAT(STR(${s}), " ", STR(${p}), " ", ?gk, " ", ${last}) AS ?key)`;
  const beyond = after === undefined ? '' : `FILTER(?key > ${writeText(after)})`;
  return `${statements(graphs, triple, graph, view)} ${filters.join(' ')} ${key} ${beyond}`;
}
