import { A2AError } from '../core/model/errors.ts';
import type { Field, FieldTables, ValueKind } from '../gen/api.ts';
import { Reader, Writer, wireType } from './protobuf-bytes.ts';
import { scalars, type ValueCodec } from './protobuf-scalars.ts';
import { cachedByType, defaultOf } from './values.ts';
import { assertEnd, assertKey, type Content, readPart, wellKnown } from './well-known.ts';

// Protobuf codecs between bytes and canonical ProtoJSON, compiled from the tables of fields when a type is first needed.

type Message = Record<string, unknown>;

/** What is needed of an `Api`. */
export interface Coded {
  readonly fields: FieldTables;
}

/** The writer and its buffer are used again, unless a message was larger than this. */
const keptBuffer = 1 << 18;
let spare: Writer | undefined;

/**
 * Encodes canonical ProtoJSON as protobuf. Bytes may be base64 or bytes.
 *
 * @param typeName full message name
 * @param json of that type, canonical as the result of `parseAs`
 */
export function encode({ fields }: Coded, typeName: string, json: object): Uint8Array<ArrayBuffer> {
  const writer = spare ?? new Writer(1024);
  spare = undefined;
  writeMessage(messageOf(fields, typeName), json as Message, writer);
  const bytes = writer.finish();
  // Not reached after an error, which leaves the writer in the middle of a message.
  if (writer.size <= keptBuffer) spare = writer;
  return bytes;
}

/**
 * Decodes protobuf to ProtoJSON: bytes as base64, enums by name, timestamps as text. The result must be passed to `parseAs`,
 * which handles defaults and validates.
 *
 * @param typeName full message name
 * @throws A2AError `parse` for bytes that are not such a message
 */
export function decode<T extends object = object>(api: Coded, typeName: string, bytes: Uint8Array): T {
  return decodeAs(api, typeName, bytes, false);
}

/** The same, but that bytes stay bytes, and that lists and maps are there when they are empty. */
export function decodeRaw<T extends object = object>(api: Coded, typeName: string, bytes: Uint8Array): T {
  return decodeAs(api, typeName, bytes, true);
}

function decodeAs<T extends object>({ fields }: Coded, typeName: string, bytes: Uint8Array, raw: boolean): T {
  const message = messageOf(fields, typeName);
  try {
    const reader = new Reader(bytes, raw);
    const json = readMessage(message, reader, reader.size);
    assertEnd(reader, reader.size);
    return json as T;
  } catch (error) {
    throw new A2AError('parse', `Invalid protobuf message: ${(error as Error).message}`, { cause: error });
  }
}

/** How a field is written and read. */
interface FieldCodec {
  readonly name: string;
  readonly form: 'one' | 'list' | 'map';
  readonly tag: number;
  /** The tag of several values of a list together. */
  readonly packedTag: number;
  /** One value; of a map, an object of one key and one value. */
  readonly value: ValueCodec;
}

interface MessageCodec {
  /** In the order of the proto. */
  readonly fields: readonly FieldCodec[];
  /** By the tag that is read. Lists of numbers are there twice: one by one, and packed. */
  readonly byTag: readonly (FieldCodec | undefined)[];
  /** Lists and maps. */
  readonly collections: readonly FieldCodec[];
}

/** Deepest nesting of messages. */
const maxDepth = 100;

const messageOf = cachedByType((tables, typeName): MessageCodec => {
  const table = tables.messages[typeName];
  if (!table) throw new Error(`no codec for ${typeName}`);
  return messageCodec(table.fields.map((field) => fieldCodec(tables, field)));
});

function messageCodec(fields: readonly FieldCodec[]): MessageCodec {
  const byTag: (FieldCodec | undefined)[] = [];
  for (const field of fields) {
    byTag[field.tag] = field;
    if (field.form === 'list') byTag[field.packedTag] = field;
  }
  return { fields, byTag, collections: fields.filter(({ form }) => form !== 'one') };
}

function writeMessage({ fields }: MessageCodec, message: Message, writer: Writer): void {
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as FieldCodec;
    const value = message[field.name];
    if (value === undefined) continue;
    if (field.form === 'one') writeOne(field, value, writer);
    else if (field.form === 'list') writeList(field, value as readonly unknown[], writer);
    else writeMap(field, value as Message, writer);
  }
}

function writeOne({ tag, value: codec }: FieldCodec, value: unknown, writer: Writer): void {
  writer.uint32(tag);
  codec.write(value as never, writer);
}

/** Numbers are packed, as proto3 has them. */
function writeList(field: FieldCodec, list: readonly unknown[], writer: Writer): void {
  if (field.tag === field.packedTag) {
    for (const value of list) writeOne(field, value, writer);
  } else if (list.length > 0) {
    writer.uint32(field.packedTag);
    const start = writer.open();
    for (const value of list) field.value.write(value as never, writer);
    writer.close(start);
  }
}

function writeMap(field: FieldCodec, map: Message, writer: Writer): void {
  for (const key of Object.keys(map)) if (map[key] !== undefined) writeOne(field, { key, value: map[key] }, writer);
}

