import type { ValueKind } from '../src/gen/api.ts';
import { localName, type Model, wellKnown as wellKnownKinds } from './model.ts';

/** A field as described by the JSON Schema bundle. */
export interface BundleField {
  readonly jsonName: string;
  readonly kind: ValueKind | 'map';
  /** Scalar type, or the local name of a message or enum; for a map, the type of its values. */
  readonly type: string;
  readonly valueKind?: ValueKind;
  /** Key type of a map, known only from the proto. Absent: `string`. */
  readonly keyType?: string;
  readonly deprecated?: true;
  /** Set for a number that cannot be NaN or infinite. Only hand-written bundles state this. */
  readonly finite?: true;
  readonly repeated?: true;
  /** JSON of a schema shape that no proto field is known to have. Only from the bundle. */
  readonly unknown?: string;
  readonly description?: string;
}

export interface BundleMessage {
  readonly name: string;
  readonly description?: string;
  readonly fields: readonly BundleField[];
  /** Proto names that the bundle accepts in addition to the JSON names. */
  readonly aliases: readonly string[];
  /** JSON of a schema that does not describe a message. Only from the bundle. */
  readonly unknown?: string;
}

/** A JSON Schema bundle in the vocabulary of the model, with well-known types resolved. */
export interface Bundle {
  readonly messages: readonly BundleMessage[];
  /** Value names without the zero value, which bundles treat separately. */
  readonly enums: readonly { name: string; values: readonly string[] }[];
}

/** Error: the input is not a bundle, or uses a shape that the generators do not support. */
export class SchemaError extends Error {}

/** The parts of JSON Schema that bundles use, whether generated from protos or written by hand. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

type Shape = Pick<BundleField, 'kind' | 'type' | 'valueKind' | 'repeated' | 'finite' | 'unknown'>;

/** Returns a placeholder for a shape that no proto has, so that the comparison with the proto reports both. */
const unknownShape = (schema: Schema): Shape => ({ kind: 'value', type: 'unknown', unknown: jsonOf(schema) });

