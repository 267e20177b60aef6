import type { Operation } from '../src/gen/operations.ts';
import type { Model, ModelEnum, ModelMessage } from './model.ts';

/**
 * Gives the versions of A2A 1.x the same names for the same messages, enums, oneofs and operations: the names of the
 * oldest version that has them, which the program and its stores use. A type that a newer version renames is recognized
 * by its members, as in `update/diff.ts`. Operations keep the names of their rpcs in addition. Names of fields and enum
 * values stay.
 *
 * @param models all versions, newest first
 */
export function aligned(models: readonly [Model, ...Model[]]): [Model, ...Model[]] {
  const result = [...models] as [Model, ...Model[]];
  for (let at = models.length - 2; at >= 0; at--) {
    result[at] = withNamesOf(result[at] as Model, result.slice(at + 1));
  }
  return result;
}

/** @param older the earlier versions, newest first, already aligned */
function withNamesOf(model: Model, older: readonly Model[]): Model {
  const types = new Map([
    ...pairs(model.messages, wholes(older, 'messages'), fieldKeys),
    ...pairs(model.enums, wholes(older, 'enums'), ({ values }) =>
      values.map(({ name, number }) => `${name} ${number}`),
    ),
  ]);
  const typed = types.size === 0 ? model : renamed(model, types, older);
  const messages = typed.messages.map((message) => {
    const was = wholes(older, 'messages').get(message.fullName);
    return was ? withOneofsOf(message, was) : message;
  });
  return { ...typed, messages, operations: withOperationsOf(typed.operations, wholes(older, 'operations')) };
}

/** Returns the messages, enums or rpcs of older versions by name, each as declared by the newest of them. */
function wholes<K extends 'messages' | 'enums' | 'operations'>(
  older: readonly Model[],
  part: K,
): Map<string, Model[K][number]> {
  const found = new Map<string, Model[K][number]>();
  for (const model of older) for (const one of model[part]) if (!found.has(keyOf(one))) found.set(keyOf(one), one);
  return found;
}

const keyOf = (one: ModelMessage | ModelEnum | Operation): string => ('fullName' in one ? one.fullName : one.name);

const fieldKeys = ({ fields }: ModelMessage): string[] =>
  fields.map(({ jsonName, number, kind, type, repeated }) => {
    const isNamed = kind === 'message' || kind === 'enum';
    return `${jsonName} ${number} ${kind} ${isNamed ? '' : type} ${repeated ?? ''}`;
  });

/**
 * Returns the former names of renamed types by their new names. A type counts as renamed if most members are the same.
 */
function pairs<T extends ModelMessage | ModelEnum>(
  all: readonly T[],
  older: ReadonlyMap<string, T>,
  membersOf: (one: T) => readonly string[],
): [name: string, was: string][] {
  const names = new Set(all.map(keyOf));
  const gone = [...older.values()].filter((one) => !names.has(keyOf(one)));
  const found: [string, string][] = [];
  for (const one of all) {
    if (older.has(keyOf(one))) continue;
    const ranked = gone
      .filter((was) => !found.some(([, taken]) => taken === keyOf(was)))
      .map((was) => [shared(membersOf(was), membersOf(one)), was] as const)
      .filter(([rank]) => rank > 0)
      .sort(([a], [b]) => b - a);
    const [best] = ranked;
    if (best) found.push([keyOf(one), keyOf(best[1])]);
  }
  return found;
}

/** Returns the number of common members; 0 unless they are more than half of each list. */
function shared(was: readonly string[], is: readonly string[]): number {
  const common = was.filter((member) => is.includes(member)).length;
  return common * 2 > Math.max(was.length, is.length) ? common : 0;
}

/** Returns a model in which types are renamed. */
function renamed(model: Model, types: ReadonlyMap<string, string>, older: readonly Model[]): Model {
  const localNames = new Map(
    older.flatMap(({ messages, enums }) => [...messages, ...enums].map((one) => [one.fullName, one.name])),
  );
  const typeOf = (type: string): string => types.get(type) ?? type;
  const named = <T extends ModelMessage | ModelEnum>(one: T): T => {
    const was = types.get(one.fullName);
    return was === undefined ? one : { ...one, fullName: was, name: localNames.get(was) ?? one.name };
  };
  return {
    ...model,
    enums: model.enums.map(named),
    messages: model.messages.map((message) => ({
      ...named(message),
      fields: message.fields.map((field) => ({ ...field, type: typeOf(field.type) })),
    })),
    operations: model.operations.map((one) => ({
      ...one,
      request: typeOf(one.request),
      response: typeOf(one.response),
    })),
  };
}

/** Renames the oneofs of a message, whose names occur only in code. */
function withOneofsOf(message: ModelMessage, was: ModelMessage): ModelMessage {
  const numbersOf = ({ fields }: ModelMessage, oneof: string): string[] =>
    fields.filter((field) => field.oneof === oneof).map(({ number }) => String(number));
  const names = new Map<string, string>();
  const gone = was.oneofs.filter(({ name }) => !message.oneofs.some((one) => one.name === name));
  for (const { name } of message.oneofs) {
    if (was.oneofs.some((one) => one.name === name)) continue;
    const former = gone.find((one) => shared(numbersOf(was, one.name), numbersOf(message, name)) > 0);
    if (former) names.set(name, former.name);
  }
  if (names.size === 0) return message;
  return {
    ...message,
    oneofs: message.oneofs.map((one) => {
      const former = was.oneofs.find(({ name }) => name === names.get(one.name));
      // Whether one member is required is declared under the former name.
      return former ? { ...one, name: former.name, required: former.required } : one;
    }),
    fields: message.fields.map((field) =>
      field.oneof === undefined ? field : { ...field, oneof: names.get(field.oneof) ?? field.oneof },
    ),
  };
}

/**
 * Renames operations. An rpc counts as renamed if its first HTTP rule and its types are the same, or if no other rpc
 * has its types.
 */
function withOperationsOf(
  operations: readonly Operation[],
  older: ReadonlyMap<string, Operation>,
): readonly Operation[] {
  const names = new Set(operations.map(({ name }) => name));
  const gone = [...older.values()].filter(({ name }) => !names.has(name));
  const signature = ({ request, response, streaming, clientStreaming }: Operation): string =>
    `${request} ${response} ${streaming} ${clientStreaming}`;
  const route = ({ http: [rule] }: Operation): string => `${rule?.verb} ${rule?.path}`;
  return operations.map((one) => {
    if (older.has(one.name)) return one;
    const similar = gone.filter((was) => signature(was) === signature(one));
    const was = similar.find((other) => route(other) === route(one)) ?? (similar.length === 1 ? similar[0] : undefined);
    if (!was) return one;
    gone.splice(gone.indexOf(was), 1);
    const { reads: _reads, createsTask: _creates, longLived: _long, ...rest } = one;
    // The overlay refers to rpcs by their former names.
    return {
      ...rest,
      name: was.name,
      ...(was.reads && { reads: true as const }),
      ...(was.createsTask && { createsTask: true as const }),
      ...(was.longLived && { longLived: true as const }),
    };
  });
}
