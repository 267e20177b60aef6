import { createHash } from 'node:crypto';
import { defined, isObject } from '../../../core/model/json.ts';
import { UnreadableRow } from '../../../core/model/stored-form.ts';
import { resource, type Term } from '../model/terms.ts';
import { rdf } from '../rdf/iris.ts';
import type { StatementRow } from '../store/rows.ts';
import { kg, type SpaceGraphs } from './graphs.ts';
import { numberOf } from './patterns.ts';
import { canonical, writeId, writeTerm, writeText } from './terms.ts';

/**
 * Annotations of a statement: certainty, provenance, time and types. SPARQL 1.1 cannot annotate statements directly, so
 * each statement has a resource in a graph of the gateway that uses RDF's reification vocabulary (RDF Schema, section
 * 5.3). The name of the resource is a digest of the statement. Statements that other software wrote have no
 * annotations.
 */
export interface Annotations {
  readonly at: number;
  readonly certainty?: number;
  /** JSON text. */
  readonly provenance?: string;
  readonly subjectType?: string;
  readonly objectType?: string;
  /** Datatype of the literal as given, if it would be shown differently. */
  readonly given?: string;
  /** Text of the literal as given: engines may normalize it. */
  readonly text?: string;
  readonly datatype?: string;
}

const texts = ['provenance', 'subjectType', 'objectType', 'given', 'text', 'datatype'] as const;

/**
 * Parses annotations.
 *
 * @throws UnreadableRow for text that is not valid annotations
 */
export function annotationsIn(text: string): Annotations {
  const value = JSON.parse(text);
  const isWhole =
    isObject(value) &&
    Number.isSafeInteger(value.at) &&
    (value.certainty === undefined || Number.isFinite(value.certainty)) &&
    texts.every((name) => value[name] === undefined || typeof value[name] === 'string');
  if (!isWhole) throw new UnreadableRow('it does not hold the annotations of a statement');
  const annotations = value as unknown as Annotations;
  if (annotations.provenance !== undefined && !isObject(JSON.parse(annotations.provenance)))
    throw new UnreadableRow('its provenance is not an object');
  return annotations;
}

/** The terms of a statement. '' is the default graph. */
export interface StatementTerms {
  readonly s: string;
  readonly p: string;
  readonly o: Term;
  readonly g: string;
}

/** Returns the identity of a statement for an engine that compares literals by value. */
export function statementKeyOf({ s, p, o, g }: StatementTerms): string {
  const { text, datatype } = canonical(o);
  return JSON.stringify([s, p, datatype, text, g]);
}

/** Returns the IRI of a statement's resource. */
export const nameOf = (place: StatementTerms): string =>
  `${kg}${createHash('sha256').update(statementKeyOf(place)).digest('base64url')}`;

/**
 * Returns all annotations of a statement as triples. The result is deterministic, so that the triples can be deleted
 * again.
 */
export function annotationTriples(graphs: SpaceGraphs, place: StatementTerms, about: Annotations): string {
  const { s, p, o, g } = place;
  const iri = g === '' ? '' : graphs.graphIri(g);
  const lines = [
    `<${rdf}subject> ${writeId(s)}`,
    `<${rdf}predicate> ${writeId(p)}`,
    `<${rdf}object> ${writeTerm(o)}`,
    `<${kg}graph> ${writeText(iri === graphs.defaultGraph ? '' : iri)}`,
    `<${kg}at> ${numberOf(about.at)}`,
    `<${kg}about> ${writeText(JSON.stringify(about))}`,
  ];
  if (about.certainty !== undefined) lines.push(`<${kg}certainty> ${numberOf(about.certainty)}`);
  if (about.subjectType !== undefined) lines.push(`<${kg}subjectType> ${writeId(about.subjectType)}`);
  if (about.objectType !== undefined) lines.push(`<${kg}objectType> ${writeId(about.objectType)}`);
  return `<${nameOf(place)}> ${lines.join(' ; ')} .`;
}

interface TermNumbers {
  findOrMake(term: Term): number;
  readonly get: (id: number) => Term;
}

/** Returns the row of a statement. `o` is the literal as the engine returns it, or as it was written. */
export function rowFrom(
  { s, p, o, g }: StatementTerms,
  about: Annotations | undefined,
  terms: TermNumbers,
): StatementRow {
  const number = (id: string | undefined): number | null => (id === undefined ? null : terms.findOrMake(resource(id)));
  return {
    s: terms.findOrMake(resource(s)),
    p: terms.findOrMake(resource(p)),
    o: terms.findOrMake(o),
    g: g === '' ? 0 : terms.findOrMake(resource(g)),
    subject_type: number(about?.subjectType),
    object_type: number(about?.objectType),
    given: about?.given ?? null,
    certainty: about?.certainty ?? null,
    provenance: about?.provenance ?? null,
    at: about?.at ?? 0,
  };
}

/**
 * Returns the annotations of a row.
 *
 * @param written the literal as given, if the row contains another form of it
 */
export function annotationsFrom(row: StatementRow, terms: TermNumbers, written: Term | undefined): Annotations {
  const text = (id: number | null): string | undefined => (id === null ? undefined : terms.get(id).text);
  const subjectType = text(row.subject_type);
  const objectType = text(row.object_type);
  return {
    at: row.at,
    ...defined({ certainty: row.certainty ?? undefined, provenance: row.provenance ?? undefined }),
    ...defined({ subjectType, objectType, given: row.given ?? undefined }),
    ...(written && { text: written.text, datatype: written.datatype }),
  };
}

/** Returns the literal as it was written, if the stored literal still has the same value. */
export function originalTerm(o: Term, about: Annotations | undefined): Term {
  if (about?.text === undefined || about.datatype === undefined || o.datatype === '') return o;
  const written = { text: about.text, datatype: about.datatype };
  const one = canonical(written);
  const other = canonical(o);
  return one.text === other.text && one.datatype === other.datatype ? written : o;
}
