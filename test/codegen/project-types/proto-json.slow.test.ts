import { join } from 'node:path';
import { create, type DescMessage, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { beforeAll, expect, test, vi } from 'vitest';
import type { ZodType } from 'zod';
import type { Image } from '../../../codegen/image.ts';
import { readProto, specOf } from '../../../codegen/project-types/user-proto.ts';
import { paced } from '../../support/pace.ts';
import { compile } from './compile.ts';
import { Project } from './run-types.ts';
import { load } from './written.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000), hookTimeout: paced(120_000) });

const scalars = [
  ...['int32', 'sint32', 'sfixed32', 'uint32', 'fixed32', 'int64', 'sint64', 'sfixed64', 'uint64', 'fixed64'],
  ...['double', 'float', 'bool', 'string', 'bytes'],
];
const known = ['Timestamp', 'Duration', 'FieldMask', 'Struct', 'ListValue', 'Empty'];
const wrapped = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'];

const proto = `syntax = "proto3";
package every.v1;
${['duration', 'empty', 'field_mask', 'struct', 'timestamp', 'wrappers'].map((name) => `import "google/protobuf/${name}.proto";\n`).join('')}
enum Level { option allow_alias = true; LEVEL_NONE = 0; LEVEL_LOW = 1; LEVEL_SMALL = 1; LEVEL_HIGH = -5; }
message One {
${[
  ...scalars,
  ...known.map((name) => `google.protobuf.${name}`),
  ...wrapped.map((name) => `google.protobuf.${name}Value`),
]
  .map((type, at) => `  ${type} the_${type.split('.').at(-1)?.toLowerCase()} = ${at + 1};`)
  .join('\n')}
  Level the_level = 51;
  One the_one = 52;
  google.protobuf.Value the_value = 53;
  string own_name = 54 [json_name = "another"];
  repeated int64 many_longs = 55;
  repeated Level many_levels = 56;
  repeated One many_ones = 57;
  map<string, bytes> some_bytes = 58;
  map<int64, Level> some_levels = 59;
  map<bool, float> some_floats = 60;
  map<uint32, One> some_ones = 61;
  oneof choice { string first_choice = 62; google.protobuf.Value other_choice = 63; Level third_choice = 64; }
}
`;

let schema: ZodType;
let message: DescMessage;
let image: Image;

beforeAll(async () => {
  const project = new Project();
  project.write('every.proto', proto);
  const { failure } = await project.types({ proto: 'every.proto', importExtension: '.ts' });
  expect(failure).toBeUndefined();
  expect(compile(join(project.folder, 'a2a'))).toBe('');
  schema = (await load(join(project.folder, 'a2a'), 'schemas.ts')).OneSchema as ZodType;
  const files = { proto: join(project.folder, 'every.proto') };
  ({ image } = await specOf(files, readProto(files, String), String));
  message = image.registry.getMessage('every.v1.One') as DescMessage;
});

/** JSON after a round trip through the protobuf library; undefined if the library refuses it. */
function reference(json: unknown): JsonValue | undefined {
  const { registry } = image;
  try {
    return toJson(message, fromJson(message, json as JsonValue, { registry }), { registry });
  } catch {
    return undefined;
  }
}

const whole = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1e15, 2 ** 63, -(2 ** 63), 1e30];
const integers: readonly unknown[] = [
  ...whole,
  ...whole.map(String),
  ...['9223372036854775807', '-9223372036854775808', '9223372036854775808', '18446744073709551615'],
  ...['', ' 1', '1 ', '1.5', 'a', '12a', '١'],
  ...[0.5, true, [], {}, [1]],
];
const numbers: readonly unknown[] = [
  ...[0, 1.5, -1e300, 3.4e38, 3.5e38, '1.5', '-1', '1e5', '1.89769e+308', '-3.502823e+38'],
  ...['NaN', 'Infinity', '-Infinity', 'nan', 'infinity', '', ' 1', '1 ', true, [], {}],
];
const texts: readonly unknown[] = ['', 'a', '\u0000', 1, true, [], {}];
const bytes: readonly unknown[] = ['', 'QQ==', 'QQ', '-_8=', '-_8', '+/8=', '!', 1, true, [], {}];
const levels: readonly unknown[] = [
  ...['LEVEL_NONE', 'LEVEL_LOW', 'LEVEL_SMALL', 'LEVEL_HIGH', 'level_low', 'LEVEL_OTHER', '1'],
  ...[0, 1, -5, 1.5, true, [], {}],
];
const times: readonly unknown[] = [
  ...['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z'],
  ...['0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', '2026-01-31T12:00:00', '2026-01-31', 'now', 0, {}],
];
const durations: readonly unknown[] = [
  ...['0s', '1s', '-1s', '1.5s', '-0.5s', '1.000000001s', '315576000000s', '315576000001s', '1', '1.s', 's', 1, {}],
];
const objects: readonly unknown[] = [{}, { a: null }, [], [null], 'x', 1, true];

