import type { CountLimits } from '../core/limits/counts.ts';
import { isObject } from '../core/model/json.ts';
import { boundedPath, type Excess, openMembers, partLists } from './counts.ts';

/**
 * Counts the values of a JSON text before it is parsed: parsing can turn a few bytes of JSON into an object that takes
 * twenty times their size, and objects with very many keys are slow to process.
 */

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Nesting depth beyond which counting stops: every parser refuses such a text. */
const deepest = 1_000;

/** Number of bytes of a string that are compared one by one before `indexOf` searches for its end. */
const short = 32;

/** Maximum size in bytes of one envelope member, such as an id or a method name. */
const longestMember = 8_192;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const decoder = new TextDecoder();

/**
 * Counts the values of a JSON text while scanning its bytes, and records the first excess. If the text is not JSON, the
 * counts are meaningless, and the parser refuses the text.
 */
export class JsonCounter {
  readonly #bytes: Uint8Array;
  readonly #limits: CountLimits;
  #at = 0;
  #depth = 0;
  /** By depth: the number of items or members, the limit on it, and the start of the latest member's name. */
  readonly #counts: number[] = [0];
  readonly #most: number[] = [Number.POSITIVE_INFINITY];
  readonly #names: number[] = [-1];
  readonly #isList: boolean[] = [true];
  /** Whether the scan is in a container whose first item or member has not begun. */
  #isEmpty = false;
  /** Whether the next string is the name of a member. */
  #isName = false;
  /** Depth of the enclosing container that may hold arbitrary JSON; 0 outside of one. */
  #openAt = 0;
  /**
   * Position of the value of the current member of the outermost object; 0 if there is none or the value is a
   * container.
   */
  #scalarAt = 0;
  readonly #envelope: string[] = [];
  excess: Excess | undefined;
  /** Number of values so far, containers included. */
  values = 0;
  containers = 0;

