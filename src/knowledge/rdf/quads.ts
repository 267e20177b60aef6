import { DataFactory, type Quad, type Term } from 'n3';
import type { KGObject, KGStatement } from '../../core/knowledge.ts';
import { longDatatype, termOf, typePredicates, valueFrom } from '../../core/knowledge-terms.ts';

/** Statements as RDF has them, and back. */

const { blankNode, defaultGraph, literal, namedNode, quad } = DataFactory;

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const rdfType = namedNode(`${rdf}type`);
const langString = `${rdf}langString`;

/** Ids that are no IRIs: percent-encoded behind this. */
const localIds = 'urn:a2a-gateway:id:';

/**
 * Datatypes of texts in a language: statements have no place for it but the type
 * (JSON-LD 1.1, section 4.2.4.1: the i18n namespace).
 */
const languages = 'https://www.w3.org/ns/i18n#';
const languageTag = /^[a-zA-Z]+(-[a-zA-Z0-9]+)*$/;

/** An absolute IRI without the characters that RDF does not let into one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are among those characters
const iri = /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\u0000-\u0020<>"{}|^`\\]*$/;
const blank = /^_:[A-Za-z0-9_][A-Za-z0-9_-]*$/;

function resourceNode(id: string) {
  if (blank.test(id)) return blankNode(id.slice(2));
  return namedNode(iri.test(id) && !id.startsWith(localIds) ? id : localIds + encodeURIComponent(id));
}

function idOf({ termType, value }: Pick<Term, 'termType' | 'value'>, blankPrefix: string): string {
  if (termType === 'BlankNode') return `_:${blankPrefix}${value}`;
  if (!value.startsWith(localIds)) return value;
  return decodeURIComponent(value.slice(localIds.length));
}

function objectNode(object: KGObject) {
  if (object.id !== undefined) return resourceNode(object.id);
  const { text, datatype } = termOf(object);
  const language = datatype.startsWith(languages) ? datatype.slice(languages.length) : '';
  if (languageTag.test(language)) return literal(text, language);
  const type = longDatatype(datatype);
  return literal(text, namedNode(iri.test(type) ? type : localIds + encodeURIComponent(type)));
}

function objectFrom(term: Quad['object'], blankPrefix: string): KGObject {
  if (term.termType !== 'Literal') return { id: idOf(term, blankPrefix) };
  const given = term.datatype.value;
  const type = given === langString ? languages + term.language : idOf(term.datatype, '');
  const value = valueFrom(termOf({ value: term.value, type }));
  // What the value says itself need not be said.
  return termOf({ value }).datatype === termOf({ value: term.value, type }).datatype ? { value } : { value, type };
}

/**
 * What a statement says: itself, and what its subject and object are instances of. Certainty and provenance have no place
 * in RDF.
 */
export function quadsOf({ subject, predicate, object, graph }: KGStatement): Quad[] {
  const place = graph ? resourceNode(graph) : defaultGraph();
  const [s, o] = [resourceNode(subject.id), objectNode(object)];
  const p = typePredicates.has(predicate.id) ? rdfType : resourceNode(predicate.id);
  const quads = [quad(s, p as Quad['predicate'], o, place)];
  if (subject.type) quads.push(quad(s, rdfType, resourceNode(subject.type), place));
  if (object.type && object.id !== undefined) {
    quads.push(quad(resourceNode(object.id), rdfType, resourceNode(object.type), place));
  }
  return quads;
}

/** @param blankPrefix tells the nodes without a name of one document from those of others */
export function statementFrom({ subject, predicate, object, graph }: Quad, blankPrefix: string): KGStatement {
  return {
    subject: { id: idOf(subject, blankPrefix) },
    predicate: { id: idOf(predicate, blankPrefix) },
    object: objectFrom(object, blankPrefix),
    ...(graph.termType !== 'DefaultGraph' && { graph: idOf(graph, blankPrefix) }),
  };
}
