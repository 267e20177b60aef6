import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { UnreadableRow } from '../../../core/model/stored-form.ts';
import { integerIn } from '../../../stores/damaged-rows.ts';
import { unescapeText } from '../../../stores/text.ts';
import type { StoredStatement } from '../model/graph.ts';
import type { KGObject, KGStatement } from '../model/knowledge.ts';
import { datatypeOf, longDatatype, type Term, valueFrom } from '../model/terms.ts';

/**
 * The tables of knowledge. Times are milliseconds since the epoch. Text that callers choose is stored escaped
 * (`escapeText`).
 */

/**
 * A statement. Its terms are stored as numbers to keep the table and its indexes narrow. Within a space, resources have
 * positive numbers and literals negative ones.
 */
export interface KnowledgeStatementTable {
  space: number;
  s: number;
  p: number;
  o: number;
  /** 0 is the default graph. */
  g: number;
  subject_type: number | null;
  /** Term of the object's type, if the object is a resource. */
  object_type: number | null;
  /** Datatype of the literal as given, if it would be shown differently. */
  given: string | null;
  certainty: number | null;
  /** JSON text. */
  provenance: string | null;
  at: number;
}

export interface KnowledgeChangeTable {
  space: number;
  seq: number;
  change_id: string;
  at: number;
  op: string;
  /** JSON text: the statement and the statements that it replaced. */
  body: string;
  /** JSON text. */
  meta: string;
}

/** A row of a statement without its space. */
export type StatementRow = Omit<KnowledgeStatementTable, 'space'>;

/** Returns the identity of a statement within its space. */
export const rowKey = ({ s, p, o, g }: Pick<StatementRow, 's' | 'p' | 'o' | 'g'>): string => `${s},${p},${o},${g}`;

/** Returns the datatype with which a literal is shown if none was given; undefined if the value implies it. */
function writtenType(term: Term): string | undefined {
  return datatypeOf(valueFrom(term)) === term.datatype ? undefined : longDatatype(term.datatype);
}

/** Returns the given datatype if it differs from the one that would be shown; otherwise null. */
export const givenType = (term: Term, type: string | undefined): string | null =>
  type === undefined || type === writtenType(term) ? null : type;

function objectOf(term: Term, given: string | null, type: string | undefined): KGObject {
  if (term.datatype === '') return type === undefined ? { id: term.text } : { id: term.text, type };
  const written = given ?? writtenType(term);
  return written === undefined ? { value: valueFrom(term) } : { value: valueFrom(term), type: written };
}

function provenanceIn(text: string): JsonObject {
  const value = JSON.parse(text);
  if (isObject(value)) return value;
  throw new UnreadableRow('its column provenance is not an object');
}

/** Returns the statement of a row that is removed or replaced. An unreadable provenance is omitted. */
export function formerStatement(row: StatementRow, term: (id: number) => Term): KGStatement {
  try {
    return statementFrom(row, term);
  } catch {
    return statementFrom({ ...row, provenance: null }, term);
  }
}

/**
 * Returns the statement of a row.
 *
 * @param term returns the term with a number; every number of the row must be known
 */
export function statementFrom(row: StatementRow, term: (id: number) => Term): KGStatement {
  const type = row.subject_type === null ? undefined : term(row.subject_type).text;
  const objectType = row.object_type === null ? undefined : term(row.object_type).text;
  const subject = { id: term(row.s).text };
  return {
    subject: type === undefined ? subject : { ...subject, type },
    predicate: { id: term(row.p).text },
    object: objectOf(term(row.o), row.given === null ? null : unescapeText(row.given), objectType),
    ...(row.g !== 0 && { graph: term(row.g).text }),
    ...(row.certainty !== null && { certainty: row.certainty }),
    ...(row.provenance !== null && { provenance: provenanceIn(row.provenance) }),
  };
}

/** Returns the statement of a row with its time. */
export const storedFrom = (row: StatementRow, term: (id: number) => Term): StoredStatement => ({
  ...statementFrom(row, term),
  at: integerIn(row, 'at'),
});

/** Returns the types that a statement states, as pairs of type and entity. */
export function typesIn(row: StatementRow, isTypePredicate: (p: number) => boolean): [type: number, entity: number][] {
  const types: [number, number][] = [];
  if (row.subject_type !== null) types.push([row.subject_type, row.s]);
  if (row.object_type !== null && row.o > 0) types.push([row.object_type, row.o]);
  if (row.o > 0 && isTypePredicate(row.p)) types.push([row.o, row.s]);
  return types;
}
