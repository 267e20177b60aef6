import { isObject } from '../../core/model/json.ts';
import type { Api } from '../../gen/api.ts';

/** Facts from which the generation of a task is known; 0: the gateway does not store the task, and adds none. */
interface Counted {
  readonly generation: number;
}

/** Adds the generations of tasks to values of one type: stored tasks and events do not contain them. */
export interface Addition {
  /** @param of facts of the tasks in the value, in their order */
  to<T>(value: T, of: readonly Counted[]): T;
  /** Adds to the value's JSON text; undefined if the value must be stringified. */
  toText(json: string, of: Counted): string | undefined;
}

/** Location of a type's generation: in itself, in its only member, or in the items of its only member. */
interface Place {
  readonly member?: string;
  readonly repeated?: true;
}

/**
 * Returns the addition for values of a type: to the type itself, or to the messages in its fields. Undefined for types
 * without one.
 *
 * @throws TypeError for an added field that this function does not handle
 */
export function additionOf({ fields }: Api, typeName: string): Addition | undefined {
  const isCounted = (type: string): boolean => {
    const added = (fields.messages[type]?.fields ?? []).filter((field) => field.added);
    const unknown = added.find(({ jsonName }) => jsonName !== 'generation');
    if (unknown) throw new TypeError(`nothing adds ${type}.${unknown.jsonName}`);
    return added.length > 0;
  };
  const members = (fields.messages[typeName]?.fields ?? []).flatMap(({ jsonName, kind, type, repeated }): Place[] =>
    kind === 'message' && isCounted(type) ? [{ member: jsonName, ...(repeated && { repeated }) }] : [],
  );
  const places: readonly Place[] = isCounted(typeName) ? [{}] : members;
  if (places.length === 0) return undefined;
  const heads = places.map(({ member, repeated }) =>
    repeated ? undefined : member === undefined ? '{' : `{${JSON.stringify(member)}:{`,
  );
  return {
    to: (value, of) => (isObject(value) ? added(places, value, of) : value) as typeof value,
    toText(json, { generation }) {
      const head = heads.find((one) => one !== undefined && json.startsWith(one));
      if (head === undefined) return undefined;
      return generation > 0 ? `${head}"generation":"${generation}",${json.slice(head.length)}` : json;
    },
  };
}

function added(
  places: readonly Place[],
  value: Record<string, unknown>,
  of: readonly Counted[],
): Record<string, unknown> {
  const counted = (one: unknown, at: number): unknown => {
    const generation = of[at]?.generation ?? 0;
    return generation > 0 && isObject(one) ? { generation: String(generation), ...one } : one;
  };
  for (const { member, repeated } of places) {
    if (member === undefined) return counted(value, 0) as Record<string, unknown>;
    const before = value[member];
    if (before === undefined) continue;
    return { ...value, [member]: repeated && Array.isArray(before) ? before.map(counted) : counted(before, 0) };
  }
  return value;
}
