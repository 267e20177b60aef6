import { isObject } from '../core/model/json.ts';
import type { Reader, Writer } from './protobuf-bytes.ts';
import { scalars } from './protobuf-scalars.ts';
import type { Tracker } from './protobuf-tracker.ts';

// The well-known protobuf types that have a special JSON form. Each is read and written in that form.

/** Reads and writes the content of a message. */
export interface Content {
  write(value: never, writer: Writer): void;
  /**
   * @param end position at which the content ends
   * @param before the field's current value, into which the content is merged
   */
  read(reader: Reader, end: number, before?: unknown): unknown;
}

/** Maximum nesting depth of objects and arrays, equal to the limit on JSON bodies. */
const maxDepth = 64;

const int64 = scalars.int64 as { write(value: string, writer: Writer): void };
const int32 = scalars.int32 as { write(value: number, writer: Writer): void };

type Read<T, Before> = (reader: Reader, end: number, depth: number, before: Before) => T;

/** Reads a length-delimited part of a JSON value. */
function readPart<T, Before>(reader: Reader, read: Read<T, Before>, depth: number, before: Before): T {
  const end = reader.endOfPart();
  const value = read(reader, end, depth, before);
  assertEnd(reader, end);
  return value;
}

/** @throws RangeError if a field extends beyond the end of the part that contains it */
export function assertEnd({ at }: Reader, end: number): void {
  if (at !== end) throw new RangeError('a field is longer than its message');
}

function writeValue(value: unknown, writer: Writer, depth: number): void {
  switch (typeof value) {
    case 'string':
      writer.uint32(26);
      writer.text(value);
      return;
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be represented in JSON`);
      writer.uint32(17);
      writer.double(value);
      return;
    case 'boolean':
      writer.uint32(32);
      writer.uint32(value ? 1 : 0);
      return;
    case 'object':
      break;
    default:
      throw new TypeError(`a value of type ${typeof value} cannot be represented in JSON`);
  }
  if (value === null) {
    writer.uint32(8);
    writer.uint32(0);
    return;
  }
  const isList = Array.isArray(value);
  writer.uint32(isList ? 50 : 42);
  const start = writer.open();
  if (isList) writeList(value, writer, depth);
  else writeStruct(value, writer, depth);
  writer.close(start);
}

function assertDepth(depth: number): void {
  if (depth >= maxDepth) throw new RangeError(`JSON value is nested deeper than ${maxDepth}`);
}

function writeStruct(struct: object, writer: Writer, depth: number): void {
  assertDepth(depth);
  for (const key of Object.keys(struct)) {
    const value = (struct as Readonly<Record<string, unknown>>)[key];
    if (value === undefined) continue;
    writer.uint32(10);
    const entry = writer.open();
    writer.uint32(10);
    writer.text(key);
    writer.uint32(18);
    const start = writer.open();
    writeValue(value, writer, depth + 1);
    writer.close(start);
    writer.close(entry);
  }
}

function writeList(list: readonly unknown[], writer: Writer, depth: number): void {
  assertDepth(depth);
  for (const value of list) {
    writer.uint32(10);
    const start = writer.open();
    writeValue(value ?? null, writer, depth + 1);
    writer.close(start);
  }
}

/**
 * Reads a value. The last alternative wins, and repeated objects and lists are merged, as in protobuf. A value without
 * an alternative is null, as in protobuf's libraries for Java and Python.
 */
function readValue(reader: Reader, end: number, depth: number, before: unknown): unknown {
  let value = before ?? null;
  while (reader.at < end) {
    const tag = reader.prefix();
    switch (tag) {
      case 8:
        reader.uint32();
        value = null;
        break;
      case 17:
        value = reader.double();
        if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be represented in JSON`);
        break;
      case 26:
        value = reader.text();
        break;
      case 32:
        value = reader.bool();
        break;
      case 42:
        value = readPart(reader, readStruct, depth, isObject(value) ? value : undefined);
        break;
      case 50:
        value = readPart(reader, readList, depth, Array.isArray(value) ? value : undefined);
        break;
      default:
        reader.skipField(tag);
    }
  }
  return value;
}

