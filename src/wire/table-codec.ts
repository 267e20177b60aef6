import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Codec, Field, FieldTables, ValueKind } from '../gen/api.ts';
import { Duration } from '../gen/proto/google/protobuf/duration.ts';
import { FieldMask } from '../gen/proto/google/protobuf/field_mask.ts';
import { ListValue, Struct, Value } from '../gen/proto/google/protobuf/struct.ts';
import { fromTimestamp, Timestamp, toTimestamp } from '../gen/proto/google/protobuf/timestamp.ts';
import { cachedByType } from './values.ts';

// Protobuf codecs that follow from the tables of fields. They need no code of their own for each message, and take a few
// microseconds where generated code takes one: they are for the services that are called seldom.

/** How one value is written and read, without its tag. */
interface ValueCodec {
  readonly wireType: number;
  write(value: unknown, writer: BinaryWriter): void;
  read(reader: BinaryReader): unknown;
}

/** How one field is written, with its tags, and what its values are added to. */
interface FieldCodec {
  readonly name: string;
  readonly number: number;
  readonly value: ValueCodec;
  readonly form: 'one' | 'list' | 'map';
}

/** A codec on the classes of the library. */
interface MessageCodec extends Codec {
  encode(message: object, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): object;
}

type Message = Record<string, unknown>;

const delimited = 2;
const wireTypes: Readonly<Record<string, number>> = {
  ...{ double: 1, fixed64: 1, sfixed64: 1 },
  ...{ string: delimited, bytes: delimited },
  ...{ float: 5, fixed32: 5, sfixed32: 5 },
};

/** Deepest nesting of messages. */
const maxDepth = 100;
/** Depth of the message that is being decoded; all of this is synchronous. */
let depth = 0;

/** The codec of a message, by its full name. Its objects are canonical ProtoJSON but for bytes. */
export const tableCodec = cachedByType((tables, typeName): MessageCodec => {
  const table = tables.messages[typeName];
  if (!table) throw new Error(`no codec for ${typeName}`);
  return codecOf(table.fields.map((field) => fieldCodec(tables, field)));
});

function codecOf(fields: readonly FieldCodec[]): MessageCodec {
  const byNumber = new Map(fields.map((field) => [field.number, field]));
  return {
    encode(message, writer = new BinaryWriter()) {
      for (const field of fields) {
        const value = (message as Message)[field.name];
        if (value === undefined) continue;
        if (field.form === 'list') writeList(field, value as readonly unknown[], writer);
        else if (field.form === 'map') writeList(field, entriesOf(value as Message), writer);
        else writeValue(field, value, writer);
      }
      return writer;
    },
    decode(input, length) {
      const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
      const end = length === undefined ? reader.len : reader.pos + length;
      if (depth >= maxDepth) throw new RangeError(`messages are nested deeper than ${maxDepth}`);
      depth++;
      try {
        const message: Message = {};
        // All at first, so that they are in the order of the proto.
        for (const { name, form } of fields) message[name] = form === 'one' ? undefined : form === 'list' ? [] : {};
        while (reader.pos < end) {
          const tag = reader.uint32();
          const field = byNumber.get(tag >>> 3);
          if (field && readField(field, tag & 7, reader, message)) continue;
          if ((tag & 7) === 4 || tag === 0) break;
          reader.skip(tag & 7);
        }
        return message;
      } finally {
        depth--;
      }
    },
  };
}

function writeValue({ number, value: codec }: FieldCodec, value: unknown, writer: BinaryWriter): void {
  writer.tag(number, codec.wireType);
  codec.write(value, writer);
}

/** Numbers are packed, as proto3 has them. */
function writeList(field: FieldCodec, list: readonly unknown[], writer: BinaryWriter): void {
  if (field.value.wireType === delimited) {
    for (const value of list) writeValue(field, value, writer);
  } else if (list.length > 0) {
    writer.tag(field.number, delimited).fork();
    for (const value of list) field.value.write(value, writer);
    writer.join();
  }
}

