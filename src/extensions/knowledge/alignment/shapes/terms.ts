import { DataFactory, type NamedNode, type Quad, type Quad_Object, type Quad_Subject, type Term } from 'n3';
import type { KGStatement } from '../../model/knowledge.ts';
import { longDatatype, termOf, typePredicates } from '../../model/terms.ts';
import { languageOf, languageType, rdf } from '../../rdf/iris.ts';
import type { OutcomePattern } from '../rule.ts';

/** Conversions from statements to RDF/JS terms. */

const { blankNode, literal, namedNode, quad } = DataFactory;

const rdfs = 'http://www.w3.org/2000/01/rdf-schema#';

export const rdfType: NamedNode = namedNode(`${rdf}type`);
export const subClassOf: NamedNode = namedNode(`${rdfs}subClassOf`);
export const rdfsClass: NamedNode = namedNode(`${rdfs}Class`);
export const owlClass: NamedNode = namedNode('http://www.w3.org/2002/07/owl#Class');

/** Returns the resource with an id. Ids of blank nodes begin with `_:`. */
export const resourceTerm = (id: string): Quad_Subject =>
  id.startsWith('_:') ? blankNode(id.slice(2)) : namedNode(id);

/** Returns the id of a resource; undefined for a literal. */
export function idOf(term: Pick<Term, 'termType' | 'value'>): string | undefined {
  if (term.termType === 'NamedNode') return term.value;
  return term.termType === 'BlankNode' ? `_:${term.value}` : undefined;
}

export const termKey = (term: Term): string =>
  term.termType === 'Literal' ? `"${term.datatypeString}\n${term.language}\n${term.value}` : (idOf(term) ?? '');

function objectTerm({ object }: KGStatement): Quad_Object {
  if (object.id !== undefined) return resourceTerm(object.id);
  const { text, datatype } = termOf(object);
  return literal(text, languageOf(datatype) ?? namedNode(longDatatype(datatype)));
}

/** Converts a statement to a quad without its graph, since shapes apply to the union of all graphs. */
export function tripleOf(statement: KGStatement): Quad {
  const { id } = statement.predicate;
  const predicate = typePredicates.has(id) ? rdfType : namedNode(id);
  return quad(resourceTerm(statement.subject.id), predicate, objectTerm(statement));
}

/**
 * Returns the pattern for a subject, predicate and object; null stands for any. Undefined if the subject is a literal.
 */
export function patternOf(
  subject: Term | null,
  predicate: Pick<Term, 'value'> | null,
  object: Term | null,
): OutcomePattern | undefined {
  const id = subject && idOf(subject);
  if (subject && id === undefined) return undefined;
  const base = { ...(id && { subject: id }), ...(predicate && { predicate: predicate.value }) };
  if (!object) return base;
  const target = idOf(object);
  if (target !== undefined) return { ...base, object: target };
  if (object.termType !== 'Literal') return undefined;
  const datatype = object.language ? languageType(object.language) : object.datatype.value;
  return { ...base, value: object.value, datatype };
}
