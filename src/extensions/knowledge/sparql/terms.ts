import { A2AError } from '../../../core/model/errors.ts';
import { own } from '../../../core/model/json.ts';
import { trimEnd } from '../../../core/model/text.ts';
import { longDatatype, shortDatatype, type Term } from '../model/terms.ts';
import { idFrom, languageOf, languageType, ownIds, ownNames } from '../rdf/iris.ts';

/** Writes ids and literals as SPARQL terms, safe from injection, and reads them back. */

/** A term in SPARQL results (SPARQL 1.1 Query Results JSON Format, section 3.2.2). */
export interface BoundTerm {
  readonly type: string;
  readonly value: string;
  readonly datatype?: string;
  readonly 'xml:lang'?: string;
}

/** A scheme followed by the characters that an IRI may contain. */
const iriShape =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2}|[\u{a0}-\u{d7ff}\u{f900}-\u{fdcf}\u{fdf0}-\u{ffef}\u{10000}-\u{1fffd}\u{20000}-\u{2fffd}])*$/u;
/** Host and port, with optional user information. */
const authorityShape = /^(?:[^@]*@)?[^@:]*(?::[0-9]*)?$/;

/**
 * Whether an id is an absolute IRI (RFC 3987) that every engine accepts, and that is not in the gateway's own
 * namespace.
 */
function isIri(id: string): boolean {
  if (!iriShape.test(id) || id.indexOf('#') !== id.lastIndexOf('#') || id.startsWith(ownNames)) return false;
  const [, authority] = /^[^:]*:\/\/([^/?#]*)/.exec(id) ?? [];
  return authority === undefined || authorityShape.test(authority);
}

/** Returns the IRI of an id: the id itself, or an IRI that encodes it. */
export function iriOf(id: string): string {
  if (isIri(id)) return id;
  try {
    return ownIds + encodeURIComponent(id);
  } catch (cause) {
    throw new A2AError('invalidParams', 'Ids must not contain unpaired surrogates', { cause });
  }
}

/** Returns the IRI prefixes of the ids that begin with a text. */
export const idBeginnings = (text: string): readonly string[] => [text, ownIds + encodeURIComponent(text)];

/** Writes an id as a term of a query. */
export const writeId = (id: string): string => `<${iriOf(id)}>`;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r' };

/** Writes a text as a term of a query. */
export const writeText = (text: string): string => `"${text.replace(/[\\"\n\r]/g, (found) => escapes[found] ?? '')}"`;

export function writeTerm({ text, datatype }: Term): string {
  if (datatype === '') return writeId(text);
  if (datatype === 'xsd:string') return writeText(text);
  const language = languageOf(datatype);
  return language ? `${writeText(text)}@${language}` : `${writeText(text)}^^${writeId(longDatatype(datatype))}`;
}

/** Reads a term of a query result. Undefined for blank nodes and for terms that are not RDF 1.1. */
export function termFrom({ type, value, datatype, 'xml:lang': language }: BoundTerm): Term | undefined {
  if (type === 'uri') return { text: idFrom(value), datatype: '' };
  if (type !== 'literal' && type !== 'typed-literal') return undefined;
  if (language) return { text: value, datatype: languageType(language) };
  return { text: value, datatype: datatype === undefined ? 'xsd:string' : shortDatatype(idFrom(datatype)) };
}

const integers: ReadonlySet<string> = new Set(
  `integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger unsignedLong
   unsignedInt unsignedShort unsignedByte`
    .split(/\s+/)
    .map((name) => `xsd:${name}`),
);

const integerText = (text: string): string | undefined => (/^[+-]?[0-9]+$/.test(text) ? decimalText(text) : undefined);

function decimalText(text: string): string | undefined {
  const [, sign, whole = '', part = ''] = /^([+-]?)([0-9]*)(?:\.([0-9]*))?$/.exec(text) ?? [];
  if (sign === undefined || whole + part === '') return undefined;
  const left = whole.replace(/^0+/, '') || '0';
  const right = trimEnd(part, '0');
  const value = right === '' ? left : `${left}.${right}`;
  return sign === '-' && value !== '0' ? `-${value}` : value;
}

const floatText = (text: string): string | undefined => {
  const number = text === 'INF' ? Number.POSITIVE_INFINITY : text === '-INF' ? Number.NEGATIVE_INFINITY : Number(text);
  return text === 'NaN' || (text.trim() !== '' && !Number.isNaN(number)) ? String(number) : undefined;
};

const momentText = (text: string): string =>
  text
    .replace(/\.([0-9]*)($|[Z+-])/, (_, digits: string, after: string) => {
      const fraction = trimEnd(digits, '0');
      return fraction === '' ? after : `.${fraction}${after}`;
    })
    .replace(/[+-]00:00$/, 'Z');

/**
 * Functions that return the canonical text of a literal, by datatype. Engines store these literals by value, and may
 * return them in another form.
 */
const byValue: Readonly<Record<string, (text: string) => string | undefined>> = {
  'xsd:decimal': decimalText,
  'xsd:double': floatText,
  'xsd:float': (text) => floatText(text) && String(Math.fround(Number(floatText(text)))),
  'xsd:boolean': (text) => own({ '1': 'true', '0': 'false' }, text) ?? text,
  'xsd:dateTime': momentText,
  'xsd:dateTimeStamp': momentText,
  'xsd:time': momentText,
  'xsd:date': momentText,
};

/**
 * Returns the canonical literal with the same value: engines treat `042` and `42` as equal, and xsd:int and
 * xsd:integer.
 */
export function canonical(term: Term): Term {
  const { text, datatype } = term;
  if (integers.has(datatype)) return { text: integerText(text) ?? text, datatype: 'xsd:integer' };
  const same = own(byValue, datatype)?.(text);
  return same === undefined || same === text ? term : { text: same, datatype };
}
