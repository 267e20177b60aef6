import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { type Comments, readComments } from '../comments.ts';
import { type Image, ProtoError } from '../image.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Writes the JSON Schema bundle of a proto file in the form in which the A2A project published that of 1.0: one
 * definition per message, by title, like version 0.6.0 of `protoc-gen-jsonschema`
 * (github.com/bufbuild/protoschema-plugins) with `target=json`. There are two differences: a message that refers to
 * itself is named (the plugin writes `#`, which refers to the whole file of a bundle), and comments become
 * descriptions, never titles. Nested messages that share a name have their full names as keys.
 *
 * @param image compiled protos with comments
 * @param file name of the proto file
 * @returns the bundle as plain JSON
 * @throws ProtoError if the image does not contain the file, or the file has no messages
 */
export function writeBundle(image: Image, file: string): unknown {
  const messages = reachable(image.registry.getFile(file)?.messages ?? []);
  if (messages.length === 0) throw new ProtoError(`${file}: no messages to write a bundle of`);
  const comments = commentsOf(image);
  const definitions: Record<string, unknown> = {};
  for (const message of messages.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))) {
    const title = titleOf(message.name);
    const isAmbiguous = messages.some((other) => other !== message && other.name === message.name);
    const key = isAmbiguous ? message.typeName.slice(message.file.proto.package.length + 1) : title;
    definitions[key] = sorted({ $schema: draft, title, ...definitionOf(message, comments) });
  }
  return {
    $schema: draft,
    title: 'A2A Protocol Schemas',
    description: 'Non-normative JSON Schema bundle extracted from proto definitions.',
    version: 'v1',
    definitions,
  };
}

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** Returns the messages of a file and all messages and enums to which their fields refer, in no particular order. */
function reachable(roots: readonly DescMessage[]): DescMessage[] {
  const found = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (found.has(message)) return;
    found.add(message);
    if (wellKnown[message.typeName]) return;
    for (const field of message.fields) if (field.message) visit(field.message);
  };
  roots.forEach(visit);
  return [...found];
}

/** Returns comments by full name, without lines that address linters or the A2A project's documentation. */
function commentsOf(image: Image): Comments['of'] {
  const files = image.set.file.map((file) => readComments(file));
  return (name) => {
    for (const file of files) {
      const text = file
        .of(name)
        .description?.replace(/^(?:--8<--|protolint:).*\n?/gm, '')
        .trim();
      // The space after the slashes is preserved, as in the plugin's output.
      if (text) return { description: text.replace(/\n(?=.)/g, '\n ') };
    }
    return {};
  };
}

function definitionOf(message: DescMessage, comments: Comments['of']): Schema {
  const special = wellKnown[message.typeName];
  if (special) return special;
  if (/^google\.protobuf\.(?!Empty$)\w+Value$/.test(message.typeName)) {
    const [value] = message.fields;
    if (value) return { ...comments(nameOf(value)), ...fieldSchema(value, 'always') };
  }
  const fields = message.fields.map((field): [DescField, Schema] => [
    field,
    { ...comments(nameOf(field)), ...fieldSchema(field, field.presence) },
  ]);
  const aliases = fields.filter(([{ name, jsonName }]) => name !== jsonName);
  return {
    ...comments(message.typeName),
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(fields.map(([{ jsonName }, schema]) => [jsonName, schema])),
    ...(aliases.length > 0 && {
      patternProperties: Object.fromEntries(aliases.map(([{ name }, schema]) => [`^(${name})$`, schema])),
    }),
  };
}

const idOf = (message: DescMessage): string => `${message.typeName}.jsonschema.json`;
const nameOf = (field: DescField): string => `${field.parent.typeName}.${field.name}`;

/** Whether an absent field has a default, and which. `always`: members of lists and maps. */
type Presence = FeatureSet_FieldPresence | 'always';

function fieldSchema(field: DescField, presence: Presence): Schema {
  if (field.fieldKind === 'list') return { type: 'array', items: valueSchema(field, 'always') };
  if (field.fieldKind !== 'map') return valueSchema(field, presence);
  return {
    type: 'object',
    propertyNames: scalarSchema(field.mapKey),
    additionalProperties: valueSchema(field, 'always'),
  };
}

function valueSchema(field: DescField, presence: Presence): Schema {
  const implicit = presence === FeatureSet_FieldPresence.IMPLICIT;
  if (field.message) return { $ref: idOf(field.message) };
  if (field.enum) return enumSchema(field.enum, implicit);
  const scalar = field.scalar as ScalarType;
  return { ...scalarSchema(scalar), ...(implicit && { default: scalar in defaults ? defaults[scalar] : 0 }) };
}

/**
 * Returns a schema of values by name or number. If the zero value is the default, it is a pattern, so that editors do
 * not suggest it.
 */
function enumSchema({ name, values }: DescEnum, implicit: boolean): Schema {
  const hidden = values.filter(({ number }) => implicit && number === 0);
  const offered = values.filter((value) => !hidden.includes(value));
  return {
    title: titleOf(name),
    anyOf: [
      ...hidden.map((value) => ({ type: 'string', pattern: `^${value.name}$` })),
      ...(offered.length > 0 ? [{ type: 'string', enum: offered.map((value) => value.name) }] : []),
      { type: 'integer', minimum: -0x8000_0000, maximum: 0x7fff_ffff },
    ],
    ...(implicit && { default: 0 }),
  };
}

/** Converts a name to a title: `APIKeySecurityScheme` becomes `API Key Security Scheme`. */
const titleOf = (name: string): string => name.replace(/(?<=.)[A-Z](?=[^A-Z])/g, ' $&');

const signed = { type: 'string', pattern: '^-?[0-9]+$' };
const unsigned = { type: 'string', pattern: '^[0-9]+$' };
const int32 = { anyOf: [{ type: 'integer', minimum: -0x8000_0000, maximum: 0x7fff_ffff }, signed] };
const int64 = { anyOf: [{ type: 'integer' }, signed] };
const uint32 = { anyOf: [{ type: 'integer', minimum: 0, maximum: 0xffff_ffff }, unsigned] };
const uint64 = { anyOf: [{ type: 'integer', minimum: 0 }, unsigned] };
const maxFloat = 3.4028234663852886e38;
const notNumbers = [{ type: 'string', enum: ['Infinity', '-Infinity', 'NaN'] }, { type: 'string' }];

const scalars: Readonly<Record<ScalarType, Schema>> = {
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BYTES]: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
  [ScalarType.FLOAT]: { anyOf: [{ type: 'number', minimum: -maxFloat, maximum: maxFloat }, ...notNumbers] },
  [ScalarType.DOUBLE]: { anyOf: [{ type: 'number' }, ...notNumbers] },
};
const scalarSchema = (type: ScalarType): Schema => scalars[type];

/** Defaults other than 0. The plugin writes null for bytes. */
const defaults: Partial<Record<ScalarType, unknown>> = {
  [ScalarType.BOOL]: false,
  [ScalarType.STRING]: '',
  [ScalarType.BYTES]: null,
};

/** Messages with a special JSON form. */
const wellKnown: Readonly<Record<string, Schema>> = {
  'google.protobuf.Any': { type: 'object', properties: { '@type': { type: 'string' } } },
  'google.protobuf.Duration': { type: 'string', format: 'duration' },
  'google.protobuf.FieldMask': { type: 'string' },
  'google.protobuf.ListValue': { type: 'array' },
  'google.protobuf.Struct': { type: 'object' },
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Value': {},
};

/** Returns JSON with the members of all objects sorted by name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}
