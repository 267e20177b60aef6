import { createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { api as v1 } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { api as admin } from '../../src/gen/admin-v1/index.ts';
import { api as knowledge } from '../../src/gen/knowledge-v1/index.ts';
import { decode, encode } from '../../src/wire/protobuf.ts';
import { normalize } from '../../src/wire/protojson.ts';
import { parseAs } from '../../src/wire/validate.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';
import { image } from '../support/descriptors.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));

describe.each([v1, v03, admin, knowledge])('$package against protobuf-es', (api) => {
  const names = Object.keys(api.fields.messages).filter((name) => name.startsWith(api.package));

  test.each(names)('%s', (name) => {
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
      { numRuns: 40 },
    );
  });
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
  ])('%s survives', (_, json) => {
    expect(roundTrip(json)).toEqual(json);
  });

  test('unset stays unset, and zero stays zero where the field has presence', () => {
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

  test('so is one in a map', () => {
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
    ['the number NaN', Uint8Array.of(0x22, 9, 0x11, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f)],
  ])('%s is a parse error', (_, bytes) => {
    const name = bytes[0] === 0x1a ? 'lf.a2a.v1.TaskStatus' : part;
    expect(() => decode(v1, name, bytes)).toThrow(expect.objectContaining({ name: 'A2AError', kind: 'parse' }));
  });

  test('arbitrary bytes never do anything else', () => {
    const names = v1.operations.map(({ request }) => request);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.uint8Array({ maxLength: 60 }), (name, bytes) => {
        try {
          decode(v1, name, bytes);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'parse' });
        }
      }),
      { numRuns: 2000 },
    );
  });
});
