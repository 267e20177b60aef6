import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { fields as adminFields } from '../../src/gen/admin-v1/fields.ts';
import type { FieldTables } from '../../src/gen/api.ts';
import { fields as grpcFields } from '../../src/gen/grpc/fields.ts';
import { fields as knowledgeFields } from '../../src/gen/knowledge-v1/fields.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { tableCodec } from '../../src/wire/table-codec.ts';
import { image } from '../support/descriptors.ts';

type Frame = [name: string, json: object, bytes: string];

/** Messages with all their fields, in canonical ProtoJSON, and their bytes in base64: recorded from the codecs of ts-proto. */
const frames = readFileSync(new URL('table-codec.frames.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Frame => JSON.parse(line));

const tables = [adminFields, knowledgeFields, grpcFields];
const messagesOf = ({ messages }: FieldTables) =>
  Object.keys(messages).filter((name) => name !== 'google.protobuf.Empty');
const apiOf = (fields: FieldTables) => ({ fields, codecs: {} });

test('a frame is recorded for every message, with all its fields', () => {
  const fieldsOf = (table: FieldTables) =>
    messagesOf(table).map((name) => [name, table.messages[name]?.fields.map(({ jsonName }) => jsonName)]);
  expect(frames.map(([name, json]) => [name, Object.keys(json)])).toEqual(tables.flatMap(fieldsOf));
});

test.each(frames)('%s has the bytes and the JSON of ts-proto', (name, json, bytes) => {
  const api = apiOf(tables.find(({ messages }) => messages[name]) ?? expect.fail('no table'));
  expect(Buffer.from(encode(api, name, json)).toString('base64')).toBe(bytes);
  // As text, so that the order of the fields counts.
  expect(JSON.stringify(decode(api, name, Buffer.from(bytes, 'base64')))).toBe(JSON.stringify(json));
});

test('protobuf-es reads the errors of gRPC', () => {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));
  const status = registry.getMessage('google.rpc.Status') ?? expect.fail('the image lacks google.rpc.Status');
  const packed = (name: string, json: object) => ({
    typeUrl: `type.googleapis.com/google.rpc.${name}`,
    value: tableCodec(grpcFields, `google.rpc.${name}`).encode(json).finish(),
  });
  const info = { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org', metadata: { taskId: 't' } };
  const request = { fieldViolations: [{ field: 'message.parts', description: 'is required' }] };
  const bytes = tableCodec(grpcFields, 'google.rpc.Status')
    .encode({ code: 5, message: 'no', details: [packed('ErrorInfo', info), packed('BadRequest', request)] })
    .finish();
  expect(toJson(status, fromBinary(status, bytes), { registry })).toEqual({
    code: 5,
    message: 'no',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', ...info },
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', ...request },
    ],
  });
});

const health = 'grpc.health.v1.HealthCheckResponse';
const numbers = 'grpc.reflection.v1.ExtensionNumberResponse';
const read = (name: string, ...bytes: number[]): object => decode(apiOf(grpcFields), name, Uint8Array.from(bytes));

test('an enum number without a name is UNRECOGNIZED', () => {
  expect(read(health, 8, 99)).toEqual({ status: 'UNRECOGNIZED' });
});

test('fields with an unknown number or another wire type are skipped', () => {
  expect(read(health, 0x7a, 1, 0x61, 0x0a, 1, 0x61, 8, 2)).toEqual({ status: 'NOT_SERVING' });
});

test('numbers are read packed and one by one', () => {
  expect(read(numbers, 0x12, 2, 1, 2, 0x10, 3)).toEqual({ extensionNumber: [1, 2, 3] });
});

test('a google.protobuf.Value without content is left out of a list', () => {
  const bytes = Uint8Array.of(0x1a, 0, 0x1a, 2, 0x20, 1);
  expect(decode(apiOf(knowledgeFields), 'a2agateway.knowledge.v1.QueryErrors.QueryError', bytes)).toMatchObject({
    path: [true],
  });
});

test('an entry of a map without a value is left out, and one called __proto__ is refused', () => {
  const name = 'google.rpc.ErrorInfo';
  expect(read(name, 0x1a, 3, 0x0a, 1, 0x61)).toEqual({ metadata: {} });
  const entry = [0x0a, 9, ...Buffer.from('__proto__'), 0x12, 1, 0x61];
  const map = [0x0a, 9, ...Buffer.from('__proto__'), 0x12, 0];
  expect(read(name, 0x1a, entry.length, ...entry)).toEqual({ metadata: {} });
  expect(() => read('grpc.health.v1.HealthListResponse', 0x0a, map.length, ...map)).toThrow('__proto__');
});

test('messages nest 100 deep, and no deeper', () => {
  const node = { jsonName: 'node', protoName: 'node', number: 1, kind: 'message', type: 'test.Node' } as const;
  const codec = tableCodec({ messages: { 'test.Node': { fields: [node], oneofs: [] } }, enums: {} }, 'test.Node');
  const nested = (depth: number): object => (depth === 0 ? {} : { node: nested(depth - 1) });
  expect(codec.decode(codec.encode(nested(99)).finish())).toEqual(nested(99));
  expect(() => codec.decode(codec.encode(nested(100)).finish())).toThrow('nested deeper than 100');
  expect(codec.decode(codec.encode(nested(99)).finish())).toEqual(nested(99));
});

test('a map whose keys are no text is refused when its codec is made', () => {
  const map = { jsonName: 'map', protoName: 'map', number: 1, kind: 'map', type: 'string', keyType: 'int32' } as const;
  const fields = { messages: { 'test.Map': { fields: [map], oneofs: [] } }, enums: {} };
  expect(() => tableCodec(fields, 'test.Map')).toThrow('only text is the key of a map');
});