const entriesOf = (map: Message) => Object.entries(map).map(([key, value]) => ({ key, value }));

/** Reads one value, or a list of packed ones. Returns false, and reads nothing, where the wire type is another one. */
function readField({ name, form, value }: FieldCodec, wireType: number, reader: BinaryReader, to: Message): boolean {
  if (wireType === value.wireType) {
    const read = value.read(reader);
    if (form === 'list') addItem(to[name] as unknown[], read);
    else if (form === 'map') addEntry(to[name] as Message, read as Message);
    else to[name] = read;
    return true;
  }
  if (form !== 'list' || wireType !== delimited) return false;
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) addItem(to[name] as unknown[], value.read(reader));
  return true;
}

/** A google.protobuf.Value without content is left out. */
function addItem(list: unknown[], item: unknown): void {
  if (item !== undefined) list.push(item);
}

/** An entry without key or value is left out. */
function addEntry(map: Message, { key, value }: Message): void {
  if (key !== undefined && value !== undefined) map[key as string] = value;
}

function fieldCodec(tables: FieldTables, { jsonName: name, number, kind, type, ...field }: Field): FieldCodec {
  if (kind !== 'map') {
    return { name, number, form: field.repeated ? 'list' : 'one', value: valueCodec(tables, kind, type) };
  }
  if (field.keyType !== undefined) throw new Error(`${name}: only text is the key of a map here`);
  const entry = codecOf([
    { name: 'key', number: 1, form: 'one', value: scalarCodec('string') },
    { name: 'value', number: 2, form: 'one', value: valueCodec(tables, field.valueKind ?? 'scalar', type) },
  ]);
  return { name, number, form: 'map', value: nested(() => entry) };
}

function valueCodec(tables: FieldTables, kind: ValueKind, type: string): ValueCodec {
  switch (kind) {
    case 'scalar':
    case 'bytes':
      return scalarCodec(type);
    case 'enum':
      return enumCodec(tables.enums[type] ?? {});
    case 'message':
      return nested(() => tableCodec(tables, type));
    default:
      return nested(() => wellKnown[kind]);
  }
}

/** The library's methods have the names of the types. */
function scalarCodec(type: string): ValueCodec {
  const method = type as 'string';
  const read: ValueCodec['read'] = (reader) => reader[method]();
  return {
    wireType: wireTypes[type] ?? 0,
    write: (value, writer) => writer[method](value as string),
    read: type.endsWith('64') ? (reader) => String(read(reader)) : type === 'bytes' ? readBytes : read,
  };
}

/** A copy: the buffer that is read may be used again. */
const readBytes = (reader: BinaryReader): Uint8Array => new Uint8Array(reader.bytes());

function enumCodec(numbers: Readonly<Record<string, number>>): ValueCodec {
  const names = new Map(Object.entries(numbers).map(([name, number]) => [number, name]));
  return {
    wireType: 0,
    write: (name, writer) => writer.int32(numbers[name as string] ?? -1),
    read: (reader) => names.get(reader.int32()) ?? 'UNRECOGNIZED',
  };
}

interface NestedCodec {
  encode(value: never, writer: BinaryWriter): BinaryWriter;
  decode(reader: BinaryReader, length: number): unknown;
}

const nested = (codec: () => NestedCodec): ValueCodec => ({
  wireType: delimited,
  write: (value, writer) =>
    codec()
      .encode(value as never, writer.fork())
      .join(),
  read: (reader) => codec().decode(reader, reader.uint32()),
});

/** Messages with a JSON form of their own. */
const wellKnown: Readonly<Record<Exclude<ValueKind, 'scalar' | 'bytes' | 'enum' | 'message'>, NestedCodec>> = {
  timestamp: {
    encode: (text: string, writer) => Timestamp.encode(toTimestamp(text), writer),
    decode: (reader, length) => fromTimestamp(Timestamp.decode(reader, length)),
  },
  duration: Duration,
  fieldMask: FieldMask,
  struct: Struct,
  value: Value,
  list: ListValue,
  empty: codecOf([]),
};
