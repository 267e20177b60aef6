import { A2AError } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { Api, FieldTables, MessageTable } from '../../gen/api.ts';
import { copyExact, hasInexact, markInexact } from '../../wire/exact-numbers.ts';
import { compilePath, type PathVariables } from '../../wire/http-rule.ts';
import type { RestRoute } from './wire.ts';

type MutableJson = Record<string, unknown>;

/** The parts of a request, as the rule of its route divides them. */
interface RequestParts {
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  /** The field that the body fills, or `*`; undefined if the rule has no body. */
  readonly bodyField: string | undefined;
  readonly query: string;
  readonly variables: PathVariables;
}

/**
 * Assembles a request from path, query and body (google.api.http; A2A 1.0.1 section 11.5): names in camelCase or
 * snake_case, repeated fields by repetition or commas, booleans as `true` and `false`.
 *
 * @throws A2AError `invalidParams`, naming the field, if path and body contradict each other, and for invalid query
 * parameters; `invalidRequest` for a body that is not an object
 */
export function assembleRequest(tables: FieldTables, typeName: string, parts: RequestParts): MutableJson {
  const { body, bodyField, query, variables } = parts;
  const request = bodyOf(body, bodyField);
  const message = tables.messages[typeName];
  if (query !== '' && bodyField !== '*') readQuery(tables, request, typeName, query);
  for (const [path, text] of Object.entries(variables)) {
    const { holder, field, name, proto } = placeOf(tables, request, message, path);
    const value = field ? scalar(field, text) : text;
    const spelling = [name, proto].find((each) => Object.hasOwn(holder, each));
    const given = spelling === undefined ? undefined : holder[spelling];
    if (given !== undefined && given !== null && given !== '' && String(given) !== text) {
      throw A2AError.invalidField(path === proto ? name : path, 'differs from the path');
    }
    if (name !== proto) delete holder[proto];
    holder[name] = value;
  }
  return request;
}

function bodyOf(body: unknown, bodyField: string | undefined): MutableJson {
  if (body === undefined || body === null || bodyField === undefined) return {};
  if (bodyField !== '*') {
    const request = { [bodyField]: body };
    if (hasInexact(body)) markInexact(request);
    return request;
  }
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new A2AError('invalidRequest', 'The body must be a JSON object');
  }
  return copyExact(body, { ...body });
}

type Field = MessageTable['fields'][number];

const fieldOf = (message: MessageTable | undefined, name: string): Field | undefined =>
  message?.fields.find(({ jsonName, protoName }) => name === jsonName || name === protoName);

/** Returns the place for the value of a field path such as `message.task_id`. Creates the messages on the way. */
function placeOf(tables: FieldTables, request: MutableJson, message: MessageTable | undefined, path: string) {
  const steps = path.split('.');
  const proto = steps.pop() as string;
  let holder = request;
  let table = message;
  for (const step of steps) {
    const field = fieldOf(table, step);
    const name = field?.jsonName ?? step;
    const inner = holder[name] ?? holder[step] ?? {};
    if (typeof inner !== 'object' || Array.isArray(inner)) throw A2AError.invalidField(name, 'must be an object');
    if (name !== step) delete holder[step];
    const copy: MutableJson = copyExact(inner, { ...inner });
    holder[name] = copy;
    holder = copy;
    table = field && tables.messages[field.type];
  }
  const field = fieldOf(table, proto);
  return { holder, field, name: field?.jsonName ?? proto, proto };
}

/**
 * Returns the fields along a path of names in JSON or in the proto; undefined if there is none, or none can be below.
 */
function fieldsAt({ messages }: FieldTables, typeName: string, path: string): Field[] | undefined {
  const fields: Field[] = [];
  for (const step of path.split('.')) {
    const above = fields.at(-1);
    if (above && (above.kind !== 'message' || above.repeated)) return undefined;
    const field = fieldOf(messages[above?.type ?? typeName], step);
    if (!field) return undefined;
    fields.push(field);
  }
  return fields;
}

