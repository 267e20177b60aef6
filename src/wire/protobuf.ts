import { isUtf8 } from 'node:buffer';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { A2AError } from '../core/model/errors.ts';
import type { Api, Codec, Field, FieldTables } from '../gen/api.ts';

/** A field on the way to bytes or maps; everything else is the same in JSON and in ts-proto's messages. */
interface Step {
  readonly name: string;
  readonly form: 'one' | 'list' | 'map';
  readonly value: 'bytes' | 'message' | 'plain';
  /** Of the messages below. */
  readonly steps: () => readonly Step[];
}

type JsonObject = Record<string, unknown>;

const cache = new WeakMap<FieldTables, Map<string, readonly Step[]>>();

/** Writers keep their buffer between messages, unless a big message has made it big. */
const keptBuffer = 1 << 18;
let spare: BinaryWriter | undefined = new BinaryWriter();

/**
 * Encodes canonical ProtoJSON as protobuf.
 *
 * @param typeName full message name
 * @param json of that type, as `parseAs` gives it
 */
export function encode(api: Api, typeName: string, json: object): Uint8Array {
  const message = convert(stepsOf(api.fields, typeName), json as JsonObject, bytesOf);
  const writer = spare ?? new BinaryWriter();
  spare = undefined;
  const bytes = codecOf(api, typeName).encode(message, writer).finish();
  // Not reached after an error, which leaves the writer in the middle of a message.
  if (bytes.length <= keptBuffer) spare = writer;
  return bytes;
}

/**
 * Decodes protobuf to ProtoJSON: bytes as base64, enums by name, timestamps as text. The caller passes the result to
 * `parseAs`, which fills in and leaves out defaults and checks what is required.
 *
 * @param typeName full message name
 * @throws A2AError of kind `parse` for bytes that are not such a message
 */
export function decode<T extends object = object>(api: Api, typeName: string, bytes: Uint8Array): T {
  const codec = codecOf(api, typeName);
  try {
    const reader = new Reader(bytes);
    const message = codec.decode(reader) as JsonObject;
    if (reader.pos !== reader.len) throw new RangeError('unexpected end');
    return convert(stepsOf(api.fields, typeName), message, base64Of) as T;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new A2AError('parse', `Invalid protobuf message: ${said}`, { cause: error });
  }
}

function codecOf(api: Api, typeName: string): Codec {
  const codec = api.codecs[typeName];
  if (!codec) throw new Error(`no codec for ${typeName}`);
  return codec;
}

/** Reads strings without an array or a view in between, and refuses invalid UTF-8, as proto3 demands. */
class Reader extends BinaryReader {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  override string(): string {
    const length = this.uint32();
    const start = this.pos;
    this.pos += length;
    if (this.pos > this.len) throw new RangeError('premature EOF');
    const text = this.#bytes.toString('utf8', start, this.pos);
    // Invalid bytes become replacement characters, which are rare enough for a second look.
    if (text.includes('\uFFFD') && !isUtf8(this.#bytes.subarray(start, this.pos))) {
      throw new RangeError('invalid UTF-8');
    }
    return text;
  }
}

const bytesOf = (base64: unknown): Buffer => Buffer.from(base64 as string, 'base64');
const base64Of = (bytes: unknown): string => (bytes as Buffer).toString('base64');

/** The object with all bytes below it converted: itself when there are none, else a copy of what leads to them. */
function convert(steps: readonly Step[], object: JsonObject, leaf: (value: unknown) => unknown): JsonObject {
  let copy: JsonObject | undefined;
  for (const step of steps) {
    const before = object[step.name];
    if (before === undefined) continue;
    let after: unknown;
    if (step.form === 'one') after = convertValue(step, before, leaf);
    else if (step.form === 'list') after = convertList(step, before as unknown[], leaf);
    else after = convertMap(step, before as JsonObject, leaf);
    if (after === before) continue;
    copy ??= { ...object };
    copy[step.name] = after;
  }
  return copy ?? object;
}

function convertValue(step: Step, value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (step.value === 'bytes') return leaf(value);
  return step.value === 'message' ? convert(step.steps(), value as JsonObject, leaf) : value;
}

function convertList(step: Step, list: readonly unknown[], leaf: (value: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = convertValue(step, list[i], leaf);
    if (after === list[i]) continue;
    copy ??= list.slice();
    copy[i] = after;
  }
  return copy ?? list;
}

function convertMap(step: Step, map: JsonObject, leaf: (value: unknown) => unknown): JsonObject {
  // ts-proto assigns entries, and one called __proto__ becomes the prototype.
  if (Object.getPrototypeOf(map) !== Object.prototype) throw new RangeError('__proto__ is not allowed as a key');
  if (step.value === 'plain') return map;
  let copy: JsonObject | undefined;
  for (const key of Object.keys(map)) {
    const after = convertValue(step, map[key], leaf);
    if (after === map[key]) continue;
    copy ??= { ...map };
    copy[key] = after;
  }
  return copy ?? map;
}

/** The way to all bytes and maps below a message; empty when there are none. */
function stepsOf(tables: FieldTables, typeName: string): readonly Step[] {
  let known = cache.get(tables);
  if (!known) {
    known = new Map();
    cache.set(tables, known);
  }
  const found = known.get(typeName);
  if (found) return found;
  const steps = (tables.messages[typeName]?.fields ?? [])
    .filter((field) => leadsSomewhere(tables, field, new Set()))
    .map(({ jsonName, kind, valueKind, type, repeated }): Step => {
      const value = valueKind ?? kind;
      return {
        name: jsonName,
        form: kind === 'map' ? 'map' : repeated ? 'list' : 'one',
        value: value === 'bytes' || value === 'message' ? value : 'plain',
        steps: () => stepsOf(tables, type),
      };
    });
  known.set(typeName, steps);
  return steps;
}

function leadsSomewhere(tables: FieldTables, { kind, type }: Field, seen: Set<string>): boolean {
  if (kind === 'bytes' || kind === 'map') return true;
  if (kind !== 'message' || seen.has(type)) return false;
  seen.add(type);
  return (tables.messages[type]?.fields ?? []).some((field) => leadsSomewhere(tables, field, seen));
}
