import { A2AError } from '../core/model/errors.ts';
import type { Api, Field, FieldTables } from '../gen/api.ts';
import { exactInteger } from './exact-numbers.ts';
import { cachedByType, canonicalValue, defaultOf, type EnumNames } from './values.ts';

/** Precomputed facts for normalizing a field. */
interface FieldPlan {
  readonly field: Field;
  /** Whether the field is a message, or a list or map of messages. */
  readonly isMessage: boolean;
  /** Plan of that message. Messages may be recursive, so it is determined on first use. */
  message: MessagePlan | undefined;
  readonly tables: FieldTables;
  readonly names: EnumNames | undefined;
  /** Whether the field is omitted if it has its default. */
  readonly droppable: boolean;
  /** Default of one value; undefined for messages. */
  readonly zero: unknown;
  /** Whether the field is a 64-bit integer, or a list or map of them. */
  readonly long: boolean;
}

interface MessagePlan {
  /** Fields by JSON name and by proto name. */
  readonly byName: ReadonlyMap<string, FieldPlan>;
  /** Fields that are written with their default if they are absent. */
  readonly defaulted: readonly FieldPlan[];
}

type MutableJson = Record<string, unknown>;

/** Path of the current value, for errors. A module variable, since normalizing is synchronous. */
let path: (string | number)[] = [];

/**
 * Converts ProtoJSON to its canonical form: camelCase names (snake_case is accepted), null as absent, enums by name,
 * numbers in strings as numbers, 64-bit integers as strings, padded base64, timestamps in UTC with milliseconds, no
 * unknown keys, no defaults for fields without presence, defaults for fields that are required and may be empty.
 *
 * Values of the wrong type are kept for the validator to report. The input is never modified, and is itself returned if
 * it is canonical.
 *
 * @param typeName full message name
 * @throws A2AError `invalidParams` for a field that is given in both spellings, and for a key `__proto__`
 */
export function normalize(api: Api, typeName: string, value: unknown): unknown {
  path = [];
  return normalizeMessage(planOf(api.fields, typeName), value);
}

/** Formats a path for errors: `message.parts[0].text`. */
export function formatPath(steps: readonly PropertyKey[]): string {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text;
}

const planOf = cachedByType((tables, typeName): MessagePlan => {
  const table = tables.messages[typeName];
  if (!table) throw new Error(`no message ${typeName}`);
  const byName = new Map<string, FieldPlan>();
  const fieldPlans = table.fields.map((field): FieldPlan => {
    const kind = field.valueKind ?? field.kind;
    const names = kind === 'enum' ? enumNames(tables, field.type) : undefined;
    return {
      field,
      isMessage: kind === 'message',
      message: undefined,
      tables,
      names,
      droppable: !field.presence && !field.required,
      zero: field.kind === 'map' || field.repeated ? undefined : defaultOf(field, names),
      long: kind === 'scalar' && field.type.endsWith('64'),
    };
  });
  // JSON names are set last: in A2A 0.3 one field's JSON name could be another's proto name.
  for (const plan of fieldPlans) byName.set(plan.field.protoName, plan);
  for (const plan of fieldPlans) byName.set(plan.field.jsonName, plan);
  return { byName, defaulted: fieldPlans.filter(({ field }) => field.defaulted) };
});

function enumNames(tables: FieldTables, typeName: string): EnumNames {
  const byNumber = new Map<number, string>();
  // If aliases share a number, the first name is used, as in protobuf.
  for (const [name, number] of Object.entries(tables.enums[typeName] ?? {})) {
    if (!byNumber.has(number)) byNumber.set(number, name);
  }
  return { byNumber, zero: byNumber.get(0) };
}

