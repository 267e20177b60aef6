import { isUtf8 } from 'node:buffer';
import { A2AError } from '../core/model/errors.ts';

/** Bounds on what is taken in as JSON. */
export interface JsonLimits {
  /** Deepest nesting of objects and arrays; 64 by default. */
  readonly maxDepth?: number;
}

const defaultDepth = 64;

/** Characters from which scanning a text costs less than the harm that it might do. */
const bigText = 1 << 16;

/** Bytes that an array, an object or a member takes besides its text. */
const perValue = 16;

/** Bytes that a JSON body comes to when it is parsed: many small values take far more than their text. Costs a scan. */
export function parsedSize(body: Uint8Array): number {
  let values = 0;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i] as number;
    // A comma, an opening bracket, or an opening brace, which differs from it in one bit.
    if (byte === 0x2c || (byte & 0xdf) === 0x5b) values += 1;
  }
  return body.length + values * perValue;
}

/**
 * Parses a JSON body, and refuses what could do harm further in: invalid UTF-8, unpaired surrogates (written or
 * escaped), nesting deeper than `maxDepth`, keys called `__proto__`, numbers beyond a double. U+0000 is legal.
 *
 * An ordinary body costs a few scans for single characters beside JSON.parse; the value is walked only when one of
 * them finds something.
 *
 * @throws A2AError of kind `parse`
 */
export function parseJson(body: Uint8Array, limits: JsonLimits = {}): unknown {
  if (!isUtf8(body)) throw A2AError.parse('The body is not valid UTF-8');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  return parseJsonText(text, limits);
}

/**
 * The same for text that has been decoded already, such as the data of a server-sent event.
 *
 * @throws A2AError of kind `parse`
 */
export function parseJsonText(text: string, { maxDepth = defaultDepth }: JsonLimits = {}): unknown {
  const big = text.length > bigText;
  // Parsing what nests a million deep takes seconds, so that a big text is scanned before.
  if (big && depthOf(text) > maxDepth) throw tooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The engine's message quotes the body; the caller knows its own body.
    throw A2AError.parse();
  }
  const odd = text.includes('\\u') || text.includes('__proto__') || mayOverflow.test(text) || !text.isWellFormed();
  if (odd) inspect(value, maxDepth);
  else if (!big && mayNest(text, maxDepth)) measure(value, maxDepth);
  return value;
}

/**
 * The same checks for a value that somebody else has parsed, such as Express's body parser.
 *
 * @throws A2AError of kind `parse`
 */
export function checkJson(value: unknown, { maxDepth = defaultDepth }: JsonLimits = {}): void {
  inspect(value, maxDepth);
}

/** A number may be beyond what a double holds: it would be read as infinite, and written as null. */
const mayOverflow = /(?<!\d)\d{309}|\d[eE]\+?\d{3}/;

const quoteCode = 0x22;
const backslashCode = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Whether the text has enough brackets to nest deeper than `depth`; those in strings count too. */
function mayNest(text: string, depth: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++count > depth) return true;
    }
  }
  return false;
}

/** Deepest nesting of brackets outside of strings; of a text that is not JSON, anything. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quoteCode) {
      at = endOfString(text, at);
    } else if (code === openBrace || code === openBracket) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (code === closeBrace || code === closeBracket) {
      depth--;
    }
  }
  return deepest;
}

/** Index of the quote that ends a string, or of the text's end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslashCode) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/** The depth alone: no strings are looked at. */
function measure(value: unknown, depthLeft: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw tooDeep();
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) measure(value[i], depthLeft - 1);
    return;
  }
  for (const key in value) measure((value as Record<string, unknown>)[key], depthLeft - 1);
}

function inspect(value: unknown, depthLeft: number): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw A2AError.parse('The body has an unpaired surrogate');
    return;
  }
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    throw A2AError.parse('The body has a number that is too large');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw tooDeep();
  if (Array.isArray(value)) {
    for (const item of value) inspect(item, depthLeft - 1);
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__proto__') throw A2AError.parse('The body has a key called __proto__');
    if (!key.isWellFormed()) throw A2AError.parse('The body has an unpaired surrogate');
    inspect(entry, depthLeft - 1);
  }
}

function tooDeep(): A2AError {
  return A2AError.parse('The body is nested too deeply');
}
