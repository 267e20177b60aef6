// The vocabulary of the generated guards.

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
/** Years 0001 to 9999, as google.protobuf.Timestamp has them. */
const utc = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

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
  return Math.abs(Number.parseInt(value, 10)) <= maxDuration;
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
