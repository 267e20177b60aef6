import { localName, type Model } from './model.ts';
import type { ValueKind } from './templates/api.ts';

/** A field as the JSON Schema bundle describes it. */
export interface BundleField {
  readonly jsonName: string;
  readonly kind: ValueKind | 'map';
  /** Scalar type, or the local name of a message or enum; of the values, for a map. */
  readonly type: string;
  readonly valueKind?: ValueKind;
  readonly repeated?: true;
  readonly description?: string;
}

export interface BundleMessage {
  readonly name: string;
  readonly description?: string;
  readonly fields: readonly BundleField[];
  /** Proto names that the bundle admits besides the JSON names. */
  readonly aliases: readonly string[];
}

/** A JSON Schema bundle in the vocabulary of the model, well-known types resolved. */
export interface Bundle {
  readonly messages: readonly BundleMessage[];
  /** Value names without the zero value, which the bundle keeps apart. */
  readonly enums: readonly { name: string; values: readonly string[] }[];
}

/** The bundle is not one, or uses a shape that the generators do not know. */
export class SchemaError extends Error {}

/** The parts of JSON Schema that bundles use, those made from protos and those written for people. */
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

type Shape = Pick<BundleField, 'kind' | 'type' | 'valueKind' | 'repeated'>;

const wellKnown: Readonly<Record<string, Shape>> = {
  'google.protobuf.Struct': { kind: 'struct', type: 'google.protobuf.Struct' },
  'google.protobuf.Value': { kind: 'value', type: 'google.protobuf.Value' },
  'google.protobuf.Timestamp': { kind: 'timestamp', type: 'google.protobuf.Timestamp' },
};

/**
 * Reads a bundle: definitions keyed by titles with spaces, references by type name, snake_case aliases as
 * `patternProperties`, enums that also take numbers, integers that also take strings. Those that are written for people
 * refer by `#/definitions/NAME` and have plain numbers.
 *
 * @param json the parsed file
 * @param pkg the proto package that it describes
 * @throws SchemaError naming the place
 */
export function readBundle(json: unknown, pkg: string): Bundle {
  const definitions = (json as { definitions?: Record<string, Schema> } | null)?.definitions;
  if (typeof definitions !== 'object' || definitions === null) throw new SchemaError('the bundle has no definitions');
  const enums = new Map<string, readonly string[]>();
  const messages: BundleMessage[] = [];
  for (const [title, schema] of Object.entries(definitions)) {
    const name = unspaced(title);
    if (`google.protobuf.${name}` in wellKnown) continue;
    if (schema.type !== 'object' || !schema.properties) throw new SchemaError(`${title}: not a message`);
    messages.push({
      name,
      ...description(schema),
      fields: Object.entries(schema.properties).map(([jsonName, property]) => ({
        jsonName,
        ...shape(property, pkg, `${name}.${jsonName}`, enums),
        ...description(property),
      })),
      aliases: Object.keys(schema.patternProperties ?? {}).map((pattern) => pattern.replace(/^\^\((.*)\)\$$/, '$1')),
    });
  }
  return { messages, enums: [...enums].map(([name, values]) => ({ name, values })) };
}

/** The bundle that a proto without a published one would have. */
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
        ...(field.repeated && { repeated: true as const }),
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

/** Descriptions without the directives of Google's API linter, which address the proto's authors. */
function description(from: { description?: string }): { description?: string } {
  const text = from.description
    ?.replace(/\(--[\s\S]*?--\)/g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
  return text ? { description: text } : {};
}

function shape(schema: Schema, pkg: string, at: string, enums: Map<string, readonly string[]>): Shape {
  if (schema.$ref) return reference(schema.$ref, pkg, at);
  if (schema.type === 'array' && schema.items) {
    return { ...single(shape(schema.items, pkg, at, enums), at), repeated: true };
  }
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    const value = single(shape(schema.additionalProperties, pkg, at, enums), at);
    return { kind: 'map', type: value.type, valueKind: value.kind };
  }
  if (schema.type === 'boolean') return { kind: 'scalar', type: 'bool' };
  if (schema.type === 'string') {
    if (schema.pattern?.includes('A-Za-z0-9+/')) return { kind: 'bytes', type: 'bytes' };
    return { kind: 'scalar', type: 'string' };
  }
  if (schema.type === 'number') return { kind: 'scalar', type: 'double' };
  if (schema.type === 'integer' && (schema.minimum ?? -1) >= 0) return { kind: 'scalar', type: 'uint32' };
  if (schema.anyOf) return choice(schema, schema.anyOf, at, enums);
  throw new SchemaError(`${at}: a shape that the generators do not know: ${JSON.stringify(schema)}`);
}

function single(value: Shape, at: string): { kind: ValueKind; type: string } {
  if (value.repeated || value.kind === 'map') throw new SchemaError(`${at}: a list or map inside another`);
  return { kind: value.kind, type: value.type };
}

function reference(ref: string, pkg: string, at: string): Shape {
  const local = /^#\/definitions\/(\w+)$/.exec(ref)?.[1];
  if (local !== undefined) return wellKnown[`google.protobuf.${local}`] ?? { kind: 'message', type: local };
  const name = ref.replace(/\.jsonschema\.json$/, '');
  const known = wellKnown[name];
  if (known) return known;
  if (!name.startsWith(`${pkg}.`)) throw new SchemaError(`${at}: reference to ${name}, which is not in ${pkg}`);
  return { kind: 'message', type: localName(name, pkg) };
}

/** An enum that takes names and numbers, or a number that takes strings. */
function choice(schema: Schema, choices: readonly Schema[], at: string, enums: Map<string, readonly string[]>): Shape {
  const names = choices.find((entry) => entry.enum)?.enum;
  if (names && schema.title) {
    const name = unspaced(schema.title);
    const before = enums.get(name);
    if (before && before.join() !== names.join()) throw new SchemaError(`${at}: ${name} has other values elsewhere`);
    enums.set(name, names);
    return { kind: 'enum', type: name };
  }
  const number = choices.find((entry) => entry.type === 'integer' || entry.type === 'number');
  if (number?.type === 'number') return { kind: 'scalar', type: 'double' };
  if (number?.minimum === -2147483648 && number.maximum === 2147483647) return { kind: 'scalar', type: 'int32' };
  if (number?.minimum === 0 && number.maximum === 4294967295) return { kind: 'scalar', type: 'uint32' };
  throw new SchemaError(`${at}: a choice that the generators do not know: ${JSON.stringify(schema)}`);
}
