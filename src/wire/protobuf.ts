import { A2AError } from '../core/model/errors.ts';
import type { Field, FieldTables, MessageTable, ValueKind } from '../gen/api.ts';
import { Reader, Writer, wireType } from './protobuf-bytes.ts';
import { scalars, type ValueCodec, writeInt32 } from './protobuf-scalars.ts';
import type { Tracker } from './protobuf-tracker.ts';
import { cachedByType, defaultOf } from './values.ts';
import { assertEnd, assertKey, type Content, wellKnown } from './well-known.ts';

// Protobuf codecs between bytes and canonical ProtoJSON, compiled from the field tables when a type is first used.

type Message = Record<string, unknown>;

/** The part of an `Api` that codecs need. */
export interface Coded {
  readonly fields: FieldTables;
}

/** Maximum size in bytes of a writer's buffer that is kept for reuse. */
const keptBuffer = 1 << 18;
let spare: Writer | undefined;

/**
 * Encodes canonical ProtoJSON as protobuf. Bytes fields may be base64 text or bytes.
 *
 * @param typeName full message name
 * @param json value of that type, canonical like the result of `parseAs`
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
 * Decodes protobuf to ProtoJSON: bytes as base64, enums by name, timestamps as text. Pass the result to `parseAs`,
 * which handles defaults and validates.
 *
 * @param typeName full message name
 * @param tracker counts the values of the message, and may omit unreadable ones
 * @throws A2AError `parse` for bytes that are not such a message, and the tracker's errors
 */
export function decode<T extends object = object>(
  { fields }: Coded,
  typeName: string,
  bytes: Uint8Array,
  tracker?: Tracker,
): T {
  return read(messageOf(fields, typeName), new Reader(bytes, false, tracker)) as T;
}

/** Decodes like `decode`, except that bytes stay bytes, and lists and maps are present even if empty. */
export function decodeRaw<T extends object = object>({ fields }: Coded, typeName: string, bytes: Uint8Array): T {
  return read(messageOf(fields, typeName), new Reader(bytes, true)) as T;
}

function read(codec: MessageCodec, reader: Reader): Message {
  const { tracker } = reader;
  const message: Message = {};
  const readAll = (): void => {
    readMessage(codec, reader, reader.size, message);
    assertEnd(reader, reader.size);
  };
  try {
    // An error at the outermost level cannot be skipped: the rest of the message is omitted.
    if (tracker?.mends) tracker.read(readAll, () => undefined);
    else readAll();
  } catch (error) {
    if (error instanceof A2AError) throw error;
    throw new A2AError('parse', `Invalid protobuf message: ${(error as Error).message}`, { cause: error });
  }
  return message;
}

/** Reads and writes a field. */
interface FieldCodec {
  readonly name: string;
  readonly form: 'one' | 'list' | 'map';
  readonly tag: number;
  /** Tag of the packed form of a list. */
  readonly packedTag: number;
  /** Codec of one value; for a map, of an entry: an object with one key and one value. */
  readonly value: ValueCodec;
  /** Whether a repeated value is merged with the previous one, as for messages. */
  readonly merges: boolean;
  /** JSON names of the other members of the field's oneof. */
  readonly rivals: readonly string[] | undefined;
}

interface MessageCodec {
  /** Fields in the order of the proto. */
  readonly fields: readonly FieldCodec[];
  /** Fields by tag. Lists of numbers have two tags: unpacked and packed. */
  readonly byTag: readonly (FieldCodec | undefined)[];
  /** Fields that are lists or maps. */
  readonly collections: readonly FieldCodec[];
  /** Whether the message is a map entry, which is not an object in JSON. */
  readonly isEntry: boolean;
}

/** Maximum nesting depth of messages. */
const maxDepth = 100;

const messageOf = cachedByType((tables, typeName): MessageCodec => {
  const table = tables.messages[typeName];
  if (!table) throw new Error(`no codec for ${typeName}`);
  return messageCodec(table.fields.map((field) => fieldCodec(tables, field, rivalsOf(table, field))));
});

/** Returns the JSON names of the fields that a field's value replaces: the other members of its oneof. */
function rivalsOf({ fields }: MessageTable, { jsonName, oneof }: Field): string[] | undefined {
  if (oneof === undefined) return undefined;
  return fields.filter((other) => other.oneof === oneof && other.jsonName !== jsonName).map(({ jsonName }) => jsonName);
}

