import { A2AError } from '../../../core/model/errors.ts';
import type { KGObject, LiteralValue } from './knowledge.ts';

const xsd = 'http://www.w3.org/2001/XMLSchema#';
export const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Ids of the predicate rdf:type. */
export const typePredicates: ReadonlySet<string> = new Set([`${rdf}type`, 'rdf:type']);

/** Characters of a datatype at most. */
const maxDatatype = 500;

/** A component of a statement: a resource (no `datatype`) or a literal. Different names of one thing are one term. */
export interface Term {
  /** The resource's id, or the literal's text. */
  readonly text: string;
  /** '' for a resource; else the datatype, with a prefix where it is one of XML Schema's: `xsd:integer`. */
  readonly datatype: string;
}

export const resource = (text: string): Term => ({ text, datatype: '' });

/** A datatype's short name: `xsd:integer`. */
export const shortDatatype = (type: string): string => (type.startsWith(xsd) ? `xsd:${type.slice(xsd.length)}` : type);

/** A datatype's IRI. */
export const longDatatype = (type: string): string =>
  type.startsWith('xsd:') ? xsd + type.slice('xsd:'.length) : type;

/** The datatype of a value without one, as in JSON-LD (JSON-LD 1.1 API, section 8.2.2). */
export function datatypeOf(value: LiteralValue): string {
  if (typeof value === 'string') return 'xsd:string';
  if (typeof value === 'boolean') return 'xsd:boolean';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? 'xsd:integer' : 'xsd:double';
}

/** The literal with this value. Throws `invalidParams` for an overlong datatype. */
export function literal(value: LiteralValue, type?: string): Term {
  const datatype = type === undefined || type === '' ? datatypeOf(value) : shortDatatype(type);
  if (datatype.length > maxDatatype) {
    throw A2AError.invalidField('statement.object.type', `is longer than ${maxDatatype} characters`);
  }
  return { text: Object.is(value, -0) ? '0' : String(value), datatype };
}

/** The object's term. */
export const termOf = ({ id, value, type }: KGObject): Term =>
  id === undefined ? literal(value ?? '', type) : resource(id);

const numericNames = 'integer double decimal float int long short byte nonNegativeInteger positiveInteger';
const numeric: ReadonlySet<string> = new Set(numericNames.split(' ').map((name) => `xsd:${name}`));

/** The literal's JSON value: a number or a boolean where that loses nothing. */
export function valueFrom({ text, datatype }: Term): LiteralValue {
  if (datatype === 'xsd:boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (!numeric.has(datatype)) return text;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
