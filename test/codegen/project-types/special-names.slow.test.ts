import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ZodType } from 'zod';
import { paced } from '../../support/pace.ts';
import { compile } from './compile.ts';
import { Project } from './run-types.ts';
import { load } from './written.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(600_000) });

/** Names that objects and functions of JavaScript have, or that engines look for. */
const ofObjects = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Function.prototype),
  ...['prototype', 'then', 'toJSON', 'self', 'window', 'exports', 'require', 'module', 'it'],
].filter((name) => /^\w+$/.test(name));

/** Words of JavaScript and of TypeScript. */
const words =
  'abstract accessor any as asserts assert async await bigint boolean break case catch class const continue debugger declare default delete do else enum eval export extends false finally for from function get global if implements import in infer instanceof interface intrinsic is keyof let namespace never new null number object of out override package private protected public readonly require return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown using var void while with yield arguments'.split(
    ' ',
  );

/** Names of types and values that are there everywhere. */
const globals = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]\w*$|^is|^parse|^global/.test(name));
const utilities = ['Partial', 'Required', 'Readonly', 'Record', 'Pick', 'Omit', 'Exclude', 'Extract', 'Awaited', 'Any'];

/** Names that the generated code has itself. */
const own = [
  ...['z', 't', 'message', 'enumOf', 'read', 'struct', 'base64', 'alphabet', 'timestamp', 'duration', 'integer'],
  ...['integerOf', 'int32', 'uint32', 'int64', 'uint64', 'double', 'float', 'finite', 'finiteOf', 'Special', 'Fields'],
  ...['isObject', 'countOf', 'hasOne', 'hasAtMostOne', 'fractionOf', 'specialOf', 'boolKey', 'Struct', 'Empty'],
  ...['list', 'map', 'object', 'passOn', 'membersOf', 'state', 'tooMany', 'anyObject', 'time'],
  ...[
    'MessageTypes',
    'Operation',
    'HttpRule',
    'ErrorFacts',
    'operations',
    'errors',
    'OperationName',
    'protobufPackage',
  ],
  ...['MessageFns', 'DeepPartial', 'Builtin', 'Exact', 'KeysOfUnion', 'BinaryReader', 'BinaryWriter', 'makeClient'],
  ...['file_connect', 'GenMessage', 'GenFile', 'fileDesc', 'messageDesc', 'enumDesc', 'serviceDesc', 'Message'],
];

/** Scalars of protobuf, which the compiler of protos does not take for names of types. */
const scalars = new Set(['double', 'float', 'int32', 'int64', 'string', 'uint32', 'uint64', 'bool', 'bytes']);

const all = [...new Set([...ofObjects, ...words, ...globals, ...utilities, ...own])]
  .sort()
  .filter((name) => !scalars.has(name));

/** Values of an enum must differ without case and underscores, too. */
const withoutCase = (names: readonly string[]): string[] => {
  const keyOf = (name: string): string => name.toLowerCase().replaceAll('_', '');
  return names.filter((name, at) => name !== 'E' && names.findIndex((one) => keyOf(one) === keyOf(name)) === at);
};

type Position = (names: readonly string[]) => string;

const numbered = (names: readonly string[], line: (name: string, at: number) => string): string =>
  names.map((name, at) => `  ${line(name, at + 1)}\n`).join('');

const positions: Readonly<Record<string, Position>> = {
  field: (names) => `message M {\n${numbered(names, (name, at) => `string ${name} = ${at};`)}}`,
  'field with a message': (names) =>
    `message M {\n${numbered(names, (name, at) => `N ${name} = ${at};`)}}\nmessage N { string a = 1; }`,
  'JSON name': (names) =>
    `message M {\n${numbered(names, (name, at) => `string a${at}z = ${at} [json_name = "${name}"];`)}}`,
  'member of a oneof': (names) => `message M { oneof o {\n${numbered(names, (name, at) => `int32 ${name} = ${at};`)}}}`,
  oneof: (names) =>
    `message M {\n${numbered(names, (name, at) => `oneof ${name} { int32 a${at}x = ${at}; N b${at}x = ${5000 + at}; }`)}}\nmessage N {}`,
  message: (names) =>
    `service S {\n${numbered(names, (name, at) => `rpc Do${at}(${name}) returns (${name});`)}}\n${numbered(names, (name) => `message ${name} { string a = 1; }`)}`,
  'nested message': (names) => `message M {\n${numbered(names, (name) => `message ${name} { string a = 1; }`)}}`,
  enum: (names) =>
    `message M {\n${numbered(names, (name, at) => `${name} a${at}x = ${at};`)}}\n${numbered(names, (name, at) => `enum ${name} { V${at} = 0; }`)}`,
  'enum value': (names) =>
    `message M { E e = 1; }\nenum E {\n${numbered(['E_ZERO', ...withoutCase(names)], (name, at) => `${name} = ${at - 1};`)}}`,
  rpc: (names) => `message M {}\nservice S {\n${numbered(names, (name) => `rpc ${name}(M) returns (M);`)}}`,
  service: (names) => `message M {}\n${numbered(names, (name) => `service ${name} { rpc Do(M) returns (M); }`)}`,
};

/** The name that a refusal is about. */
function nameIn(line: string, names: readonly string[]): string {
  expect(line).toMatch(/^special\.proto[:\d]*: /);
  const [, quoted, first] = /^special\.proto[:\d]*: (?:.*`(\w+)`|(?:M[._])?(\w+))/.exec(line) ?? [];
  const found = names.find((name) => name === (quoted ?? first));
  return found ?? expect.fail(`names none of them: ${line}`);
}

/** Generates of all names but those that are refused, each by its name. */
async function generate(position: Position): Promise<{ project: Project; refused: string[] }> {
  const project = new Project();
  const refused: string[] = [];
  for (;;) {
    const names = all.filter((name) => !refused.includes(name));
    project.write('special.proto', `syntax = "proto3";\npackage special.v1;\n${position(names)}\n`);
    const { failure } = await project.types({ proto: 'special.proto', importExtension: '.ts' });
    if (failure === undefined) return { project, refused };
    const lines = [failure.message, ...(failure.details ?? [])];
    const named = lines.map((line) => nameIn(line, names));
    refused.push(...named);
  }
}

/** Generated code, by the position of the names. */
const generated = new Map<string, string>();

test.each(Object.keys(positions))('special names of a %s are generated, or refused by file and name', async (name) => {
  const { project, refused } = await generate(positions[name] as Position);
  expect(refused.length).toBeLessThan(all.length / 3);
  const folder = join(project.folder, 'a2a');
  generated.set(name, folder);
  const { MSchema } = await load(folder, 'schemas.ts');
  // Members that all objects have are not those of the message.
  if (MSchema) expect((MSchema as ZodType).safeParse({}).success).toBe(true);
});

test('what is generated of special names compiles', () => {
  const { folder } = new Project();
  for (const [name, from] of generated) cpSync(from, join(folder, name.replaceAll(' ', '-')), { recursive: true });
  expect(generated.size).toBe(Object.keys(positions).length);
  expect(compile(folder)).toBe('');
});
