import type { Hidden, KnowledgeView, StatementPattern } from '../../core/model/knowledge.ts';
import { literal, typePredicates } from '../../core/model/knowledge-terms.ts';
import { rdf } from '../rdf/iris.ts';
import { kg, type SpaceGraphs } from './graphs.ts';
import { canonical, idBeginnings, iriOf, writeId, writeTerm, writeText } from './terms.ts';

/** Builds SPARQL group patterns. Terms of callers are inserted by `terms.ts` only. */

/** Characters of a literal in its sort key; the rest is represented by a digest. */
const orderedLength = 200;

/** Subject, predicate and object: terms or variables. */
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

/** A condition that an IRI is one of these names. */
function isOneOf(
  expression: string,
  names: readonly string[],
  iri: (name: string) => string,
  beginnings: (text: string) => readonly string[],
): string {
  const conditions = names.flatMap((name) =>
    name.endsWith('*')
      ? beginnings(name.slice(0, -1)).map((text) => `STRSTARTS(${expression}, ${writeText(text)})`)
      : [`${expression} = ${writeText(iri(name))}`],
  );
  return any(conditions);
}

/** A condition that a predicate and a graph (its IRI as text, '' for the default graph) are not hidden. */
function notHidden(places: SpaceGraphs, hidden: Hidden | undefined, predicate: string, graph: string): string {
  const filters: string[] = [];
  if (hidden?.predicates?.length) {
    filters.push(`FILTER(!(${isOneOf(`STR(${predicate})`, hidden.predicates, iriOf, idBeginnings)}))`);
  }
  if (hidden?.graphs?.length) {
    const named = hidden.graphs.filter((name) => name !== '');
    const conditions = named.length === 0 ? [] : [isOneOf(graph, named, places.graphIri, places.graphBeginnings)];
    if (hidden.graphs.includes('') || hidden.graphs.includes('*')) conditions.push(`${graph} = ""`);
    if (hidden.graphs.includes('*')) conditions.push('true');
    filters.push(`FILTER(!(${any(conditions)}))`);
  }
  return filters.join(' ');
}

/**
 * Visible statements of a triple in a graph (absent: in any); `?gk` is the graph's IRI as text.
 *
 * @param mark suffix of its variables where it is nested in another group
 */
export function statements(
  places: SpaceGraphs,
  triple: Triple,
  graph: string | undefined,
  view: KnowledgeView,
  mark = '',
): string {
  const { s, p, o } = triple;
  const said = `${s} ${p} ${o}`;
  const { defaultGraph } = places;
  const [g, gk] = [`?g${mark}`, `?gk${mark}`];
  const unnamed = `{ ${defaultGraph === undefined ? said : `GRAPH <${defaultGraph}> { ${said} }`} BIND("" AS ${gk}) }`;
  const named = `{ GRAPH ${g} { ${said} } FILTER(${places.isNamed(g)}) BIND(STR(${g}) AS ${gk}) }`;
  const one = (iri: string) => `{ GRAPH <${iri}> { ${said} } BIND(${writeText(iri)} AS ${gk}) }`;
  const iri = graph === undefined || graph === '' ? undefined : places.graphIri(graph);
  const inOne = iri === undefined || iri === defaultGraph ? unnamed : one(iri);
  const where = graph === undefined ? `${unnamed} UNION ${named}` : inOne;
  const filters = [isVariable(s) ? `FILTER(isIRI(${s}))` : '', isVariable(o) ? `FILTER(!isBlank(${o}))` : ''];
  return `{ ${where} ${filters.join(' ')} ${visible(places, triple, view, mark)} }`;
}

/** A condition that a statement, whose graph is `?gk`, is visible. */
function visible(
  places: SpaceGraphs,
  { s, p, o }: Triple,
  { minCertainty, since, hidden }: KnowledgeView,
  mark: string,
): string {
  const [gk, m, value] = [`?gk${mark}`, `?m${mark}`, `?mv${mark}`];
  const filters = [notHidden(places, hidden, p, gk)];
  const about = (what: string): string =>
    `GRAPH <${places.about}> { ${m} <${rdf}object> ${o} ; <${rdf}subject> ${s} ; <${rdf}predicate> ${p} ; <${kg}graph> ${gk} ; <${kg}${what}> ${value} }`;
  if (minCertainty !== undefined) {
    filters.push(`FILTER NOT EXISTS { ${about('certainty')} FILTER(${value} < ${numberOf(minCertainty)}) }`);
  }
  if (since !== undefined) {
    filters.push(`FILTER EXISTS { ${about('at')} FILTER(${value} >= ${numberOf(since)}) }`);
  }
  return filters.join(' ');
}

