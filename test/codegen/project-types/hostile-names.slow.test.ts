import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { paced } from '../../support/pace.ts';
import { compile } from './compile.ts';
import { Project } from './run-types.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(240_000) });

/** Names of fields that objects of JavaScript have, and those that JSON Schema and the generated code use. */
const fields = [
  ...['hasOwnProperty', 'constructor', 'toString', 'valueOf', 'isPrototypeOf', 'prototype', 'name', 'length', 'then'],
  ...['type', 'title', 'properties', 'required', 'enum', 'definitions', 'items', 'allOf', 'default', 'description'],
  ...['tsType', 'id', 'const', 'patternProperties', 'additionalProperties', 'extends', 'oneOf', 'not', 'z', 't'],
  ...[
    'struct',
    'base64',
    'timestamp',
    'duration',
    'int64',
    'double',
    'special',
    'isObject',
    'hasOne',
    'class',
    'delete',
  ],
];

/** Names of messages that the generated code has itself, or the programs that run it. */
const messages = [
  ...['Operation', 'HttpRule', 'ErrorFacts', 'OperationName', 'OperationTypes', 'RequestOf', 'ResponseOf', 'ErrorName'],
  ...['operations', 'errors', 'Operation_', 'Fields', 'Object', 'Array', 'Promise', 'Date', 'Required', 'Readonly'],
  ...['z', 't', 'hasOwnProperty', 'constructor', 'toString', 'Struct_', 'Schema', 'ZodType', 'type', 'Message'],
];

const proto = `syntax = "proto3";
package hostile.v1;
service S {
${messages.map((name, at) => `  rpc Do${at}(${name}) returns (${name});`).join('\n')}
}
${messages.map((name) => `message ${name} { string a = 1; }`).join('\n')}
message Strings {
${fields.map((name, at) => `  string ${name} = ${at + 1};`).join('\n')}
}
message Messages {
${fields.map((name, at) => `  Fields ${name} = ${at + 1};`).join('\n')}
}
message Underscores { string __proto__ = 1; }
message Json { string a = 1 [json_name = "$ref"]; string b = 2 [json_name = "a-b c'd"]; string c = 3 [json_name = "*/"]; }
`;

test('names that JavaScript, JSON Schema or the generated code use are generated, and compile', async () => {
  const project = new Project();
  project.write('hostile.proto', proto);
  const { failure } = await project.types({ proto: 'hostile.proto', importExtension: '.ts' });
  expect(failure).toBeUndefined();
  expect(compile(join(project.folder, 'a2a'))).toBe('');
  expect(project.read('a2a/types.ts')).toMatch(/interface Underscores \{\n +_?proto_*\?: string;/i);
});

test.each([
  ['a message', 'message keyof { string a = 1; }', 'hostile.proto: keyof cannot be the name'],
  ['a JSON name', 'message M { string a = 4 [json_name = "__proto__"]; }', 'hostile.proto: M.__proto__ cannot be'],
  ['an enum', 'message M { Empty a = 1; } enum Empty { NONE = 0; }', 'hostile.proto: Empty cannot be the name'],
  ['a message', 'message __proto__ { string a = 1; }', 'hostile.proto: __proto__ cannot be the name'],
])('%s that cannot be generated is refused by name: %s', async (_, text, message) => {
  const project = new Project();
  project.write('hostile.proto', `syntax = "proto3";\npackage hostile.v1;\n${text}\n`);
  const { failure } = await project.types({ proto: 'hostile.proto' });
  expect(failure?.message).toContain(message);
  expect(existsSync(join(project.folder, 'a2a'))).toBe(false);
});

/** Messages with names of the code of ts-proto: of what it imports and uses, of its variables, and of what it makes of other names. */
const messagesOfTsProto = [
  ...['Buffer', 'DeepPartial', 'Exact', 'Partial', 'Uint8Array', 'Map', 'isObject', 'Builtin', 'MessageFns', 'Math'],
  ...['BinaryReader', 'BinaryWriter', 'Exclude', 'ReadonlyArray', 'protobufPackage', 'toTimestamp', 'writer', 'entry2'],
];

test('names with which ts-proto writes wrong code are refused all at once, by file and name', async () => {
  const project = new Project();
  const fieldNames = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', '__proto__', 'to_locale_string'];
  const rpcs = ['Close', 'GetChannel', 'make_unary_request', 'constructor', 'Prototype'];
  project.write(
    'hostile.proto',
    `syntax = "proto3";\npackage hostile.v1;
service Svc { ${rpcs.map((name) => `rpc ${name}(Fields) returns (Fields);`).join(' ')} }
${messagesOfTsProto.map((name) => `message ${name} { bytes a = 1; }`).join('\n')}
message Fields { E e = 20; ${fieldNames.map((name, at) => `string ${name} = ${at + 1};`).join(' ')} }
enum E { E_ZERO = 0; __proto__ = 1; UNRECOGNIZED = 2; }
`,
  );
  const { failure } = await project.types({ proto: 'hostile.proto', with: 'ts-proto' });
  expect(
    [failure?.message, ...(failure?.details ?? [])].map((line) => /^hostile\.proto: ([\w.]+) /.exec(`${line}`)?.[1]),
  ).toEqual([
    ...messagesOfTsProto,
    ...fieldNames.map((name) => `Fields.${name}`),
    ...['E.__proto__', 'E.UNRECOGNIZED'],
    ...rpcs.map((name) => `Svc.${name}`),
  ]);
  expect(failure?.message).toBe(
    'hostile.proto: Buffer is a name that ts-proto uses itself; rename it, or leave ts-proto out',
  );
  expect(existsSync(join(project.folder, 'a2a'))).toBe(false);
});

test('names that ts-proto would declare twice are refused all at once, by file and name', async () => {
  const project = new Project();
  const made = ['levelFromJSON', 'levelToJSON', 'createBaseFoo', 'SvcClient', 'SvcService', 'SvcServer', 'FooBar'];
  project.write(
    'hostile.proto',
    `syntax = "proto3";\npackage hostile.v1;
service Svc { rpc Do(Foo) returns (Foo); }
message Foo { Level level = 1; }
message Foo_Bar { string a = 1; }
enum Level { LEVEL_NONE = 0; }
${made.map((name) => `message ${name} { bytes a = 1; }`).join('\n')}
`,
  );
  const { failure } = await project.types({ proto: 'hostile.proto', with: 'ts-proto' });
  const names = [failure?.message, ...(failure?.details ?? [])].map(
    (line) => /^hostile\.proto: (\w+) is a /.exec(`${line}`)?.[1],
  );
  expect(names.sort()).toEqual(made.sort());
  expect(existsSync(join(project.folder, 'a2a'))).toBe(false);
});

test('names near those of ts-proto are generated, and compile', async () => {
  const project = new Project();
  project.write(
    'near.proto',
    `syntax = "proto3";\npackage near.v1;
import "google/protobuf/timestamp.proto";
service Session { rpc Open(Client) returns (stream Metadata); rpc toString(Client) returns (Client); }
message Client { google.protobuf.Timestamp time = 1; Metadata metadata = 2; map<string, Promise> length = 3; }
message Metadata { string name = 1; Level level = 2; int64 size = 3; oneof kind { string text = 4; Object object = 5; } }
message Promise { string then = 1; }
message Object { repeated Promise entries = 1; }
enum Level { LEVEL_NONE = 0; constructor = 1; }
`,
  );
  expect(
    (await project.types({ proto: 'near.proto', with: 'ts-proto', importExtension: '.ts' })).failure,
  ).toBeUndefined();
  expect(compile(join(project.folder, 'a2a'))).toBe('');
});
