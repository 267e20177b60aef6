import { trimEnd } from '../core/model/text.ts';
import type { Field, FieldTables, ValueKind } from '../gen/api.ts';
import { canonicalDuration } from './well-known.ts';

/**
 * Caches a value that is computed for each message type of a package. For recursive types, the computed value may call
 * the result in a closure.
 */
export function cachedByType<T extends object>(
  compute: (tables: FieldTables, typeName: string) => T,
): (tables: FieldTables, typeName: string) => T {
  const caches = new WeakMap<FieldTables, Map<string, T>>();
  return (tables, typeName) => {
    let cache = caches.get(tables);
    if (!cache) {
      cache = new Map();
      caches.set(tables, cache);
    }
    let value = cache.get(typeName);
    if (!value) {
      value = compute(tables, typeName);
      cache.set(typeName, value);
    }
    return value;
  };
}

/** Names of an enum's values by number. */
export interface EnumNames {
  readonly byNumber: ReadonlyMap<number, string>;
  /** Name of the value 0. */
  readonly zero: string | undefined;
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const iso8601 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/i;
const bareOffset = /^([+-]\d\d)(\d\d)$/;
const anyBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** Matches most 64-bit integers in canonical form. */
const shortInteger = /^(?:0|-?[1-9]\d{0,17})$/;
const anyInteger = /^-?\d{1,64}$/;
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Converts one value, of any kind except `message`, to canonical ProtoJSON. Invalid values are returned unchanged for
 * the validator to report.
 */
export function canonicalValue(kind: ValueKind, type: string, value: unknown, names: EnumNames | undefined): unknown {
  switch (kind) {
    case 'scalar':
      if (type === 'string' || type === 'bool') return value;
      if (type.endsWith('64')) return canonicalInt64(value);
      return canonicalNumber(type, typeof value === 'string' ? numberOf(value) : value);
    case 'enum':
      return typeof value === 'number' ? (names?.byNumber.get(value) ?? value) : value;
    case 'bytes':
      return typeof value === 'string' ? canonicalBase64(value) : value;
    case 'timestamp':
      return typeof value === 'string' ? canonicalTimestamp(value) : value;
    case 'duration':
      return typeof value === 'string' ? (canonicalDuration(value) ?? value) : value;
    case 'empty':
      // Unknown fields are ignored.
      return hasMembers(value) ? {} : value;
    default:
      return value;
  }
}

/** Returns the default of a field, in canonical ProtoJSON. */
export function defaultOf(field: Field, names: EnumNames | undefined): unknown {
  if (field.repeated) return [];
  if (field.kind === 'map') return {};
  if (field.kind === 'enum') return names?.zero;
  if (field.type === 'bool') return false;
  if (field.type.endsWith('64')) return '0';
  return field.type === 'string' || field.type === 'bytes' ? '' : 0;
}

/** Converts a number; a float becomes the shortest number that is equal in 32 bits: 0.1, not 0.10000000149011612. */
function canonicalNumber(type: string, value: unknown): unknown {
  if (type !== 'float' || typeof value !== 'number' || Number.isInteger(value)) return value;
  const float = Math.fround(value);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number.isFinite(float) ? Number(float.toPrecision(9)) : value;
}

/**
 * Converts a 64-bit integer to a string, its ProtoJSON form, because JSON numbers are exact up to 2^53 only. Invalid
 * values, and numbers beyond 2^53, are returned unchanged.
 */
function canonicalInt64(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : value;
  if (typeof value !== 'string' || shortInteger.test(value)) return value;
  if (anyInteger.test(value)) return BigInt(value).toString();
  const number = numberOf(value);
  return Number.isSafeInteger(number) ? String(number) : value;
}

const hasMembers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/**
 * Converts a string to a number, since ProtoJSON parsers also accept numbers in strings. Other text is returned
 * unchanged.
 */
const numberOf = (text: string): number | string => (decimal.test(text) ? Number(text) : text);

/** Converts base64 or base64url, with or without padding, to padded base64. Invalid text is returned unchanged. */
export function canonicalBase64(text: string): string {
  const canonical = text.length % 4 === 0 && !text.includes('-') && !text.includes('_');
  if (canonical || !anyBase64.test(text)) return text;
  const unpadded = trimEnd(text, '=');
  if (unpadded.length % 4 === 1) return text;
  // Browsers lack `Buffer`, which is much faster.
  if (globalThis.Buffer) return Buffer.from(unpadded, 'base64url').toString('base64');
  return btoa(atob(unpadded.replaceAll('-', '+').replaceAll('_', '/')));
}

/**
 * Converts a time in ISO 8601 to UTC with `Z` and milliseconds (A2A 1.0 section 5.6.1); finer digits are truncated. A
 * time without an offset, as several Python agents write it, counts as UTC. Invalid times are returned unchanged.
 */
export function canonicalTimestamp(text: string): string {
  if (canonicalTime.test(text)) return text;
  const match = iso8601.exec(text);
  if (!match) return text;
  const [, day = '', clock = '', fraction = '', offset = 'Z'] = match;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return text;
  const time = Date.parse(`${day}T${clock}${fraction.slice(0, 4)}${offset.toUpperCase().replace(bareOffset, '$1:$2')}`);
  if (Number.isNaN(time)) return text;
  const utc = new Date(time).toISOString();
  return utc.length === 24 ? utc : text;
}
