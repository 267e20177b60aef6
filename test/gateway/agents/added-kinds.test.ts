import { createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import grpc from '@grpc/grpc-js';
import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { decode, encode } from '../../../src/wire/protobuf.ts';
import { normalize } from '../../../src/wire/protojson.ts';
import { parseAs } from '../../../src/wire/validate.ts';
import { canonicalJson } from '../../support/arbitrary-json.ts';
import { addKinds, type ChangedApi, changedApi } from '../../support/changed-proto.ts';
import { paced } from '../../support/pace.ts';
import { type ServedApi, serveApi } from '../../support/served-api.ts';

/**
 * Every kind of field that proto3 has, in one changed proto: generated, served, and called over every binding by clients
 * that know nothing but the descriptors.
 */

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000), hookTimeout: paced(120_000) });

const kinds = 'lf.a2a.v1.Kinds';
let changed: ChangedApi;
let served: ServedApi;
let registry: ReturnType<typeof createFileRegistry>;

beforeAll(async () => {
  changed = await changedApi(addKinds);
  const bytesOf = (file: string): Buffer =>
    Buffer.from(/'([A-Za-z0-9+/=]+)'/.exec(changed.files.get(file) ?? '')?.[1] ?? '', 'base64');
  const image = Buffer.concat([bytesOf('image.ts'), bytesOf('a2a-1.0/image.ts')]);
  registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  served = await serveApi(changed.api, ({ request }) => ({ value: request }));
});

const schema = () => {
  const found = registry.getMessage(kinds);
  if (!found) throw new Error('the image lacks Kinds');
  return found;
};

const largest = {
  aInt64: '-9223372036854775808',
  aUint64: '18446744073709551615',
  aFixed64: '9007199254740993',
  aDouble: 'NaN',
  aFloat: 0.1,
  aBytes: '+/8=',
  aDuration: '-0.500s',
  aMask: 'contextId,status.state',
  anEmpty: {},
  aList: [1, null, 'x'],
  oInt64: '0',
  wInt64: '0',
  wBool: false,
  wString: '',
  rInt64: ['1', '-9007199254740993'],
  rFloat: ['Infinity', '-Infinity', 2.5],
  rWrapped: ['0', '7'],
  mBoolMood: { true: 'MOOD_GOOD', false: 'MOOD_UNSPECIFIED' },
  mInt64Inner: { '-9007199254740993': { number: '5' } },
  mInt32String: { '-7': 'x' },
  mStringDuration: { a: '3s' },
  deep: { number: '9007199254740993' },
  level: 'LEVEL_HIGH',
  cDuration: '1.000000001s',
};

test('codecs agree with another implementation of protobuf', () => {
  fc.assert(
    fc.property(canonicalJson(changed.api, kinds), (json) => {
      const theirs = toBinary(schema(), fromJson(schema(), json as JsonValue, { registry }));
      expect(parseAs(changed.api, kinds, decode(changed.api, kinds, theirs))).toEqual(json);
      const ours = toJson(schema(), fromBinary(schema(), encode(changed.api, kinds, json)), { registry });
      expect(parseAs(changed.api, kinds, ours)).toEqual(json);
      expect(normalize(changed.api, kinds, json)).toBe(json);
    }),
    { numRuns: 200 },
  );
});

test.each<[string, object, object]>([
  ['a 64-bit integer as a number', { aInt64: 12 }, { aInt64: '12' }],
  ['with leading zeros', { aUint64: '007' }, { aUint64: '7' }],
  ['with an exponent', { aInt64: '1e3' }, { aInt64: '1000' }],
  ['zero is the default', { aInt64: 0, aUint64: '0', aSint64: -0 }, {}],
  ['32 bits as text', { aInt32: '-5', aFixed32: '4294967295' }, { aInt32: -5, aFixed32: 4294967295 }],
  ['base64url', { aBytes: '-_8' }, { aBytes: '+/8=' }],
  ['durations of any precision', { aDuration: '1.5s' }, { aDuration: '1.500s' }],
  ['an enum by number', { oMood: 2 }, { oMood: 'MOOD_BAD' }],
  ['proto names', { o_int64: 3, old_name: 'x' }, { oInt64: '3', older: 'x' }],
])('input is taken as ProtoJSON allows it: %s', (_, input, canonical) => {
  expect(parseAs(changed.api, kinds, input)).toEqual(canonical);
});

