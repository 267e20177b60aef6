import * as z from 'zod/mini';
import type { Validator } from './api.ts';

// The vocabulary of the generated guards (is…) and schemas.

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const int64Text = /^(?:0|-?[1-9]\d{0,18})$/;
const uint64Text = /^(?:0|[1-9]\d{0,19})$/;
const int32Text = /^(?:0|-?[1-9]\d{0,9})$/;
const durationText = /^-?(?:0|[1-9]\d{0,11})(?:\.(?:\d{3}){1,3})?s$/;
/** Seconds of the longest duration, 10,000 years. */
const maxDuration = 315_576_000_000;
const fieldPaths = /^(?:[a-z][a-zA-Z0-9]*(?:[.,][a-z][a-zA-Z0-9]*)*)?$/;
const maxFloat = 3.4028234663852886e38;
const special = new Set<unknown>(['NaN', 'Infinity', '-Infinity']);
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const isAny = (_value: unknown): boolean => true;
export const isString = (value: unknown): boolean => typeof value === 'string';
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
export const isNumber = (value: unknown): boolean => Number.isFinite(value);
export const isInt32 = (value: unknown): boolean => typeof value === 'number' && (value | 0) === value;
export const isUint32 = (value: unknown): boolean => typeof value === 'number' && value >>> 0 === value;
export const isArray = (value: unknown): boolean => Array.isArray(value);

/** Whether a value is a number, or the name of one that JSON cannot write. */
export const isDouble = (value: unknown): boolean => Number.isFinite(value) || special.has(value);

/** The same with the range of 32 bits. */
export const isFloat = (value: unknown): boolean =>
  (Number.isFinite(value) && Math.abs(value as number) <= maxFloat) || special.has(value);

/** Whether a value is a signed 64-bit integer: a string of its digits. */
export const isInt64 = (value: unknown): boolean =>
  typeof value === 'string' &&
  int64Text.test(value) &&
  (value.length < 19 || BigInt.asIntN(64, BigInt(value)) === BigInt(value));

/** Whether a value is an unsigned 64-bit integer: a string of its digits. */
export const isUint64 = (value: unknown): boolean =>
  typeof value === 'string' && uint64Text.test(value) && (value.length < 20 || BigInt(value) < 1n << 64n);

// Keys of maps, which are strings in JSON.
export const isInt32Key = (key: unknown): boolean => int32Text.test(key as string) && isInt32(Number(key));
export const isUint32Key = (key: unknown): boolean => uint64Text.test(key as string) && isUint32(Number(key));
export const isBoolKey = (key: unknown): boolean => key === 'true' || key === 'false';

/** Whether a value is a duration in canonical form: seconds with a fraction of 3, 6 or 9 digits or none. */
export function isDuration(value: unknown): boolean {
  if (typeof value !== 'string' || !durationText.test(value)) return false;
  return Math.abs(Number(value.slice(0, -1))) < maxDuration || /^-?315576000000s$/.test(value);
}

/** Whether a value is a field mask: paths in camelCase, separated by commas. */
export const isFieldMask = (value: unknown): boolean => typeof value === 'string' && fieldPaths.test(value);

/** Whether a value is a JSON object. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is padded base64. */
export function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value.length % 4 === 0 && base64.test(value);
}

/** Whether a value is a timestamp in canonical form: UTC, `Z`, milliseconds, a day that exists. */
export function isTimestamp(value: unknown): boolean {
  if (typeof value !== 'string' || !utc.test(value)) return false;
  // A day that does not exist, and the hour 24, are read as one of the next month, and of the next day.
  return new Date(value).getUTCDate() === Number(value.slice(8, 10));
}

export function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (!isItem(value[i])) return false;
  return true;
}

export function isSomeOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && isList(value, isItem);
}

export function isMap(value: unknown, isItem: (item: unknown) => boolean, isKey?: (key: string) => boolean): boolean {
  if (!isObject(value)) return false;
  if (isKey) for (const key of Object.keys(value as object)) if (!isKey(key)) return false;
  for (const item of Object.values(value as object)) if (!isItem(item)) return false;
  return true;
}

/** A schema, whatever it yields. */
export type Schema = z.ZodMiniType;

/** Says what is missing, or what the value should have been. */
const expected = (what: string) => ({
  error: (issue: { input?: unknown }): string => (issue.input === undefined ? 'is required' : `must be ${what}`),
});

export const text: Schema = z.string(expected('a string'));
export const someText: Schema = z.string(expected('a string')).check(z.minLength(1, 'must not be empty'));
export const bool: Schema = z.boolean(expected('true or false'));
export const number: Schema = z.number(expected('a number'));
export const int32: Schema = z.custom(isInt32, expected('a 32-bit integer'));
export const uint32: Schema = z.custom(isUint32, expected('an unsigned 32-bit integer'));
const exact = 'and beyond 2^53 a string of its digits';
export const int64: Schema = z.custom(isInt64, expected(`a signed 64-bit integer, ${exact}`));
export const uint64: Schema = z.custom(isUint64, expected(`an unsigned 64-bit integer, ${exact}`));
export const double: Schema = z.custom(isDouble, expected('a number, NaN, Infinity or -Infinity'));
export const float: Schema = z.custom(isFloat, expected('a 32-bit number, NaN, Infinity or -Infinity'));
export const duration: Schema = z.custom(isDuration, expected('a duration in seconds, such as 1.5s'));
export const fieldMask: Schema = z.custom(isFieldMask, expected('paths in camelCase, separated by commas'));
export const bytes: Schema = z.custom(isBase64, expected('base64'));
export const timestamp: Schema = z.custom(isTimestamp, expected('an RFC 3339 timestamp'));
export const struct: Schema = z.custom(isObject, expected('an object'));
export const empty: Schema = struct;
export const value: Schema = z.unknown();
export const array: Schema = z.custom(isArray, expected('an array'));
export const optional: (schema: Schema) => Schema = z.optional;
export const lazy: (schema: () => Schema) => Schema = z.lazy;

