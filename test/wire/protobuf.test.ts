import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { api as v1 } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { api as admin } from '../../src/gen/admin-v1/index.ts';
import type { Field } from '../../src/gen/api.ts';
import { fields as grpcFields } from '../../src/gen/grpc/fields.ts';
import { api as knowledge } from '../../src/gen/knowledge-v1/index.ts';
import { decode, decodeRaw, encode } from '../../src/wire/protobuf.ts';
import { normalize } from '../../src/wire/protojson.ts';
import { parseAs } from '../../src/wire/validate.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';
import { image } from '../support/descriptors.ts';
import { wireVariants } from '../support/wire-variants.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));

describe.each([v1, v03, admin, knowledge])('$package against protobuf-es', (api) => {
  const names = Object.keys(api.fields.messages).filter((name) => name.startsWith(api.package));

  test.each(names)(`a message %s of ${api.package} is read and written as by protobuf-es`, (name) => {
    const schema = registry.getMessage(name);
    if (!schema) throw new Error(`the image lacks ${name}`);
    fc.assert(
      fc.property(canonicalJson(api, name), (json) => {
        const theirs = toBinary(schema, fromJson(schema, json as JsonValue));
        expect(parseAs(api, name, decode(api, name, theirs))).toEqual(json);
        const ours = toJson(schema, fromBinary(schema, encode(api, name, json)));
        expect(parseAs(api, name, ours)).toEqual(json);
        expect(normalize(api, name, json)).toBe(json);
      }),
      { numRuns: 15 },
    );
  });

  test.each(names)('%s is read from any bytes that protobuf allows for it, as protobuf-es reads them', (name) => {
    const schema = registry.getMessage(name) ?? expect.fail(`the image lacks ${name}`);
    const variants = canonicalJson(api, name).chain((json) =>
      wireVariants(api.fields, name, encode(api, name, json)).map((bytes) => ({ json, bytes })),
    );
    fc.assert(
      fc.property(variants, ({ json, bytes }) => {
        expect(parseAs(api, name, toJson(schema, fromBinary(schema, bytes)))).toEqual(json);
        expect(parseAs(api, name, decode(api, name, bytes))).toEqual(json);
      }),
      { numRuns: 5 },
    );
  });
});

type Frame = [name: string, json: object, bytes: string];

/**
 * Messages with all their fields, and one of each oneof, in canonical ProtoJSON, and their bytes in base64: recorded from the
 * codecs of ts-proto.
 */
