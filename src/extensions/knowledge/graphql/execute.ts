import { GraphQLError, type GraphQLSchema } from 'graphql';
import { A2AError } from '../../../core/model/errors.ts';
import { unlessAborted } from '../../../core/model/timing.ts';
import { countWork, takeTurn } from '../turns.ts';
import type { QueryBudget } from './budget.ts';
import { Awaited, type Lookups } from './lookups.ts';
import type { PlannedField } from './plan.ts';
import type { FieldInfo, ResolverContext } from './resolvers.ts';
import { coercedOutput } from './versions.ts';

/** An object of the result whose fields are to be resolved. */
interface PendingObject {
  readonly fields: readonly PlannedField[];
  readonly source: unknown;
  readonly target: Record<string, unknown>;
  readonly path: Path | undefined;
}

/** A field that waits for a lookup. */
interface PendingField {
  readonly field: PlannedField;
  readonly value: Awaited;
  readonly target: Record<string, unknown>;
  readonly path: Path;
}

interface Path {
  readonly before: Path | undefined;
  readonly key: string | number;
}

/**
 * An object of the result. It has no accessor `__proto__`, which may be an alias, as objects without a prototype have
 * none; those are hash tables, which are several times as large.
 */
class ResultObject {
  [key: string]: unknown;
}
Object.setPrototypeOf(ResultObject.prototype, null);

/** Objects that are dropped from the queue at once. */
const slice = 1_000;

/**
 * Executes a planned query, level by level. The library's executor makes promises for every node, which unfold in one
 * turn of the event loop once a page that many nodes share is there. Here a queue has the objects that are still to be
 * resolved: between two of them it can wait for another turn, and a field that exceeds the budget ends the query.
 *
 * Rejects with a GraphQLError at the field for what is the query's fault, and with the error of a lookup. There are no
 * partial results.
 */
export async function executePlan(
  schema: GraphQLSchema,
  fields: readonly PlannedField[],
  context: ResolverContext & { readonly lookups: Lookups; readonly budget: QueryBudget },
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { budget, lookups } = context;
  const data = new ResultObject();
  let objects: PendingObject[] = [{ fields, source: undefined, target: data, path: undefined }];
  let waiting: PendingField[] = [];

  const resolveField = (field: PlannedField, { source, target, path: before }: PendingObject): void => {
    const path = { before, key: field.key };
    // Reserves the place in the order of the selection.
    target[field.key] = null;
    located(field, path, () => {
      budget.spend(1);
      const info: FieldInfo = { schema, parentType: field.parent, planned: field };
      const { resolve } = field.field;
      const value = resolve
        ? resolve(source, field.args, context, info as never)
        : (source as Readonly<Record<string, unknown>>)[field.field.name];
      complete(field, value, target, path);
    });
  };

  const complete = (field: PlannedField, value: unknown, target: Record<string, unknown>, path: Path): void => {
    let found = value;
    while (found instanceof Awaited) {
      if (found.lookup.error !== undefined) throw found.lookup.error;
      if (!found.lookup.isLoaded) {
        waiting.push({ field, value: found, target, path });
        return;
      }
      found = found.read();
    }
    if (found === null || found === undefined) {
      if (field.isRequired) throw new TypeError(`the field ${field.parent.name}.${field.field.name} has no value`);
      budget.write(field.key, null);
    } else if (field.isList) {
      budget.write(field.key);
      const items = found as readonly unknown[];
      budget.spend(items.length);
      target[field.key] = items.map((item, index) => one(field, item, { before: path, key: index }, ''));
    } else {
      target[field.key] = one(field, found, path, field.key);
    }
  };

  /** A leaf, or an object that is resolved later. */
  const one = ({ leaf, fields: below }: PlannedField, value: unknown, path: Path, key: string): unknown => {
    const written = leaf && coercedOutput(leaf, value);
    budget.write(key, written);
    if (leaf) return written;
    const target = new ResultObject();
    objects.push({ fields: below, source: value, target, path });
    return target;
  };

  while (objects.length > 0 || waiting.length > 0) {
    for (let at = 0; at < objects.length; at += 1) {
      const turn = takeTurn();
      if (turn) {
        await turn;
        signal.throwIfAborted();
        await budget.reserveResult();
      }
      const object = objects[at] as PendingObject;
      for (const field of object.fields) resolveField(field, object);
      if (at === slice) {
        objects = objects.slice(slice);
        at = 0;
      }
    }
    objects = [];
    if (waiting.length > 0) await unlessAborted(lookups.load(), signal);
    const loaded = waiting;
    waiting = [];
    for (const { field, value, target, path } of loaded) {
      countWork(1);
      const next = takeTurn();
      if (next) await next;
      located(field, path, () => complete(field, value, target, path));
    }
  }
  await budget.reserveResult();
  return data;
}

/** Adds the field to errors of which the query is the cause. */
function located(field: PlannedField, path: Path, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    const isInvalid = thrown instanceof A2AError && thrown.kind === 'invalidParams';
    if (!(thrown instanceof GraphQLError || isInvalid)) throw thrown;
    const keys: (string | number)[] = [];
    for (let step: Path | undefined = path; step; step = step.before) keys.unshift(step.key);
    throw new GraphQLError(thrown.message, { nodes: field.node, path: keys, originalError: thrown });
  }
}
