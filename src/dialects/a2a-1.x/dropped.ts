import { isObject } from '../../core/model/json.ts';
import type { Api, Field } from '../../gen/api.ts';

/** What an older version of A2A 1.x lacks of one type of the canonical form. */
export interface Drop {
  /** Whether stored JSON may hold some of it. */
  readonly isStored: boolean;
  /** Schema paths of all of it. */
  readonly paths: readonly string[];
  /**
   * The value without it; the same object when it had none.
   *
   * @param losses filled with the paths of what is dropped
   * @param at path of the value, with its dot
   */
  from<T>(value: T, losses: Set<string>, at?: string): T;
}

interface Step {
  readonly field: Field;
  /** How values of the field change; absent: the field is dropped. */
  readonly below?: TypeSteps;
}

/** The fields of a type that have to change, or may have to: a type that contains itself is finished last. */
interface TypeSteps {
  steps: readonly Step[];
}

/**
 * Finds what a version lacks, by type. Undefined for a type that it has whole, with all that values of it contain.
 *
 * @param own the version
 */
export function dropsOf(
  canonical: Pick<Api, 'fields'>,
  own: Pick<Api, 'fields'>,
): (typeName: string) => Drop | undefined {
  const known = new Map<string, TypeSteps>();
  const stepsOf = (typeName: string): TypeSteps => {
    const found = known.get(typeName);
    if (found) return found;
    const made: TypeSteps = { steps: [] };
    known.set(typeName, made);
    const fields = own.fields.messages[typeName]?.fields ?? [];
    made.steps = (canonical.fields.messages[typeName]?.fields ?? []).flatMap((field): Step[] => {
      if (!fields.some(({ jsonName }) => jsonName === field.jsonName)) return [{ field }];
      if ((field.valueKind ?? field.kind) !== 'message') return [];
      return [{ field, below: stepsOf(field.type) }];
    });
    return made;
  };
  return (typeName) => {
    const start = stepsOf(typeName);
    const lacking = lackingBelow(start);
    if (lacking.length === 0) return undefined;
    const needed = onlyNeeded(start);
    return {
      isStored: lacking.some(({ field }) => !field.added),
      paths: lacking.map(({ path }) => path),
      from: (value, losses, at = '') => dropped(needed, value, losses, at),
    };
  };
}

/** Every lacking field below a type, by its path. */
function lackingBelow(start: TypeSteps): { readonly field: Field; readonly path: string }[] {
  const visit = ({ steps }: TypeSteps, at: string, above: readonly TypeSteps[]) =>
    steps.flatMap(({ field, below }): { field: Field; path: string }[] => {
      const path = at + field.jsonName;
      if (!below) return [{ field, path }];
      return above.includes(below) ? [] : visit(below, `${path}.`, [...above, below]);
    });
  return visit(start, '', [start]);
}

/** The steps that lead to lacking fields. */
function onlyNeeded(start: TypeSteps): TypeSteps {
  const known = new Map<TypeSteps, TypeSteps>();
  const copy = (from: TypeSteps): TypeSteps => {
    const found = known.get(from);
    if (found) return found;
    const made: TypeSteps = { steps: [] };
    known.set(from, made);
    made.steps = from.steps.flatMap(({ field, below }): Step[] => {
      if (!below) return [{ field }];
      return lackingBelow(below).length > 0 ? [{ field, below: copy(below) }] : [];
    });
    return made;
  };
  return copy(start);
}

function dropped<T>({ steps }: TypeSteps, value: T, losses: Set<string>, at: string): T {
  if (!isObject(value)) return value;
  let output: Record<string, unknown> | undefined;
  for (const { field, below } of steps) {
    const { jsonName } = field;
    const before = value[jsonName];
    if (before === undefined) continue;
    const path = at + jsonName;
    if (!below) losses.add(path);
    const after = below && droppedField(field, below, before, losses, `${path}.`);
    if (after === before) continue;
    output ??= { ...value };
    if (after === undefined) delete output[jsonName];
    else output[jsonName] = after;
  }
  return (output ?? value) as T;
}

function droppedField(field: Field, below: TypeSteps, value: unknown, losses: Set<string>, at: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => dropped(below, item, losses, at));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (field.kind !== 'map' || !isObject(value)) return dropped(below, value, losses, at);
  const entries = Object.entries(value).map(([key, one]) => [key, dropped(below, one, losses, at)] as const);
  return entries.some(([key, one]) => one !== value[key]) ? Object.fromEntries(entries) : value;
}
