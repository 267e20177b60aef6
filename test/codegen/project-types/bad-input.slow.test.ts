import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { paced } from '../../support/pace.ts';
import { Project, published, publishedBundle } from './run-types.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000) });

test.each([
  ['an unknown version', { a2a: '2.0' }, '--a2a: expected one of 1.0, 1.1, 0.3, not 2.0'],
  ['an unknown part', { with: 'zod,yup' }, '--with: expected some of zod, operations, ts-proto, connect, not yup'],
  ['a version beside a proto', { a2a: '1.0', proto: 'a.proto' }, '--a2a and --proto exclude each other'],
  [
    'a bundle without a proto',
    { schema: 'a.json' },
    '--schema needs --proto: a bundle alone does not say what is required',
  ],
  ['another end of imports', { importExtension: 'ts' }, '--import-extension: expected .ts or .js, not ts'],
])('%s is refused as wrong usage', async (_, options, message) => {
  expect((await new Project().types(options)).failure).toEqual({ usage: true, message });
});

test.each([
  ['does not parse', 'syntax = "proto3";\npackage a;\nmessage A {\n  strin g = ;\n}\n', /^my\.proto:4:\d+: ./],
  ['has an unknown type', 'syntax = "proto3";\npackage a;\nmessage A { B b = 1; }\n', /^my\.proto:3:13: .*B/],
  [
    'imports what is nowhere',
    'syntax = "proto3";\npackage a;\nimport "no/such.proto";\nmessage A {}\n',
    /^my\.proto:3:\d+: .*no\/such\.proto/,
  ],
  ['is empty', '', /^my\.proto declares no messages|^my\.proto/],
  ['has no messages', 'syntax = "proto3";\npackage a;\n', /^my\.proto declares no messages$/],
  [
    'has a message that TypeScript cannot name',
    'syntax = "proto3";\npackage a;\nmessage string {}\n',
    /^my\.proto: string cannot be the name of a type in TypeScript; rename it$/,
  ],
  [
    'has two names that are one in TypeScript',
    'syntax = "proto3";\npackage a;\nmessage A { message B {} }\nmessage A_B {}\n',
    /^my\.proto: two types would have the name A_B in TypeScript$/,
  ],
])('a proto that %s is refused by file and line, and nothing is written', async (_, text, message) => {
  const project = new Project();
  project.write('my.proto', text);
  const { failure } = await project.types({ proto: 'my.proto' });
  expect(failure?.usage).toBeUndefined();
  expect(failure?.message).toMatch(message);
  expect(failure?.message).not.toContain('\n');
  expect(existsSync(join(project.folder, 'a2a'))).toBe(false);
});

test('an error in an imported proto names that file', async () => {
  const project = new Project();
  project.write('protos/a.proto', 'syntax = "proto3";\npackage a;\nimport "b.proto";\nmessage A {}\n');
  project.write('protos/b.proto', 'syntax = "proto3";\npackage b;\nmessage B { oops }\n');
  expect((await project.types({ proto: 'protos/a.proto' })).failure?.message).toMatch(/^protos\/b\.proto:3:\d+: /);
});

test('the differences between a bundle and its proto are reported field by field', async () => {
  const project = new Project();
  project.write('a2a.proto', published);
  const bundle = JSON.parse(publishedBundle);
  const part = bundle.definitions.Part.properties;
  part.text = { type: 'array', items: { type: 'array', items: { type: 'string' } } };
  delete part.filename;
  bundle.definitions.Task.properties.labels = { type: 'string' };
  project.write('a2a.json', JSON.stringify(bundle));
  const { failure } = await project.types({ proto: 'a2a.proto', schema: 'a2a.json' });
  expect(failure?.message).toBe('a2a.json disagrees with the proto in 3 places');
  expect(failure?.details).toEqual([
    'Part.filename: only in the proto',
    expect.stringMatching(/^Part\.text: proto has string, schema has /),
    'Task.labels: only in the schema',
  ]);
});

test.each([
  ['is no JSON', '{ "definitions": ', /^a2a\.json: not JSON: /],
  ['is no bundle', '{ "openapi": "3.1.0" }', /^a2a\.json: the bundle has no definitions/],
  ['is a list', '[]', /^a2a\.json: the bundle has no definitions/],
])('a bundle that %s is named', async (_, text, message) => {
  const project = new Project();
  project.write('a2a.proto', published);
  project.write('a2a.json', text);
  expect((await project.types({ proto: 'a2a.proto', schema: 'a2a.json' })).failure?.message).toMatch(message);
});

test.each([
  [{ proto: 'none.proto' }, 'none.proto: no such file'],
  [{ proto: 'folder' }, 'folder: a folder, but a file is expected'],
  [{ proto: 'a2a.proto', schema: 'none.json' }, 'none.json: no such file'],
])('files that are not there are named: %j', async (options, message) => {
  const project = new Project();
  project.write('folder/x', '');
  project.write('a2a.proto', published);
  expect((await project.types(options)).failure).toEqual({ message, details: [] });
});

test('files of the user are never overwritten, and nothing is written beside them', async () => {
  const project = new Project();
  for (const file of ['types.ts', 'schemas.ts', 'operations.ts']) {
    const out = `mine-${file}`;
    project.write(`${out}/${file}`, 'export const mine = true;\n');
    const { failure } = await project.types({ out });
    expect(failure?.message).toBe(
      `${out}/${file} was not written by this command, which would overwrite it; move it, or name another folder with --out`,
    );
    expect(readdirSync(join(project.folder, out))).toEqual([file]);
    expect(project.read(`${out}/${file}`)).toBe('export const mine = true;\n');
  }
  project.write('folders/types.ts/file', '');
  expect((await project.types({ out: 'folders' })).failure?.message).toContain('folders/types.ts was not written by');
});

test('other files in the folder stay', async () => {
  const project = new Project();
  project.write('a2a/notes.md', 'mine');
  project.write('a2a/helpers.ts', 'export {};');
  expect((await project.types()).failure).toBeUndefined();
  await project.types({ with: '' });
  expect(readdirSync(join(project.folder, 'a2a')).sort()).toEqual([
    '.a2a-types.json',
    'helpers.ts',
    'notes.md',
    'types.ts',
  ]);
});

test('a record cannot name files outside of the folder for removal', async () => {
  const project = new Project();
  await project.types({ with: '' });
  project.write('precious.ts', 'mine\n');
  const { digestOf } = await import('../../../codegen/project-types/record.ts');
  project.edit('a2a/.a2a-types.json', (text) => {
    const record = JSON.parse(text);
    record.files['../precious.ts'] = digestOf('mine\n');
    return JSON.stringify(record);
  });
  await project.types();
  expect(project.read('precious.ts')).toBe('mine\n');
});

test('a folder that is a file, or below one, or that cannot be written, is named', async () => {
  const project = new Project();
  project.write('a2a', 'mine');
  expect((await project.types()).failure?.message).toBe('a2a is a file, but a folder is expected');
  expect((await project.types({ out: 'a2a/below' })).failure?.message).toBe(
    'cannot write to a2a/below: a part of the path is a file',
  );
  if (process.getuid?.() === 0) return;
  project.write('locked/file', '');
  chmodSync(join(project.folder, 'locked'), 0o500);
  expect((await project.types({ out: 'locked' })).failure?.message).toBe('cannot write to locked: permission denied');
});

test('a project without TypeScript gets the same files', async () => {
  const project = new Project();
  project.write('index.js', 'console.log(1);');
  expect((await project.types()).failure).toBeUndefined();
  expect(project.read('a2a/operations.ts')).toContain("from './types.js'");
});
