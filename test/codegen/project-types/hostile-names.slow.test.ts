import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { compile } from './compile.ts';
import { Project } from './run-types.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: 240_000 });

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

test.each(['Buffer', 'DeepPartial', 'Exact', 'Partial', 'Uint8Array', 'Map', 'isObject', 'Builtin', 'MessageFns'])(
  'a message that has a name of the code of ts-proto is refused by name: %s',
  async (name) => {
    const project = new Project();
    project.write('hostile.proto', `syntax = "proto3";\npackage hostile.v1;\nmessage ${name} { bytes a = 1; }\n`);
    const { failure } = await project.types({ proto: 'hostile.proto', with: 'ts-proto' });
    expect(failure?.message).toMatch(new RegExp(`hostile\\.proto: ${name} is a name that ts-proto uses itself`));
    expect(existsSync(join(project.folder, 'a2a'))).toBe(false);
  },
);