function normalizeMessage(plan: MessagePlan, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const input = value as MutableJson;
  let output: MutableJson | undefined;
  for (const key in input) {
    const fieldPlan = plan.byName.get(key);
    const before = input[key];
    const after = fieldPlan && normalizeField(fieldPlan, fieldPlan.long ? exactly(before, input, key) : before);
    const name = fieldPlan?.field.jsonName;
    if (output === undefined) {
      if (after === before && name === key && after !== undefined) continue;
      output = copyUntil(input, key);
    }
    if (after === undefined || name === undefined) continue;
    if (name in output && Object.hasOwn(output, name)) {
      path.push(name);
      throw problem('is given twice, by its JSON name and by its proto name');
    }
    output[name] = after;
  }
  for (const { field, names } of plan.defaulted) {
    if (Object.hasOwn(output ?? input, field.jsonName)) continue;
    output ??= { ...input };
    output[field.jsonName] = defaultOf(field, names);
  }
  return output ?? input;
}

/** Copies the entries before `key`, which are already canonical. */
function copyUntil(input: MutableJson, key: string): MutableJson {
  const output: MutableJson = {};
  for (const earlier in input) {
    if (earlier === key) break;
    output[earlier] = input[earlier];
  }
  return output;
}

/** Returns the canonical value of a field; undefined if it is absent. */
function normalizeField(plan: FieldPlan, value: unknown): unknown {
  const { field } = plan;
  if (value === null) return field.kind === 'value' && !field.repeated ? null : undefined;
  if (field.repeated) {
    if (!Array.isArray(value)) return value;
    return value.length === 0 && plan.droppable ? undefined : normalizeList(plan, value);
  }
  if (field.kind === 'map') {
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    return normalizeMap(plan, value as MutableJson);
  }
  if (plan.isMessage) {
    path.push(field.jsonName);
    plan.message ??= planOf(plan.tables, field.type);
    const result = normalizeMessage(plan.message, value);
    path.pop();
    return result;
  }
  const result = canonicalValue(field.kind, field.type, value, plan.names);
  return plan.droppable && (result === plan.zero || result === '') ? undefined : result;
}

/** Returns a 64-bit integer member of `holder`; for a number beyond 2^53, the digits that the sender wrote. */
function exactly(value: unknown, holder: object, key: string): unknown {
  return typeof value === 'number' ? (exactInteger(holder, key) ?? value) : value;
}

function normalizeList(plan: FieldPlan, list: readonly unknown[]): readonly unknown[] {
  let output: unknown[] | undefined;
  path.push(plan.field.jsonName, 0);
  for (let i = 0; i < list.length; i++) {
    path[path.length - 1] = i;
    const after = normalizeItem(plan, plan.long ? exactly(list[i], list, String(i)) : list[i]);
    if (output === undefined && after !== list[i]) output = list.slice();
    if (output !== undefined) output[i] = after;
  }
  path.length -= 2;
  return output ?? list;
}

function normalizeMap(plan: FieldPlan, map: MutableJson): MutableJson | undefined {
  const keys = Object.keys(map);
  if (keys.length === 0 && plan.droppable) return undefined;
  let output: MutableJson | undefined;
  path.push(plan.field.jsonName, '');
  for (const key of keys) {
    path[path.length - 1] = key;
    if (key === '__proto__') throw problem('is not allowed as a key');
    const after = normalizeItem(plan, plan.long ? exactly(map[key], map, key) : map[key]);
    if (output === undefined && after !== map[key]) output = { ...map };
    if (output !== undefined) output[key] = after;
  }
  path.length -= 2;
  return output ?? map;
}

function normalizeItem(plan: FieldPlan, value: unknown): unknown {
  const { kind, valueKind, type } = plan.field;
  if (plan.isMessage) {
    plan.message ??= planOf(plan.tables, type);
    return normalizeMessage(plan.message, value);
  }
  return canonicalValue(valueKind ?? (kind as Exclude<typeof kind, 'map'>), type, value, plan.names);
}

function problem(description: string): A2AError {
  const field = formatPath(path);
  return A2AError.invalidParams(`Invalid parameters: ${field} ${description}`, [{ field, description }]);
}