function readStruct(reader: Reader, end: number, depth: number, before: object | undefined): object {
  assertDepth(depth);
  const { tracker } = reader;
  const struct = (before ?? {}) as Record<string, unknown>;
  let keys = tracker?.keysOf(before) ?? 0;
  while (reader.at < end) {
    const tag = reader.prefix();
    if (tag !== 10) {
      reader.skipField(tag);
      continue;
    }
    const entryEnd = reader.endOfPart();
    if (tracker === undefined) {
      readEntry(reader, entryEnd, depth, struct);
      continue;
    }
    keys += 1;
    tracker.key(keys);
    tracker.read(
      () => readEntry(reader, entryEnd, depth, struct),
      () => {
        reader.at = entryEnd;
      },
    );
  }
  if (before !== undefined) tracker?.hasKeys(struct, keys);
  return struct;
}

/** Reads a key and its value into an object. */
function readEntry(reader: Reader, end: number, depth: number, struct: Record<string, unknown>): void {
  const { tracker } = reader;
  let key = '';
  let value: unknown = null;
  let isLost = false;
  const readMember = (): void => {
    value = readPart(reader, readValue, depth + 1, value);
  };
  while (reader.at < end) {
    const tag = reader.prefix();
    if (tag === 10) key = reader.text();
    else if (tag !== 18) reader.skipField(tag);
    else if (tracker === undefined) readMember();
    else isLost = !readTracked(reader, key, readMember, tracker);
  }
  assertEnd(reader, end);
  assertKey(key);
  if (!isLost) struct[key] = value;
}

/**
 * Refuses the key `__proto__`, because assigning it would set the prototype. JSON bodies with this key are refused too.
 */
export function assertKey(key: string): void {
  if (key === '__proto__') throw new RangeError('__proto__ is not allowed as a key');
}

function readList(reader: Reader, end: number, depth: number, before: unknown[] | undefined): unknown[] {
  assertDepth(depth);
  const { tracker } = reader;
  const list = before ?? [];
  const readItem = (): void => void list.push(readPart(reader, readValue, depth + 1, null));
  while (reader.at < end) {
    const tag = reader.prefix();
    if (tag !== 10) reader.skipField(tag);
    else if (tracker === undefined) readItem();
    else {
      tracker.count(1);
      readTracked(reader, list.length, readItem, tracker);
    }
  }
  return list;
}

/** Reads a length-delimited part. Returns false if the part is omitted. */
function readTracked(reader: Reader, step: string | number, read: () => void, tracker: Tracker): boolean {
  tracker.enter(step);
  const start = reader.at;
  const isRead = tracker.read(read, () => {
    reader.at = start;
    reader.at = reader.endOfPart();
  });
  tracker.leave();
  return isRead;
}

/** Writes the seconds and nanoseconds of a timestamp or a duration. */
function writeTime(seconds: number, nanos: number, writer: Writer): void {
  if (seconds) {
    writer.uint32(8);
    int64.write(String(seconds), writer);
  }
  if (nanos) {
    writer.uint32(16);
    int32.write(nanos, writer);
  }
}

interface Time {
  readonly seconds: number;
  readonly nanos: number;
}

/** @param before values for fields that are absent */
function readTime(reader: Reader, end: number, before: Time | undefined): Time {
  let { seconds, nanos } = before ?? { seconds: 0, nanos: 0 };
  while (reader.at < end) {
    const tag = reader.prefix();
    if (tag === 8) {
      reader.varint64();
      seconds = reader.high * 0x1_0000_0000 + (reader.low >>> 0);
    } else if (tag === 16) nanos = reader.uint32() | 0;
    else reader.skipField(tag);
  }
  return { seconds, nanos };
}

const year1 = -62_135_596_800;
const year10000 = 253_402_300_800;

function timeOf(timestamp: string): Time {
  const millis = Date.parse(timestamp);
  if (Number.isNaN(millis)) throw new RangeError(`not a timestamp: ${timestamp}`);
  const seconds = Math.floor(millis / 1000);
  return { seconds, nanos: (millis - seconds * 1000) * 1_000_000 };
}

