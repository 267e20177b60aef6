import { A2AError } from './errors.ts';
import type { KGObject, LiteralValue } from './knowledge.ts';

/** What statements are made of, told apart: two names of one thing are one term. */

const xsd = 'http://www.w3.org/2001/XMLSchema#';
/** What the names of RDF itself begin with. */
export const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Ids of the predicate that says what something is an instance of. */
export const typePredicates: ReadonlySet<string> = new Set([`${rdf}type`, 'rdf:type']);

/** Characters of a datatype. */
const maxDatatype = 500;

/** A resource (no `datatype`) or a literal. */
export interface Term {
  /** The resource's id, or the literal's text. */
  readonly text: string;
  /** '' of a resource; else the datatype, short where it is one of XML Schema's: `xsd:integer`. */
  readonly datatype: string;
}

/** The resource with this id. */
export const resource = (text: string): Term => ({ text, datatype: '' });

/** Datatypes under all names that they are given: `xsd:integer`. */
export const shortDatatype = (type: string): string => (type.startsWith(xsd) ? `xsd:${type.slice(xsd.length)}` : type);

/** The same as an IRI. */
export const longDatatype = (type: string): string =>
  type.startsWith('xsd:') ? xsd + type.slice('xsd:'.length) : type;

/** What a value is when nobody says: as JSON-LD has it (JSON-LD 1.1 API, section 8.2.2). */
export function datatypeOf(value: LiteralValue): string {
  if (typeof value === 'string') return 'xsd:string';
  if (typeof value === 'boolean') return 'xsd:boolean';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? 'xsd:integer' : 'xsd:double';
}

/** The literal with this value. Throws `invalidParams` for a datatype that is beyond all measure. */
export function literal(value: LiteralValue, type?: string): Term {
  const datatype = type === undefined || type === '' ? datatypeOf(value) : shortDatatype(type);
  if (datatype.length > maxDatatype) {
    const description = `is longer than ${maxDatatype} characters`;
    throw A2AError.invalidParams(undefined, [{ field: 'statement.object.type', description }]);
  }
  return { text: Object.is(value, -0) ? '0' : String(value), datatype };
}

/** The object's term. */
export const termOf = ({ id, value, type }: KGObject): Term =>
  id === undefined ? literal(value ?? '', type) : resource(id);

const numeric: ReadonlySet<string> = new Set(
  [
    'integer',
    'double',
    'decimal',
    'float',
    'int',
    'long',
    'short',
    'byte',
    'nonNegativeInteger',
    'positiveInteger',
  ].map((name) => `xsd:${name}`),
);

/** The literal's value as JSON has it: a number or a boolean where nothing is lost by it. */
export function valueFrom({ text, datatype }: Term): LiteralValue {
  if (datatype === 'xsd:boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (!numeric.has(datatype)) return text;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
