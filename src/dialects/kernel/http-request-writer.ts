import { A2AError } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { Api, FieldTables } from '../../gen/api.ts';
import { compilePath } from '../../wire/http-rule.ts';
import type { RestRoute } from './wire.ts';

/** The routes of a service: those of a dialect's binding, or the rules of operations that no dialect converts. */
export interface Routes<Of extends { readonly operation: string }> {
  readonly routes: readonly (Pick<RestRoute, 'rule' | 'requestType' | 'repeatsPath'> & { readonly method: Of })[];
  readonly api: Pick<Api, 'fields'>;
}

/** Writes requests of one binding by the rules of google.api.http. */
export function createRequestWriter<Of extends { readonly operation: string }>({ routes, api }: Routes<Of>) {
  const compiled = routes.flatMap(({ rule, method, requestType, repeatsPath = false }) => {
    const path = compilePath(rule);
    // A path may have a tenant that the request has no field for.
    if (path.fields.some((field) => jsonPath(api.fields, requestType, field) === undefined)) return [];
    // By the field's path in proto names, the same path in JSON names.
    const jsonPaths = new Map(
      path.fields.map((field) => [field, jsonPath(api.fields, requestType, field) as string[]]),
    );
    const pathText = (request: unknown, field: string): string => textOf(valueAt(request, jsonPaths.get(field) ?? []));
    return [{ rule, method, path, jsonPaths, repeatsPath, pathText }];
  });
  const byOperation = Map.groupBy(compiled, ({ method }) => method.operation as string);
  // Stable: of routes that carry equally many fields, the primary one comes first.
  for (const list of byOperation.values()) list.sort((a, b) => b.path.fields.length - a.path.fields.length);
  type Route = (typeof compiled)[number];

  function format({ rule, method, jsonPaths, repeatsPath }: Route, path: string, request: JsonObject) {
    let rest = request;
    if (!repeatsPath) for (const fields of jsonPaths.values()) rest = without(rest, fields);
    const shared = { method, verb: rule.verb, path };
    if (rule.body === undefined) return { ...shared, query: queryOf(rest), body: undefined };
    if (rule.body === '*') return { ...shared, query: '', body: JSON.stringify(rest) };
    const { [rule.body]: body, ...others } = rest;
    return { ...shared, query: queryOf(others), body: JSON.stringify(body ?? {}) };
  }

  return {
    /** The method of an operation; undefined when the binding has no route for it. */
    methodOf: (operation: string) => byOperation.get(operation)?.[0]?.method,
    /**
     * Writes a request by the route that carries most of it in its path, so that a tenant is in the path. The path, below the
     * interface's URL, is percent-encoded; the query has no question mark.
     *
     * @param request in the binding's own ProtoJSON
     * @throws A2AError `invalidParams` when no route can carry it, because a field of the path is missing
     */
    write(operation: string, request: unknown) {
      const list = byOperation.get(operation) ?? [];
      for (const route of list) {
        const path = route.path.format((field) => route.pathText(request, field));
        if (path !== undefined) return format(route, path, request as JsonObject);
      }
      const last = list.at(-1);
      const needed = last?.path.fields ?? [];
      const missing = needed.filter((field) => last?.pathText(request, field) === '');
      const violations = (missing.length > 0 ? missing : needed).map((field) => ({
        field: (last?.jsonPaths.get(field) ?? [field]).join('.'),
        description: 'is required, because it is part of the URL',
      }));
      throw A2AError.invalidParams(undefined, violations);
    },
  };
}

/** The path in JSON names for a path in proto names; undefined for a field that there is not. */
function jsonPath(tables: FieldTables, typeName: string, protoPath: string): string[] | undefined {
  let type = typeName;
  const path: string[] = [];
  for (const step of protoPath.split('.')) {
    const field = tables.messages[type]?.fields.find(({ protoName }) => protoName === step);
    if (field === undefined) return undefined;
    type = field.type;
    path.push(field.jsonName);
  }
  return path;
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((at, step) => (at as JsonObject | undefined)?.[step], value);

/** A value as text in a path; '' when there is none. */
const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

function without(object: JsonObject, [step, ...steps]: readonly string[]): JsonObject {
  if (step === undefined || !Object.hasOwn(object, step)) return object;
  const { [step]: value, ...rest } = object;
  return steps.length === 0 ? rest : { ...rest, [step]: without(value as JsonObject, steps) };
}

/** Query parameters in camelCase. Lists repeat the name; fields of messages are named by dots (google.api.http). */
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
