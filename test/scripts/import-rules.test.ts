import { describe, expect, it } from 'vitest';
import {
  circleErrors,
  folderErrors,
  packageErrors,
  packageOf,
  toolErrors,
  unreachable,
} from '../../scripts/import-rules.ts';
import { importsOf } from '../../scripts/imports.ts';

const file = (path: string, text: string) => ({ path, lines: text.split('\n').length, imports: importsOf(text) });
const specifiers = (text: string) => importsOf(text).map(({ specifier }) => specifier);

it('imports of a file are found in every form, with their lines', () => {
  const text = `import type { A } from './a.ts';
import './b.ts';
export * from "./c.ts";
export { d } from './d.ts';
type E = import('./e.ts').E;
const f = () => import('./f.ts');
import json from './g.json' with { type: 'json' };`;
  expect(importsOf(text).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
    '1 ./a.ts',
    '2 ./b.ts',
    '3 ./c.ts',
    '4 ./d.ts',
    '5 ./e.ts',
    '6 ./f.ts',
    '7 ./g.json',
  ]);
});

it("imports are not found in comments, strings, templates and exports of the file's own", () => {
  expect(
    specifiers(`// import './a.ts'
const s = "import './b.ts'"; /* export * from './c.ts' */
const t = \`import('./d.ts')\`; export { s, t }; const r = /import '.\\/e.ts'/;`),
  ).toEqual([]);
});

it('imports are located after text beyond ASCII', () => {
  const text = `/* ä € 😀 */ import './a.ts';`;
  const [site] = importsOf(text);
  expect(text.slice(site?.start, site?.end)).toBe(`'./a.ts'`);
});

it.each([
  ['src/core/model/a.ts', '../../gen/x.ts'],
  ['src/core/tasks/a.ts', '../limits/x.ts'],
  ['src/core/middleware/a.ts', '../operations/x.ts'],
  ['src/core/model/a.ts', './b.ts'],
  ['src/core/tasks/a.ts', 'node:crypto'],
  ['src/wire/json-body.ts', 'node:buffer'],
  ['src/wire/a.ts', 'zod'],
  ['src/transports/rest/a.ts', '../http/x.ts'],
  ['src/transports/rest/a.ts', './b.ts'],
  ['src/transports/rest/a.ts', 'express'],
  ['src/extensions/knowledge/a.ts', '../../stores/x.ts'],
  ['src/gateway/compose/gateway.ts', '../../stores/a.ts'],
  ['src/gateway/compose/extensions.ts', '../../extensions/knowledge/x.ts'],
  ['src/gateway/compose/a.ts', '../reload/x.ts'],
  ['src/gateway/http/a.ts', '../../extensions/module.ts'],
  ['src/extensions/knowledge/module.ts', '../module.ts'],
  ['src/rpc-clients/grpc.ts', '../gen/clients/v1/grpc.ts'],
  ['src/gen/clients/v1/grpc.ts', '@grpc/grpc-js'],
  ['src/index.ts', './gateway/compose/gateway.ts'],
  ['src/cli/main.ts', '../gateway/compose/gateway.ts'],
])('the folder rules let %s import %s', (path, specifier) => {
  expect(folderErrors([file(path, `import '${specifier}';`)])).toEqual([]);
});

it.each([
  ['src/core/model/a.ts', '../../wire/x.ts', 'core may import gen: not wire'],
  ['src/core/ports/a.ts', '../../extensions/knowledge/x.ts', 'core may import gen: not extensions/knowledge'],
  ['src/stores/a.ts', '../extensions/knowledge/x.ts', 'stores may import core, gen: not extensions/knowledge'],
  ['src/core/ports/a.ts', '../tasks/x.ts', 'core/ports may import model of core: not tasks'],
  ['src/core/misc/a.ts', '../model/x.ts', 'core/misc: not in the table of who may import whom'],
  [
    'src/extensions/policies/a.ts',
    '../stops/x.ts',
    'extensions/policies may import extensions, extensions/conditions, config, auth, metrics, core, gen: not extensions/stops',
  ],
  ['src/gen/a.ts', '../core/x.ts', 'gen may import nothing: not core'],
  ['src/core/model/a.ts', 'node:http', 'core does no input or output, so it may not import node:http'],
  ['src/wire/a.ts', 'net', 'wire does no input or output, so it may not import net'],
  ['src/dialects/a.ts', 'pg', 'dialects does no input or output, so it may not import pg'],
  ['src/dialects/a.ts', 'node:util', 'pages run this file too, so it may not import node:util'],
  ['src/core/model/a.ts', 'crypto', 'pages run this file too, so it may not import crypto'],
  ['src/gen/a.ts', '@grpc/grpc-js', 'gen does no input or output, so it may not import @grpc/grpc-js'],
  ['src/client/a.ts', '../gen/clients/v1/grpc.ts', 'only rpc-clients imports src/gen/clients/v1/grpc.ts'],
  ['src/index.ts', './rpc-clients/grpc.ts', 'nothing imports rpc-clients'],
  ['src/transports/rest/a.ts', '../grpc/x.ts', 'transports/rest may not import the binding grpc'],
  ['src/transports/http/a.ts', '../rest/x.ts', 'transports/http may not import the binding rest'],
  ['src/transports/listener/a.ts', '../grpc/x.ts', 'transports/listener may not import the binding grpc'],
  ['src/gateway/compose/gateway.ts', '../../cli/x.ts', 'nothing imports cli'],
  [
    'src/gateway/compose/a.ts',
    '../../extensions/mcp/x.ts',
    'of the gateway, only src/gateway/compose/extensions.ts imports extensions: not extensions/mcp',
  ],
  [
    'src/gateway/http/a.ts',
    '../compose/x.ts',
    'gateway/http may import process, access, agents, reload, cards of gateway: not compose',
  ],
  ['src/core/model/a.ts', '../../../codegen/x.ts', 'src imports nothing outside of src, but this is codegen/x.ts'],
  ['src/core/model/a.ts', '../../../docs/x.md?raw', 'src imports nothing outside of src, but this is docs/x.md?raw'],
])('the folder rules do not let %s import %s', (path, specifier, rule) => {
  const sources = [file(path, `\ntype T = import('${specifier}').T;`)];
  expect(folderErrors(sources)).toEqual([`${path}:2: ${rule}`]);
});

