import type { RestBinding } from '../../dialects/kernel/wire.ts';
import type { Field, MessageTable } from '../../gen/api.ts';
import type { HttpRule, Operation } from '../../gen/operations.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const shortName = (fullName: string): string => fullName.slice(fullName.lastIndexOf('.') + 1);
const ref = (fullName: string): JsonSchema => ({ $ref: `#/components/schemas/${shortName(fullName)}` });

const special = { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] };

/** Base64 of both alphabets, with or without its padding. */
const base64 = '^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$';

/** Scalars that are not integers of 32 bits. */
const scalars: Readonly<Record<string, JsonSchema>> = {
  bool: { type: 'boolean' },
  string: { type: 'string' },
  double: { anyOf: [{ type: 'number' }, special] },
  float: { anyOf: [{ type: 'number' }, special] },
};

/** The smallest and the largest integer of 32 bits. */
const integers = {
  signed: { type: 'integer', format: 'int32', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  unsigned: { type: 'integer', format: 'uint32', minimum: 0, maximum: 2 ** 32 - 1 },
} as const;

function integer(type: string): JsonSchema {
  const sign = /u|^fixed/.test(type) ? 'unsigned' : 'signed';
  if (type.endsWith('64')) return { type: 'string', format: sign === 'unsigned' ? 'uint64' : 'int64' };
  return integers[sign];
}

const kinds: Readonly<Record<Exclude<Field['kind'], 'map'>, (field: Pick<Field, 'type' | 'finite'>) => JsonSchema>> = {
  scalar: ({ type, finite }) => (finite ? { type: 'number' } : (scalars[type] ?? integer(type))),
  enum: ({ type }) => ref(type),
  message: ({ type }) => ref(type),
  bytes: () => ({ type: 'string', contentEncoding: 'base64', pattern: base64 }),
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

/** A field of a request: a required one cannot have its type's default (`wire/validate.ts`). */
function requestSchemaOf(field: Field, message: string, { api, demands }: RestBinding): JsonSchema {
  const { enums } = api.fields;
  const schema = { ...schemaOf(field), ...demands?.[shortName(message)]?.fields?.[field.jsonName] };
  if (field.required !== true || field.defaulted || field.kind === 'map') return schema;
  if (field.repeated) return { ...schema, minItems: 1 };
  if (field.kind === 'scalar' && field.type === 'string') return { ...schema, minLength: 1 };
  if (field.kind !== 'enum') return schema;
  const values = Object.entries(enums[field.type] ?? {});
  return { type: 'string', enum: values.filter(([, number]) => number !== 0).map(([name]) => name) };
}

function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required = Object.keys(properties),
): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/**
 * The object of a message.
 *
 * @param elsewhere fields that are elsewhere in a request
 * @param alternative members of which there is exactly one, besides those of the proto
 */
function messageSchema(
  { fields, oneofs }: MessageTable,
  schemaOfField: (field: Field) => JsonSchema,
  elsewhere: readonly string[] = [],
  alternative?: readonly string[],
): JsonSchema {
  const inside = fields.filter(({ protoName }) => !elsewhere.includes(protoName));
  const groups = [
    ...oneofs.filter(({ required }) => required).map(({ members }) => members),
    ...(alternative ? [alternative] : []),
  ];
  const alternatives = groups.map((members) => ({ oneOf: members.map((member) => ({ required: [member] })) }));
  return {
    ...objectSchema(
      Object.fromEntries(inside.map((field) => [field.jsonName, schemaOfField(field)])),
      inside.filter((field) => field.required).map(({ jsonName }) => jsonName),
    ),
    ...(alternatives.length === 1 && alternatives[0]),
    ...(alternatives.length > 1 && { allOf: alternatives }),
  };
}

/** The messages that requests hold, by their full names. */
function messagesOfRequests({ operations, fields }: RestBinding['api']): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    const table = fields.messages[name];
    if (found.has(name) || !table) return;
    found.add(name);
    for (const { kind, valueKind, type } of table.fields) if ((valueKind ?? kind) === 'message') add(type);
  };
  for (const { request } of operations) add(request);
  return found;
}

/** A binding with the versions that callers may name. */
export interface DescribedBinding {
  readonly rest: RestBinding;
  /** Values of `A2A-Version`. None: the binding serves all callers in the same way. */
  readonly versions: readonly string[];
}

