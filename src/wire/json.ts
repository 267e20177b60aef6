import { parseInTurns } from '../core/limits/large-json.ts';
import { loopTurns } from '../core/limits/loop-turns.ts';
import { A2AError } from '../core/model/errors.ts';
import { endOfString, withoutMark } from '../core/model/json.ts';
import { hasInexact, longestNumber, markInexact, mayBeInexact, moveExact, parseExactly } from './exact-numbers.ts';

/** Default limit on the nesting depth of objects and arrays. */
export const defaultDepth = 64;

/**
 * Parses JSON text, with or without a byte order mark. Refuses unpaired surrogates (escaped ones too), nesting deeper
 * than `maxDepth`, keys called `__proto__`, and numbers too large for a double. U+0000 is legal. For ordinary texts,
 * this costs a few scans more than `JSON.parse`.
 *
 * @throws A2AError `parse`
 */
export const parseJsonText = (text: string, maxDepth = defaultDepth): unknown =>
  parseMarkless(withoutMark(text), maxDepth);

function parseMarkless(text: string, maxDepth: number): unknown {
  // Checked before parsing, because parsing a million nested arrays takes seconds.
  if (mayNest(text, maxDepth) && depthOf(text) > maxDepth) throw tooDeep();
  const hasLong = mayBeInexact(text);
  const value = parsed(text, hasLong);
  const odd = hasLong || text.includes('\\u') || text.includes('__proto__') || !text.isWellFormed();
  if (odd) checkJson(value, maxDepth);
  return value;
}

/**
 * Parses like `parseJsonText`, over several turns of the event loop.
 *
 * @param piece characters that are parsed at a time. Default: as many as take about a millisecond
 */
export async function parseLargeText(text: string, maxDepth = defaultDepth, piece?: number): Promise<unknown> {
  let isExact = true;
  const parse = (part: string, level: number): unknown => {
    const value = parseMarkless(part, maxDepth - level);
    isExact &&= !hasInexact(value);
    return value;
  };
  const document = await parseInTurns(loopTurns, withoutMark(text), { parse, added: moveExact }, piece);
  if (!isExact) markInexact(document);
  return document;
}

function parsed(text: string, hasLong: boolean): unknown {
  try {
    return hasLong ? parseExactly(text, longestNumber) : JSON.parse(text);
  } catch (thrown) {
    // The engine's message quotes the body, so it is not passed on.
    throw thrown instanceof A2AError ? thrown : A2AError.parse();
  }
}

const quoteCode = 0x22;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Whether the text has enough brackets, including those in strings, to nest deeper than `depth`. */
function mayNest(text: string, depth: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++count > depth) return true;
    }
  }
  return false;
}

/** Returns the maximum nesting depth of brackets outside of strings. Meaningless for text that is not JSON. */
export function depthOf(text: string): number {
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

/**
 * Checks a value that was parsed elsewhere, such as by Express's body parser, as `parseJsonText` does.
 *
 * @throws A2AError `parse`
 */
export function checkJson(value: unknown, depthLeft = defaultDepth): void {
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
    for (const item of value) checkJson(item, depthLeft - 1);
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__proto__') throw A2AError.parse('The body has a key called __proto__');
    if (!key.isWellFormed()) throw A2AError.parse('The body has an unpaired surrogate');
    checkJson(entry, depthLeft - 1);
  }
}

const tooDeep = (): A2AError => A2AError.parse('The body is nested too deeply');