const cases: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ...['int32', 'sint32', 'sfixed32', 'uint32', 'fixed32', 'int64', 'sint64', 'sfixed64', 'uint64', 'fixed64'].map(
    (name) => [`the_${name}`, integers] as const,
  ),
  ...['int64', 'uint64', 'int32', 'uint32'].map((name) => [`the_${name}value`, integers] as const),
  ...['double', 'float', 'doublevalue', 'floatvalue'].map((name) => [`the_${name}`, numbers] as const),
  ...['string', 'stringvalue', 'own_name'].map((name) => [name.includes('_') ? name : `the_${name}`, texts] as const),
  ...['bytes', 'bytesvalue'].map((name) => [`the_${name}`, bytes] as const),
  ...['bool', 'boolvalue'].map((name) => [`the_${name}`, [true, false, 'true', 0, 1, [], {}]] as const),
  ['the_level', levels],
  ['the_timestamp', times],
  ['the_duration', durations],
  ['the_fieldmask', ['', 'a', 'a.bC,d', 'foo_bar', 1, {}]],
  ['the_struct', objects],
  ['the_listvalue', objects],
  ['the_value', objects],
  ['the_one', [{}, { the_int32: '1' }, { theInt32: 'x' }, { the_one: { the_level: 1 } }, [], 'x', 1]],
  ['many_longs', [[1, '2', 3e3], [null], ['x'], {}, 1]],
  ['many_levels', [[1, 'LEVEL_HIGH'], [null], ['x'], 'LEVEL_HIGH']],
  ['many_ones', [[{}, { own_name: 'a' }, { another: 'a' }], [null], [1], {}]],
  ['some_bytes', [{}, { a: '-_8' }, { a: null }, { a: 1 }, []]],
  ['some_levels', [{ 1: 1 }, { '-1': 'LEVEL_LOW' }, { x: 1 }, { 1: null }]],
  ['some_floats', [{ true: '1' }, { false: 'NaN' }, { yes: 1 }]],
  ['some_ones', [{ 1: { the_int32: '5' } }, { '-1': {} }]],
  ['first_choice', texts],
  ['other_choice', objects],
  ['third_choice', levels],
];

/** Text that protobuf's conformance suite has refused, and the reader that is compared with takes for a number. */
const isNoNumber = (value: unknown): boolean => typeof value === 'string' && value.trim() !== value;

test.each(cases)('%s is read as by a reader of protobuf, under both names, and null is absent', (field, values) => {
  const jsonName = message.fields.find(({ name }) => name === field)?.jsonName ?? '';
  expect(jsonName).not.toBe('');
  for (const value of values) {
    for (const name of [field, jsonName]) {
      const { success, data } = schema.safeParse({ [name]: value });
      const expected = isNoNumber(value) ? undefined : reference({ [name]: value });
      const at = `${name}: ${JSON.stringify(value)}`;
      expect(success, at).toBe(expected !== undefined);
      if (!success) continue;
      expect(reference(data), at).toEqual(expected);
      // The output is canonical, except for members with their default value, which writers omit.
      expect(withoutDefaults(data), at).toEqual(withoutDefaults(expected));
      expect(schema.parse(data), at).toEqual(data);
    }
  }
  const isValue = field === 'the_value' || field === 'other_choice';
  expect(schema.parse({ [field]: null })).toEqual(isValue ? { [jsonName]: null } : {});
});