/** A number as an integer or decimal term, with all its digits. */
export function numberOf(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const text = String(value);
  const digits = text.includes('e') ? value.toFixed(20) : text;
  return `"${digits}"^^<http://www.w3.org/2001/XMLSchema#decimal>`;
}

/** A condition that an entity is an instance of a type, by statements or by annotations. Terms or variables. */
export function isInstance(places: SpaceGraphs, entity: string, type: string, view: KnowledgeView): string {
  const { minCertainty, since, hidden } = view;
  const predicates = [...typePredicates].map(writeId).join(' ');
  const stated = `{ VALUES ?tp { ${predicates} } ${statements(places, { s: entity, p: '?tp', o: type }, undefined, view, 't')} }`;
  const own = [
    notHidden(places, hidden, '?hp', '?hg'),
    ...(minCertainty === undefined
      ? []
      : [
          `FILTER NOT EXISTS { GRAPH <${places.about}> { ?h <${kg}certainty> ?hc } FILTER(?hc < ${numberOf(minCertainty)}) }`,
        ]),
    ...(since === undefined ? [] : [`FILTER(?ha >= ${numberOf(since)})`]),
  ].join(' ');
  const hanging = (role: 'subject' | 'object'): string =>
    `{ GRAPH <${places.about}> { ?h <${kg}${role}Type> ${type} ; <${rdf}${role}> ${entity} ; <${rdf}predicate> ?hp ; <${kg}graph> ?hg ; <${kg}at> ?ha } ${own} }`;
  return `{ ${stated} UNION ${hanging('subject')} UNION ${hanging('object')} }`;
}

/** A condition that an entity is subject or object of a visible statement. */
export const occurs = (places: SpaceGraphs, entity: string, view: KnowledgeView): string =>
  `{ ${statements(places, { s: entity, p: '?ep', o: '?eo' }, undefined, view, 'e')} UNION ${statements(places, { s: '?es', p: '?ep', o: entity }, undefined, view, 'e')} }`;

/** A condition that `?o` is a literal with a text, in whatever form the engine stores its value. */
function isWritten(text: string): string {
  const texts = new Set([text, canonical({ text, datatype: 'xsd:dateTime' }).text]);
  const same = [`STR(?o) IN (${[...texts].map(writeText).join(', ')})`];
  const number = Number(text);
  if (String(number) === text && Number.isFinite(number)) {
    same.push(`(isNumeric(?o) && ?o = ${writeTerm(literal(number))})`);
  }
  return `FILTER(isLiteral(?o) && (${any(same)}))`;
}

/** Statements that match a pattern; with `after`, those after it in the order of `?key`. */
export function fitting(places: SpaceGraphs, pattern: StatementPattern, after: string | undefined): string {
  const { value, datatype, object, subjectType, graph, ...view } = pattern;
  const triple = tripleOf(pattern);
  const { s, p, o } = triple;
  const filters: string[] = [];
  if (value !== undefined && object !== undefined) filters.push('FILTER(false)');
  else if (value !== undefined && datatype === undefined) filters.push(isWritten(literal(value).text));
  if (subjectType !== undefined) {
    filters.push(`FILTER EXISTS ${isInstance(places, s, writeId(subjectType), view)}`);
  }
  const long = `IF(STRLEN(STR(${o})) > ${orderedLength}, CONCAT(SUBSTR(STR(${o}), 1, ${orderedLength}), SHA256(STR(${o}))), STR(${o}))`;
  const last = `IF(isIRI(${o}), CONCAT("<", STR(${o})), CONCAT("'", ${long}, " ", STR(DATATYPE(${o})), " ", LANG(${o})))`;
  const key = `BIND(CONCAT(STR(${s}), " ", STR(${p}), " ", ?gk, " ", ${last}) AS ?key)`;
  const beyond = after === undefined ? '' : `FILTER(?key > ${writeText(after)})`;
  return `${statements(places, triple, graph, view)} ${filters.join(' ')} ${key} ${beyond}`;
}
