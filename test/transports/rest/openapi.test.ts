import { expect, it } from 'vitest';
import { createDialects } from '../../../src/dialects/registry.ts';
import { openApiOf } from '../../../src/transports/rest/openapi.ts';

/** The description of HTTP+JSON demands of callers what the gateway demands, so that programs made of it are served. */

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

const v1 = createDialects().list.find(({ rest }) => rest);
if (!v1?.rest) throw new Error('no dialect has HTTP+JSON');
const document = openApiOf([{ rest: v1.rest, versions: v1.versions }], {
  title: 'test',
  version: '1.0',
  server: '/',
}) as unknown as Described;
const { schemas } = document.components;

const parameter = (path: string, verb: string, name: string): Schema | undefined =>
  document.paths[path]?.[verb]?.parameters.find((one) => one.name === name)?.schema;

it('required texts and lists of requests cannot be empty, and required enums have no unspecified value', () => {
  expect(schemas.Message?.properties).toMatchObject({
    messageId: { type: 'string', minLength: 1 },
    role: { enum: ['ROLE_USER', 'ROLE_AGENT'] },
    parts: { type: 'array', minItems: 1 },
    contextId: { type: 'string' },
  });
  expect(schemas.Message?.properties?.contextId).not.toHaveProperty('minLength');
});

it('answers promise no more than agents are held to', () => {
  expect(schemas.AgentCard?.properties?.description).toEqual({ type: 'string' });
});

it('a part has exactly one content', () => {
  expect(schemas.Part?.oneOf).toEqual(['text', 'raw', 'url', 'data'].map((member) => ({ required: [member] })));
});

it('numbers have the ranges that the operations demand', () => {
  expect(parameter('/tasks', 'get', 'pageSize')).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 });
  expect(parameter('/tasks/{id}', 'get', 'historyLength')).toMatchObject({ minimum: 0, maximum: 2 ** 31 - 1 });
  expect(schemas.SendMessageConfiguration?.properties?.historyLength).toMatchObject({ minimum: 0 });
});

it('the version of a request is one of those that are served, or left out', () => {
  expect(parameter('/message:send', 'post', 'A2A-Version')).toEqual({ type: 'string', enum: [...v1.versions, ''] });
});

it('a body has no field that stands in the path', () => {
  const schemaOf = (path: string): Schema | undefined =>
    Object.values(document.paths[path]?.post?.requestBody?.content ?? {})[0]?.schema;
  expect(Object.keys(schemaOf('/tasks/{id}:cancel')?.properties ?? {})).toEqual(['tenant', 'metadata']);
  expect(Object.keys(schemaOf('/{tenant}/tasks/{id}:cancel')?.properties ?? {})).toEqual(['metadata']);
  expect(schemaOf('/message:send')).toEqual({ $ref: '#/components/schemas/SendMessageRequest' });
});

it('a stream is described as events whose data is JSON', () => {
  const content = document.paths['/message:stream']?.post?.responses['200']?.content;
  expect(content?.['text/event-stream']?.schema.properties?.data).toMatchObject({
    contentMediaType: 'application/json',
    contentSchema: { $ref: '#/components/schemas/StreamResponse' },
  });
});

it('texts of requests have the form that the operations demand', () => {
  const { TaskPushNotificationConfig, AuthenticationInfo, Part } = schemas;
  const { url, token } = TaskPushNotificationConfig?.properties ?? {};
  const patternOf = (schema: Schema | undefined): RegExp => new RegExp(String(schema?.pattern), 'u');
  expect(url).toMatchObject({ type: 'string', format: 'uri' });
  expect(['https://client.example/hook', 'ftp://client.example'].map((text) => patternOf(url).test(text))).toEqual([
    true,
    false,
  ]);
  for (const field of [token, AuthenticationInfo?.properties?.credentials])
    expect(['secret', 'two\nlines', '\u0000'].map((text) => patternOf(field).test(text))).toEqual([true, false, false]);
  const raw = ['', 'aGk=', 'aGk', '-_-_', 'a', 'a b='].map((text) => patternOf(Part?.properties?.raw).test(text));
  expect(raw).toEqual([true, true, true, true, false, false]);
});

it('a body is required where a field of it is', () => {
  const bodyOf = (path: string) => document.paths[path]?.post?.requestBody;
  expect(bodyOf('/message:send')).toMatchObject({ required: true });
  expect(bodyOf('/tasks/{id}:cancel')).not.toHaveProperty('required');
});