function readMessage(codec: MessageCodec, reader: Reader, end: number): Message {
  if (reader.depth >= maxDepth) throw new RangeError(`messages are nested deeper than ${maxDepth}`);
  reader.depth++;
  const message: Message = {};
  if (reader.raw) for (const field of codec.collections) message[field.name] = emptyOf(field);
  while (reader.at < end) {
    const tag = reader.uint32();
    const field = codec.byTag[tag];
    if (field === undefined) reader.skipField(tag);
    else if (field.form === 'one') message[field.name] = field.value.read(reader);
    else {
      message[field.name] ??= emptyOf(field);
      if (field.form === 'list') readItems(field, tag, reader, message[field.name] as unknown[]);
      else readEntry(field, reader, message[field.name] as Message);
    }
  }
  reader.depth--;
  return message;
}

const emptyOf = ({ form }: FieldCodec): object => (form === 'list' ? [] : {});

/** A google.protobuf.Value without content is left out. */
function readItems({ tag: own, value: codec }: FieldCodec, tag: number, reader: Reader, list: unknown[]): void {
  if (tag === own) {
    const item = codec.read(reader);
    if (item !== undefined) list.push(item);
    return;
  }
  const end = reader.endOfPart();
  while (reader.at < end) list.push(codec.read(reader));
  assertEnd(reader, end);
}

/** An entry without key or value is left out. */
function readEntry({ value: codec }: FieldCodec, reader: Reader, map: Message): void {
  const { key, value } = codec.read(reader) as Message;
  if (key === undefined || value === undefined) return;
  assertKey(String(key));
  map[String(key)] = value;
}

function fieldCodec(tables: FieldTables, field: Field): FieldCodec {
  const { jsonName: name, number, kind, type, repeated, wrapped } = field;
  if (kind !== 'map') {
    const value = valueCodec(tables, kind, type);
    const whole = wrapped ? delimited(wrapper(value, defaultOf({ type } as Field, undefined))) : value;
    return codecOf(name, number, repeated ? 'list' : 'one', whole);
  }
  const key = codecOf('key', 1, 'one', keyCodec(field.keyType ?? 'string'));
  const value = fieldCodec(tables, { ...field, jsonName: 'value', number: 2, kind: field.valueKind ?? 'scalar' });
  const entry = messageCodec([key, value]);
  return codecOf(
    name,
    number,
    'map',
    messageValue(() => entry),
  );
}

const codecOf = (name: string, number: number, form: FieldCodec['form'], value: ValueCodec): FieldCodec => ({
  name,
  form,
  tag: ((number << 3) | value.wireType) >>> 0,
  packedTag: ((number << 3) | wireType.delimited) >>> 0,
  value,
});

function valueCodec(tables: FieldTables, kind: ValueKind, type: string): ValueCodec {
  switch (kind) {
    case 'scalar':
    case 'bytes':
      return scalars[type] as ValueCodec;
    case 'enum':
      return enumCodec(tables.enums[type] ?? {});
    case 'message': {
      let codec: MessageCodec | undefined;
      return messageValue(() => (codec ??= messageOf(tables, type)));
    }
    case 'empty':
      return messageValue(() => emptyMessage);
    default:
      return delimited(wellKnown[kind]);
  }
}

const emptyMessage = messageCodec([]);

/** A message, which may be recursive: its codec is made when it is first needed. */
const messageValue = (codec: () => MessageCodec): ValueCodec => ({
  wireType: wireType.delimited,
  write(message: Message, writer) {
    const start = writer.open();
    writeMessage(codec(), message, writer);
    writer.close(start);
  },
  read(reader) {
    const end = reader.endOfPart();
    const message = readMessage(codec(), reader, end);
    assertEnd(reader, end);
    return message;
  },
});

const delimited = ({ write, read }: Content): ValueCodec => ({
  wireType: wireType.delimited,
  write(value, writer) {
    const start = writer.open();
    write(value, writer);
    writer.close(start);
  },
  read: (reader) => readPart(reader, read),
});

/** A message of google/protobuf/wrappers.proto, which holds one scalar in its field 1. */
function wrapper(value: ValueCodec, initial: unknown): Content {
  const own = (1 << 3) | value.wireType;
  return {
    write(json, writer) {
      writer.uint32(own);
      value.write(json, writer);
    },
    read(reader, end) {
      let json = initial;
      while (reader.at < end) {
        const tag = reader.uint32();
        if (tag === own) json = value.read(reader);
        else reader.skipField(tag);
      }
      return json;
    },
  };
}

/** Keys are text in JSON. */
function keyCodec(type: string): ValueCodec {
  const codec = scalars[type] as ValueCodec;
  if (type === 'string' || type.endsWith('64')) return codec;
  const parse = (key: string): unknown => (type === 'bool' ? key === 'true' : Number(key));
  return { ...codec, write: (key: string, writer) => codec.write(parse(key) as never, writer) };
}

/** The first name of a number wins, where aliases are allowed. */
function enumCodec(numbers: Readonly<Record<string, number>>): ValueCodec {
  const entries = Object.entries(numbers).reverse();
  const names = new Map(entries.map(([name, number]) => [number, name]));
  const { write, read } = scalars.int32 as ValueCodec;
  return {
    wireType: wireType.varint,
    write: (name: string, writer) => write((numbers[name] ?? -1) as never, writer),
    read: (reader) => names.get(read(reader) as number) ?? 'UNRECOGNIZED',
  };
}
