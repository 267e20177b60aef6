import type { Oneof } from '../../src/gen/api.ts';
import type { Bundle, BundleField } from '../bundle.ts';
import { literal, propertyKey, quote } from '../emit.ts';
import { checkedType } from '../guards.ts';
import type { Model, ModelField, ModelMessage } from '../model.ts';
import { helpersSource } from './zod-helpers.ts';

/**
 * Returns the source of the zod validators of a package: one for each message and enum, typed by `types.ts`. They
 * accept every form that ProtoJSON readers must accept, and return the canonical form, which the types describe, with
 * omitted required members that may be empty filled in.
 *
 * @param types module specifier of the types
 */
export function zodSource(model: Model, bundle: Bundle, types: string): string {
  const enums = model.enums.map(
    ({ name, values }) => `${doc(`Validates \`${name}\`.`)}export const ${name}Schema: z.ZodType<t.${name}> = enumOf({
${values.map((value) => `  ${propertyKey(value.name)}: ${value.number},\n`).join('')}});
`,
  );
  const messages = bundle.messages.map(({ name, fields }) => messageSchema(model, name, fields));
  const body = [...enums, ...messages].join('\n');
  const isTaken = model.messages.some(({ name }) => name === 'Empty');
  const empty = isTaken
    ? ''
    : `${doc('Validates a message without content (google.protobuf.Empty).')}export const EmptySchema: z.ZodType<t.Empty> = z.custom<t.Empty>(isObject, 'expected an object');
`;
  return `import { z } from 'zod';
import type * as t from ${quote(types)};

${helpersSource(`${empty}${body}`)}/** A schema for each field of a type, and for nothing else. */
type Fields<T> = { readonly [K in keyof Required<T>]: z.ZodType };

${empty}
${body}`;
}

const doc = (text: string): string => `/** ${text} */\n`;

function messageSchema(model: Model, name: string, fields: readonly BundleField[]): string {
  const message = model.messages.find((entry) => entry.name === name);
  const lines = fields.map((field) => {
    const proto = message?.fields.find(({ jsonName }) => jsonName === field.jsonName);
    const text = fieldSchema(model, field, proto);
    const key = propertyKey(field.jsonName);
    // A getter, read when the first value is validated, so that messages may refer to each other in any order.
    return isNamed(field) ? `  get ${key}() {\n    return ${text};\n  },\n` : `  ${key}: ${text},\n`;
  });
  const choices = (message?.oneofs ?? []).filter(({ members }) => members.length > 0).map(oneofCheck);
  const [start, margin] = choices.length > 0 ? ['z\n    ', '      '] : ['z', '    '];
  const indented = lines.map((line) => line.replace(/^ *(?=.)/gm, (found) => margin + found.slice(2))).join('');
  const end = `${margin.slice(2)}} satisfies Fields<t.${name}>)`;
  const schema = `${start}.looseObject({\n${indented}${end}${choices.join('')}`;
  return `${doc(`Validates \`${name}\`.`)}export const ${name}Schema: z.ZodType<t.${name}> = message(
  ${[schema, ...namesOf(message, fields)].join(',\n  ')},
);
`;
}

/**
 * Returns, as arguments, the proto names that differ from the JSON names, and the members for which null is a value.
 */
function namesOf(message: ModelMessage | undefined, fields: readonly BundleField[]): string[] {
  const jsonNames = new Set(fields.map(({ jsonName }) => jsonName));
  const renamed = (message?.fields ?? []).filter(({ protoName }) => !jsonNames.has(protoName));
  const names = literal(Object.fromEntries(renamed.map(({ protoName, jsonName }) => [protoName, jsonName])));
  const nulls = fields.filter(({ kind, repeated }) => kind === 'value' && !repeated).map(({ jsonName }) => jsonName);
  if (nulls.length > 0) return [names, literal(nulls)];
  return renamed.length > 0 ? [names] : [];
}

/** Whether a schema refers to that of another message or enum. */
function isNamed({ kind, valueKind }: BundleField): boolean {
  const value = valueKind ?? kind;
  return value === 'message' || value === 'enum' || value === 'empty';
}

const oneofCheck = ({ members, required }: Oneof): string =>
  `\n    .refine(${required ? 'hasOne' : 'hasAtMostOne'}(${literal(members)}), ${quote(
    members.length === 1 && required
      ? `${members[0]} is missing`
      : `expected ${required ? 'exactly' : 'at most'} one of ${members.join(', ')}`,
  )})`;

function fieldSchema(model: Model, field: BundleField, proto: ModelField | undefined): string {
  const strict = proto?.required === true && !proto.defaulted;
  const one = valueSchema(field);
  let text = one;
  if (field.kind === 'map') text = `map(${keySchema(field.keyType)}, ${one})`;
  else if (field.repeated) text = `list(${one}${strict ? ', 1' : ''})`;
  else if (strict && field.kind === 'scalar' && field.type === 'string') text = `${one}.min(1)`;
  else if (strict && field.kind === 'enum') {
    const zero = zeroOf(model, field);
    if (zero !== undefined) text = `${one}.refine((value) => value !== ${quote(zero)}, 'expected a value')`;
  }
  if (proto?.required === true) return proto.defaulted ? withDefault(model, field, text) : text;
  return field.kind === 'value' && !field.repeated ? `${text}.optional()` : `${text}.exactOptional()`;
}

const zeroOf = (model: Model, field: BundleField): string | undefined =>
  model.enums.find(({ name }) => name === field.type)?.values.find(({ number }) => number === 0)?.name;

/** Adds the default of a required field that may be empty, since ProtoJSON writers then omit the field. */
function withDefault(model: Model, field: BundleField, text: string): string {
  const value = defaultOf(model, field);
  return value === undefined ? text : `${text}.default(${value})`;
}

function defaultOf(model: Model, field: BundleField): string | undefined {
  if (field.repeated) return '() => []';
  if (field.kind === 'map') return '() => ({})';
  if (field.kind === 'enum') {
    const zero = zeroOf(model, field);
    return zero === undefined ? undefined : quote(zero);
  }
  if (field.kind === 'bytes') return "''";
  if (field.kind !== 'scalar') return undefined;
  if (field.type === 'string') return "''";
  if (field.type === 'bool') return 'false';
  return field.type.endsWith('64') ? "'0'" : '0';
}

/** Returns the schema of one value of a field. */
function valueSchema(field: BundleField): string {
  const kind = field.valueKind ?? field.kind;
  if (kind === 'message' || kind === 'enum') return `${field.type}Schema`;
  if (field.finite) return 'finite';
  return kind === 'scalar' ? scalarSchemas[checkedType(field.type)] : kindSchemas[kind as keyof typeof kindSchemas];
}

const kindSchemas = {
  bytes: 'base64',
  timestamp: 'timestamp',
  duration: 'duration',
  fieldMask: 'fieldMask',
  empty: 'EmptySchema',
  struct: 'struct',
  value: 'z.unknown()',
  list: 'z.array(z.unknown())',
};

const scalarSchemas = {
  string: 'z.string()',
  bool: 'z.boolean()',
  int32: 'int32',
  uint32: 'uint32',
  int64: 'int64',
  uint64: 'uint64',
  double: 'double',
  float: 'float',
};

/** Returns the schema of map keys, which are strings in JSON. */
function keySchema(type: string | undefined): string {
  if (type === undefined) return 'z.string()';
  const schemas = { int64: 'int64Key', uint64: 'uint64Key', int32: 'int32Key', uint32: 'uint32Key', bool: 'boolKey' };
  return schemas[checkedType(type) as keyof typeof schemas];
}