/** A string in which a pattern is found; `source` is that of a regular expression. */
export function pattern(source: string): Schema {
  return z.string(expected('a string')).check(z.regex(new RegExp(source, 'u'), `must match ${source}`));
}

/** Whether a value bears another mark (such as `kind`) than the shape in which something is wrong with it. */
const isUnmarked = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_value' && path.length === 1;

/** One of several shapes, the first that fits. Where its mark says which one a value is to be, what is wrong is told of that. */
export function anyOf(what: string, ...choices: Schema[]): Schema {
  const union = z.union(choices, expected(what));
  return z.unknown().check((context: Context) => {
    const input = context.value;
    const result = union.safeParse(input);
    context.value = result.data;
    const [issue] = result.error?.issues ?? [];
    if (!issue) return;
    const faults = issue.code === 'invalid_union' ? issue.errors : [];
    const meant = faults.filter((issues) => !issues.some(isUnmarked));
    const told = meant.length === 1 && faults.length > 1 ? (meant[0] as z.core.$ZodIssue[]) : [issue];
    for (const { path, message } of told) context.issues.push({ code: 'custom', input, path: [...path], message });
  });
}

/** Null, or what the schema says. */
export const nullable: (schema: Schema) => Schema = z.nullable;

/** An enum by its value names. */
export function names(values: readonly string[]): Schema {
  return z.enum(values as string[], expected(`one of ${values.join(', ')}`));
}

/** As many faults as a list or map tells of; a body can hold millions. */
const maxIssues = 20;

interface Context {
  value: unknown;
  readonly issues: z.core.$ZodRawIssue[];
}

/**
 * Judges the items of a list or map one by one, and stops when enough is wrong.
 *
 * @param isItem says quickly that an item is right, so that only faulty ones take the long way
 * @returns the items as the schema leaves them
 */
function judge<Key extends PropertyKey>(
  entries: Iterable<[Key, unknown]>,
  item: Schema,
  isItem: ((item: unknown) => boolean) | undefined,
  issues: z.core.$ZodRawIssue[],
): [Key, unknown][] {
  const judged: [Key, unknown][] = [];
  for (const [key, input] of entries) {
    if (issues.length >= maxIssues) break;
    if (isItem?.(input)) {
      judged.push([key, input]);
      continue;
    }
    const result = item.safeParse(input);
    judged.push([key, result.data]);
    for (const { path, message } of result.error?.issues ?? []) {
      issues.push({ code: 'custom', input, path: [key, ...path], message });
    }
  }
  return judged;
}

/** A repeated field; `isItem` as for `judge`. */
export function list(item: Schema, isItem?: (item: unknown) => boolean): Schema {
  return z.custom(Array.isArray, expected('an array')).check((context: Context) => {
    if (!Array.isArray(context.value)) return;
    context.value = judge(context.value.entries(), item, isItem, context.issues).map(([, value]) => value);
  });
}

/** A repeated field with at least one item. */
export function someOf(item: Schema, isItem?: (item: unknown) => boolean): Schema {
  return list(item, isItem).check((context: Context) => {
    const input = context.value;
    if (!Array.isArray(input) || input.length > 0) return;
    context.issues.push({ code: 'custom', input, path: [], message: 'must not be empty' });
  });
}

/** A map; `isItem` as for `judge`, `isKey` where not every string is a key. */
export function map(
  item: Schema,
  isItem?: (item: unknown) => boolean,
  isKey?: (key: string) => boolean,
  keys = '',
): Schema {
  return z.custom(isObject, expected('an object')).check((context: Context) => {
    if (!isObject(context.value)) return;
    const entries = Object.entries(context.value as object);
    for (const [key] of isKey ? entries : []) {
      if (context.issues.length >= maxIssues || isKey?.(key)) continue;
      context.issues.push({ code: 'custom', input: key, path: [key], message: `must have ${keys} as its key` });
    }
    context.value = Object.fromEntries(judge(entries, item, isItem, context.issues));
  });
}

/** The fields of which at most one, or exactly one, may be there. */
export interface Choice {
  readonly name: string;
  readonly members: readonly string[];
  readonly required: boolean;
}

/** A message. Unknown keys are left out of the result. */
export function message(fields: Record<string, Schema>, choices: readonly Choice[] = []): Schema {
  const object = z.object(fields, expected('an object'));
  if (choices.length === 0) return object;
  return object.check((context) => {
    const input = context.value as Record<string, unknown>;
    for (const { members, required } of choices) {
      let count = 0;
      for (const member of members) if (input[member] !== undefined) count++;
      if (count === 1 || (count === 0 && !required)) continue;
      const problem = count === 0 ? 'one of' : 'only one of';
      context.issues.push({ code: 'custom', input, path: [], message: `must have ${problem} ${members.join(', ')}` });
    }
  });
}

/** Puts off the building of a schema until it is first used. */
export function once(make: () => Schema): () => Schema {
  let made: Schema | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Asks the guard, and the schema only when the guard says no, to learn what is wrong. */
export function validator(isValid: (value: unknown) => boolean, schema: () => Schema): Validator {
  return { safeParse: (input) => (isValid(input) ? { success: true, data: input } : schema().safeParse(input)) };
}
