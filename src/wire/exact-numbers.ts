import { A2AError } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import { trimEnd } from '../core/model/text.ts';

/**
 * Remembers the source text of JSON numbers that a double cannot hold, by the parsed value: integers beyond 2^53, for
 * 64-bit fields and JSON-RPC ids, and decimals with too many digits.
 */

/** Source texts, by the object or array that holds the number and the number's key. */
const sources = new WeakMap<object, Map<string, string>>();

/** Documents that contain such numbers, at any depth. */
const inexact = new WeakSet<object>();

/** Number of source texts remembered since the start. */
let remembered = 0;

const integer = /^-?\d+$/;

/**
 * Whether a JSON text may contain a number that a double cannot hold: an integer of 16 or more digits, a decimal with
 * more than 17 significant digits, or a large exponent.
 */
export const mayBeInexact = (text: string): boolean => hasManyDigits(text) || hasLargeExponent(text);

/** Length in characters of the shortest such number without an exponent. */
const shortest = 16;

/** Whether a character is a digit or a point. A slash also counts; outside of strings, JSON contains none. */
const isOfNumber = (code: number): boolean => code >= 0x2e && code <= 0x39;

/** Whether a text contains a number with many digits. Checks every 16th character, since a long number includes one. */
function hasManyDigits(text: string): boolean {
  const { length } = text;
  for (let at = shortest - 1; at < length; at += shortest) {
    if (!isOfNumber(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isOfNumber(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < length && isOfNumber(text.charCodeAt(end))) end += 1;
    if (end - start >= shortest && isLong(text, start, end)) return true;
    at = Math.max(at, end - shortest);
  }
  return false;
}

function isLong(text: string, start: number, end: number): boolean {
  let digits = 0;
  let isDecimal = false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2e) isDecimal = true;
    else if (code !== 0x30 || digits > 0) digits += 1;
  }
  return digits >= (isDecimal ? 18 : shortest);
}

/**
 * Whether a text contains a number with a large exponent. Hexadecimal ids can look like exponents, so the text before
 * the exponent must be a number.
 */