function readQuery(tables: FieldTables, request: MutableJson, typeName: string, query: string): void {
  const parameters = new URLSearchParams(query);
  for (const name of new Set(parameters.keys())) {
    if (name.toLowerCase() === 'a2a-version') continue;
    const field = fieldsAt(tables, typeName, name)?.at(-1);
    // Unknown parameters are ignored, as unknown fields are (section 5.7).
    if (!field) continue;
    const values = parameters.getAll(name);
    const { holder } = placeOf(tables, request, tables.messages[typeName], name);
    if (field.repeated) {
      holder[field.jsonName] = values.flatMap((value) => value.split(',')).map((value) => scalar(field, value));
      continue;
    }
    if (values.length > 1) {
      throw A2AError.invalidField(field.jsonName, 'is given more than once');
    }
    holder[field.jsonName] = scalar(field, values[0] ?? '');
  }
}

/** Kinds without a form as a parameter. */
const structured: ReadonlySet<Field['kind']> = new Set(['message', 'map', 'struct', 'list', 'empty']);

/** Converts a parameter. Numbers and enum names may remain strings, which ProtoJSON accepts. */
function scalar({ jsonName, kind, type }: Field, value: string): unknown {
  if (structured.has(kind)) {
    throw A2AError.invalidField(jsonName, 'cannot be a query parameter');
  }
  if (type !== 'bool') return kind === 'enum' && /^\d+$/.test(value) ? Number(value) : value;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw A2AError.invalidField(jsonName, 'must be true or false');
}

/** The routes of a service: those of a dialect's binding, or the rules of operations that no dialect converts. */
export interface Routes<Of extends { readonly operation: string }> {
  readonly routes: readonly (Pick<RestRoute, 'rule' | 'requestType' | 'repeatsPath'> & { readonly method: Of })[];
  readonly api: Pick<Api, 'fields'>;
}

/** Writes requests of one binding by the rules of google.api.http. */
export function createRequestWriter<Of extends { readonly operation: string }>(binding: Routes<Of>) {
  const byOperation = Map.groupBy(compileRoutes(binding), ({ method }) => method.operation as string);
  // Stable: of routes that carry equally many fields, the primary one comes first.
  for (const list of byOperation.values()) list.sort((a, b) => b.path.fields.length - a.path.fields.length);

  return {
    /** Returns the method of an operation; undefined if the binding has no route for it. */
    methodOf: (operation: string) => byOperation.get(operation)?.[0]?.method,
    /**
     * Writes a request by the route with most of its fields in the path, so that a tenant is in the path. The path,
     * below the interface's URL, is percent-encoded; the query has no question mark.
     *
     * @param request in the binding's own ProtoJSON
     * @throws A2AError `invalidParams` if no route can carry it, because a field of the path is missing
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

type CompiledRoute<Of extends { readonly operation: string }> = ReturnType<typeof compileRoutes<Of>>[number];

function compileRoutes<Of extends { readonly operation: string }>({ routes, api }: Routes<Of>) {
  return routes.flatMap(({ rule, method, requestType, repeatsPath = false }) => {
    const path = compilePath(rule);
    // By the field's path in proto names, the same path in JSON names.
    const jsonPaths = new Map(
      path.fields.map((field) => [
        field,
        fieldsAt(api.fields, requestType, field)?.map(({ jsonName }) => jsonName) ?? [],
      ]),
    );
    // A path may have a tenant that the request has no field for.
    if ([...jsonPaths.values()].some(({ length }) => length === 0)) return [];
    const pathText = (request: unknown, field: string): string => textOf(valueAt(request, jsonPaths.get(field) ?? []));
    return [{ rule, method, path, jsonPaths, repeatsPath, pathText }];
  });
}

function format<Of extends { readonly operation: string }>(
  { rule, method, jsonPaths, repeatsPath }: CompiledRoute<Of>,
  path: string,
  request: JsonObject,
) {
  let rest = request;
  if (!repeatsPath) for (const fields of jsonPaths.values()) rest = without(rest, fields);
  const shared = { method, verb: rule.verb, path };
  if (rule.body === undefined) return { ...shared, query: queryOf(rest), body: undefined };
  if (rule.body === '*') return { ...shared, query: '', body: JSON.stringify(rest) };
  const { [rule.body]: body, ...others } = rest;
  return { ...shared, query: queryOf(others), body: JSON.stringify(body ?? {}) };
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((at, step) => (at as JsonObject | undefined)?.[step], value);

/** Returns a value as text in a path; '' if there is none. */
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
