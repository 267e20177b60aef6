import type { Bundle, BundleField } from './bundle.ts';
import { header, propertyKey, quote } from './emit.ts';
import type { Model } from './model.ts';

/**
 * Returns the source of the guards of a package: for each message, a function in straight-line code that says whether a
 * value is valid. To find the fault of an invalid value, a reader uses the field tables, which takes ten times as long.
 * Both are generated from the same inputs, and a property test compares them.
 *
 * @param source inputs to name in the header
 */
export function guardsSource(model: Model, bundle: Bundle, source: string): string {
  const enums = model.enums.map(({ name, values }) => {
    const names = values.map((value) => quote(value.name)).join(', ');
    return `const names${name} = new Set<unknown>([${names}]);
export const is${name} = (value: unknown): boolean => names${name}.has(value);\n`;
  });
  const guards = bundle.messages.map(({ name, fields }) => guardSource(model, name, fields));
  const rows = model.messages.map(({ name, fullName }) => `  ${quote(fullName)}: is${name},\n`);
  return `${header(source)}
import type { Guard } from '../api.ts';
import * as g from '../checks.ts';

type Fields = Readonly<Record<string, unknown>>;

${enums.join('')}
${guards.join('\n')}
/** Guards of \`${model.package}\` by full message name. */
export const guards: Readonly<Record<string, Guard>> = {
  'google.protobuf.Empty': g.isObject,
${rows.join('')}};
`;
}

function guardSource(model: Model, name: string, fields: readonly BundleField[]): string {
  const message = model.messages.find((entry) => entry.name === name);
  const lines = fields.map((field) => {
    const proto = message?.fields.find(({ jsonName }) => jsonName === field.jsonName);
    const strict = proto?.required === true && !proto.defaulted;
    const value = access(field.jsonName);
    const zero = model.enums.find((entry) => entry.name === field.type)?.values.find((v) => v.number === 0)?.name;
    const test = fieldTest(field, value, strict, zero);
    if (test === '') return '';
    const optional = proto?.required && field.kind !== 'value' ? '' : `${value} !== undefined && `;
    return `  if (${optional}!(${test})) return false;\n`;
  });
  // The canonical form of several versions allows all members of a oneof at once.
  const oneofs = (message?.oneofs ?? []).filter(({ members }) => members.length > 0);
  const choices = oneofs.map(({ members, required }) => {
    const count = members.map((member) => `Number(${access(member)} !== undefined)`).join(' + ');
    return `  if (${count} ${required ? '!== 1' : '> 1'}) return false;\n`;
  });
  const body = lines.join('') + choices.join('');
  return `export function is${name}(value: unknown): boolean {
  if (!g.isObject(value)) return false;
${body ? `  const v = value as Fields;\n${body}` : ''}  return true;
}
`;
}

function access(name: string): string {
  const key = propertyKey(name);
  return key === name ? `v.${name}` : `v[${quote(name)}]`;
}

/**
 * @param strict whether the default is invalid
 * @param zero name of the enum's zero value, if it has one
 */
function fieldTest(field: BundleField, value: string, strict: boolean, zero: string | undefined): string {
  const kind = field.valueKind ?? field.kind;
  if (field.repeated || field.kind === 'map') {
    const item = itemGuard(field);
    const keys = field.kind === 'map' && field.keyType ? `, ${keyGuard(field.keyType)}` : '';
    return `g.${field.repeated ? (strict ? 'isSomeOf' : 'isList') : 'isMap'}(${value}, ${item}${keys})`;
  }
  if (kind === 'value') return '';
  if (kind === 'scalar' && field.type === 'string') {
    return `typeof ${value} === 'string'${strict ? ` && ${value} !== ''` : ''}`;
  }
  if (kind === 'scalar' && field.type === 'bool') return `typeof ${value} === 'boolean'`;
  if (kind === 'enum') {
    const has = `names${field.type}.has(${value})`;
    return strict && zero ? `${has} && ${value} !== ${quote(zero)}` : has;
  }
  return `${itemGuard(field)}(${value})`;
}

/** Returns the source of a function that checks one value of a field. */
function itemGuard(field: BundleField): string {
  const kind = field.valueKind ?? field.kind;
  if (kind === 'message' || kind === 'enum') return `is${field.type}`;
  if (field.finite) return 'g.isNumber';
  return `g.${kind === 'scalar' ? scalarGuards[checkedType(field.type)] : kindGuards[kind as keyof typeof kindGuards]}`;
}

const kindGuards = {
  bytes: 'isBase64',
  timestamp: 'isTimestamp',
  duration: 'isDuration',
  fieldMask: 'isFieldMask',
  empty: 'isObject',
  struct: 'isObject',
  value: 'isAny',
  list: 'isArray',
};

const scalarGuards = {
  string: 'isString',
  bool: 'isBoolean',
  int32: 'isInt32',
  uint32: 'isUint32',
  int64: 'isInt64',
  uint64: 'isUint64',
  double: 'isDouble',
  float: 'isFloat',
};

/** Returns the scalar type with the same JSON form, since the wire format of integers is irrelevant in JSON. */
export function checkedType(type: string): keyof typeof scalarGuards {
  if (/^(sint|sfixed)(32|64)$/.test(type)) return type.endsWith('32') ? 'int32' : 'int64';
  if (/^fixed(32|64)$/.test(type)) return type.endsWith('32') ? 'uint32' : 'uint64';
  return type as keyof typeof scalarGuards;
}

/** Returns the guard of a map's keys. */
function keyGuard(type: string): string {
  const guard = { int64: 'isInt64', uint64: 'isUint64', int32: 'isInt32Key', uint32: 'isUint32Key', bool: 'isBoolKey' };
  return `g.${guard[checkedType(type) as keyof typeof guard]}`;
}