/**
 * The HTTP+JSON interface of one agent as an OpenAPI 3.1 document, from the operation tables and the field tables.
 *
 * @param bindings such as those of a dialect and of extensions
 * @param server URL of the agent's base
 */
export function openApiOf(
  bindings: readonly DescribedBinding[],
  info: { title: string; version: string; server: string },
): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const binding of bindings) {
    // Client streams have no form over HTTP+JSON.
    for (const operation of binding.rest.api.operations.filter(({ clientStreaming }) => !clientStreaming)) {
      for (const rule of operation.http) {
        const path = rule.path.replace(/\{(\w+)=\*\}/g, '{$1}');
        paths[path] = { ...paths[path], [rule.verb.toLowerCase()]: describe(binding, operation, rule, path) };
      }
    }
  }
  const schemas = Object.assign({}, ...bindings.map(({ rest }) => components(rest)));
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version },
    servers: [{ url: info.server }],
    paths,
    components: { schemas: { ...schemas, Error: errorSchema } },
  };
}

function components(rest: RestBinding): JsonSchema {
  const { api, demands } = rest;
  const { messages, enums } = api.fields;
  const ofRequests = messagesOfRequests(api);
  const schemaOfField = (message: string) => (field: Field) =>
    ofRequests.has(message) ? requestSchemaOf(field, message, rest) : schemaOf(field);
  return Object.fromEntries([
    ...Object.entries(messages).map(([name, table]) => [
      shortName(name),
      messageSchema(table, schemaOfField(name), [], demands?.[shortName(name)]?.exactlyOne),
    ]),
    ...Object.entries(enums).map(([name, values]) => [shortName(name), { type: 'string', enum: Object.keys(values) }]),
  ]);
}

/** The parameter for the header with the version. If it is missing or empty, the path decides. */
const versionHeader = (versions: readonly string[]): JsonSchema[] =>
  versions.length === 0
    ? []
    : [{ name: 'A2A-Version', in: 'header', schema: { type: 'string', enum: [...versions, ''] } }];

/** A server-sent event whose data is a message. */
const eventSchema = (message: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    id: { type: 'string' },
    event: { type: 'string' },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: message },
  },
});

/** Schema of an error (A2A 1.0.1 section 11.6). */
const errorSchema = objectSchema({
  error: objectSchema({
    code: { type: 'integer' },
    status: { type: 'string' },
    message: { type: 'string' },
    details: { type: 'array', items: { type: 'object' } },
  }),
});

function describe(
  { rest, versions }: DescribedBinding,
  operation: Operation,
  rule: HttpRule,
  path: string,
): JsonSchema {
  const { api, mediaType, errorMediaType = mediaType } = rest;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const table = api.fields.messages[operation.request];
  const fields = table?.fields ?? [];
  const requestField = (field: Field): JsonSchema => requestSchemaOf(field, operation.request, rest);
  const isWhole = !fields.some(({ protoName }) => inPath.includes(protoName));
  // Fields in the path need not be repeated in the body.
  const body = isWhole || !table ? ref(operation.request) : messageSchema(table, requestField, inPath);
  const hasRequired = fields.some(({ protoName, required }) => required && !inPath.includes(protoName));
  const inQuery = rule.body === '*' ? [] : fields.filter(({ protoName }) => !inPath.includes(protoName));
  const response = api.fields.messages[operation.response] ? ref(operation.response) : { type: 'object' };
  const error = { $ref: '#/components/schemas/Error' };
  const type = operation.streaming ? 'text/event-stream' : mediaType;
  const suffix = inPath.includes('tenant') ? 'OfTenant' : '';
  return {
    operationId: `${operation.name}${suffix}${rule.verb === 'GET' ? '' : `By${rule.verb}`}`,
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } })),
      ...inQuery.map((field) => ({
        name: field.jsonName,
        in: 'query',
        ...(field.required && !field.defaulted && { required: true }),
        schema: requestField(field),
      })),
      ...versionHeader(versions),
    ],
    ...(rule.body && {
      requestBody: {
        ...(hasRequired && { required: true }),
        content: { [mediaType]: { schema: body } },
      },
    }),
    responses: {
      200: {
        description: operation.streaming ? 'Server-sent events; the schema describes one event' : 'OK',
        content: { [type]: { schema: operation.streaming ? eventSchema(response) : response } },
      },
      default: {
        description: 'An error',
        content: Object.fromEntries([errorMediaType, mediaType].map((errors) => [errors, { schema: error }])),
      },
    },
  };
}