it('rules between folders cover every folder', () => {
  expect(folderErrors([file('src/misc/a.ts', '')])).toEqual(['src/misc: not in the table of who may import whom']);
});

describe('rules of codegen and scripts', () => {
  it.each([
    ['codegen/update/a.ts', '../model.ts'],
    ['scripts/tools.ts', '../codegen/project-types/tool-cache.ts'],
    ['codegen/records.ts', '../src/dialects/a2a-0.3/protobuf/mapping.ts'],
    ['codegen/dialect-pages.ts', './records.ts'],
    ['codegen/a.ts', '../src/wire/http-rule.ts'],
    ['codegen/a.ts', '../src/gen/operations.ts'],
    ['scripts/reference/a.ts', '../../src/config/schema.ts'],
    ['scripts/a.ts', 'rolldown'],
  ])('the rules of codegen and scripts let %s import %s', (path, specifier) => {
    expect(toolErrors([file(path, `import '${specifier}';`)])).toEqual([]);
  });

  const ofProgram = 'codegen reads the mappings of dialects in records.ts, and nothing else of the program';
  it.each([
    ['codegen/a.ts', '../src/config/schema.ts', `${ofProgram}: not src/config/schema.ts`],
    ['codegen/a.ts', '../src/gen/services.ts', `${ofProgram}: not src/gen/services.ts`],
    ['codegen/a.ts', '../src/dialects/a2a-0.3/mapping.ts', `${ofProgram}: not src/dialects/a2a-0.3/mapping.ts`],
    [
      'codegen/a.ts',
      './records.ts',
      'codegen/records.ts loads code of src/gen, which is written first: only by import()',
    ],
    ['codegen/a.ts', '../scripts/build.ts', `${ofProgram}: not scripts/build.ts`],
    ['scripts/a.ts', '../codegen/x.ts', 'scripts may import src, tools and codegen/project-types/: not codegen/x.ts'],
    [
      'scripts/house/a.ts',
      '../../test/x.ts',
      'scripts may import src, tools and codegen/project-types/: not test/x.ts',
    ],
  ])('the rules of codegen and scripts do not let %s import %s', (path, specifier, rule) => {
    expect(toolErrors([file(path, `import type { A } from '${specifier}';`)])).toEqual([`${path}:1: ${rule}`]);
  });

  it('rules of codegen and scripts let the generators load what needs their own code once it is written', () => {
    expect(toolErrors([file('codegen/a.ts', `const late = () => import('./records.ts');`)])).toEqual([]);
  });
});

it('packages are named by the first part of a specifier, or the first two under a scope', () => {
  const names = ['express', 'kysely/helpers/postgres', '@grpc/grpc-js/build/x.js', 'node:fs', 'fs', './a.ts'];
  expect(names.map(packageOf)).toEqual(['express', 'kysely', '@grpc/grpc-js', undefined, undefined, undefined]);
});

it('packages are declared when used and used when declared', () => {
  const sources = [file('src/a.ts', `import 'zod';\nimport type { X } from '@scope/x/y.js';`)];
  expect(packageErrors(sources, ['zod', 'pino'])).toEqual([
    'src/a.ts:2: @scope/x is not a declared package',
    'package.json: src never imports the package pino',
  ]);
});

it('circles are errors, of types too', () => {
  const sources = [
    file('src/a.ts', `import { b } from './b.ts';`),
    file('src/b.ts', `import type { C } from './c.ts';\nimport './d.ts';`),
    file('src/c.ts', `type A = import('./a.ts').A;`),
    file('src/d.ts', `import './e.ts';`),
    file('src/e.ts', ''),
  ];
  expect(circleErrors(sources)).toEqual(['a circle of imports: src/a.ts → src/b.ts → src/c.ts']);
});

it('files that no entry point reaches are found', () => {
  const sources = [
    file('src/index.ts', `export * from './core/a.ts';`),
    file('src/core/a.ts', `const b = () => import('./b.ts');`),
    file('src/core/b.ts', `import './a.ts';`),
    file('src/core/orphan.ts', `import './a.ts';`),
  ];
  expect(unreachable(sources, ['src/index.ts']).map(({ path }) => path)).toEqual(['src/core/orphan.ts']);
});