/** RFC 3339 text in UTC with milliseconds; finer digits are truncated. */
const timestamp: Content = {
  write(text: string, writer) {
    const { seconds, nanos } = timeOf(text);
    writeTime(seconds, nanos, writer);
  },
  read(reader, end, before: string | undefined) {
    const { seconds, nanos } = readTime(reader, end, before === undefined ? undefined : timeOf(before));
    if (!(seconds >= year1 && seconds < year10000 && nanos >= 0 && nanos < 1_000_000_000)) {
      throw new RangeError('timestamp out of range');
    }
    return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000)).toISOString();
  },
};

/** Seconds in 10,000 years, the maximum of a duration. */
const maxSeconds = 315_576_000_000;

const durationForm = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;

/**
 * Returns a duration in canonical form, such as `1.500s`: seconds with a fraction of 0, 3, 6 or 9 digits. Undefined for
 * other text.
 *
 * @param text duration with at most nine digits after the point
 */
export function canonicalDuration(text: string): string | undefined {
  const parts = durationParts(text);
  return parts && durationText(parts.seconds, parts.nanos);
}

function durationParts(text: string): Time | undefined {
  const [, sign, whole, fraction = ''] = durationForm.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const factor = sign === '-' ? -1 : 1;
  const seconds = Number(whole) * factor;
  const nanos = Number(fraction.padEnd(9, '0')) * factor;
  return isDuration(seconds, nanos) ? { seconds, nanos } : undefined;
}

const isDuration = (seconds: number, nanos: number): boolean =>
  Math.abs(seconds) <= maxSeconds && Math.abs(nanos) < 1e9;

function durationText(seconds: number, nanos: number): string {
  const digits = String(Math.abs(nanos))
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  const sign = seconds < 0 || nanos < 0 ? '-' : '';
  return `${sign}${Math.abs(seconds)}${digits === '' ? '' : `.${digits}`}s`;
}

/** Seconds and nanoseconds of a duration have the same sign. */
const duration: Content = {
  write(text: string, writer) {
    const parts = durationParts(text);
    if (!parts) throw new RangeError(`not a duration: ${text}`);
    writeTime(parts.seconds, parts.nanos, writer);
  },
  read(reader, end, before: string | undefined) {
    const { seconds, nanos } = readTime(reader, end, before === undefined ? undefined : durationParts(before));
    if (!isDuration(seconds, nanos) || seconds * nanos < 0) throw new RangeError('duration out of range');
    return durationText(seconds, nanos);
  },
};

const toSnake = (path: string): string => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamel = (path: string): string => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** @throws RangeError for a path that the JSON form cannot represent, such as `fooBar`, `foo__bar` and `foo_3_bar` */
function camelPath(path: string): string {
  const camel = toCamel(path);
  if (toSnake(camel) !== path || /[_,]/.test(camel))
    throw new RangeError(`the field mask ${path} cannot be represented in JSON`);
  return camel;
}

/** Paths in camelCase, separated by commas. On the wire, they are a list of paths in proto names. */
const fieldMask: Content = {
  write(mask: string, writer) {
    for (const path of mask === '' ? [] : mask.split(',')) {
      writer.uint32(10);
      writer.text(toSnake(path));
    }
  },
  read(reader, end, before: string | undefined) {
    const paths = before ? [before] : [];
    while (reader.at < end) {
      const tag = reader.prefix();
      if (tag === 10) paths.push(camelPath(reader.text()));
      else reader.skipField(tag);
    }
    return paths.join(',');
  },
};

/** Codecs by kind of the field. */
export const wellKnown = {
  timestamp,
  duration,
  fieldMask,
  struct: {
    write: (value: object, writer) => writeStruct(value, writer, 0),
    read: (reader, end, before: object | undefined) => readStruct(reader, end, 0, before),
  },
  value: {
    write: (value: unknown, writer) => writeValue(value, writer, 0),
    read: (reader, end, before) => readValue(reader, end, 0, before),
  },
  list: {
    write: (value: readonly unknown[], writer) => writeList(value, writer, 0),
    read: (reader, end, before: unknown[] | undefined) => readList(reader, end, 0, before),
  },
} as const satisfies Readonly<Record<string, Content>>;
