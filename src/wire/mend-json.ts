import { A2AError } from '../core/model/errors.ts';
import { isObject, withoutMark } from '../core/model/json.ts';
import type { Unread } from '../core/model/unread.ts';
import { changedNumbers, changeOf, mayBeInexact, parseExactly } from './exact-numbers.ts';
import { depthOf } from './json.ts';
import { looseJson } from './loose-json.ts';

/** Maximum nesting depth of a text that is repaired: a million nested lists take seconds to parse. */
const deepest = 1_000;

const leadingHalf = /^[\uDC00-\uDFFF]/;
const trailingHalf = /[\uD800-\uDBFF]$/;

/** Marks a value that is omitted. */
const leftOut = Symbol('left out');

/**
 * Reads JSON that `parseJsonText` refuses, from one response or the frames of one stream. A surrogate pair that was
 * split between two texts, as by agents that cut text by UTF-16 units, is joined across the texts with the same path;
 * an unpaired surrogate becomes U+FFFD. Keys called `__proto__`, numbers too large for a double, and values that are
 * nested too deeply are omitted.
 */
export class JsonMender {
  /** High surrogates that wait for their low surrogate, by the path of their texts without indices. */
  readonly #halves = new Map<string, string>();
  #unread: Unread[] = [];

  /** Whether a text ended in a high surrogate whose low surrogate has not arrived. */
  get isWaiting(): boolean {
    return this.#halves.size > 0;
  }

  /**
   * Parses and repairs a text, including one that is only close to JSON.
   *
   * @throws A2AError `parse` for any other text
   */
  parse(text: string, maxDepth: number): { readonly value: unknown; readonly unread: readonly Unread[] } {
    const { value, oddities } = parsed(text);
    const mended = this.mend(value, maxDepth);
    if (oddities.length === 0) return mended;
    const reason = `the text is not JSON: it has ${oddities.join(', ')}`;
    return { value: mended.value, unread: [{ path: '', reason }, ...mended.unread] };
  }

  /** Repairs a parsed value. */
  mend(given: unknown, maxDepth: number): { readonly value: unknown; readonly unread: readonly Unread[] } {
    this.#unread = changedNumbers(given).map((one) => ({ path: one.path, reason: changeOf(one) }));
    const value = this.#mend(given, '', maxDepth, 0);
    return { value: value === leftOut ? undefined : value, unread: this.#unread };
  }

  /** Returns the high surrogates that were never completed, as unread pieces, and forgets them. */
  takeHalves(): readonly Unread[] {
    const unread = [...this.#halves.keys()].map((path) => ({ path, reason: 'ended in half a character' }));
    this.#halves.clear();
    return unread;
  }

  #mend(value: unknown, path: string, maxDepth: number, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value, path);
    if (typeof value === 'number' && !Number.isFinite(value)) return this.#leaveOut(path, 'the number is too large');
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= maxDepth) return this.#leaveOut(path, `is nested deeper than ${maxDepth} levels`);
    if (Array.isArray(value)) {
      const items = value.map((item, at) => this.#mend(item, `${path}[${at}]`, maxDepth, depth + 1));
      return items.filter((item) => item !== leftOut);
    }
    return isObject(value) ? this.#object(value, path, maxDepth, depth) : value;
  }

  #object(value: Readonly<Record<string, unknown>>, path: string, maxDepth: number, depth: number): object {
    const entries: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const key = name.toWellFormed();
      const below = path === '' ? key : `${path}.${key}`;
      if (name === '__proto__') {
        this.#leaveOut(below, 'the name is not allowed');
        continue;
      }
      const mended = this.#mend(member, below, maxDepth, depth + 1);
      if (mended !== leftOut) entries.push([key, mended]);
    }
    return Object.fromEntries(entries);
  }

  #text(text: string, path: string): string {
    const place = path.replace(/\[\d+\]/g, '');
    const half = this.#halves.get(place);
    let whole = text;
    if (half !== undefined && leadingHalf.test(text)) {
      whole = half + text;
      this.#halves.delete(place);
    }
    const [end] = trailingHalf.exec(whole) ?? [];
    if (end !== undefined) {
      if (this.#halves.has(place)) this.#unread.push({ path, reason: 'ended in half a character' });
      this.#halves.set(place, end);
      whole = whole.slice(0, -1);
    }
    if (whole.isWellFormed()) return whole;
    this.#unread.push({ path, reason: 'has half a character' });
    return whole.toWellFormed();
  }

  #leaveOut(path: string, reason: string): typeof leftOut {
    this.#unread.push({ path, reason });
    return leftOut;
  }
}

interface Parsed {
  readonly value: unknown;
  readonly oddities: readonly string[];
}

function parsed(text: string): Parsed {
  if (depthOf(text) > deepest) throw A2AError.parse('The body is nested too deeply');
  const json = withoutMark(text);
  try {
    return { value: parsedStrictly(json), oddities: [] };
  } catch {
    const loose = looseJson(json);
    if (!loose) throw A2AError.parse();
    const value = parsedStrictly(loose.text);
    if (loose.isWithinText && !isAnswer(value)) throw A2AError.parse();
    return { value, oddities: loose.oddities };
  }
}

const parsedStrictly = (json: string): unknown => (mayBeInexact(json) ? parseExactly(json) : JSON.parse(json));

/** Members that identify a response within other text. */
const answerMembers = [
  'jsonrpc',
  'result',
  'error',
  'kind',
  'task',
  'message',
  'statusUpdate',
  'artifactUpdate',
  'parts',
];

const isAnswer = (value: unknown): boolean =>
  isObject(value) && (answerMembers.some((name) => Object.hasOwn(value, name)) || isObject(value.status));
