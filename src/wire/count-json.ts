import type { CountLimits } from '../core/limits/counts.ts';
import { isObject } from '../core/model/json.ts';
import { boundedPath, type Excess, openMembers, partLists } from './counts.ts';

/**
 * Counts the values of a JSON text before it is parsed: a few bytes of JSON become an object that takes twenty times
 * their size, and objects of very many keys are slow everywhere.
 */

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Nesting beyond which nothing is counted: every reader refuses it. */
const deepest = 1_000;

/** Bytes of a string that are compared one by one before its end is searched for. */
const short = 32;

/** Bytes of one member of the envelope: an id, the name of a method. */
const longestMember = 8_192;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const decoder = new TextDecoder();

/**
 * Counts the values of a JSON text while scanning its bytes, and notes the first excess. If the text is not JSON, the
 * counts mean nothing, and the parser refuses it.
 */
export class JsonCounter {
  readonly #bytes: Uint8Array;
  readonly #limits: CountLimits;
  #at = 0;
  #depth = 0;
  /** By depth: the number of items or members, their limit, and the start of the latest member's name. */
  readonly #counts: number[] = [0];
  readonly #most: number[] = [Number.POSITIVE_INFINITY];
  readonly #names: number[] = [-1];
  readonly #isList: boolean[] = [true];
  /** Whether a container has begun and is still empty. */
  #isEmpty = false;
  /** Whether the next string is the name of a member. */
  #isName = false;
  /** Depth of a container that holds any JSON; 0 outside of one. */
  #openAt = 0;
  /** Start of the value of a member of the outermost object; 0 for none, and for a container. */
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

  /** Whether the whole text has been counted, or no more of it can be counted. */
  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Scalar members of the outermost object, as JSON. Counting on finds those after an excess. */
  get envelope(): string {
    return `{${this.#envelope.join(',')}}`;
  }

  /** Scans the next `size` bytes, up to the first excess; a long string is scanned at once. */
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
        // A number or a word.
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

  /** Counts the first item or member of a container. */
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

  /** Returns the names and positions that lead to the latest value. */
  #steps(): (string | number)[] {
    const steps: (string | number)[] = [];
    for (let depth = 1; depth <= this.#depth; depth += 1) {
      steps.push(this.#isList[depth] ? Math.max(0, (this.#counts[depth] as number) - 1) : (this.#name(depth) ?? ''));
    }
    return steps;
  }

  /** Returns the name of the latest member of an object. */
  #name(depth: number): string | undefined {
    const from = this.#names[depth] as number;
    if (from < 0) return undefined;
    const end = endOfString(this.#bytes, from);
    const name = decoder.decode(this.#bytes.subarray(from + 1, Math.min(end, from + longestMember)));
    return name.includes('\\') ? unescaped(name) : name;
  }

  /** Keeps a member of the outermost object if its value is not a container. */
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

/** Returns the position of the quote that ends the string which begins at a position, or of the end of the text. */
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

/** Returns the first excess of a value that other software has parsed. */
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
