import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { ZodType } from 'zod';
import { readBuiltIn } from '../../../codegen/project-types/built-in.ts';
import * as guards03 from '../../../src/gen/a2a-0.3/guards.ts';
import { api } from '../../../src/gen/a2a-1.1/index.ts';
import { canonicalJson, damaged } from '../../support/arbitrary-json.ts';
import { type Definitions, valuesOf } from '../../support/arbitrary-schema.ts';
import { paced } from '../../support/pace.ts';
import { otherForm } from './other-forms.ts';
import { load, writtenFiles } from './written.ts';

vi.setConfig({ testTimeout: paced(120_000) });

/** The value as it would come from another program: members that are undefined are left out. */
const asJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

test('validators of A2A 1.1 refuse what the guards of the program refuse, and fill in what may be left out', async () => {
  const schemas = await load(await writtenFiles('1.1'), 'schemas.ts');
  const schemaOf = (name: string) => schemas[`${name.split('.').at(-1)}Schema`] as ZodType;
  const names = Object.keys(api.fields.messages);
  const cases = fc.constantFrom(...names).chain((name) => {
    const json = canonicalJson(api, name);
    return fc.record({ name: fc.constant(name), json, value: json.chain(damaged).map(asJson) });
  });
  let refused = 0;
  fc.assert(
    fc.property(cases, ({ name, json, value }) => {
      expect(schemaOf(name).parse(json)).toEqual(json);
      const { success, data } = schemaOf(name).safeParse(value);
      expect(api.guards[name]?.(success ? data : value)).toBe(success);
      if (!success) refused++;
    }),
    { numRuns: 1500 },
  );
  expect(refused).toBeGreaterThan(100);
});

test('validators of A2A 0.3 and the guards of the program agree on its JSON form', async () => {
  const schemas = await load(await writtenFiles('0.3'), 'schemas.ts');
  const definitions = (await readBuiltIn('0.3')).definitions as Definitions;
  const guards = guards03 as unknown as Readonly<Record<string, (value: unknown) => boolean>>;
  const cases = fc.constantFrom(...Object.keys(definitions)).chain((name) => {
    const json = valuesOf(definitions, name);
    return fc.record({ name: fc.constant(name), json, value: json.chain(damaged).map(asJson) });
  });
  let refused = 0;
  fc.assert(
    fc.property(cases, ({ name, json, value }) => {
      const schema = schemas[`${name}Schema`] as ZodType;
      for (const one of [json, value]) {
        const { success, data } = schema.safeParse(one);
        // Its document lists the states and has times in ISO 8601; the gateway takes any text for both.
        const isStricter = name === 'TaskState' || /"(?:state|timestamp)":/.test(JSON.stringify(one));
        if (success || !isStricter) expect(guards[`is${name}`]?.(one)).toBe(success);
        if (success) expect(data).toEqual(one);
        else refused++;
      }
    }),
    { numRuns: 1500 },
  );
  expect(refused).toBeGreaterThan(100);
});

test('validators read every form of times and bytes that ProtoJSON has, and keep members that they do not know', async () => {
  const { TaskStatusSchema, PartSchema, TaskSchema } = await load(await writtenFiles('1.0'), 'schemas.ts');
  const accepts = (schema: unknown, value: unknown) => (schema as ZodType).safeParse(value).success;
  const at = (timestamp: string) => ({ state: 'TASK_STATE_WORKING', timestamp });
  for (const time of ['2026-02-28T12:00:00Z', '2026-02-28T12:00:00.123456789+05:30', '0001-01-01T00:00:00.000Z'])
    expect(accepts(TaskStatusSchema, at(time)), time).toBe(true);
  for (const time of ['2026-02-30T12:00:00Z', '2026-02-28 12:00:00Z', '2026-02-28T24:00:00Z', '2026-02-28'])
    expect(accepts(TaskStatusSchema, at(time)), time).toBe(false);
  for (const raw of ['QQ==', 'QQ', '-_8', '-_8=', '']) expect(accepts(PartSchema, { raw }), raw).toBe(true);
  for (const raw of ['Q', 'QQ=', '====', 'Q!==']) expect(accepts(PartSchema, { raw }), raw).toBe(false);
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', later: 1 }, alsoLater: [true] };
  expect((TaskSchema as ZodType).parse(task)).toEqual(task);
});

test('an error of a validator names the field, and the members of which one must be there', async () => {
  const { MessageSchema } = await load(await writtenFiles('1.0'), 'schemas.ts');
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a', url: 'https://example.com/' }] };
  const { error } = (MessageSchema as ZodType).safeParse(message);
  expect(error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)).toEqual([
    'parts.0: expected exactly one of text, raw, url, data',
  ]);
});

