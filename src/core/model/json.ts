/** An object of JSON. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is an object of JSON and not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns JSON without a byte order mark, which some programs on Windows write before it (RFC 8259 section 8.1: readers
 * may skip it).
 */
export const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/** Parses a JSON text; undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return undefined;
  }
}

/** Drops the members that are undefined, and types the others as optional. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as Defined<T>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Whether two JSON values are equal, whatever the order of members. A member that is undefined counts as absent. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => sameJson(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  for (const key in one) if (!sameJson(one[key], own(other, key))) return false;
  for (const key in other) if (other[key] !== undefined && own(one, key) === undefined) return false;
  return true;
}

/**
 * Returns a record's own member by a name from outside. Undefined for a member that every object inherits, such as
 * `constructor`.
 */
export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Number of levels of a value that are checked. */
const maxDepth = 200;

/**
 * Describes the first part of a value that JSON cannot hold, with its path; undefined: it comes back equal. Properties
 * that are undefined do not count, since JSON leaves them out.
 */
export function jsonFault(value: unknown, path = 'it', depth = 0): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (typeof value !== 'object') return `${path} is ${value === undefined ? 'undefined' : `a ${typeof value}`}`;
  if (depth >= maxDepth) return `${path} is nested more than ${maxDepth} levels deep`;
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      const fault = jsonFault(each, `${path}[${at}]`, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return `${path} is a ${value.constructor?.name || 'class instance'}`;
  }
  for (const [name, each] of Object.entries(value)) {
    const fault = each === undefined ? undefined : jsonFault(each, `${path}.${name}`, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Bytes that each object or array takes besides its text once it is parsed. */
const perContainer = 56;
/** Bytes that each member of an object, or item of an array, takes besides its text. */
const perMember = 8;

/** Estimated bytes of a JSON text once it is parsed: many small values take twenty times their text. Scans the text. */
export function parsedSizeOf(json: string): number {
  let [containers, members] = [0, 0];
  for (let i = 0; i < json.length; i += 1) {
    const char = json.charCodeAt(i);
    if (char === 0x22) i = endOfString(json, i);
    else if (char === 0x2c) members += 1;
    else if (char === 0x5b || char === 0x7b) containers += 1;
  }
  return json.length + containers * perContainer + members * perMember;
}

/**
 * Characters of a string that are compared one by one before the end is searched for: a search is slow for short
 * strings.
 */
const short = 32;

/** Position of the quote that ends the string which begins at a position, or of the end of the text. */
export function endOfString(json: string, from: number, until: number = json.length): number {
  let at = from + 1;
  for (const limit = Math.min(until, from + short); at < limit; at += 1) {
    const char = json.charCodeAt(at);
    if (char === 0x22) return at;
    if (char === 0x5c) at += 1;
  }
  const end = json.indexOf('"', at);
  if (end < 0) return json.length;
  if (json.charCodeAt(end - 1) !== 0x5c) return end;
  for (; at < until; at += 1) {
    const char = json.charCodeAt(at);
    if (char === 0x22) return at;
    if (char === 0x5c) at += 1;
  }
  return json.length;
}

/**
 * Position behind the value that begins at a position of a JSON text, with the white space behind it. Undefined: it is not
 * before `until`.
 */
export function endOfValue(json: string, from: number): number;
export function endOfValue(json: string, from: number, until: number): number | undefined;
export function endOfValue(json: string, from: number, until: number = json.length): number | undefined {
  let depth = 0;
  for (let i = from; i < until; i += 1) {
    const char = json.charCodeAt(i);
    if (char === 0x22) i = endOfString(json, i, until);
    else if (char === 0x5b || char === 0x7b) depth += 1;
    else if (char === 0x5d || char === 0x7d) {
      if (depth === 0) return i;
      depth -= 1;
    } else if (char === 0x2c && depth === 0) return i;
  }
  return until < json.length ? undefined : json.length;
}

/** Returns a JSON value with all its texts changed. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}
