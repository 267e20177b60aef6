import { isUtf8 } from 'node:buffer';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { A2AError } from '../core/model/errors.ts';
import type { Api, Codec, Field, FieldTables } from '../gen/api.ts';
import { tableCodec } from './table-codec.ts';
import { cachedByType } from './values.ts';

/** Values that differ between JSON and ts-proto's messages. */
type Leaf = 'bytes' | 'double' | 'float';

/** A field that is, or leads to, a leaf or a map. All others are the same in JSON and in ts-proto's messages. */
interface ConversionStep {
  readonly name: string;
  readonly form: 'one' | 'list' | 'map';
  readonly value: Leaf | 'message' | 'plain';
  /** A map whose keys are booleans: ts-proto has a Map for it. */
  readonly boolKeys: boolean;
  /** Those of the message type below, which may be recursive: found when they are first needed. */
  steps: readonly ConversionStep[] | undefined;
  readonly tables: FieldTables;
  readonly type: string;
}

type MutableJson = Record<string, unknown>;

/** The writer and its buffer are used again, unless a message was larger than this. */
const keptBuffer = 1 << 18;
let spare: BinaryWriter | undefined = new BinaryWriter();

/**
 * Encodes canonical ProtoJSON as protobuf.
 *
 * @param typeName full message name
 * @param json of that type, canonical as the result of `parseAs`
 */
export function encode(api: Pick<Api, 'fields' | 'codecs'>, typeName: string, json: object): Uint8Array {
  const message = convert(stepsOf(api.fields, typeName), json as MutableJson, toProtobuf);
  const writer = spare ?? new BinaryWriter();
  spare = undefined;
  const bytes = codecOf(api, typeName).encode(message, writer).finish();
  // Not reached after an error, which leaves the writer in the middle of a message.
  if (bytes.length <= keptBuffer) spare = writer;
  return bytes;
}

/**
 * Decodes protobuf to ProtoJSON: bytes as base64, enums by name, timestamps as text. The result must be passed to `parseAs`,
 * which handles defaults and validates.
 *
 * @param typeName full message name
 * @throws A2AError `parse` for bytes that are not such a message
 */
export function decode<T extends object = object>(
  api: Pick<Api, 'fields' | 'codecs'>,
  typeName: string,
  bytes: Uint8Array,
): T {
  const codec = codecOf(api, typeName);
  try {
    const reader = new ProtobufReader(bytes);
    const message = codec.decode(reader) as MutableJson;
    if (reader.pos !== reader.len) throw new RangeError('unexpected end');
    return convert(stepsOf(api.fields, typeName), message, toJson) as T;
  } catch (error) {
    throw new A2AError('parse', `Invalid protobuf message: ${(error as Error).message}`, { cause: error });
  }
}

const codecOf = (api: Pick<Api, 'fields' | 'codecs'>, typeName: string): Codec =>
  api.codecs[typeName] ?? tableCodec(api.fields, typeName);

/** Reads strings without intermediate arrays or views, and refuses invalid UTF-8, as proto3 demands. */
class ProtobufReader extends BinaryReader {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = bufferOf(bytes);
  }

  override string(): string {
    const length = this.uint32();
    const start = this.pos;
    this.pos += length;
    if (this.pos > this.len) throw new RangeError('premature EOF');
    const text = this.#bytes.toString('utf8', start, this.pos);
    // Invalid bytes became replacement characters, which are rare otherwise.
    if (text.includes('\uFFFD') && !isUtf8(this.#bytes.subarray(start, this.pos))) {
      throw new RangeError('invalid UTF-8');
    }
    return text;
  }
}

/** What converts in one direction. */
interface Direction {
  readonly leaf: Readonly<Record<Leaf, (value: unknown) => unknown>>;
  readonly boolMap: (map: unknown) => unknown;
}

const numberOf = (value: unknown): number => Number(value);

const toProtobuf: Direction = {
  leaf: { bytes: (base64) => Buffer.from(base64 as string, 'base64'), double: numberOf, float: numberOf },
  boolMap: (map) => new Map(Object.entries(map as MutableJson).map(([key, value]) => [key === 'true', value])),
};