/** A schema that has been loaded. */
const schemaNamed = (schemas: Readonly<Record<string, unknown>>, name: string): ZodType =>
  schemas[`${name}Schema`] as ZodType;

test('validators give the canonical form of every other form of ProtoJSON', async () => {
  const schemas = await load(await writtenFiles('1.1'), 'schemas.ts');
  const cases = fc.constantFrom(...Object.keys(api.fields.messages)).chain((name) => {
    const pairs = canonicalJson(api, name).chain((json) =>
      fc.record({ name: fc.constant(name), json: fc.constant(json), other: otherForm(api, name, json) }),
    );
    return pairs;
  });
  let different = 0;
  fc.assert(
    fc.property(cases, ({ name, json, other }) => {
      if (JSON.stringify(json) !== JSON.stringify(other)) different++;
      expect(schemaNamed(schemas, name.split('.').at(-1) ?? '').parse(other)).toEqual(json);
    }),
    { numRuns: 1500 },
  );
  expect(different).toBeGreaterThan(500);
});

test('members under the names of the proto are judged as under those of JSON, and never stand beside them', async () => {
  const schemas = await load(await writtenFiles('1.0'), 'schemas.ts');
  const task = { id: 't', status: { state: 'TASK_STATE_WORKING' } };
  const of = (more: object) => schemaNamed(schemas, 'Task').safeParse({ ...task, ...more });
  expect(of({ context_id: 'c', other_id: 1 }).data).toEqual({ ...task, contextId: 'c', other_id: 1 });
  expect(of({ context_id: null }).data).toEqual(task);
  expect(of({ contextId: null, artifacts: null, history: null, metadata: null }).data).toEqual(task);
  expect(of({ context_id: 1 }).error?.issues[0]?.path).toEqual(['contextId']);
  for (const twice of [
    { contextId: 'c', context_id: 'c' },
    { contextId: 'c', context_id: null },
  ])
    expect(of(twice).error?.issues[0]?.message).toBe('contextId is there twice, also as context_id');
  for (const missing of [{ id: null }, { status: null }, { artifacts: null, history: [null] }, { artifacts: [null] }])
    expect(of(missing).success, JSON.stringify(missing)).toBe(false);
});

test('null is the value of a member that holds any JSON, and absent for every other one', async () => {
  const schemas = await load(await writtenFiles('1.0'), 'schemas.ts');
  const part = schemaNamed(schemas, 'Part');
  expect(part.parse({ data: null })).toEqual({ data: null });
  expect(part.parse({ text: 'a', url: null, raw: null })).toEqual({ text: 'a' });
  expect(part.safeParse({ text: 'a', data: null }).success).toBe(false);
  expect(part.safeParse({ text: null }).success).toBe(false);
});

