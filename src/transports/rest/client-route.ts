import { A2AError } from '../../core/model/errors.ts';
import type { Method, RestBinding } from '../../dialects/kernel/wire.ts';
import type { FieldTables } from '../../gen/api.ts';
import type { HttpRule } from '../../gen/operations.ts';
import { compilePath, type PathFormat } from '../../wire/http-rule.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** One way to write a request of one operation. */
interface ClientRoute {
  readonly rule: HttpRule;
  readonly method: Method;
  readonly path: PathFormat;
  /** By the field's path in proto names, the same path in JSON names. */
  readonly jsonPaths: ReadonlyMap<string, readonly string[]>;
  readonly repeatsPath: boolean;
}

/** A request as it goes out. */
export interface WrittenRequest {
  readonly method: Method;
  readonly verb: string;
  /** Below the interface's URL, encoded. */
  readonly path: string;
  /** Without the question mark; '' when there is none. */
  readonly query: string;
  readonly body: string | undefined;
}

/** Writes requests of one face, by the rules of google.api.http. */
export interface RequestWriter {
  /** The method of an operation; undefined when the face has no route for it. */
  methodOf(operation: string): Method | undefined;
  /**
   * Writes a request by the route that carries most of it in its path (so that a tenant goes where the rules want it).
   *
   * @param request in the face's own ProtoJSON
   * @throws A2AError `invalidParams` when no route can carry it, because what belongs into the path is missing
   */
  write(operation: string, request: unknown): WrittenRequest;
}

export function createRequestWriter({ routes, api }: RestBinding): RequestWriter {
  const byOperation = Map.groupBy(
    routes.map(({ rule, method, requestType, repeatsPath = false }): ClientRoute => {
      const path = compilePath(rule);
      const jsonPaths = new Map(path.fields.map((field) => [field, jsonPath(api.fields, requestType, field)]));
      return { rule, method, path, jsonPaths, repeatsPath };
    }),
    ({ method }) => method.operation as string,
  );
  // Stable: of routes that carry as much, the primary one comes first.
  for (const list of byOperation.values()) list.sort((a, b) => b.path.fields.length - a.path.fields.length);
  return {
    methodOf: (operation) => byOperation.get(operation)?.[0]?.method,
    write(operation, request) {
      const list = byOperation.get(operation) ?? [];
      for (const route of list) {
        const path = route.path.format((field) => textOf(valueAt(request, route.jsonPaths.get(field) ?? [])));
        if (path !== undefined) return written(route, path, request as JsonObject);
      }
      const needed = list.at(-1)?.path.fields ?? [];
      const missing = needed.filter(
        (field) => textOf(valueAt(request, list.at(-1)?.jsonPaths.get(field) ?? [])) === '',
      );
      throw A2AError.invalidParams(
        undefined,
        (missing.length > 0 ? missing : needed).map((field) => ({
          field: (list.at(-1)?.jsonPaths.get(field) ?? [field]).join('.'),
          description: 'must be there, since it is part of the URL',
        })),
      );
    },
  };
}

function written(
  { rule, method, jsonPaths, repeatsPath }: ClientRoute,
  path: string,
  request: JsonObject,
): WrittenRequest {
  let rest = request;
  if (!repeatsPath) for (const fields of jsonPaths.values()) rest = without(rest, fields);
  const shared = { method, verb: rule.verb, path };
  if (rule.body === '*') return { ...shared, query: '', body: JSON.stringify(rest) };
  if (rule.body !== undefined) {
    const { [rule.body]: body, ...others } = rest;
    return { ...shared, query: queryOf(others), body: JSON.stringify(body ?? {}) };
  }
  return { ...shared, query: queryOf(rest), body: undefined };
}

/** The path of JSON names that a path of proto names stands for. */
function jsonPath(tables: FieldTables, typeName: string, protoPath: string): string[] {
  let type = typeName;
  return protoPath.split('.').map((step) => {
    const field = tables.messages[type]?.fields.find(({ protoName }) => protoName === step);
    if (field === undefined) throw new TypeError(`${type} has no field ${step}`);
    type = field.type;
    return field.jsonName;
  });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const step of path) at = (at as JsonObject | undefined)?.[step];
  return at;
}

/** A value as it stands in a path; '' when there is none. */
const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

function without(object: JsonObject, [step, ...steps]: readonly string[]): JsonObject {
  if (step === undefined || !Object.hasOwn(object, step)) return object;
  const { [step]: value, ...rest } = object;
  return steps.length === 0 ? rest : { ...rest, [step]: without(value as JsonObject, steps) };
}

/** Query parameters in camelCase; lists repeat the name, messages within are named by dots (google.api.http). */
function queryOf(object: JsonObject): string {
  const query = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const item of value) add(name, item);
    else if (typeof value === 'object') for (const [key, item] of Object.entries(value)) add(`${name}.${key}`, item);
    else query.append(name, String(value));
  };
  for (const [name, value] of Object.entries(object)) add(name, value);
  return query.toString();
}