/** The same bytes. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** A number, or the name of one that JSON cannot write. */
const jsonNumber = (value: unknown): unknown => (Number.isFinite(value) ? value : String(value));

const toJson: Direction = {
  leaf: {
    bytes: (bytes) => bufferOf(bytes as Uint8Array).toString('base64'),
    double: jsonNumber,
    float: jsonNumber,
  },
  boolMap: (map) => Object.fromEntries(map as Map<boolean, unknown>),
};

/** Converts all leaves below an object. Returns the object itself when there are none, otherwise a copy along the path. */
function convert(steps: readonly ConversionStep[], object: MutableJson, to: Direction): MutableJson {
  let copy: MutableJson | undefined;
  for (const step of steps) {
    const before = object[step.name];
    if (before === undefined) continue;
    let after: unknown;
    if (step.form === 'one') after = convertValue(step, before, to);
    else if (step.form === 'list') after = convertList(step, before as unknown[], to);
    else after = convertMap(step, before, to);
    if (after === before) continue;
    copy ??= { ...object };
    copy[step.name] = after;
  }
  return copy ?? object;
}

function convertValue(step: ConversionStep, value: unknown, to: Direction): unknown {
  if (step.value === 'plain') return value;
  if (step.value !== 'message') return to.leaf[step.value](value);
  step.steps ??= stepsOf(step.tables, step.type);
  return convert(step.steps, value as MutableJson, to);
}

function convertList(step: ConversionStep, list: readonly unknown[], to: Direction): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = convertValue(step, list[i], to);
    if (after === list[i]) continue;
    copy ??= list.slice();
    copy[i] = after;
  }
  return copy ?? list;
}

function convertMap(step: ConversionStep, entries: unknown, to: Direction): unknown {
  if (step.boolKeys && !(entries instanceof Map)) return to.boolMap(convertEntries(step, entries as MutableJson, to));
  return convertEntries(step, (step.boolKeys ? to.boolMap(entries) : entries) as MutableJson, to);
}

function convertEntries(step: ConversionStep, map: MutableJson, to: Direction): MutableJson {
  // ts-proto assigns entries, and one called __proto__ becomes the prototype.
  if (Object.getPrototypeOf(map) !== Object.prototype) throw new RangeError('__proto__ is not allowed as a key');
  if (step.value === 'plain') return map;
  let copy: MutableJson | undefined;
  for (const key of Object.keys(map)) {
    const after = convertValue(step, map[key], to);
    if (after === map[key]) continue;
    copy ??= { ...map };
    copy[key] = after;
  }
  return copy ?? map;
}

/** The fields that are, or lead to, leaves and maps below a message type. */
const stepsOf = cachedByType((tables, typeName): readonly ConversionStep[] =>
  (tables.messages[typeName]?.fields ?? [])
    .filter((field) => leadsSomewhere(tables, field, new Set()))
    .map(({ jsonName, kind, valueKind, keyType, type, repeated }): ConversionStep => {
      const value = valueKind ?? kind;
      return {
        name: jsonName,
        form: kind === 'map' ? 'map' : repeated ? 'list' : 'one',
        value: value === 'message' ? value : (leafOf(value, type) ?? 'plain'),
        boolKeys: keyType === 'bool',
        steps: undefined,
        tables,
        type,
      };
    }),
);

function leafOf(kind: string, type: string): Leaf | undefined {
  if (kind === 'bytes') return kind;
  return kind === 'scalar' && (type === 'double' || type === 'float') ? type : undefined;
}

function leadsSomewhere(tables: FieldTables, { kind, type }: Field, seen: Set<string>): boolean {
  if (kind === 'map' || leafOf(kind, type)) return true;
  if (kind !== 'message' || seen.has(type)) return false;
  seen.add(type);
  return (tables.messages[type]?.fields ?? []).some((field) => leadsSomewhere(tables, field, seen));
}