const frames = readFileSync(new URL('protobuf.frames.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Frame => JSON.parse(line));

const tables = [v1.fields, v03.fields, admin.fields, knowledge.fields, grpcFields];

test.each(frames)('a frame of ts-proto for %s has the same bytes and the same JSON', (name, json, bytes) => {
  const fields = tables.find(({ messages }) => messages[name]) ?? expect.fail('no table');
  expect(Buffer.from(encode({ fields }, name, json)).toString('base64')).toBe(bytes);
  // Texts are compared, so that the order of the fields counts.
  expect(JSON.stringify(decode({ fields }, name, Buffer.from(bytes, 'base64')))).toBe(JSON.stringify(json));
});

const part = 'lf.a2a.v1.Part';
const roundTrip = (json: object, name = part): unknown => decode(v1, name, encode(v1, name, json));

describe('traps', () => {
  test.each([
    ['null in the oneof', { data: null }],
    ['an empty text', { text: '' }],
    ['no bytes', { raw: '' }],
    ['bytes', { raw: 'AAEC/w==' }],
    ['an empty object', { data: {}, metadata: {} }],
    ['an empty list', { data: [] }],
    ['nulls in lists and objects', { data: [null, { a: null }] }],
    ['false and 0', { data: { no: false, zero: 0 } }],
    ['keys of Object.prototype', { data: { constructor: 1, toString: 'x', hasOwnProperty: null } }],
    ['U+0000', { text: 'a\u0000b' }],
    ['text that is full of replacement characters', { text: '\uFFFD\uFFFD' }],
  ])('a part with %s survives', (_, json) => {
    expect(roundTrip(json)).toEqual(json);
  });

  test('an unset field stays unset, and zero stays zero where the field has presence', () => {
    const name = 'lf.a2a.v1.GetTaskRequest';
    expect(roundTrip({ id: 'a' }, name)).toEqual({ id: 'a' });
    expect(roundTrip({ id: 'a', historyLength: 0 }, name)).toEqual({ id: 'a', historyLength: 0 });
  });

  test('an explicit default on the wire is no difference after parseAs', () => {
    const bytes = Uint8Array.of(0x0a, 0, 0x12, 1, 0x61);
    expect(parseAs(v1, 'lf.a2a.v1.GetTaskRequest', decode(v1, 'lf.a2a.v1.GetTaskRequest', bytes))).toEqual({ id: 'a' });
  });

  test('times before 1970 keep their milliseconds', () => {
    const status = { state: 'TASK_STATE_WORKING', timestamp: '1969-12-31T23:59:59.001Z' };
    expect(roundTrip(status, 'lf.a2a.v1.TaskStatus')).toEqual(status);
  });

  test('an unknown enum number is refused by validation', () => {
    const decoded = decode(v1, 'lf.a2a.v1.TaskStatus', Uint8Array.of(8, 99));
    expect(() => parseAs(v1, 'lf.a2a.v1.TaskStatus', decoded)).toThrow('state must be one of');
  });

  test('unknown fields are skipped', () => {
    expect(decode(v1, part, Uint8Array.of(0x0a, 1, 0x61, 0xfa, 0x07, 1, 0x62))).toEqual({ text: 'a' });
  });

  test('text of any length survives', () => {
    const texts = [0, 1, 39, 40, 41, 42, 43, 127, 128, 5461, 16383, 16384, 2 ** 21].flatMap((length) => [
      'a'.repeat(length),
      'é'.repeat(length),
      '€'.repeat(length),
      `${'x'.repeat(length)}😀`,
    ]);
    for (const text of texts) expect(roundTrip({ text })).toEqual({ text });
  });

  test('a lone surrogate becomes a replacement character', () => {
    expect(roundTrip({ text: 'a\uD800b' })).toEqual({ text: 'a\uFFFDb' });
    expect(roundTrip({ text: `\uDC00${'x'.repeat(50)}` })).toEqual({ text: `\uFFFD${'x'.repeat(50)}` });
  });

  test('an error in the middle of a message leaves nothing in the next one', () => {
    const bytes = encode(v1, part, { text: 'a' });
    expect(() => encode(v1, part, { text: 'b', metadata: { no: Number.NaN } })).toThrow(
      'cannot be represented in JSON',
    );
    expect(encode(v1, part, { text: 'a' })).toEqual(bytes);
  });

  test('bytes are written as base64 or as bytes, and stay bytes where that is wanted', () => {
    const bytes = encode(v1, part, { raw: 'AAEC/w==' });
    expect(encode(v1, part, { raw: Uint8Array.of(0, 1, 2, 255) })).toEqual(bytes);
    const copy = Buffer.from(bytes);
    const read = decodeRaw(v1, part, copy);
    copy.fill(0);
    expect(read).toEqual({ raw: Buffer.of(0, 1, 2, 255) });
  });

  test('lists and maps are there when they are empty if bytes stay bytes', () => {
    expect(decodeRaw(v1, 'lf.a2a.v1.ListTasksResponse', Buffer.alloc(0))).toEqual({ tasks: [] });
    expect(decodeRaw(v1, 'lf.a2a.v1.SecurityRequirement', Buffer.alloc(0))).toEqual({ schemes: {} });
    expect(decode(v1, 'lf.a2a.v1.ListTasksResponse', Buffer.alloc(0))).toEqual({});
  });

  test('values nest as deep as JSON bodies may, and no deeper', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(roundTrip({ data: nested(64) })).toEqual({ data: nested(64) });
    expect(() => encode(v1, part, { data: nested(65) })).toThrow('nested deeper than 64');
    expect(roundTrip({ data: nested(64) })).toEqual({ data: nested(64) });
  });
});

describe('what is not such a message', () => {
  const schema = registry.getMessage(part);
  const withKey = (key: string): Uint8Array => {
    if (!schema) throw new Error('no schema');
    const bytes = toBinary(schema, fromJson(schema, { data: { [`x${key.slice(1)}`]: { polluted: true } } }));
    return Buffer.from(
      Buffer.from(bytes)
        .toString('latin1')
        .replace(`x${key.slice(1)}`, key),
      'latin1',
    );
  };

  test('a key called __proto__ is refused, and nothing is polluted', () => {
    expect(() => decode(v1, part, withKey('__proto__'))).toThrow('__proto__ is not allowed');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(decode(v1, part, withKey('_aproto__'))).toEqual({ data: { _aproto__: { polluted: true } } });
  });

  test('a key called __proto__ in a map is refused, and nothing is polluted', () => {
    const name = 'lf.a2a.v1.SecurityRequirement';
    const entry = [0x0a, 9, ...Buffer.from('__proto__'), 0x12, 0];
    expect(() => decode(v1, name, Uint8Array.from([0x0a, entry.length, ...entry]))).toThrow('__proto__');
  });

  test.each([
    ['cut off', Uint8Array.of(0x0a, 5, 0x61)],
    ['a length that is too long', Uint8Array.of(0x22, 0x7f, 0x1a, 1, 0x61)],
    ['invalid UTF-8', Uint8Array.of(0x0a, 2, 0xc3, 0x28)],
    ['a time out of range', Uint8Array.of(0x1a, 10, 8, ...Array(8).fill(0xff), 0x7f)],
    ['a group that ends without a beginning', Uint8Array.of(0x0c, 0)],
    ['a group that ends with another number', Uint8Array.of(0x7b, 0x84, 0x01)],
    ['a group without an end', Uint8Array.of(0x7b, 0x08, 1)],
    ['groups that are nested too deep', Buffer.concat([Buffer.alloc(101, 0x7b), Buffer.alloc(101, 0x7c)])],
    ['a field number of 0', Uint8Array.of(0x02, 1, 0x61)],
    ['a tag of eleven bytes', Buffer.concat([Buffer.alloc(11, 0xff), Uint8Array.of(1)])],
    ['a tag with more than 32 bits, which would be another one', Uint8Array.of(0x8a, 0x80, 0x80, 0x80, 0x10, 1, 0x61)],
    ['a tag that is longer than it needs to be', Uint8Array.of(0x8a, 0x80, 0x80, 0x80, 0x80, 0, 1, 0x61)],
    ['a length with more than 32 bits', Uint8Array.of(0x0a, 0x81, 0x80, 0x80, 0x80, 0x10, 0x61)],
    ['a number of eleven bytes', Uint8Array.of(0x78, ...Array(10).fill(0x80), 0)],
    ['a wire type of 6', Uint8Array.of(0x0e, 1)],
    ['a wire type of 7', Uint8Array.of(0x0f, 1)],
    ['a field that is longer than its message', Uint8Array.of(0x2a, 3, 0x0a, 5, 0x0a, 1, 0x61, 0x12, 0)],
    ['the number NaN', Uint8Array.of(0x22, 9, 0x11, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f)],
  ])('a malformed message is a parse error: %s', (_, bytes) => {
    const name = bytes[0] === 0x1a ? 'lf.a2a.v1.TaskStatus' : part;
    expect(() => decode(v1, name, bytes)).toThrow(expect.objectContaining({ name: 'A2AError', kind: 'parse' }));
  });

  test('a frame that is cut off is one only where a field ends', () => {
    const [name, , base64] = frames.find(([name]) => name === 'lf.a2a.v1.Message') ?? expect.fail('no frame');
    const bytes = Buffer.from(base64, 'base64');
    for (let end = 0; end < bytes.length; end++) {
      const cut = bytes.subarray(0, end);
      let json: object | undefined;
      try {
        json = decode(v1, name, cut);
      } catch (error) {
        expect(error).toMatchObject({ kind: 'parse' });
      }
      if (json) expect(Buffer.from(encode(v1, name, json))).toEqual(cut);
    }
  });

  test('arbitrary bytes are read, or are a parse error', () => {
    const names = v1.operations.map(({ request }) => request);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.uint8Array({ maxLength: 60 }), (name, bytes) => {
        try {
          decode(v1, name, bytes);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'parse' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

const read = (name: string, ...bytes: number[]): object => decode({ fields: grpcFields }, name, Uint8Array.from(bytes));

test('an enum number without a name is UNRECOGNIZED', () => {
  expect(read('grpc.health.v1.HealthCheckResponse', 8, 99)).toEqual({ status: 'UNRECOGNIZED' });
});

test('fields with an unknown number or another wire type, and groups, are skipped', () => {
  const unknown = [0x7a, 1, 0x61, 0x0a, 1, 0x61, 0x7b, 0x08, 1, 0x13, 0x14, 0x7c];
  expect(read('grpc.health.v1.HealthCheckResponse', ...unknown, 8, 2)).toEqual({ status: 'NOT_SERVING' });
});

test('numbers are read packed and one by one', () => {
  const name = 'grpc.reflection.v1.ExtensionNumberResponse';
  expect(read(name, 0x12, 2, 1, 2, 0x10, 3)).toEqual({ extensionNumber: [1, 2, 3] });
});

test('bits of a varint above those of its type are dropped', () => {
  const minus1 = [...Array(9).fill(0xff), 1];
  const name = 'grpc.reflection.v1.ExtensionNumberResponse';
  expect(read(name, 0x10, ...minus1, 0x10, 0x81, 0x80, 0)).toEqual({ extensionNumber: [-1, 1] });
});

test('a google.protobuf.Value without content is null', () => {
  const bytes = Uint8Array.of(0x1a, 0, 0x1a, 2, 0x20, 1);
  expect(decode(knowledge, 'a2agateway.knowledge.v1.QueryErrors.QueryError', bytes)).toEqual({ path: [null, true] });
  const struct = Uint8Array.of(0x2a, 5, 0x0a, 3, 0x0a, 1, 0x61);
  expect(decode(v1, part, Uint8Array.of(...struct, 0x22, 0))).toEqual({ metadata: { a: null }, data: null });
});

test('the key and the value of a map are defaults where an entry lacks them', () => {
  const name = 'google.rpc.ErrorInfo';
  expect(read(name, 0x1a, 3, 0x0a, 1, 0x61)).toEqual({ metadata: { a: '' } });
  expect(read(name, 0x1a, 3, 0x12, 1, 0x61, 0x1a, 0)).toEqual({ metadata: { '': '' } });
  const requirement = 'lf.a2a.v1.SecurityRequirement';
  const bytes = Uint8Array.of(0x0a, 3, 0x0a, 1, 0x61);
  expect(decode(v1, requirement, bytes)).toEqual({ schemes: { a: {} } });
  expect(decodeRaw(v1, requirement, bytes)).toEqual({ schemes: { a: { list: [] } } });
  const numbers = apiOf({ kind: 'map', type: 'test.State', valueKind: 'enum', keyType: 'int64' });
  expect(decode(numbers, 'test.Of', Uint8Array.of(0x0a, 0, 0x0a, 2, 0x08, 5))).toEqual({
    it: { 0: 'NONE', 5: 'NONE' },
  });
  const times = apiOf({ kind: 'map', type: 'google.protobuf.Timestamp', valueKind: 'timestamp', keyType: 'bool' });
  expect(decode(times, 'test.Of', Uint8Array.of(0x0a, 0))).toEqual({ it: { false: '1970-01-01T00:00:00.000Z' } });
});

test('an entry called __proto__ is refused', () => {
  const entry = [0x0a, 9, ...Buffer.from('__proto__'), 0x12, 1, 0x61];
  expect(() => read('google.rpc.ErrorInfo', 0x1a, entry.length, ...entry)).toThrow('__proto__');
});

/** A message test.Of with the field 1, \`it\`, and an enum. */
const apiOf = (field: Pick<Field, 'kind' | 'type'> & Partial<Field>) => ({
  fields: {
    messages: { 'test.Of': { fields: [{ jsonName: 'it', protoName: 'it', number: 1, ...field }], oneofs: [] } },
    enums: { 'test.State': { NONE: 0, SOME: 1 } },
  },
});

describe('a message that comes again is merged with the first, whatever its JSON is', () => {
  const delimited = (tag: number, bytes: readonly number[]): number[] => [tag, bytes.length, ...bytes];
  test.each<[Pick<Field, 'kind' | 'type'> & Partial<Field>, number[], number[], unknown]>([
    [
      { kind: 'timestamp', type: 'google.protobuf.Timestamp' },
      [8, 1],
      [16, 0xc0, 0x84, 0x3d],
      '1970-01-01T00:00:01.001Z',
    ],
    [{ kind: 'duration', type: 'google.protobuf.Duration' }, [8, 1], [16, 5], '1.000000005s'],
    [{ kind: 'fieldMask', type: 'google.protobuf.FieldMask' }, [0x0a, 1, 0x61], [0x0a, 1, 0x62], 'a,b'],
    [
      { kind: 'struct', type: 'google.protobuf.Struct' },
      [0x0a, 3, 0x0a, 1, 0x61],
      [0x0a, 3, 0x0a, 1, 0x62],
      { a: null, b: null },
    ],
    [{ kind: 'list', type: 'google.protobuf.ListValue' }, [0x0a, 2, 0x20, 1], [0x0a, 2, 0x20, 0], [true, false]],
    [{ kind: 'value', type: 'google.protobuf.Value' }, [0x20, 1], [], true],
    [{ kind: 'value', type: 'google.protobuf.Value' }, [0x32, 4, 0x0a, 2, 0x20, 1], [0x32, 2, 0x0a, 0], [true, null]],
    [{ kind: 'scalar', type: 'int32', wrapped: true }, [8, 5], [], 5],
  ])('a message that comes again is merged with the first: %j', (field, first, second, merged) => {
    const api = apiOf({ ...field, presence: true });
    const bytes = Uint8Array.from([...delimited(0x0a, first), ...delimited(0x0a, second)]);
    expect(decode(api, 'test.Of', bytes)).toEqual({ it: merged });
  });
});

test('of two members of a oneof, the last one counts', () => {
  const text = [0x0a, 1, 0x61];
  const data = [0x22, 2, 0x20, 1];
  expect(decode(v1, part, Uint8Array.of(...text, ...data))).toEqual({ data: true });
  expect(decode(v1, part, Uint8Array.of(...data, ...text))).toEqual({ text: 'a' });
});

test('a member of a oneof that comes again after another one is not merged with what it was', () => {
  const message = (...content: number[]): number[] => [0x12, content.length, ...content];
  const one = message(0x0a, 1, 0x61);
  const other = message(0x12, 1, 0x62);
  const task = [0x0a, 0];
  const name = 'lf.a2a.v1.SendMessageResponse';
  expect(decode(v1, name, Uint8Array.of(...one, ...other))).toEqual({ message: { messageId: 'a', contextId: 'b' } });
  expect(decode(v1, name, Uint8Array.of(...one, ...task, ...other))).toEqual({ message: { contextId: 'b' } });
});

test('messages nest 100 deep, and no deeper', () => {
  const node = { jsonName: 'node', protoName: 'node', number: 1, kind: 'message', type: 'test.Node' } as const;
  const api = { fields: { messages: { 'test.Node': { fields: [node], oneofs: [] } }, enums: {} } };
  const nested = (depth: number): object => (depth === 0 ? {} : { node: nested(depth - 1) });
  const trip = (depth: number): object => decode(api, 'test.Node', encode(api, 'test.Node', nested(depth)));
  expect(trip(99)).toEqual(nested(99));
  expect(() => trip(100)).toThrow('nested deeper than 100');
  expect(trip(99)).toEqual(nested(99));
});

test('protobuf-es reads the errors of gRPC', () => {
  const status = registry.getMessage('google.rpc.Status') ?? expect.fail('the image lacks google.rpc.Status');
  const packed = (name: string, json: object) => ({
    typeUrl: `type.googleapis.com/google.rpc.${name}`,
    value: encode({ fields: grpcFields }, `google.rpc.${name}`, json),
  });
  const info = { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org', metadata: { taskId: 't' } };
  const request = { fieldViolations: [{ field: 'message.parts', description: 'is required' }] };
  const details = [packed('ErrorInfo', info), packed('BadRequest', request)];
  const bytes = encode({ fields: grpcFields }, 'google.rpc.Status', { code: 5, message: 'no', details });
  expect(toJson(status, fromBinary(status, bytes), { registry })).toEqual({
    code: 5,
    message: 'no',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', ...info },
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', ...request },
    ],
  });
});

test('pages, which have no Buffer, write the same bytes and read the same JSON', async () => {
  const nodes = Buffer;
  vi.resetModules();
  vi.stubGlobal('Buffer', undefined);
  try {
    const page = await import('../../src/wire/protobuf.ts');
    for (const [name, json, base64] of frames) {
      const fields = tables.find(({ messages }) => messages[name]) ?? expect.fail('no table');
      const bytes = page.encode({ fields }, name, json);
      expect(nodes.isBuffer(bytes)).toBe(false);
      expect(nodes.from(bytes).toString('base64')).toBe(base64);
      expect(page.decode({ fields }, name, bytes)).toEqual(json);
    }
    const long = { text: '€'.repeat(100) };
    expect(page.decode(v1, part, page.encode(v1, part, long))).toEqual(long);
    const bytes = page.encode(v1, part, { raw: 'AAEC/w==' });
    expect(page.decode(v1, part, bytes)).toEqual({ raw: 'AAEC/w==' });
    expect(page.decodeRaw(v1, part, bytes)).toEqual({ raw: Uint8Array.of(0, 1, 2, 255) });
    expect(() => page.decode(v1, part, Uint8Array.of(0x0a, 2, 0xc3, 0x28))).toThrow('invalid UTF-8');
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
});
