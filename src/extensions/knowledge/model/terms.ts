import { A2AError } from '../../../core/model/errors.ts';
import type { KGObject, LiteralValue } from './knowledge.ts';

const xsd = 'http://www.w3.org/2001/XMLSchema#';
export const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Ids of the predicate `rdf:type`. */
export const typePredicates: ReadonlySet<string> = new Set([`${rdf}type`, 'rdf:type']);

/** Maximum number of characters of a datatype. */
const maxDatatype = 500;

/** A component of a statement: a resource (no `datatype`) or a literal. Equivalent spellings result in one term. */
export interface Term {
  /** Id of the resource, or text of the literal. */
  readonly text: string;
  /** '' for a resource, otherwise the datatype. Datatypes of XML Schema are abbreviated: `xsd:integer`. */
  readonly datatype: string;
}

export const resource = (text: string): Term => ({ text, datatype: '' });

/** Abbreviates the IRI of an XML Schema datatype: `xsd:integer`. */
export const shortDatatype = (type: string): string => (type.startsWith(xsd) ? `xsd:${type.slice(xsd.length)}` : type);

/** Returns the IRI of a datatype. */
export const longDatatype = (type: string): string =>
  type.startsWith('xsd:') ? xsd + type.slice('xsd:'.length) : type;

/** Returns the datatype of a value without an explicit one, as in JSON-LD (JSON-LD 1.1 API, section 8.2.2). */
export function datatypeOf(value: LiteralValue): string {
  if (typeof value === 'string') return 'xsd:string';
  if (typeof value === 'boolean') return 'xsd:boolean';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? 'xsd:integer' : 'xsd:double';
}

/**
 * Returns the literal with a value.
 *
 * @throws A2AError `invalidParams` if the datatype is too long
 */
export function literal(value: LiteralValue, type?: string): Term {
  const datatype = type === undefined || type === '' ? datatypeOf(value) : shortDatatype(type);
  if (datatype.length > maxDatatype) {
    throw A2AError.invalidField('statement.object.type', `is longer than ${maxDatatype} characters`);
  }
  return { text: Object.is(value, -0) ? '0' : String(value), datatype };
}

/** Returns the term of a statement's object. */
export const termOf = ({ id, value, type }: KGObject): Term =>
  id === undefined ? literal(value ?? '', type) : resource(id);

const numericNames = 'integer double decimal float int long short byte nonNegativeInteger positiveInteger';
const numeric: ReadonlySet<string> = new Set(numericNames.split(' ').map((name) => `xsd:${name}`));

/** Returns a literal's JSON value: a number or a boolean if that loses nothing, otherwise a string. */
export function valueFrom({ text, datatype }: Term): LiteralValue {
  if (datatype === 'xsd:boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (!numeric.has(datatype)) return text;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