test.each<[string, object, string]>([
  ['beyond 64 bits', { aInt64: '9223372036854775808' }, 'aInt64 must be a signed 64-bit integer'],
  ['below zero', { aUint64: '-1' }, 'aUint64 must be an unsigned 64-bit integer'],
  ['a fraction', { aInt64: 1.5 }, 'aInt64 must be a signed 64-bit integer'],
  ['beyond 32 bits', { aSint32: 2 ** 31 }, 'aSint32 must be a 32-bit integer'],
  ['below zero in 32 bits', { aFixed32: -1 }, 'aFixed32 must be an unsigned 32-bit integer'],
  ['a float out of range', { aFloat: 1e39 }, 'aFloat must be a 32-bit number'],
  ['no base64', { aBytes: '*' }, 'aBytes must be base64'],
  ['no duration', { aDuration: '5' }, 'aDuration must be a duration'],
  ['an unknown enum value', { oMood: 'MOOD_NEW' }, 'oMood must be one of MOOD_UNSPECIFIED, MOOD_GOOD, MOOD_BAD'],
  ['a key that is no number', { mInt64Inner: { a: {} } }, 'mInt64Inner.a must have a number of type int64 as its key'],
  ['a key that is no boolean', { mBoolMood: { yes: 'MOOD_GOOD' } }, 'mBoolMood.yes must have true or false as its key'],
  ['two of a oneof', { cInt64: '1', cBytes: '' }, 'must have only one of cInt64, cInner, cDuration, cBytes'],
])('input with %s is refused', (_, input, message) => {
  expect(() => parseAs(changed.api, kinds, input)).toThrow(message);
});

const post = async (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://localhost:${served.port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body,
  });

/** Larger than a double can hold, as a number. */
const raw = '{"aInt64":-9007199254740993,"rInt64":[9007199254740995],"mStringInt64":{"a":18014398509481985}}';
const exact = {
  aInt64: '-9007199254740993',
  rInt64: ['9007199254740995'],
  mStringInt64: { a: '18014398509481985' },
};

test('JSON-RPC carries every kind exactly', async () => {
  const call = async (params: string) =>
    (await post('/', `{"jsonrpc":"2.0","id":1,"method":"TryKinds","params":${params}}`)).json();
  expect(await call(JSON.stringify(largest))).toMatchObject({ result: largest });
  expect(await call(raw)).toMatchObject({ result: exact });
});

test('HTTP+JSON carries every kind exactly, in bodies, paths and query parameters', async () => {
  expect(await (await post('/kinds', JSON.stringify(largest))).json()).toEqual(largest);
  expect(await (await post('/kinds', raw)).json()).toEqual(exact);
  const get = async (path: string) => (await fetch(`http://localhost:${served.port}${path}`)).json();
  const query = 'a_uint64=18446744073709551615&rInt64=1,-9007199254740993&aDouble=-Infinity&aBytes=-_8&wBool=false';
  expect(await get(`/kinds/-9007199254740993?${query}&aDuration=1.5s&oMood=2&inner.number=9007199254740993`)).toEqual({
    aInt64: '-9007199254740993',
    aUint64: '18446744073709551615',
    rInt64: ['1', '-9007199254740993'],
    aDouble: '-Infinity',
    aBytes: '+/8=',
    wBool: false,
    aDuration: '1.500s',
    oMood: 'MOOD_BAD',
    inner: { number: '9007199254740993' },
  });
  expect(await get('/inner/9007199254740993')).toEqual({ inner: { number: '9007199254740993' } });
});

test('gRPC carries every kind exactly', async () => {
  const client = new grpc.Client(`localhost:${served.port}`, grpc.credentials.createInsecure());
  try {
    const answer = await new Promise<unknown>((resolve, reject) =>
      client.makeUnaryRequest(
        '/lf.a2a.v1.A2AService/TryKinds',
        (json: JsonValue) => Buffer.from(toBinary(schema(), fromJson(schema(), json))),
        (bytes: Buffer) => toJson(schema(), fromBinary(schema(), bytes)),
        largest,
        { deadline: Date.now() + paced(10_000) },
        (error, value) => (error ? reject(error) : resolve(value)),
      ),
    );
    expect(parseAs(changed.api, kinds, answer)).toEqual(largest);
  } finally {
    client.close();
  }
});

test('Connect carries every kind exactly, in JSON and in protobuf', async () => {
  const path = '/lf.a2a.v1.A2AService/TryKinds';
  expect(await (await post(path, JSON.stringify(largest))).json()).toEqual(largest);
  expect(await (await post(path, raw)).json()).toEqual(exact);
  const answer = await fetch(`http://localhost:${served.port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/proto' },
    body: Buffer.from(toBinary(schema(), fromJson(schema(), largest as JsonValue))),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(parseAs(changed.api, kinds, toJson(schema(), fromBinary(schema(), bytes)))).toEqual(largest);
});

test('gRPC-Web carries every kind exactly', async () => {
  const message = toBinary(schema(), fromJson(schema(), largest as JsonValue));
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  const answer = await fetch(`http://localhost:${served.port}/lf.a2a.v1.A2AService/TryKinds`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/grpc-web+proto' },
    body: Buffer.concat([frame, message]),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const json = toJson(schema(), fromBinary(schema(), bytes.subarray(5, 5 + bytes.readUInt32BE(1))));
  expect(parseAs(changed.api, kinds, json)).toEqual(largest);
});