test.each([
  ['2026-02-28T12:00:00Z', '2026-02-28T12:00:00Z'],
  ['2026-02-28T12:00:00.5+05:30', '2026-02-28T06:30:00.500Z'],
  ['2026-02-28T12:00:00.1234-00:30', '2026-02-28T12:30:00.123400Z'],
  ['2026-02-28T12:00:00.000Z', '2026-02-28T12:00:00.000Z'],
  ['0001-01-01T01:00:00+01:00', '0001-01-01T00:00:00Z'],
  ['9999-12-31T22:59:59.999999999-01:00', '9999-12-31T23:59:59.999999999Z'],
  ['0001-01-01T00:00:00+01:00', undefined],
  ['0001-01-01T00:59:59.999+01:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['2026-02-28T12:00:00+24:00', undefined],
  ['2026-02-28T12:00:00', undefined],
  ['2026-02-28T12:00:60Z', undefined],
  ['2026-02-28t12:00:00Z', undefined],
  [1772280000000, undefined],
])('the time %j becomes %j in UTC', async (timestamp, expected) => {
  const schemas = await load(await writtenFiles('1.0'), 'schemas.ts');
  const { data } = schemaNamed(schemas, 'TaskStatus').safeParse({ state: 2, timestamp });
  expect(data).toEqual(expected && { state: 'TASK_STATE_WORKING', timestamp: expected });
});

test('validators of A2A 0.3 know its states and times, and give what they get', async () => {
  const folder = await writtenFiles('0.3');
  const schemas = await load(folder, 'schemas.ts');
  const of = (status: object) => schemaNamed(schemas, 'TaskStatus').safeParse(status).success;
  const states = ['submitted', 'working', 'input-required', 'auth-required', 'completed', 'failed', 'canceled'];
  for (const state of [...states, 'rejected', 'unknown']) expect(of({ state }), state).toBe(true);
  for (const state of ['nope', 'TASK_STATE_WORKING', 'cancelled', '', 2, null]) expect(of({ state })).toBe(false);
  expect(readFileSync(join(folder, 'types.ts'), 'utf8')).toMatch(/type TaskState =\s+\|? ?'unknown'\s+\| 'submitted'/);
  const times = [
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00.123456+00:00',
    '2026-01-31T12:00:00',
    '2026-01-31T12:00+01',
    '0001-01-31T12:00:00-2359',
  ];
  for (const timestamp of [...times, null]) expect(of({ state: 'working', timestamp }), String(timestamp)).toBe(true);
  for (const timestamp of [
    'garbage',
    '',
    '2026-02-30T12:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31',
    '0000-01-31T12:00:00Z',
    '2026-01-31T12:00:00+99:99',
    '2026-01-31T12:00:00+24',
    '2026-01-31T12:00:00-0160',
    1,
  ])
    expect(of({ state: 'working', timestamp }), String(timestamp)).toBe(false);
  const status = { state: 'working', timestamp: '2026-01-31T12:00:00+01:00', later: 1 };
  expect(schemaNamed(schemas, 'TaskStatus').parse(status)).toEqual(status);
});

/** Members of a JSON text without their order. */
const membersIn = (json: string): string[] => json.split(/[{},]+/).sort();

test.each(['1.0', '0.3'])(
  'validators of A2A %s keep members named __proto__ as members, and judge them in maps',
  async (version) => {
    const schemas = await load(await writtenFiles(version), 'schemas.ts');
    const kept = (name: string, json: string): void => {
      const data = schemaNamed(schemas, name).parse(JSON.parse(json));
      expect(membersIn(JSON.stringify(data))).toEqual(membersIn(json));
      expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    };
    kept('Artifact', '{"artifactId":"a","parts":[{"text":"a"}],"__proto__":{"name":"b"}}');
    kept('Artifact', '{"artifactId":"a","metadata":{"__proto__":{"name":"b"}},"parts":[{"text":"a"}]}');
    if (version === '0.3') return;
    kept('Artifact', '{"artifactId":"a","parts":[{"text":"a","__proto__":1}]}');
    kept('SecurityRequirement', '{"schemes":{"__proto__":{"list":["a"]},"constructor":{"list":["b"]}}}');
    const refused = (name: string, json: string) =>
      schemaNamed(schemas, name).safeParse(JSON.parse(json)).error?.issues;
    expect(refused('SecurityRequirement', '{"schemes":{"__proto__":{"list":[1]}}}')).toMatchObject([
      { path: ['schemes', '__proto__', 'list', 0] },
    ]);
  },
);

test.each([
  ['1.0', 'Message', { messageId: 'm', role: 'ROLE_USER' }],
  ['0.3', 'Message', { messageId: 'm', role: 'user', kind: 'message' }],
])(
  'validators of A2A %s refuse a list of any length, with a hundred issues and the path of the list',
  async (version, name, message) => {
    const schemas = await load(await writtenFiles(version), 'schemas.ts');
    for (const bad of [{}, 1, null, { text: 1, url: 1 }]) {
      const { success, error } = schemaNamed(schemas, name).safeParse({ ...message, parts: Array(150_000).fill(bad) });
      expect(success).toBe(false);
      expect(error?.issues).toHaveLength(101);
      expect(error?.issues[0]?.path.slice(0, 2)).toEqual(['parts', 0]);
      expect(error?.issues.at(-1)).toMatchObject({
        path: ['parts'],
        message: 'more than 100 issues; the others are not listed',
      });
    }
    const { data } = schemaNamed(schemas, name).safeParse({ ...message, parts: Array(150_000).fill({ text: 'a' }) });
    expect((data as { parts: unknown[] }).parts).toHaveLength(150_000);
  },
);

test('members that are absent stay absent in every version of zod that the validators name', async () => {
  const folder = await writtenFiles('1.0');
  // Zod 4.3 takes the value that a transformation of an absent member has returned, although it has refused it.
  expect(readFileSync(join(folder, 'schemas.ts'), 'utf8')).not.toMatch(/return z\.NEVER/);
  const schemas = await load(folder, 'schemas.ts');
  for (const name of ['Message', 'Part', 'Task']) {
    const { value, issues } = await schemaNamed(schemas, name)._zod.run({ value: undefined, issues: [] }, {});
    expect({ value, issues: issues.length }).toEqual({ value: undefined, issues: 1 });
  }
});