/** Returns a schema as JSON without descriptions, truncated. */
function jsonOf(schema: Schema): string {
  const json = JSON.stringify(schema, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
  return json.length > 160 ? `${json.slice(0, 159)}…` : json;
}

/** Shapes of references to well-known types, by the type's name in `google.protobuf`. */
const wellKnown = new Map<string, Shape>([
  ...Object.entries(wellKnownKinds).map(([type, kind]): [string, Shape] => [
    type.replace('google.protobuf.', ''),
    { kind, type },
  ]),
  ...['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
    (name): [string, Shape] => {
      const type = name.toLowerCase();
      return [`${name}Value`, { kind: type === 'bytes' ? 'bytes' : 'scalar', type }];
    },
  ),
]);

/** The state of reading one bundle. */
interface Reading {
  readonly package: string;
  /** Local names by the names in the bundle, where nested types may be abbreviated to their last name. */
  readonly names: ReadonlyMap<string, string>;
  /** Zero values of the proto's enums, which bundles list in some places only. */
  readonly zeros: ReadonlySet<string>;
  readonly enums: Map<string, readonly string[]>;
}

/**
 * Reads a bundle in any form that the A2A project has published: definitions in `$defs` by type name, or in
 * `definitions` by title with spaces; references to either, or to files of single types; proto names as
 * `patternProperties`; enums that also accept numbers; numbers that also accept strings. Hand-written bundles refer to
 * `#/definitions/NAME` and have plain numbers.
 *
 * @param json the parsed file
 * @param model the proto that it describes
 * @throws SchemaError that names the place
 */
export function readBundle(json: unknown, model: Model): Bundle {
  const { $defs, definitions = $defs } = (json ?? {}) as Readonly<Record<'$defs' | 'definitions', unknown>>;
  if (typeof definitions !== 'object' || definitions === null) {
    throw new SchemaError('the bundle has no definitions: it has neither `$defs` nor `definitions`');
  }
  const enums = new Map<string, readonly string[]>();
  const zeros = new Set(model.enums.flatMap(({ values }) => values.slice(0, 1).map(({ name }) => name)));
  const reading: Reading = { package: model.package, names: bundleNames(model), zeros, enums };
  const messages: BundleMessage[] = [];
  for (const [key, schema] of Object.entries(definitions as Record<string, Schema>)) {
    const name = nameOf(key, reading);
    if (wellKnown.has(name) || name === 'Any') continue;
    const values = enumValues(schema);
    if (values) {
      noteEnum(name, values, key, reading);
      continue;
    }
    if (schema.type !== 'object' || !schema.properties) {
      messages.push({ name, fields: [], aliases: [], unknown: jsonOf(schema) });
      continue;
    }
    if (messages.some((message) => message.name === name)) throw new SchemaError(`${key}: ${name} is defined twice`);
    messages.push({
      name,
      ...description(schema),
      fields: Object.entries(schema.properties).map(([jsonName, property]) => ({
        jsonName,
        ...shape(property, `${name}.${jsonName}`, reading),
        ...description(property),
      })),
      aliases: Object.keys(schema.patternProperties ?? {}).map((pattern) => pattern.replace(/^\^\((.*)\)\$$/, '$1')),
    });
  }
  return { messages, enums: [...enums].map(([name, values]) => ({ name, values })) };
}

/**
 * Returns the input of the generators: the shapes of the proto, with the order and the descriptions of its bundle. Both
 * must have been compared before; the overlay explains their differences.
 */
export function joined(model: Model, bundle: Bundle): Bundle {
  const proto = bundleOf(model);
  const order = (names: readonly { jsonName: string }[]) => new Map(names.map(({ jsonName }, at) => [jsonName, at]));
  const messages = bundle.messages.flatMap((message) => {
    const own = proto.messages.find(({ name }) => name === message.name);
    if (!own) return [];
    const places = order(message.fields);
    const place = ({ jsonName }: BundleField): number => places.get(jsonName) ?? message.fields.length;
    const fields = own.fields.map(({ description: _description, ...field }) => {
      const there = message.fields.find(({ jsonName }) => jsonName === field.jsonName);
      const words = there?.description === undefined ? {} : { description: there.description };
      return { ...field, ...(there?.finite && { finite: true as const }), ...words };
    });
    const { description: _description, ...rest } = own;
    const words = message.description === undefined ? {} : { description: message.description };
    return [{ ...rest, ...words, fields: fields.sort((a, b) => place(a) - place(b)) }];
  });
  const missing = proto.messages.filter(({ name }) => !messages.some((message) => message.name === name));
  return { messages: [...messages, ...missing], enums: proto.enums };
}

/** Returns the model with the information from a bundle about which numbers are finite. */
export function withFinite(model: Model, bundle: Bundle): Model {
  const messages = model.messages.map((message) => {
    const described = bundle.messages.find(({ name }) => name === message.name)?.fields ?? [];
    const finite = new Set(described.filter((field) => field.finite).map(({ jsonName }) => jsonName));
    const fields = message.fields.map((field) =>
      finite.has(field.jsonName) ? { ...field, finite: true as const } : field,
    );
    return { ...message, fields };
  });
  return { ...model, messages };
}

/** Returns all local names, and the last names of nested types where these are unambiguous. */
function bundleNames(model: Model): Map<string, string> {
  const all = [...model.messages, ...model.enums];
  const names = new Map<string, string>();
  const lastName = (fullName: string): string => fullName.slice(fullName.lastIndexOf('.') + 1);
  for (const { name, fullName } of all) {
    const last = lastName(fullName);
    if (all.filter((other) => lastName(other.fullName) === last).length === 1) names.set(last, name);
  }
  for (const { name, fullName } of all) {
    names.set(name, name);
    names.set(fullName, name);
    if (fullName.startsWith(`${model.package}.`)) names.set(fullName.slice(model.package.length + 1), name);
  }
  return names;
}

/** Returns the local name of a definition or of a reference's target. */
function nameOf(key: string, { package: pkg, names }: Pick<Reading, 'package' | 'names'>): string {
  const plain = unspaced(key).replace(/(\.jsonschema)?(\.strict)?(\.bundle)?\.json$/, '');
  const local = plain.startsWith(`${pkg}.`) ? plain.slice(pkg.length + 1) : plain.replace(/^google\.protobuf\./, '');
  return names.get(local) ?? local;
}

/** Returns the bundle that would describe a proto for which none is published. */
export function bundleOf(model: Model): Bundle {
  const local = (kind: string, type: string): string =>
    kind === 'message' || kind === 'enum' ? localName(type, model.package) : type;
  return {
    messages: model.messages.map((message) => ({
      name: message.name,
      ...description(message),
      fields: message.fields.map((field) => ({
        jsonName: field.jsonName,
        kind: field.kind,
        type: local(field.valueKind ?? field.kind, field.type),
        ...(field.valueKind && { valueKind: field.valueKind }),
        ...(field.keyType && { keyType: field.keyType }),
        ...(field.repeated && { repeated: true as const }),
        ...(field.deprecated && { deprecated: true as const }),
        ...description(field),
      })),
      aliases: message.fields.filter((f) => f.protoName !== f.jsonName).map((f) => f.protoName),
    })),
    enums: model.enums.map(({ name, values }) => ({ name, values: values.slice(1).map((value) => value.name) })),
  };
}

function unspaced(title: string): string {
  return title.replaceAll(' ', '');
}

/** Returns a description without the directives of Google's API linter, which address the authors of the proto. */
function description(from: { description?: string }): { description?: string } {
  const text = from.description
    ?.replace(/\(--[\s\S]*?--\)/g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
  return text ? { description: text } : {};
}

function shape(schema: Schema, at: string, reading: Reading): Shape {
  if (schema.$ref) return reference(schema.$ref, reading);
  if (schema.type === 'array' && schema.items) {
    const item = shape(schema.items, at, reading);
    return isSingle(item) ? { kind: item.kind, type: item.type, repeated: true } : unknownShape(schema);
  }
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    const value = shape(schema.additionalProperties, at, reading);
    return isSingle(value) ? { kind: 'map', type: value.type, valueKind: value.kind } : unknownShape(schema);
  }
  if (schema.type === 'boolean') return { kind: 'scalar', type: 'bool' };
  const values = enumValues(schema);
  if (values && schema.title) {
    const name = nameOf(schema.title, reading);
    noteEnum(name, values, at, reading);
    return { kind: 'enum', type: name };
  }
  if (schema.type === 'string') {
    if (schema.pattern?.includes('A-Za-z0-9+/')) return { kind: 'bytes', type: 'bytes' };
    return { kind: 'scalar', type: 'string' };
  }
  if (schema.type === 'number') return { kind: 'scalar', type: floatType(schema), finite: true };
  // In hand-written bundles, a number that counts something has 32 bits.
  if (schema.type === 'integer' && (schema.minimum ?? -1) >= 0) return { kind: 'scalar', type: 'uint32' };
  return (schema.anyOf && choice(schema.anyOf)) ?? unknownShape(schema);
}

/** Whether a value can be in a list or map, since protos have no nested lists. */
const isSingle = (value: Shape): value is Shape & { readonly kind: ValueKind } =>
  !value.repeated && value.kind !== 'map' && value.unknown === undefined;

function reference(ref: string, reading: Reading): Shape {
  const name = nameOf(ref.replace(/^#\/(?:\$defs|definitions)\//, ''), reading);
  const known = wellKnown.get(name);
  if (known) return known;
  if (/[./#]/.test(name)) return unknownShape({ $ref: ref });
  return { kind: 'message', type: name };
}

/**
 * Returns the names of an enum's values; undefined for a schema that is not an enum. The zero value may be a pattern.
 */
function enumValues({ anyOf, enum: own, title }: Schema): readonly string[] | undefined {
  const names = (anyOf ?? []).flatMap(({ enum: values = [], pattern = '' }) => [
    ...(/^\^([A-Za-z]\w*)\$$/.exec(pattern)?.slice(1) ?? []),
    ...values,
  ]);
  const isNumber = names.includes('NaN');
  if (names.length > 0) return isNumber ? undefined : names;
  return own && title !== undefined ? own : undefined;
}

/** Records an enum without its zero value. */
function noteEnum(name: string, values: readonly string[], at: string, { enums, zeros }: Reading): void {
  const others = values.filter((value) => !zeros.has(value));
  const before = enums.get(name);
  if (before && before.join() !== others.join()) {
    throw new SchemaError(
      `${at}: ${name} has ${others.join(', ')} here, and other values elsewhere: ${before.join(', ')}`,
    );
  }
  enums.set(name, others);
}

/** Reads a number that also accepts strings. */
function choice(choices: readonly Schema[]): Shape | undefined {
  const number = choices.find((entry) => entry.type === 'integer' || entry.type === 'number');
  if (number?.type === 'number') return { kind: 'scalar', type: floatType(number) };
  const type = number && integerTypes.get(`${number.minimum ?? ''} ${number.maximum ?? ''}`);
  return type === undefined ? undefined : { kind: 'scalar', type };
}

const floatType = ({ maximum = Number.POSITIVE_INFINITY }: Schema): string =>
  maximum > 1e38 && maximum < 1e39 ? 'float' : 'double';

/** Integer types by their range in bundles. */
const integerTypes: ReadonlyMap<string, string> = new Map([
  [' ', 'int64'],
  ['-9223372036854775808 9223372036854775807', 'int64'],
  ['-9223372036854776000 9223372036854776000', 'int64'],
  ['0 ', 'uint64'],
  ['0 18446744073709551615', 'uint64'],
  ['0 18446744073709552000', 'uint64'],
  ['-2147483648 2147483647', 'int32'],
  ['0 4294967295', 'uint32'],
]);
