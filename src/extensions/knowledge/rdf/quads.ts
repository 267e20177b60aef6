import { DataFactory, type Quad, type Term } from 'n3';
import type { KGObject, KGStatement } from '../../../core/model/knowledge.ts';
import { longDatatype, termOf, typePredicates, valueFrom } from '../model/terms.ts';
import { idFrom, languageOf, languageType, ownIds, rdf } from './iris.ts';

/** Converts statements to RDF and back. */

const { blankNode, defaultGraph, literal, namedNode, quad } = DataFactory;

const rdfType = namedNode(`${rdf}type`);
const langString = `${rdf}langString`;

/** An absolute IRI without the characters that RDF forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are among those characters
const iri = /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\u0000-\u0020<>"{}|^`\\]*$/;
const blank = /^_:[A-Za-z0-9_][A-Za-z0-9_-]*$/;

function resourceNode(id: string) {
  if (blank.test(id)) return blankNode(id.slice(2));
  return namedNode(iri.test(id) && !id.startsWith(ownIds) ? id : ownIds + encodeURIComponent(id));
}

function idOf({ termType, value }: Pick<Term, 'termType' | 'value'>, blankPrefix: string): string {
  if (termType === 'BlankNode') return `_:${blankPrefix}${value}`;
  return idFrom(value);
}

function objectNode(object: KGObject) {
  if (object.id !== undefined) return resourceNode(object.id);
  const { text, datatype } = termOf(object);
  const language = languageOf(datatype);
  if (language !== undefined) return literal(text, language);
  const type = longDatatype(datatype);
  return literal(text, namedNode(iri.test(type) ? type : ownIds + encodeURIComponent(type)));
}

function objectFrom(term: Quad['object'], blankPrefix: string): KGObject {
  if (term.termType !== 'Literal') return { id: idOf(term, blankPrefix) };
  const given = term.datatype.value;
  const type = given === langString ? languageType(term.language) : idOf(term.datatype, '');
  const value = valueFrom(termOf({ value: term.value, type }));
  // The type is omitted if the value implies it.
  return termOf({ value }).datatype === termOf({ value: term.value, type }).datatype ? { value } : { value, type };
}

/**
 * The quads of a statement: itself, and the types of its subject and object. RDF has no place for certainty and
 * provenance.
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

/** @param blankPrefix distinguishes blank nodes of different documents */
export function statementFrom({ subject, predicate, object, graph }: Quad, blankPrefix: string): KGStatement {
  return {
    subject: { id: idOf(subject, blankPrefix) },
    predicate: { id: idOf(predicate, blankPrefix) },
    object: objectFrom(object, blankPrefix),
    ...(graph.termType !== 'DefaultGraph' && { graph: idOf(graph, blankPrefix) }),
  };
}