function hasLargeExponent(text: string): boolean {
  const exponent = /[eE][+-]?\d{3}/g;
  for (let found = exponent.exec(text); found; found = exponent.exec(text)) {
    let start = found.index;
    while (start > 0 && isOfNumber(text.charCodeAt(start - 1))) start -= 1;
    if (start === found.index) continue;
    const before = text.slice(Math.max(0, start - 2), start);
    if (/(?:^|[:[,\s])-?$/.test(before)) return true;
  }
  return false;
}

/** Maximum digits of one number in a request. Integers in most systems have fewer than a hundred. */
export const longestNumber = 4_096;

/**
 * Parses JSON text that may contain large numbers. Much slower than `JSON.parse`.
 *
 * @param longest maximum digits of one number
 * @throws A2AError `parse` for a longer number; SyntaxError for invalid JSON
 */
export function parseExactly(text: string, longest = Number.POSITIVE_INFINITY): unknown {
  const before = remembered;
  const value: unknown = JSON.parse(text, function (this: object, key: string, member: unknown, context?: Context) {
    const source = context?.source;
    if (typeof member === 'number' && source !== undefined && source.length > longest) {
      throw A2AError.parse(`The body has a number of more than ${longest} digits`);
    }
    if (Number.isFinite(member) && source !== undefined && isInexact(member as number, source)) {
      const known = sources.get(this) ?? new Map<string, string>();
      known.set(key, source);
      sources.set(this, known);
      remembered += 1;
    }
    return member;
  } as (this: unknown, key: string, value: unknown) => unknown);
  if (remembered > before) markInexact(value);
  return value;
}

/** Third argument of a reviver, missing from TypeScript's types. */
interface Context {
  readonly source?: string;
}

/**
 * Whether a number's source must be remembered: an integer beyond 2^53, or a decimal that its double does not equal.
 */
const isInexact = (number: number, source: string): boolean =>
  integer.test(source) ? !Number.isSafeInteger(number) : /.{18}|e/i.test(source) && isChanged(number, source);

/** Whether the value of a number differs from that of its source text. */
function isChanged(number: number, source: string): boolean {
  return significance(String(number)) !== significance(source);
}

/** Returns the significant digits of a number with the power of ten of the last digit, such as `15e-1`. */
function significance(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimEnd(digits, '0');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Records that a document contains numbers that a double cannot hold. */
export function markInexact(document: unknown): void {
  if (typeof document === 'object' && document !== null) inexact.add(document);
}

/** Whether a document contains numbers that a double cannot hold. */
export const hasInexact = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && inexact.has(document);

/** Returns the digits of an integer member beyond 2^53; undefined for all other members. */
export function exactInteger(holder: object, key: string): string | undefined {
  const source = sources.get(holder)?.get(key);
  return source !== undefined && integer.test(source) ? source : undefined;
}

/** Returns the source text of a member that a double cannot hold; undefined for all other members. */
export const exactNumber = (holder: object, key: string): string | undefined => sources.get(holder)?.get(key);

/** Copies the remembered source texts of an object and its nested values to a copy of the object. */
export function copyExact<T extends object>(from: object, to: T): T {
  const known = sources.get(from);
  if (known) sources.set(to, known);
  if (inexact.has(from)) inexact.add(to);
  return to;
}

/** Moves the source texts of members that were added to a larger object or array after its first `before` members. */
export function moveExact(from: object, to: object, before: number): void {
  const known = sources.get(from);
  const all = sources.get(to) ?? new Map<string, string>();
  // A member may be repeated with another value.
  if (!Array.isArray(to)) for (const name of all.keys()) if (Object.hasOwn(from, name)) all.delete(name);
  for (const [name, text] of known ?? []) all.set(Array.isArray(to) ? String(Number(name) + before) : name, text);
  if (known) sources.set(to, all);
}

/** A number that was changed by parsing. */
export interface ChangedNumber {
  /** Path of the number, such as `params.message.parts[0].data.id`. */
  readonly path: string;
  readonly source: string;
  readonly number: number;
}

/** Describes the change for an error message or a warning. */
export const changeOf = ({ source, number }: ChangedNumber): string =>
  `the number ${source.length > maxQuote ? `${source.slice(0, maxQuote)}…` : source} became ${number}`;

/** Maximum digits of a number that are quoted. */
const maxQuote = 64;

/** Maximum number of changed numbers that are reported. */
const maxChanged = 20;

/** Returns up to 20 numbers of a parsed document that differ from its text. Documents without any cost one look-up. */
export function changedNumbers(document: unknown): readonly ChangedNumber[] {
  const found: ChangedNumber[] = [];
  if (hasInexact(document)) visit(document as object, '', found);
  return found;
}

function visit(holder: object, path: string, found: ChangedNumber[]): void {
  const known = sources.get(holder);
  const isList = Array.isArray(holder);
  for (const [key, member] of Object.entries(holder)) {
    if (found.length >= maxChanged) return;
    const isNested = typeof member === 'object' && member !== null;
    const source = known?.get(key);
    if (!isNested && source === undefined) continue;
    const below = isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (isNested) visit(member, below, found);
    else if (typeof member === 'number' && source !== undefined && isChanged(member, source)) {
      found.push({ path: below, source, number: member });
    }
  }
}

/**
 * Returns the v1 fields whose numbers differ between a document and its decoded form, such as `message.parts.data`,
 * without names chosen by callers. 64-bit fields are never included, since they keep all digits.
 *
 * @param openFields names of fields that hold arbitrary JSON
 */
export function changedFields(document: unknown, decoded: unknown, openFields: ReadonlySet<string>): readonly string[] {
  const changed = changedNumbers(document);
  if (changed.length === 0) return [];
  const fields = new Set<string>();
  const numbers = new Set(changed.map(({ number }) => number));
  const walk = (value: unknown, path: string, isOpen: boolean): void => {
    if (typeof value === 'number' && isOpen && numbers.has(value)) fields.add(path);
    else if (Array.isArray(value)) for (const item of value) walk(item, path, isOpen);
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (isOpen) walk(member, path, true);
        else walk(member, path === '' ? key : `${path}.${key}`, openFields.has(key));
      }
    }
  };
  walk(decoded, '', false);
  return [...fields];
}
