import type { RestBinding } from '../../dialects/kernel/wire.ts';
import type { Field, FieldTables, MessageTable } from '../../gen/api.ts';
import type { HttpRule, Operation } from '../../gen/operations.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const shortName = (fullName: string): string => fullName.slice(fullName.lastIndexOf('.') + 1);
const ref = (fullName: string): JsonSchema => ({ $ref: `#/components/schemas/${shortName(fullName)}` });

const special = { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] };

/** Scalars that are not integers of 32 bits. */
const scalars: Readonly<Record<string, JsonSchema>> = {
  bool: { type: 'boolean' },
  string: { type: 'string' },
  double: { anyOf: [{ type: 'number' }, special] },
  float: { anyOf: [{ type: 'number' }, special] },
};

const integer = (type: string): JsonSchema =>
  type.endsWith('64') ? { type: 'string', format: /u|^fixed/.test(type) ? 'uint64' : 'int64' } : { type: 'integer' };

const kinds: Readonly<Record<Exclude<Field['kind'], 'map'>, (field: Pick<Field, 'type' | 'finite'>) => JsonSchema>> = {
  scalar: ({ type, finite }) => (finite ? { type: 'number' } : (scalars[type] ?? integer(type))),
  enum: ({ type }) => ref(type),
  message: ({ type }) => ref(type),
  bytes: () => ({ type: 'string', contentEncoding: 'base64' }),
  timestamp: () => ({ type: 'string', format: 'date-time' }),
  duration: () => ({ type: 'string', pattern: String.raw`^-?\d+(\.\d{1,9})?s$` }),
  fieldMask: () => ({ type: 'string' }),
  empty: () => ({ type: 'object' }),
  list: () => ({ type: 'array' }),
  struct: () => ({ type: 'object' }),
  value: () => ({}),
};

function schemaOf(field: Field): JsonSchema {
  if (field.kind === 'map') {
    return { type: 'object', additionalProperties: kinds[field.valueKind as keyof typeof kinds](field) };
  }
  const one = kinds[field.kind](field);
  return field.repeated ? { type: 'array', items: one } : one;
}

function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required = Object.keys(properties),
): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

const messageSchema = ({ fields }: MessageTable): JsonSchema =>
  objectSchema(
    Object.fromEntries(fields.map((field) => [field.jsonName, schemaOf(field)])),
    fields.filter((field) => field.required).map(({ jsonName }) => jsonName),
  );

/**
 * The HTTP+JSON interface of one agent as an OpenAPI 3.1 document, from the operation tables and the field tables.
 *
 * @param bindings such as those of a dialect and of extensions
 * @param server URL of the agent's base
 */
export function openApiOf(
  bindings: readonly RestBinding[],
  info: { title: string; version: string; server: string },
): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const binding of bindings) {
    // Requests that are streams have no form over HTTP+JSON.
    for (const operation of binding.api.operations.filter(({ clientStreaming }) => !clientStreaming)) {
      for (const rule of operation.http) {
        const path = rule.path.replace(/\{(\w+)=\*\}/g, '{$1}');
        paths[path] = { ...paths[path], [rule.verb.toLowerCase()]: describe(binding, operation, rule, path) };
      }
    }
  }
  const schemas = Object.assign({}, ...bindings.map(({ api }) => components(api.fields)));
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version },
    servers: [{ url: info.server }],
    paths,
    components: { schemas: { ...schemas, Error: errorSchema } },
  };
}

const components = ({ messages, enums }: FieldTables): JsonSchema =>
  Object.fromEntries([
    ...Object.entries(messages).map(([name, table]) => [shortName(name), messageSchema(table)]),
    ...Object.entries(enums).map(([name, values]) => [shortName(name), { type: 'string', enum: Object.keys(values) }]),
  ]);

/** A2A 1.0.1 section 11.6. */
const errorSchema = objectSchema({
  error: objectSchema({
    code: { type: 'integer' },
    status: { type: 'string' },
    message: { type: 'string' },
    details: { type: 'array', items: { type: 'object' } },
  }),
});

function describe(
  { api, mediaType, errorMediaType = mediaType }: RestBinding,
  operation: Operation,
  rule: HttpRule,
  path: string,
): JsonSchema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const fields = api.fields.messages[operation.request]?.fields ?? [];
  const inQuery = rule.body === '*' ? [] : fields.filter(({ protoName }) => !inPath.includes(protoName));
  const response = api.fields.messages[operation.response] ? ref(operation.response) : { type: 'object' };
  const error = { $ref: '#/components/schemas/Error' };
  const type = operation.streaming ? 'text/event-stream' : mediaType;
  const suffix = inPath.includes('tenant') ? 'OfTenant' : '';
  return {
    operationId: `${operation.name}${suffix}${rule.verb === 'GET' ? '' : `By${rule.verb}`}`,
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...inQuery.map((field) => ({ name: field.jsonName, in: 'query', schema: schemaOf(field) })),
      { name: 'A2A-Version', in: 'header', schema: { type: 'string' } },
    ],
    ...(rule.body && { requestBody: { content: { [mediaType]: { schema: ref(operation.request) } } } }),
    responses: {
      200: {
        description: operation.streaming ? 'Events, each one JSON' : 'OK',
        content: { [type]: { schema: response } },
      },
      default: {
        description: 'An error',
        content: Object.fromEntries([errorMediaType, mediaType].map((errors) => [errors, { schema: error }])),
      },
    },
  };
}
