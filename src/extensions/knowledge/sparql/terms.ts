import { A2AError } from '../../../core/model/errors.ts';
import { own } from '../../../core/model/json.ts';
import { trimEnd } from '../../../core/model/text.ts';
import { longDatatype, shortDatatype, type Term } from '../model/terms.ts';
import { idFrom, languageOf, languageType, ownIds, ownNames } from '../rdf/iris.ts';

/** Writes ids and literals as SPARQL terms, safe against injection, and reads them back. */

/** A term in SPARQL results (SPARQL 1.1 Query Results JSON Format, section 3.2.2). */
export interface BoundTerm {
  readonly type: string;
  readonly value: string;
  readonly datatype?: string;
  readonly 'xml:lang'?: string;
}

/** A scheme, and the characters that may follow it. */
const iriShape =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2}|[\u{a0}-\u{d7ff}\u{f900}-\u{fdcf}\u{fdf0}-\u{ffef}\u{10000}-\u{1fffd}\u{20000}-\u{2fffd}])*$/u;
/** A host and a port. */
const authorityShape = /^(?:[^@]*@)?[^@:]*(?::[0-9]*)?$/;

/** Whether an id is an absolute IRI (RFC 3987) that every engine accepts, and not one of the gateway's own. */
function isIri(id: string): boolean {
  if (!iriShape.test(id) || id.indexOf('#') !== id.lastIndexOf('#') || id.startsWith(ownNames)) return false;
  const [, authority] = /^[^:]*:\/\/([^/?#]*)/.exec(id) ?? [];
  return authority === undefined || authorityShape.test(authority);
}

/** The IRI of an id: itself, or one that encodes it. */
export function iriOf(id: string): string {
  if (isIri(id)) return id;
  try {
    return ownIds + encodeURIComponent(id);
  } catch (cause) {
    throw new A2AError('invalidParams', 'Ids must not contain unpaired surrogates', { cause });
  }
}

/** Prefixes of the IRIs of ids with a prefix. */
export const idBeginnings = (text: string): readonly string[] => [text, ownIds + encodeURIComponent(text)];

/** An id as a term of a query. */
export const writeId = (id: string): string => `<${iriOf(id)}>`;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r' };

/** A text as a term of a query. */
export const writeText = (text: string): string => `"${text.replace(/[\\"\n\r]/g, (found) => escapes[found] ?? '')}"`;

export function writeTerm({ text, datatype }: Term): string {
  if (datatype === '') return writeId(text);
  if (datatype === 'xsd:string') return writeText(text);
  const language = languageOf(datatype);
  return language ? `${writeText(text)}@${language}` : `${writeText(text)}^^${writeId(longDatatype(datatype))}`;
}

/** Reads a term of results. Undefined for blank nodes, and for what is not RDF 1.1. */
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

/** Canonical texts of literals that engines store by value and may return in another form. */
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

/** The canonical literal with the same value: engines identify `042` with `42`, and xsd:int with xsd:integer. */
export function canonical(term: Term): Term {
  const { text, datatype } = term;
  if (integers.has(datatype)) return { text: integerText(text) ?? text, datatype: 'xsd:integer' };
  const same = own(byValue, datatype)?.(text);
  return same === undefined || same === text ? term : { text: same, datatype };
}
