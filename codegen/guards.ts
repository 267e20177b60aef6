import type { Bundle, BundleField } from './bundle.ts';
import { header, propertyKey, quote } from './emit.ts';
import type { Model } from './model.ts';

/**
 * Source of the guards of a package: one function per message that says whether a value is valid, in straight-line
 * code. A validator asks the guard first and zod only when it says no, to learn what is wrong: a guard takes a tenth
 * of the time. Both come from the same inputs, and a property test holds them against each other.
 *
 * @param source what the header names as the input
 */
export function guardsSource(model: Model, bundle: Bundle, source: string): string {
  const enums = model.enums.map(({ name, values }) => {
    const names = values.map((value) => quote(value.name)).join(', ');
    return `const names${name} = new Set<unknown>([${names}]);
export const is${name} = (value: unknown): boolean => names${name}.has(value);\n`;
  });
  const guards = bundle.messages.map(({ name, fields }) => guardSource(model, name, fields));
  const used = new Set([...guards.join('').matchAll(/\b(?:g)\.(\w+)/g)].map(([, helper]) => helper));
  return `${header(source)}
${used.size > 0 ? "import * as g from '../checks.ts';\n\n" : ''}type Fields = Readonly<Record<string, unknown>>;

${enums.join('')}
${guards.join('\n')}`;
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
  const choices = (message?.oneofs ?? []).map(({ members, required }) => {
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
 * @param strict the default is not legal
 * @param zero name of the enum's zero value, for an enum that has one
 */
function fieldTest(field: BundleField, value: string, strict: boolean, zero: string | undefined): string {
  const kind = field.valueKind ?? field.kind;
  if (field.repeated || field.kind === 'map') {
    const item = itemGuard(field);
    const keys = field.kind === 'map' && field.keyType ? `, ${keyGuard(field.keyType).guard}` : '';
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

/**
 * Source of a function that judges one value of a field.
 *
 * @param checks name under which the checks are imported
 * @param guards prefix of the guards of messages and enums
 */
export function itemGuard(field: BundleField, checks = 'g', guards = ''): string {
  const kind = field.valueKind ?? field.kind;
  if (kind === 'message' || kind === 'enum') return `${guards}is${field.type}`;
  if (field.finite) return `${checks}.isNumber`;
  return `${checks}.${kind === 'scalar' ? scalarGuards[checkedType(field.type)] : kindGuards[kind as keyof typeof kindGuards]}`;
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

/** The scalar types that differ in JSON. */
export type CheckedType = keyof typeof scalarGuards;

/** The scalar type with the same JSON form: how an integer is written on the wire makes no difference. */
export function checkedType(type: string): CheckedType {
  if (/^(sint|sfixed)(32|64)$/.test(type)) return type.endsWith('32') ? 'int32' : 'int64';
  if (/^fixed(32|64)$/.test(type)) return type.endsWith('32') ? 'uint32' : 'uint64';
  return type as CheckedType;
}

/** What judges the keys of a map, and what to call them. */
export function keyGuard(type: string, checks = 'g'): { guard: string; phrase: string } {
  const checked = checkedType(type);
  const guard = { int64: 'isInt64', uint64: 'isUint64', int32: 'isInt32Key', uint32: 'isUint32Key', bool: 'isBoolKey' };
  const phrase = checked === 'bool' ? 'true or false' : `a number of type ${checked}`;
  return { guard: `${checks}.${guard[checked as keyof typeof guard]}`, phrase };
}
