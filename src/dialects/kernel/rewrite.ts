import { isObject } from '../../core/model/json.ts';
import type { Field, FieldTables } from '../../gen/api.ts';

/**
 * Changes the value of a field. Undefined as the result: the field is left out.
 *
 * @param losses filled with `path` if something is lost; undefined: not needed
 * @param holder the message that has the field
 */
export type Change = (
  value: unknown,
  losses: Set<string> | undefined,
  path: string,
  holder: Readonly<Record<string, unknown>>,
) => unknown;

/** Changes to values of one type. */
export interface Rewrite {
  /** The fields that change, get another name or are filled in, wherever values of the type have them. */
  readonly fields: readonly ChangedField[];
  /** Returns the changed value; the same object if nothing changed. */
  of<T>(value: T, losses?: Set<string>): T;
}

interface ChangedField {
  readonly field: Field;
  /** Full name of the message to which the field belongs. */
  readonly of: string;
  readonly path: string;
}

type ChangeOf = (field: Field, typeName: string) => Change | undefined;

/** Returns the value for a field that is absent. */
export type Fill = () => unknown;

interface Step {
  readonly name: string;
  /** The new name of the field. */
  readonly to: string;
  /** Change of the value. Absent: the value stays. */
  readonly change?: Change;
  /** Value for an absent field. Absent: the field stays absent. */
  readonly fill?: Fill;
}

type Steps = Step[];

/**
 * Finds the changes to values by type. Undefined for a type without any.
 *
 * @param changeOf the change of a field, if it changes
 * @param nameOf the name of a field afterwards. Default: unchanged
 * @param fillOf the value for a field that is absent, or left out. Default: none
 */
export function rewrites(
  { messages }: FieldTables,
  changeOf: ChangeOf,
  nameOf: (field: Field, typeName: string) => string = ({ jsonName }) => jsonName,
  fillOf: (field: Field, typeName: string) => Fill | undefined = () => undefined,
): (typeName: string) => Rewrite | undefined {
  const known = new Map<string, Steps>();
  const isOther = (field: Field, typeName: string): boolean =>
    nameOf(field, typeName) !== field.jsonName || fillOf(field, typeName) !== undefined;
  const changed = typesThatChange(
    messages,
    (field, name) => changeOf(field, name) !== undefined || isOther(field, name),
  );
  const changing = (typeName: string, at = '', above: readonly string[] = []): Rewrite['fields'] =>
    (messages[typeName]?.fields ?? []).flatMap((field) => {
      const path = at + field.jsonName;
      const own = { field, of: typeName, path };
      if (changeOf(field, typeName)) return [own];
      const within = [...above, typeName];
      const isHolder = changed.has(field.type) && !within.includes(field.type);
      return [
        ...(isOther(field, typeName) ? [own] : []),
        ...(isHolder ? changing(field.type, `${path}.`, within) : []),
      ];
    });
  const stepsOf = (typeName: string): Steps => {
    const found = known.get(typeName);
    if (found) return found;
    const steps: Steps = [];
    // A type that contains itself is finished last.
    known.set(typeName, steps);
    for (const field of messages[typeName]?.fields ?? []) {
      const name = field.jsonName;
      const to = nameOf(field, typeName);
      const fill = fillOf(field, typeName);
      const below = changed.has(field.type) ? changeBelow(field, stepsOf(field.type)) : undefined;
      const change = changeOf(field, typeName) ?? below;
      if (change || fill || to !== name) steps.push({ name, to, ...(change && { change }), ...(fill && { fill }) });
    }
    return steps;
  };
  return (typeName) => {
    const fields = changing(typeName);
    if (fields.length === 0) return undefined;
    const steps = stepsOf(typeName);
    return { fields, of: (value, losses) => rewritten(steps, value, losses, '') };
  };
}

/** Returns the types in whose values something can change, at any depth. */
function typesThatChange(
  messages: FieldTables['messages'],
  changes: (field: Field, typeName: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [name, { fields }] of Object.entries(messages)) {
      if (!found.has(name) && fields.some((field) => found.has(field.type) || changes(field, name))) found.add(name);
    }
  }
  return found;
}

/** Returns the change of a message, or of each in a list or a map. */
function changeBelow({ kind }: Field, steps: Steps): Change {
  return (value, losses, path) => {
    const at = losses ? `${path}.` : '';
    if (Array.isArray(value)) return rewrittenAll(steps, value, losses, at);
    if (kind !== 'map' || !isObject(value)) return rewritten(steps, value, losses, at);
    const before = Object.values(value);
    const after = rewrittenAll(steps, before, losses, at);
    return after === before ? value : Object.fromEntries(Object.keys(value).map((key, index) => [key, after[index]]));
  };
}

function rewrittenAll(
  steps: Steps,
  list: readonly unknown[],
  losses: Set<string> | undefined,
  at: string,
): readonly unknown[] {
  let output: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = rewritten(steps, list[i], losses, at);
    if (item === list[i]) continue;
    output ??= [...list];
    output[i] = item;
  }
  return output ?? list;
}

function rewritten<T>(steps: Steps, value: T, losses: Set<string> | undefined, at: string): T {
  if (!isObject(value)) return value;
  let output: Record<string, unknown> | undefined;
  for (const { name, to, change, fill } of steps) {
    const before = value[name];
    if (before === undefined && fill === undefined) continue;
    const own =
      change === undefined || before === undefined ? before : change(before, losses, losses ? at + name : '', value);
    const after = own === undefined ? fill?.() : own;
    if (after === before && to === name) continue;
    output ??= { ...value };
    // No version reuses the name of a field for another field.
    if (after === undefined || to !== name) delete output[name];
    if (after !== undefined) output[to] = after;
  }
  return (output ?? value) as T;
}
