import { expect, it } from 'vitest';
import { createArgumentCheck } from '../../../../src/extensions/mcp/client/follow.ts';
import { silent } from '../../../support/core.ts';

const check = createArgumentCheck(silent);
const violations = (inputSchema: Record<string, unknown>, given: Record<string, unknown>) =>
  check({ name: 'tool', inputSchema }, given);

const file = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
};

it.each<[string, Record<string, unknown>, Record<string, unknown>, string, string]>([
  ['missing', file, {}, 'arguments.path', 'is required'],
  ['of the wrong type', file, { path: 1 }, 'arguments.path', 'must be string'],
  ['unknown', file, { path: '', pth: 1 }, 'arguments.pth', 'is not an argument of this tool'],
  [
    'within lists',
    { properties: { files: { items: file } } },
    { files: [{ path: 'a' }, {}] },
    'arguments.files[1].path',
    'is required',
  ],
  ['none of a few', { properties: { a: { enum: ['x', 'y'] } } }, { a: 'z' }, 'arguments.a', 'must be one of ["x","y"]'],
  ['not the one', { properties: { a: { const: 1 } } }, { a: 2 }, 'arguments.a', 'must be 1'],
  ['with a slash in its name', { required: ['a/b'] }, {}, 'arguments.a/b', 'is required'],
  ['nothing at all', { minProperties: 1 }, {}, 'arguments', 'must NOT have fewer than 1 properties'],
])('a violation names its argument: %s', (_, schema, given, field, description) => {
  expect(violations(schema, given)).toEqual([{ field, description }]);
});

it('all violations are named, up to a bound', () => {
  const required = Array.from({ length: 100 }, (_, index) => `a${index}`);
  expect(violations({ required }, {})).toHaveLength(20);
});

it('tuples are read as their generation of JSON Schema writes them', () => {
  const old = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { a: { items: [{ type: 'number' }] } },
  };
  const now = { properties: { a: { prefixItems: [{ type: 'number' }] } } };
  for (const schema of [old, now]) {
    expect(violations(schema, { a: [1, 'more'] })).toEqual([]);
    expect(violations(schema, { a: ['x'] })).toEqual([{ field: 'arguments.a[0]', description: 'must be number' }]);
  }
});

/** References that are followed twice at each of many levels. */
const doubling = (levels: number): Record<string, unknown> => ({
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { allOf: [next, next], properties: { a: next } }];
    }).concat([[`d${levels}`, { type: 'object' }]] as never),
  ),
  $ref: '#/$defs/d0',
});

it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['malformed', { type: 'no-such-type' }, {}],
  ['with a reference to elsewhere', { $ref: 'https://example.com/schema.json' }, {}],
  ['with a reference to a file', { $ref: 'file:///etc/passwd' }, {}],
  ['with a reference to nothing', { $ref: '#/$defs/none' }, {}],
  ['with a regular expression that is none', { properties: { a: { pattern: '(' } } }, { a: 'x' }],
  ['with one that never ends', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(60)}!` }],
  ['that doubles at each level', doubling(60), { a: {} }],
  ['that is very long', { description: 'x'.repeat(300_000), required: ['a'] }, {}],
  ['that is its own schema', { $schema: 'x', $id: 'x', $ref: 'x#' }, {}],
])('an unusable schema checks nothing and does not block the caller: %s', (_, schema, given) => {
  const tool = { name: 'tool', inputSchema: schema };
  expect(check(tool, given)).toEqual([]);
  expect(check(tool, given)).toEqual([]);
});

it('an unusable schema is logged once', () => {
  const logged: object[] = [];
  const own = createArgumentCheck({ warn: (fields) => void logged.push(fields) });
  const tool = { name: 'tool', inputSchema: { properties: { a: { pattern: '^(a+)+$' } } } };
  for (let i = 0; i < 3; i += 1) own(tool, { a: `${'a'.repeat(60)}!` });
  expect(logged).toEqual([{ tool: 'tool', reason: 'it takes too long' }]);
});

it('two tools may have schemas of the same name', () => {
  const schema = { $id: 'https://example.com/same', required: ['a'] };
  expect(violations(schema, {})).toHaveLength(1);
  expect(violations({ ...schema, required: ['b'] }, {})).toEqual([
    { field: 'arguments.b', description: 'is required' },
  ]);
});

it('a schema cannot change what all objects are', () => {
  violations(
    JSON.parse('{"properties":{"__proto__":{"default":{"polluted":1}}}}'),
    JSON.parse('{"__proto__":{"x":1}}'),
  );
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