test('a float that is too large for want of digits becomes the largest one, as in other readers of protobuf', () => {
  const largest = 3.4028234663852886e38;
  for (const sign of [1, -1]) {
    for (const value of [3.4028235e38, '3.4028235e38', 3.4028235677973e38])
      expect(schema.parse({ the_float: Number(value) * sign })).toEqual({ theFloat: largest * sign });
    expect(schema.parse({ the_float: largest * sign })).toEqual({ theFloat: largest * sign });
    expect(schema.safeParse({ the_float: 3.4028235677973366e38 * sign }).success).toBe(false);
  }
  expect(schema.parse({ the_float: 0.1 })).toEqual({ theFloat: 0.1 });
});

/** A message inside as many others. */
const nested = (depth: number, around: (inner: unknown) => unknown): unknown => {
  let value: unknown = {};
  for (let at = 0; at < depth; at++) value = around(value);
  return value;
};

test.each<[string, (inner: unknown) => unknown]>([
  ['field', (the_one) => ({ the_one })],
  ['list', (inner) => ({ manyOnes: [inner] })],
  ['map', (inner) => ({ some_ones: { 1: inner } })],
])('a message in a %s of itself is read up to the depth of readers of protobuf, and refused beyond', (_, around) => {
  expect(schema.safeParse(nested(99, around)).success).toBe(true);
  for (const depth of [100, 2000, 200_000]) {
    const { error } = schema.safeParse(nested(depth, around));
    expect(error?.issues.map((issue) => issue.message)).toEqual([
      'nested too deeply: more than 100 messages inside each other',
    ]);
    expect(error?.issues[0]?.path.length).toBeGreaterThanOrEqual(100);
  }
  // The depth is that of one value.
  expect(schema.safeParse(nested(99, around)).success).toBe(true);
});

test('a map and a tree of bad values are refused with a hundred issues and their path', () => {
  const some_ones = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [at, { the_bool: 1 }]));
  const tree = (depth: number): unknown =>
    depth === 0 ? { the_bool: 1 } : { the_one: tree(depth - 1), many_ones: [tree(depth - 1)] };
  for (const [value, path] of [
    [{ some_ones }, ['someOnes']],
    [{ someFloats: some_ones }, ['someFloats']],
    [{ the_one: tree(17) }, Array(11).fill('theOne')],
  ] as const) {
    expect(schema.safeParse({ the_one: { many_ones: [{}] } }).success).toBe(true);
    const { error } = schema.safeParse(value);
    expect(error?.issues).toHaveLength(101);
    expect(error?.issues.at(-1)).toMatchObject({ path, message: 'more than 100 issues; the others are not listed' });
  }
});

test('a key of a map that is named __proto__ is kept, and its value is judged', () => {
  const json = '{"someBytes":{"__proto__":"QQ=="}}';
  expect(JSON.stringify(schema.parse(JSON.parse(json)))).toBe(json);
  const { error } = schema.safeParse(JSON.parse('{"some_bytes":{"__proto__":1}}'));
  expect(error?.issues[0]?.path).toEqual(['someBytes', '__proto__']);
  expect(schema.safeParse(JSON.parse('{"someOnes":{"__proto__":{}}}')).error?.issues[0]?.path).toEqual([
    'someOnes',
    '__proto__',
  ]);
});

/** Without members that a writer leaves out. */
function withoutDefaults(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutDefaults);
  if (typeof json !== 'object' || json === null) return json;
  const empty = toJson(message, create(message), { alwaysEmitImplicit: true }) as Record<string, unknown>;
  const isDefault = (name: string, value: unknown): boolean =>
    JSON.stringify(empty[name]) === JSON.stringify(value) || (Object.hasOwn(empty, name) && value === 'LEVEL_NONE');
  return Object.fromEntries(
    Object.entries(json)
      .filter(([name, value]) => !isDefault(name, value))
      .map(([name, value]) => [name, withoutDefaults(value)]),
  );
}
