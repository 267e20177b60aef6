import { A2AError } from '../../core/model/errors.ts';
import type { FieldTables, MessageTable } from '../../gen/api.ts';
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
  if (query !== '' && bodyField !== '*' && message) readQuery(request, message, query);
  for (const [field, value] of Object.entries(variables)) {
    const name = jsonNameOf(message, field);
    const spelling = [name, field].find((each) => Object.hasOwn(request, each));
    const given = spelling === undefined ? undefined : request[spelling];
    if (given !== undefined && given !== null && given !== '' && given !== value) {
      throw invalid(name, 'differs from the path');
    }
    if (name !== field) delete request[field];
    request[name] = value;
  }
  return request;
}

function bodyOf(body: unknown, bodyField: string | undefined): MutableJson {
  if (body === undefined || body === null || bodyField === undefined) return {};
  if (bodyField !== '*') return { [bodyField]: body };
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new A2AError('invalidRequest', 'The body must be a JSON object');
  }
  return { ...body };
}

const jsonNameOf = (message: MessageTable | undefined, field: string): string =>
  message?.fields.find(({ protoName, jsonName }) => protoName === field || jsonName === field)?.jsonName ?? field;

function readQuery(request: MutableJson, message: MessageTable, query: string): void {
  const parameters = new URLSearchParams(query);
  for (const name of new Set(parameters.keys())) {
    if (name.toLowerCase() === 'a2a-version') continue;
    const field = message.fields.find(({ jsonName, protoName }) => name === jsonName || name === protoName);
    // Unknown parameters are ignored, as unknown fields are (section 5.7).
    if (!field) continue;
    const values = parameters.getAll(name);
    if (field.repeated) {
      request[field.jsonName] = values.flatMap((value) => value.split(',')).map((value) => scalar(field, value));
      continue;
    }
    if (values.length > 1) {
      throw invalid(field.jsonName, 'is given more than once');
    }
    request[field.jsonName] = scalar(field, values[0] ?? '');
  }
}

/** Numbers and enum names may remain strings, which ProtoJSON accepts. */
function scalar({ jsonName, kind, type }: MessageTable['fields'][number], value: string): unknown {
  if (kind === 'message' || kind === 'map' || kind === 'struct') {
    throw invalid(jsonName, 'cannot be a query parameter');
  }
  if (type !== 'bool') return kind === 'enum' && /^\d+$/.test(value) ? Number(value) : value;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw invalid(jsonName, 'must be true or false');
}

const invalid = (field: string, description: string): A2AError =>
  A2AError.invalidParams(undefined, [{ field, description }]);
