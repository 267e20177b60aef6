import { GraphQLError, type GraphQLSchema } from 'graphql';
import { A2AError } from '../../../core/model/errors.ts';
import { unlessAborted } from '../../../core/model/timing.ts';
import { countWork, takeTurn } from '../turns.ts';
import type { QueryBudget } from './budget.ts';
import { Awaited, type Lookups } from './lookups.ts';
import type { PlannedField } from './plan.ts';
import type { FieldInfo, ResolverContext } from './resolvers.ts';
import { coercedOutput } from './versions.ts';

/** An object of the result whose fields have not been resolved. */
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
 * An object of the result. It lacks the accessor `__proto__`, which may be an alias. Objects without a prototype lack
 * it too, but they are hash tables and several times as large.
 */
class ResultObject {
  [key: string]: unknown;
}
Object.setPrototypeOf(ResultObject.prototype, null);

/** Number of objects that are removed from the queue at a time. */
const slice = 1_000;

/**
 * Executes a planned query, level by level. The executor of `graphql` creates promises for every node, which all
 * resolve in one turn of the event loop once a page that many nodes share has been read. This executor instead queues
 * the objects to resolve: it can yield to the event loop between two of them, and a field that exceeds the budget ends
 * the query. There are no partial results.
 *
 * @throws GraphQLError with the field, for an error that the query causes; and the errors of lookups
 */
export function executePlan(
  schema: GraphQLSchema,
  fields: readonly PlannedField[],
  context: ExecutionContext,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  return new PlanExecution(schema, context, signal).run(fields);
}

type ExecutionContext = ResolverContext & { readonly lookups: Lookups; readonly budget: QueryBudget };

/** The execution of one plan. */
class PlanExecution {
  readonly #schema: GraphQLSchema;
  readonly #context: ExecutionContext;
  readonly #budget: QueryBudget;
  readonly #signal: AbortSignal;
  #objects: PendingObject[] = [];
  #waiting: PendingField[] = [];

  constructor(schema: GraphQLSchema, context: ExecutionContext, signal: AbortSignal) {
    this.#schema = schema;
    this.#context = context;
    this.#budget = context.budget;
    this.#signal = signal;
  }

  async run(fields: readonly PlannedField[]): Promise<Record<string, unknown>> {
    const data = new ResultObject();
    this.#objects.push({ fields, source: undefined, target: data, path: undefined });
    while (this.#objects.length > 0 || this.#waiting.length > 0) {
      await this.#resolveObjects();
      if (this.#waiting.length > 0) await unlessAborted(this.#context.lookups.load(), this.#signal);
      await this.#completeWaiting();
    }
    await this.#budget.countResult();
    return data;
  }

  /** Resolves the objects in the queue, including those added during the loop. */
  async #resolveObjects(): Promise<void> {
    for (let at = 0; at < this.#objects.length; at += 1) {
      const turn = takeTurn();
      if (turn) {
        await turn;
        this.#signal.throwIfAborted();
        await this.#budget.countResult();
      }
      const object = this.#objects[at] as PendingObject;
      for (const field of object.fields) this.#resolveField(field, object);
      if (at === slice) {
        this.#objects = this.#objects.slice(slice);
        at = 0;
      }
    }
    this.#objects = [];
  }

  /** Completes the fields whose lookups have been loaded. */
  async #completeWaiting(): Promise<void> {
    const loaded = this.#waiting;
    this.#waiting = [];
    for (const { field, value, target, path } of loaded) {
      countWork(1);
      const next = takeTurn();
      if (next) await next;
      located(field, path, () => this.#complete(field, value, target, path));
    }
  }

  #resolveField(field: PlannedField, { source, target, path: before }: PendingObject): void {
    const path = { before, key: field.key };
    // Reserves the position of the field in the selection's order.
    target[field.key] = null;
    located(field, path, () => {
      this.#budget.spend(1);
      const info: FieldInfo = { schema: this.#schema, parentType: field.parent, planned: field };
      const { resolve } = field.field;
      const value = resolve
        ? resolve(source, field.args, this.#context, info as never)
        : (source as Readonly<Record<string, unknown>>)[field.field.name];
      this.#complete(field, value, target, path);
    });
  }

  #complete(field: PlannedField, value: unknown, target: Record<string, unknown>, path: Path): void {
    let found = value;
    while (found instanceof Awaited) {
      if (found.lookup.error !== undefined) throw found.lookup.error;
      if (!found.lookup.isLoaded) {
        this.#waiting.push({ field, value: found, target, path });
        return;
      }
      found = found.read();
    }
    if (found === null || found === undefined) {
      if (field.isRequired) throw new TypeError(`the field ${field.parent.name}.${field.field.name} has no value`);
      this.#budget.write(field.key, null);
    } else if (field.isList) {
      this.#budget.write(field.key);
      const items = found as readonly unknown[];
      this.#budget.spend(items.length);
      target[field.key] = items.map((item, index) => this.#one(field, item, { before: path, key: index }, ''));
    } else {
      target[field.key] = this.#one(field, found, path, field.key);
    }
  }

  /** Returns a leaf's value, or an object that is resolved later. */
  #one({ leaf, fields: below }: PlannedField, value: unknown, path: Path, key: string): unknown {
    const written = leaf && coercedOutput(leaf, value);
    this.#budget.write(key, written);
    if (leaf) return written;
    const target = new ResultObject();
    this.#objects.push({ fields: below, source: value, target, path });
    return target;
  }
}

/** Runs work and adds the field to errors that the query causes. */
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