function messageCodec(fields: readonly FieldCodec[], isEntry = false): MessageCodec {
  const byTag: (FieldCodec | undefined)[] = [];
  for (const field of fields) {
    byTag[field.tag] = field;
    if (field.form === 'list') byTag[field.packedTag] = field;
  }
  return { fields, byTag, collections: fields.filter(({ form }) => form !== 'one'), isEntry };
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

/** Writes a list. Numbers are packed, the default of proto3. */
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

/** @param before message into which the content is merged */
function readMessage(codec: MessageCodec, reader: Reader, end: number, before: Message | undefined): Message {
  if (reader.depth >= maxDepth) throw new RangeError(`messages are nested deeper than ${maxDepth}`);
  reader.depth++;
  const message = before ?? {};
  if (reader.raw) for (const field of codec.collections) message[field.name] ??= emptyOf(field);
  while (reader.at < end) {
    const tag = reader.prefix();
    const field = codec.byTag[tag];
    if (field === undefined) reader.skipField(tag);
    else if (reader.tracker === undefined || codec.isEntry) readField(field, tag, reader, message);
    else readTracked(field, tag, reader, message, reader.tracker);
  }
  reader.depth--;
  return message;
}

function readField(field: FieldCodec, tag: number, reader: Reader, message: Message): void {
  if (field.form === 'one') {
    readOne(field, reader, message);
    return;
  }
  message[field.name] ??= emptyOf(field);
  if (field.form === 'list') readItems(field, tag, reader, message[field.name] as unknown[]);
  else readEntry(field, reader, message[field.name] as Message);
}

/** Reads a field and counts it as a JSON member, with its items or entries. */
function readTracked(field: FieldCodec, tag: number, reader: Reader, message: Message, tracker: Tracker): void {
  const { name, form } = field;
  const before = message[name] as object | undefined;
  const size = form === 'list' ? lengthOf(before) : form === 'map' ? tracker.keysOf(before) : 0;
  const isPacked = form === 'list' && tag !== field.tag;
  if (form === 'one' || before === undefined) tracker.count(1);
  if (form === 'list' && !isPacked) tracker.item(name, size + 1);
  tracker.enter(name);
  if (form === 'list') tracker.enter(size);
  if (form === 'map') tracker.key(size + 1);
  const { at, depth } = reader;
  const skip = (): void => {
    reader.at = at;
    reader.depth = depth;
    reader.skipField(tag);
  };
  tracker.read(() => readField(field, tag, reader, message), skip);
  if (isPacked) tracker.count((message[name] as readonly unknown[]).length - size);
  if (form === 'map') tracker.hasKeys(message[name] as object, size + 1);
  if (form === 'list') tracker.leave();
  tracker.leave();
}

const lengthOf = (list: object | undefined): number => (list as readonly unknown[] | undefined)?.length ?? 0;

const emptyOf = ({ form }: FieldCodec): object => (form === 'list' ? [] : {});

/**
 * Reads a value. A repeated scalar replaces the previous one; a message is merged with it. The last member of a oneof
 * wins.
 */
function readOne({ name, value: codec, merges, rivals }: FieldCodec, reader: Reader, message: Message): void {
  message[name] = codec.read(reader, merges ? message[name] : undefined);
  if (rivals !== undefined) for (const rival of rivals) if (message[rival] !== undefined) delete message[rival];
}

function readItems({ tag: own, value: codec }: FieldCodec, tag: number, reader: Reader, list: unknown[]): void {
  if (tag === own) {
    list.push(codec.read(reader));
    return;
  }
  const end = reader.endOfPart();
  while (reader.at < end) list.push(codec.read(reader));
  assertEnd(reader, end);
}

/** Reads a map entry into the map. A key or value that has its default may be missing from the entry. */
function readEntry({ value: codec }: FieldCodec, reader: Reader, map: Message): void {
  const { key, value } = codec.read(reader) as Message;
  assertKey(String(key));
  map[String(key)] = value;
}

function fieldCodec(tables: FieldTables, field: Field, rivals?: readonly string[]): FieldCodec {
  const { jsonName: name, number, kind, type, repeated, wrapped } = field;
  if (kind !== 'map') {
    const value = valueCodec(tables, kind, type);
    const whole = wrapped ? delimited(wrapper(value, defaultOf({ type } as Field, undefined))) : value;
    return codecOf(name, number, repeated ? 'list' : 'one', whole, rivals);
  }
  const key = codecOf('key', 1, 'one', keyCodec(field.keyType ?? 'string'));
  const value = fieldCodec(tables, { ...field, jsonName: 'value', number: 2, kind: field.valueKind ?? 'scalar' });
  return codecOf(name, number, 'map', entryCodec(key, value));
}

/** Encoding of every type's default: zero, or the length 0. */
const zeros = new Uint8Array(8);

const defaultIn = ({ value }: FieldCodec, { raw }: Reader): unknown => value.read(new Reader(zeros, raw));

/** Returns the codec of a map entry: an object with one key and one value. */
function entryCodec(key: FieldCodec, value: FieldCodec): ValueCodec {
  const { read, ...rest } = messageValue(() => entry);
  const entry = messageCodec([key, value], true);
  return {
    ...rest,
    read(reader) {
      const message = read(reader) as Message;
      message.key ??= defaultIn(key, reader);
      if (message.value === undefined) message.value = defaultIn(value, reader);
      return message;
    },
  };
}

const codecOf = (
  name: string,
  number: number,
  form: FieldCodec['form'],
  value: ValueCodec,
  rivals?: readonly string[],
): FieldCodec => ({
  name,
  form,
  tag: ((number << 3) | value.wireType) >>> 0,
  packedTag: ((number << 3) | wireType.delimited) >>> 0,
  value,
  merges: value.merges === true,
  rivals,
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

/** Returns the codec of a message. Messages may be recursive, so their codec is compiled on first use. */
const messageValue = (codec: () => MessageCodec): ValueCodec => ({
  wireType: wireType.delimited,
  merges: true,
  write(message: Message, writer) {
    const start = writer.open();
    writeMessage(codec(), message, writer);
    writer.close(start);
  },
  read(reader, before) {
    const end = reader.endOfPart();
    const message = readMessage(codec(), reader, end, before as Message | undefined);
    assertEnd(reader, end);
    return message;
  },
});

const delimited = ({ write, read }: Content): ValueCodec => ({
  wireType: wireType.delimited,
  merges: true,
  write(value, writer) {
    const start = writer.open();
    write(value, writer);
    writer.close(start);
  },
  read(reader, before) {
    const end = reader.endOfPart();
    const value = read(reader, end, before);
    assertEnd(reader, end);
    return value;
  },
});

/** Returns the codec of a message of `google/protobuf/wrappers.proto`, whose field 1 holds one scalar. */
function wrapper(value: ValueCodec, initial: unknown): Content {
  const own = (1 << 3) | value.wireType;
  return {
    write(json, writer) {
      writer.uint32(own);
      value.write(json, writer);
    },
    read(reader, end, before) {
      let json = before ?? initial;
      while (reader.at < end) {
        const tag = reader.prefix();
        if (tag === own) json = value.read(reader);
        else reader.skipField(tag);
      }
      return json;
    },
  };
}

/** Returns the codec of map keys, which are strings in JSON. */
function keyCodec(type: string): ValueCodec {
  const codec = scalars[type] as ValueCodec;
  if (type === 'string' || type.endsWith('64')) return codec;
  const parse = (key: string): unknown => (type === 'bool' ? key === 'true' : Number(key));
  return { ...codec, write: (key: string, writer) => codec.write(parse(key) as never, writer) };
}

/** Returns the codec of an enum. If several names share a number, the first one is used for writing JSON. */
function enumCodec(numbers: Readonly<Record<string, number>>): ValueCodec {
  const entries = Object.entries(numbers).reverse();
  const names = new Map(entries.map(([name, number]) => [number, name]));
  const byName = new Map(entries);
  return {
    wireType: wireType.varint,
    write: (name: string, writer) => writeInt32(byName.get(name) ?? -1, writer),
    read: (reader) => names.get(reader.uint32() | 0) ?? 'UNRECOGNIZED',
  };
}
