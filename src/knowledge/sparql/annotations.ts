import { createHash } from 'node:crypto';
import { resource, type Term } from '../../core/model/knowledge-terms.ts';
import type { StatementRow } from '../../stores/knowledge/rows.ts';
import { rdf } from '../rdf/iris.ts';
import { kg, type SpaceGraphs } from './graphs.ts';
import { numberOf } from './patterns.ts';
import { canonical, writeId, writeTerm, writeText } from './terms.ts';

/**
 * What hangs on a statement: certainty, provenance, time, types. SPARQL 1.1 has no place for it on the statement itself,
 * so each statement has a resource of its own in a graph of the gateway's, in RDF's own words for a statement (RDF
 * Schema, section 5.3), found by a name that is made of what the statement is. Statements that others wrote have none.
 */
export interface Annotations {
  readonly at: number;
  readonly certainty?: number;
  /** JSON text. */
  readonly provenance?: string;
  readonly subjectType?: string;
  readonly objectType?: string;
  /** The literal's datatype as it was given, where that is not how it would be written. */
  readonly given?: string;
  /** The literal as it was written: engines may have other words for its value. */
  readonly text?: string;
  readonly datatype?: string;
}

/** A statement by its terms; the graph's name is '' for the default graph. */
export interface StatementTerms {
  readonly s: string;
  readonly p: string;
  readonly o: Term;
  readonly g: string;
}

/** What tells statements apart, in the eyes of an engine that takes literals by their values. */
export function statementKeyOf({ s, p, o, g }: StatementTerms): string {
  const { text, datatype } = canonical(o);
  return JSON.stringify([s, p, datatype, text, g]);
}

/** IRI of the resource that a statement is. */
export const nameOf = (place: StatementTerms): string =>
  `${kg}${createHash('sha256').update(statementKeyOf(place)).digest('base64url')}`;

/** All that is written of a statement, as triples: the same for the same, so that it can be taken back. */
export function annotationTriples(places: SpaceGraphs, place: StatementTerms, about: Annotations): string {
  const { s, p, o, g } = place;
  const iri = g === '' ? '' : places.graphIri(g);
  const lines = [
    `<${rdf}subject> ${writeId(s)}`,
    `<${rdf}predicate> ${writeId(p)}`,
    `<${rdf}object> ${writeTerm(o)}`,
    `<${kg}graph> ${writeText(iri === places.defaultGraph ? '' : iri)}`,
    `<${kg}at> ${numberOf(about.at)}`,
    `<${kg}about> ${writeText(JSON.stringify(about))}`,
  ];
  if (about.certainty !== undefined) lines.push(`<${kg}certainty> ${numberOf(about.certainty)}`);
  if (about.subjectType !== undefined) lines.push(`<${kg}subjectType> ${writeId(about.subjectType)}`);
  if (about.objectType !== undefined) lines.push(`<${kg}objectType> ${writeId(about.objectType)}`);
  return `<${nameOf(place)}> ${lines.join(' ; ')} .`;
}

/** The numbers that stand for terms in rows. */
interface TermNumbers {
  findOrMake(term: Term): number;
  readonly get: (id: number) => Term;
}

/** A statement as a row. `o` is the literal as the engine, or else whoever wrote it, has it. */
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

/** What hangs on a row, to be written. @param written the literal as it was given, where the row's own is another */
export function annotationsFrom(row: StatementRow, terms: TermNumbers, written: Term | undefined): Annotations {
  const text = (id: number | null): string | undefined => (id === null ? undefined : terms.get(id).text);
  const [subjectType, objectType] = [text(row.subject_type), text(row.object_type)];
  return {
    at: row.at,
    ...(row.certainty !== null && { certainty: row.certainty }),
    ...(row.provenance !== null && { provenance: row.provenance }),
    ...(subjectType !== undefined && { subjectType }),
    ...(objectType !== undefined && { objectType }),
    ...(row.given !== null && { given: row.given }),
    ...(written && { text: written.text, datatype: written.datatype }),
  };
}

/** The literal as whoever wrote it has it, where that still has the value that is there. */
export function originalTerm(o: Term, about: Annotations | undefined): Term {
  if (about?.text === undefined || about.datatype === undefined || o.datatype === '') return o;
  const written = { text: about.text, datatype: about.datatype };
  const [one, other] = [canonical(written), canonical(o)];
  return one.text === other.text && one.datatype === other.datatype ? written : o;
}
