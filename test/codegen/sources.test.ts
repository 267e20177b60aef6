import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundleOf } from '../../codegen/bundle.ts';
import { literal, propertyKey, quote } from '../../codegen/emit.ts';
import { fieldsSource } from '../../codegen/fields.ts';
import { guardsSource } from '../../codegen/guards.ts';
import { operationsSource, servicesSource } from '../../codegen/operations.ts';
import { typesSource } from '../../codegen/types.ts';
import type { Api, FieldTables } from '../../src/gen/api.ts';
import { violationsOf } from '../../src/wire/validate.ts';
import { newFolder } from '../support/folders.ts';
import { modelOf } from '../support/inline-proto.ts';

// The sources are checked by loading them, in a folder that looks like src/gen.
const dir = newFolder();
const root = fileURLToPath(new URL('../..', import.meta.url));
symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'dir');
symlinkSync(join(root, 'src', 'gen', 'checks.ts'), join(dir, 'checks.ts'));

let count = 0;
async function load<T>(files: Record<string, string>, entry: string): Promise<T> {
  const place = join(dir, `case-${count++}`);
  mkdirSync(place);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  return import(pathToFileURL(join(place, entry)).href);
}

test('literals evaluate to what they were made of', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // biome-ignore lint/security/noGlobalEval: this is what a literal is for
      expect(eval(`(${literal(value)})`)).toEqual(value);
    }),
  );
});

test('literals look like the house style', () => {
  expect(literal({ a: ["it's"], 'b-c': true, d: undefined })).toBe("{ a: ['it\\'s'], 'b-c': true }");
  expect(quote('say "x"\n')).toBe('\'say "x"\\n\'');
  expect(propertyKey('__proto__')).toBe("['__proto__']");
});

const recursive = modelOf(`service S { rpc Get(Tree) returns (stream Leaf); }
// A tree.
message Tree {
  string name = 1 [(google.api.field_behavior) = REQUIRED];
  repeated Tree branches = 2;
  map<string, Leaf> leaves = 3;
  oneof fruit {
    string apple = 4;
    google.protobuf.Value other = 5;
  }
}
message Leaf {
  Colour colour = 1 [(google.api.field_behavior) = REQUIRED];
  Tree of = 2;
  uint32 veins = 3;
  double weight = 4;
  repeated Leaf required_leaves = 5 [(google.api.field_behavior) = REQUIRED];
}
enum Colour { COLOUR_UNSPECIFIED = 0; COLOUR_GREEN = 1; }`);

/** The violations of a value, as the guards and tables of `recursive` find them. */
async function violationsIn(name: string): Promise<(value: unknown) => string[]> {
  const bundle = bundleOf(recursive);
  const files = {
    'guards.ts': guardsSource(recursive, bundle, 'a test'),
    'fields.ts': fieldsSource(recursive, 'a test'),
    'index.ts': "export * from './guards.ts';\nexport * from './fields.ts';\n",
  };
  const api = await load<Api>(files, 'index.ts');
  return (value) => violationsOf(api, name, value).map(({ field, description }) => `${field} ${description}`.trim());
}

test('guards and field tables name what is wrong in messages that contain themselves', async () => {
  const violations = await violationsIn('test.v1.Tree');
  const leaf = { colour: 'COLOUR_GREEN', requiredLeaves: [] as object[] };
  leaf.requiredLeaves.push({ colour: 'COLOUR_GREEN', requiredLeaves: 'x' });
  expect(violations({ name: 'a', branches: [{ name: 'b', branches: [] }], other: null })).toEqual([]);
  expect(violations({ name: 'a', branches: [{ name: 'b', branches: [{}] }] })).toEqual([
    'branches[0].branches[0].name is required',
  ]);
  expect(violations({ name: 'a', leaves: { x: leaf } })).toEqual([
    'leaves.x.requiredLeaves[0].requiredLeaves must be an array',
  ]);
  expect(violations({ name: 'a', apple: 'b', other: null })).toEqual(['must have only one of apple, other']);
  expect(violations({ name: 'a', leaves: { x: { colour: 'COLOUR_UNSPECIFIED', requiredLeaves: [] } } })).toEqual([
    'leaves.x.colour must be one of COLOUR_GREEN',
    'leaves.x.requiredLeaves must not be empty',
  ]);
  expect(violations({ name: '', leaves: [] })).toEqual(['name must not be empty', 'leaves must be an object']);
});

test('guards and field tables name what is wrong with numbers', async () => {
  const violations = await violationsIn('test.v1.Leaf');
  // No leaf is valid: each needs another.
  const valid = { colour: 'COLOUR_GREEN', requiredLeaves: [{ colour: 'COLOUR_GREEN', requiredLeaves: 'x' }] };
  const numbers = (value: object) => violations({ ...valid, ...value }).filter((text) => !text.startsWith('required'));
  expect(numbers({ veins: -1 })).toEqual(['veins must be an unsigned 32-bit integer']);
  expect(numbers({ weight: Number.NaN })).toEqual(['weight must be a number, NaN, Infinity or -Infinity']);
  expect(numbers({ veins: 2 ** 32 - 1, weight: 0.5 })).toEqual([]);
  expect(numbers({ weight: 'NaN' })).toEqual([]);
});

test('the source of field tables has the fields of each message', async () => {
  const source = fieldsSource(recursive, 'a test');
  const { fields } = await load<{ fields: FieldTables }>({ 'fields.ts': source }, 'fields.ts');
  expect(fields.enums).toEqual({ 'test.v1.Colour': { COLOUR_UNSPECIFIED: 0, COLOUR_GREEN: 1 } });
  expect(fields.messages['test.v1.Leaf']?.fields[0]).toEqual({
    jsonName: 'colour',
    protoName: 'colour',
    number: 1,
    kind: 'enum',
    type: 'test.v1.Colour',
    required: true,
  });
});

test('the source of operation tables has a row for each rpc', () => {
  const source = operationsSource(recursive, 'a test');
  expect(source.startsWith('// Generated from a test by `npm run generate`. Do not edit.\n')).toBe(true);
  expect(source).toContain('  Get: { request: Tree; response: Leaf; streaming: true };');
  expect(source).toContain("grpcPath: '/test.v1.S/Get',");
});

test('two services cannot share the name of an operation', () => {
  const other = modelOf('service T { rpc Put(A) returns (A); } message A {}');
  const named = (dir: string, model: typeof other) => ({ dir, model });
  expect(servicesSource([named('a', recursive), named('b', other)])).toContain('extends Types1, Types2 {}');
  expect(() => servicesSource([named('a', other), named('b', other)])).toThrow('both have an operation Put');
});

test('types: docs once, required from the proto, nothing of the compiler left', async () => {
  const source = await typesSource(recursive, bundleOf(recursive), 'a test');
  expect(source.match(/A tree\./g)).toHaveLength(1);
  expect(source).toContain("export type Colour = 'COLOUR_UNSPECIFIED' | 'COLOUR_GREEN';");
  expect(source).toMatch(/export interface Tree \{\n {2}name: string;\n {2}branches\?: Tree\[\];/);
  expect(source).not.toMatch(/GeneratedRoot|\w1\b.*\{/);
});