  constructor(bytes: Uint8Array, limits: CountLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /** Whether the whole text has been scanned, or scanning has stopped. */
  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Scalar members of the outermost object, as JSON. To find those after an excess, continue counting. */
  get envelope(): string {
    return `{${this.#envelope.join(',')}}`;
  }

  /** Scans the next `size` bytes, up to the first excess. A string is scanned to its end. */
  count(size: number): void {
    const bytes = this.#bytes;
    const until = Math.min(bytes.length, this.#at + size);
    const before = this.excess;
    while (this.#at < until && this.excess === before) {
      const byte = bytes[this.#at] as number;
      if (isSpace(byte)) this.#at += 1;
      else if (byte === quote) this.#string();
      else if (byte === comma) this.#comma();
      else if (byte === colon) this.#colon();
      else if (byte === openBracket || byte === openBrace) this.#open(byte === openBracket);
      else if (byte === closeBracket || byte === closeBrace) this.#close();
      else {
        // A number or a literal.
        if (this.#isEmpty) this.#began();
        this.#at += 1;
      }
    }
  }

  #string(): void {
    if (this.#isEmpty) this.#began();
    if (this.#isName) this.#names[this.#depth] = this.#at;
    this.#isName = false;
    this.#at = endOfString(this.#bytes, this.#at) + 1;
  }

  #comma(): void {
    this.#takeScalar();
    this.#isEmpty = false;
    this.#isName = this.#isList[this.#depth] === false;
    this.#add();
    this.#at += 1;
  }

  #colon(): void {
    this.#isName = false;
    if (this.#depth === 1) this.#scalarAt = this.#at + 1;
    this.#at += 1;
  }

  #open(isList: boolean): void {
    if (this.#isEmpty) this.#began();
    this.containers += 1;
    this.#scalarAt = 0;
    const name = this.#openAt === 0 ? this.#name(this.#depth) : undefined;
    const isParts = isList && name !== undefined && partLists.has(name);
    this.#depth += 1;
    const depth = this.#depth;
    if (name !== undefined && openMembers.has(name)) this.#openAt = depth;
    this.#counts[depth] = 0;
    this.#names[depth] = -1;
    this.#isList[depth] = isList;
    this.#most[depth] = isParts ? this.#limits.parts : isList ? Number.POSITIVE_INFINITY : this.#limits.keys;
    this.#isEmpty = true;
    this.#isName = !isList;
    this.#at = depth > deepest ? this.#bytes.length : this.#at + 1;
  }

  #close(): void {
    this.#takeScalar();
    if (this.#depth === this.#openAt) this.#openAt = 0;
    this.#depth = Math.max(0, this.#depth - 1);
    this.#isEmpty = false;
    this.#isName = false;
    this.#at += 1;
  }

  /** Counts the first item or member of the current container. */
  #began(): void {
    this.#isEmpty = false;
    this.#add();
  }

  #add(): void {
    const depth = this.#depth;
    const count = (this.#counts[depth] as number) + 1;
    this.#counts[depth] = count;
    this.values += 1;
    if (this.excess) return;
    if (count > (this.#most[depth] as number)) {
      const isParts = this.#isList[depth] as boolean;
      this.#exceed(isParts ? 'parts' : 'keys', this.#most[depth] as number, this.#steps().slice(0, depth - 1));
    } else if (this.values > this.#limits.values) this.#exceed('values', this.#limits.values, []);
  }

  #exceed(what: Excess['what'], limit: number, steps: readonly (string | number)[]): void {
    this.excess = { what, limit, path: boundedPath(steps) };
  }

  /** Returns the member names and indices that lead to the latest value. */
  #steps(): (string | number)[] {
    const steps: (string | number)[] = [];
    for (let depth = 1; depth <= this.#depth; depth += 1) {
      steps.push(this.#isList[depth] ? Math.max(0, (this.#counts[depth] as number) - 1) : (this.#name(depth) ?? ''));
    }
    return steps;
  }

  /** Returns the name of the latest member of the object at a depth. */
  #name(depth: number): string | undefined {
    const from = this.#names[depth] as number;
    if (from < 0) return undefined;
    const end = endOfString(this.#bytes, from);
    const name = decoder.decode(this.#bytes.subarray(from + 1, Math.min(end, from + longestMember)));
    return name.includes('\\') ? unescaped(name) : name;
  }

  /** Records a member of the outermost object if its value is a scalar. */
  #takeScalar(): void {
    const from = this.#names[1] ?? -1;
    if (this.#depth !== 1 || this.#scalarAt === 0) return;
    this.#scalarAt = 0;
    if (from < 0 || this.#at - from > longestMember || this.#envelope.length >= 16) return;
    this.#envelope.push(decoder.decode(this.#bytes.subarray(from, this.#at)));
  }
}

function unescaped(name: string): string {
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return name;
  }
}

/** Returns the position of the quote that closes the string beginning at `from`, or the length of the text. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (const limit = Math.min(bytes.length, from + short); at < limit; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  const end = bytes.indexOf(quote, at);
  if (end < 0) return bytes.length;
  if (bytes[end - 1] !== backslash) return end;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  return bytes.length;
}

/** Returns the first excess of a value that was parsed elsewhere, such as by Express. */
export function excessOf(value: unknown, limits: CountLimits): Excess | undefined {
  let values = 0;
  const steps: (string | number)[] = [];
  const visit = (holder: unknown, most: number, isOpen: boolean): Excess | undefined => {
    if (typeof holder !== 'object' || holder === null) return undefined;
    const isList = Array.isArray(holder);
    const members = isList ? holder : Object.keys(holder);
    values += members.length;
    if (members.length > most) return { what: isList ? 'parts' : 'keys', limit: most, path: boundedPath(steps) };
    if (values > limits.values) return { what: 'values', limit: limits.values, path: '' };
    for (let at = 0; at < members.length; at += 1) {
      const step = isList ? at : (members[at] as string);
      const member = isList ? members[at] : (holder as Record<string, unknown>)[step];
      if (typeof member !== 'object' || member === null) continue;
      const isParts = !isOpen && typeof step === 'string' && partLists.has(step);
      const mostBelow = isObject(member) ? limits.keys : isParts ? limits.parts : Number.POSITIVE_INFINITY;
      steps.push(step);
      const found = visit(member, mostBelow, isOpen || (typeof step === 'string' && openMembers.has(step)));
      if (found) return found;
      steps.pop();
    }
    return undefined;
  };
  return visit(value, isObject(value) ? limits.keys : Number.POSITIVE_INFINITY, false);
}
