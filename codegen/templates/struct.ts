import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

// Codecs of google.protobuf.Struct, Value and ListValue that read and write plain JSON without an object in between.
// Tags: Struct.fields 10 with key 10 and value 18; Value.null_value 8, number_value 17, string_value 26,
// bool_value 32, struct_value 42, list_value 50; ListValue.values 10.

/** A JSON object. */
export interface Struct {
  [key: string]: unknown;
}

/** Deepest nesting of objects and arrays, the same as for JSON bodies. */
const maxDepth = 64;

/** Depth of the value being coded; all of this is synchronous. */
let depth = 0;

function enter(): void {
  if (depth >= maxDepth) throw new RangeError(`JSON value is nested deeper than ${maxDepth}`);
  depth++;
}

function endOf(reader: BinaryReader, length: number | undefined): number {
  const end = length === undefined ? reader.len : reader.pos + length;
  if (end > reader.len) throw new RangeError('premature EOF');
  return end;
}

function writeValue(value: unknown, writer: BinaryWriter): void {
  switch (typeof value) {
    case 'string':
      writer.uint32(26).string(value);
      return;
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError(`${value} has no place in JSON`);
      writer.uint32(17).double(value);
      return;
    case 'boolean':
      writer.uint32(32).bool(value);
      return;
    case 'object':
      break;
    default:
      throw new TypeError(`${typeof value} has no place in JSON`);
  }
  if (value === null) {
    writer.uint32(8).int32(0);
    return;
  }
  const isList = Array.isArray(value);
  writer.uint32(isList ? 50 : 42).fork();
  if (isList) writeList(value, writer);
  else writeStruct(value as Struct, writer);
  writer.join();
}

function writeStruct(struct: Struct, writer: BinaryWriter): void {
  enter();
  try {
    for (const key of Object.keys(struct)) {
      const value = struct[key];
      if (value === undefined) continue;
      writer.uint32(10).fork().uint32(10).string(key).uint32(18).fork();
      writeValue(value, writer);
      writer.join().join();
    }
  } finally {
    depth--;
  }
}

function writeList(list: readonly unknown[], writer: BinaryWriter): void {
  enter();
  try {
    for (const value of list) {
      writer.uint32(10).fork();
      writeValue(value ?? null, writer);
      writer.join();
    }
  } finally {
    depth--;
  }
}

/** The last alternative wins, as protobuf says; a value without any is undefined. */
function readValue(reader: BinaryReader, end: number): unknown {
  let value: unknown;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag) {
      case 8:
        reader.int32();
        value = null;
        break;
      case 17:
        value = reader.double();
        if (!Number.isFinite(value)) throw new RangeError(`${value} has no place in JSON`);
        break;
      case 26:
        value = reader.string();
        break;
      case 32:
        value = reader.bool();
        break;
      case 42:
        value = readStruct(reader, endOf(reader, reader.uint32()));
        break;
      case 50:
        value = readList(reader, endOf(reader, reader.uint32()));
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  return value;
}

function readStruct(reader: BinaryReader, end: number): Struct {
  enter();
  try {
    const struct: Struct = {};
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag !== 10) {
        reader.skip(tag & 7);
        continue;
      }
      const entryEnd = endOf(reader, reader.uint32());
      let key = '';
      let value: unknown;
      while (reader.pos < entryEnd) {
        const entryTag = reader.uint32();
        if (entryTag === 10) key = reader.string();
        else if (entryTag === 18) value = readValue(reader, endOf(reader, reader.uint32()));
        else reader.skip(entryTag & 7);
      }
      // Assigning it would set the prototype; JSON bodies with such a key are refused too.
      if (key === '__proto__') throw new RangeError('__proto__ is not allowed as a key');
      if (value === undefined) throw new RangeError('JSON value without content');
      struct[key] = value;
    }
    return struct;
  } finally {
    depth--;
  }
}

function readList(reader: BinaryReader, end: number): unknown[] {
  enter();
  try {
    const list: unknown[] = [];
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag !== 10) {
        reader.skip(tag & 7);
        continue;
      }
      const value = readValue(reader, endOf(reader, reader.uint32()));
      if (value === undefined) throw new RangeError('JSON value without content');
      list.push(value);
    }
    return list;
  } finally {
    depth--;
  }
}

const same = <T>(value: T): T => value;

/** Codec of google.protobuf.Struct. */
export const Struct = {
  encode(struct: Struct, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    writeStruct(struct, writer);
    return writer;
  },
  decode(input: BinaryReader | Uint8Array, length?: number): Struct {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    return readStruct(reader, endOf(reader, length));
  },
  wrap: same<Struct>,
  unwrap: same<Struct>,
};

/** Codec of google.protobuf.Value. */
export const Value = {
  encode(value: unknown, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    writeValue(value, writer);
    return writer;
  },
  // biome-ignore lint/suspicious/noExplicitAny: ts-proto's type of a JSON value
  decode(input: BinaryReader | Uint8Array, length?: number): any {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    return readValue(reader, endOf(reader, length));
  },
  wrap: same<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: ts-proto's type of a JSON value
  unwrap: same<any>,
};

/** Codec of google.protobuf.ListValue. */
export const ListValue = {
  encode(list: readonly unknown[], writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    writeList(list, writer);
    return writer;
  },
  decode(input: BinaryReader | Uint8Array, length?: number): unknown[] {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    return readList(reader, endOf(reader, length));
  },
  wrap: same<readonly unknown[]>,
  unwrap: same<unknown[]>,
};
