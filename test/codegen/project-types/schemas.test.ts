import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { ZodType } from 'zod';
import { readBuiltIn } from '../../../codegen/project-types/built-in.ts';
import * as guards03 from '../../../src/gen/a2a-0.3/guards.ts';
import { api } from '../../../src/gen/a2a-1.1/index.ts';
import { canonicalJson, damaged } from '../../support/arbitrary-json.ts';
import { type Definitions, valuesOf } from '../../support/arbitrary-schema.ts';
import { load, writtenFiles } from './written.ts';

vi.setConfig({ testTimeout: 120_000 });

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
        expect(guards[`is${name}`]?.(one)).toBe(success);
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

test('validators refuse the forms of ProtoJSON that are not canonical, and a member under the name of the proto never passes', async () => {
  const { TaskSchema, TaskStatusSchema } = await load(await writtenFiles('1.0'), 'schemas.ts');
  const accepts = (schema: unknown, value: unknown) => (schema as ZodType).safeParse(value).success;
  const task = { id: 't', status: { state: 'TASK_STATE_WORKING' } };
  expect(accepts(TaskSchema, { ...task, contextId: 'c', context: 1 })).toBe(true);
  for (const other of [
    { contextId: null },
    { context_id: 'c' },
    { context_id: 1 },
    { contextId: 'c', context_id: null },
  ])
    expect(accepts(TaskSchema, { ...task, ...other }), JSON.stringify(other)).toBe(false);
  expect(accepts(TaskStatusSchema, { state: 2 })).toBe(false);
});
