import { A2AError } from '../../core/model/errors.ts';
import type { FieldTables, MessageTable } from '../../gen/api.ts';
import { copyExact } from '../../wire/exact-integers.ts';
import type { PathVariables } from '../../wire/http-rule.ts';

type MutableJson = Record<string, unknown>;

/** The parts of a request, as the rule of its route divides them. */
interface RequestParts {
  /** The parsed body; undefined when there is none. */
  readonly body: unknown;
  /** The field that the body is, or `*`; undefined when the rule has no body. */
  readonly bodyField: string | undefined;
  readonly query: string;
  readonly variables: PathVariables;
}

/**
 * Assembles a request from path, query and body (google.api.http; A2A 1.0.1 section 11.5): names in camelCase or snake_case,
 * repeated fields by repetition or commas, booleans as `true` and `false`.
 *
 * @throws A2AError `invalidParams`, naming the field, where path and body contradict each other, and for invalid query
 *   parameters; `invalidRequest` for a body that is not an object
 */
export function assembleRequest(tables: FieldTables, typeName: string, parts: RequestParts): MutableJson {
  const { body, bodyField, query, variables } = parts;
  const request = bodyOf(body, bodyField);
  const message = tables.messages[typeName];
  if (query !== '' && bodyField !== '*' && message) readQuery(tables, request, message, query);
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
  if (bodyField !== '*') return { [bodyField]: body };
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new A2AError('invalidRequest', 'The body must be a JSON object');
  }
  return copyExact(body, { ...body });
}

type Field = MessageTable['fields'][number];

const fieldOf = (message: MessageTable | undefined, name: string): Field | undefined =>
  message?.fields.find(({ jsonName, protoName }) => name === jsonName || name === protoName);

/** Where the value of a field path such as `message.task_id` belongs. Creates the messages on the way. */
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

/** The field that a query parameter names, with dots for fields of messages; undefined for unknown ones. */
function queriedField(tables: FieldTables, message: MessageTable, name: string): Field | undefined {
  let field: Field | undefined;
  let table: MessageTable | undefined = message;
  for (const step of name.split('.')) {
    if (field && (field.kind !== 'message' || field.repeated)) return undefined;
    field = fieldOf(table, step);
    if (!field) return undefined;
    table = tables.messages[field.type];
  }
  return field;
}

function readQuery(tables: FieldTables, request: MutableJson, message: MessageTable, query: string): void {
  const parameters = new URLSearchParams(query);
  for (const name of new Set(parameters.keys())) {
    if (name.toLowerCase() === 'a2a-version') continue;
    const field = queriedField(tables, message, name);
    // Unknown parameters are ignored, as unknown fields are (section 5.7).
    if (!field) continue;
    const values = parameters.getAll(name);
    const { holder } = placeOf(tables, request, message, name);
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

/** These have no form as a parameter. */
const structured: ReadonlySet<Field['kind']> = new Set(['message', 'map', 'struct', 'list', 'empty']);

/** Numbers and enum names may remain strings, which ProtoJSON accepts. */
function scalar({ jsonName, kind, type }: Field, value: string): unknown {
  if (structured.has(kind)) {
    throw A2AError.invalidField(jsonName, 'cannot be a query parameter');
  }
  if (type !== 'bool') return kind === 'enum' && /^\d+$/.test(value) ? Number(value) : value;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw A2AError.invalidField(jsonName, 'must be true or false');
}
