import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { paced } from '../../support/pace.ts';
import { Project, published, publishedBundle } from './run-types.ts';
import { root } from './written.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000) });

/** The lines of a chapter of a report. */
const chapter = (text: string, title: string): string[] =>
  (text.split('\n\n').find((part) => part.startsWith(title)) ?? '')
    .split('\n')
    .slice(1)
    .flatMap((line) => line.trim() || []);

test('a first run writes the files of A2A 1.0, and a second one finds them unchanged', async () => {
  const project = new Project();
  const first = await project.types();
  expect(first.failure).toBeUndefined();
  expect(chapter(first.text, 'A2A 1.0, in a2a:')).toEqual([
    'wrote types.ts',
    'wrote schemas.ts',
    'wrote operations.ts',
    'wrote .a2a-types.json',
  ]);
  expect(first.text).not.toContain('npm install');
  const record = project.read('a2a/.a2a-types.json');
  const second = await project.types();
  expect(chapter(second.text, 'A2A 1.0, in a2a:').every((line) => line.startsWith('unchanged '))).toBe(true);
  expect(second.text).not.toContain('Changed');
  expect(project.read('a2a/.a2a-types.json')).toBe(record);
  expect(await project.check()).toBeUndefined();
  expect(readdirSync(join(project.folder, 'a2a')).sort()).toEqual(
    ['.a2a-types.json', 'operations.ts', 'schemas.ts', 'types.ts'].sort(),
  );
});

test('the same inputs give the same bytes in another folder, and another folder of the same project', async () => {
  const [one, other] = [new Project(), new Project()];
  for (const project of [one, other]) {
    project.write('protos/draft.proto', published);
    await project.types({ proto: 'protos/draft.proto' });
    await project.types({ out: 'generated/a2a', a2a: '0.3' });
  }
  for (const file of [
    'a2a/.a2a-types.json',
    'a2a/types.ts',
    'generated/a2a/.a2a-types.json',
    'generated/a2a/schemas.ts',
  ])
    expect(one.read(file)).toBe(other.read(file));
});

test('a run has the options of the last one where it names none, and removes files that are no longer asked for', async () => {
  const project = new Project();
  await project.types({ a2a: '1.1', with: 'operations', importExtension: '.ts' });
  expect(existsSync(join(project.folder, 'a2a/schemas.ts'))).toBe(false);
  expect(project.read('a2a/operations.ts')).toContain("from './types.ts'");
  const again = await project.types();
  expect(again.text).toContain('A2A 1.1, in a2a:');
  expect(existsSync(join(project.folder, 'a2a/schemas.ts'))).toBe(false);
  expect(chapter((await project.types({ with: 'zod' })).text, 'A2A 1.1')).toContain('removed operations.ts');
  expect(existsSync(join(project.folder, 'a2a/operations.ts'))).toBe(false);
  await project.types({ with: '' });
  expect(readdirSync(join(project.folder, 'a2a')).sort()).toEqual(['.a2a-types.json', 'types.ts']);
});

test('imports end as the compiler of the project allows it', async () => {
  const project = new Project();
  project.write(
    'tsconfig.base.json',
    '{ "compilerOptions": { /* a comment */ "allowImportingTsExtensions": true, }, }',
  );
  project.write('tsconfig.json', '// of the project\n{ "extends": "./tsconfig.base.json" }');
  await project.types({ with: 'operations' });
  expect(project.read('a2a/operations.ts')).toContain("from './types.ts'");
  project.write('packages/app/tsconfig.json', '{ "compilerOptions": { "strict": true } }');
  await project.types({ with: 'operations', out: 'packages/app/a2a' });
  expect(project.read('packages/app/a2a/operations.ts')).toContain("from './types.js'");
});

/** A draft that changes something of each kind. */
const draft = published
  .replace('message Task {', 'message Task {\n  // For filters.\n  map<string, string> labels = 77;\n')
  .replace('TASK_STATE_WORKING = 2;', 'TASK_STATE_WORKING = 2;\n  TASK_STATE_PAUSED = 40;')
  .replaceAll(':cancel"', ':stop"')
  .replace('string text = 1;', 'string text = 1;\n    Note note = 90;')
  .replace(
    'message Part {',
    'message Note { string title = 1 [(google.api.field_behavior) = REQUIRED]; }\nmessage Part {',
  )
  .replace('string context_id = 2', 'string conversation_id = 2');

test('a run says field by field what has changed, what older generations lose, and where the project names it', async () => {
  const project = new Project();
  await project.types();
  project.write('draft.proto', draft);
  project.write(
    'src/states.ts',
    `import type { Task } from '../a2a/types.ts';
// contextId and :cancel in a comment
export const context = (task: Task) => task.contextId;
const names = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED'];
export const stop = (id: string) => fetch(\`/tasks/\${id}:cancel\`);
`,
  );
  project.write('src/view.vue', '<script>export default { run: (client) => client.cancelTask({ id: 1 }) };</script>\n');
  project.write('src/reply.js', "import { send } from '@a2a-js/sdk';\nconsole.log((await send()).contextId);\n");
  project.write('src/other.ts', 'export const contextId = 1; // no word of tasks\n');
  for (const folder of ['node_modules_/..', 'dist', '.cache', 'build'])
    project.write(
      `${folder === 'node_modules_/..' ? 'dist' : folder}/copy.js`,
      "cancelTask('TASK_STATE_PAUSED', ':cancel');\n",
    );
  const { text } = await project.types({ proto: 'draft.proto' });
  const changes = chapter(text, 'Changed since A2A 1.0:');
  expect(changes).toEqual(
    expect.arrayContaining([
      'added message Note',
      'added field Task.labels: map of string to string',
      'added field Part.note: Note',
      'oneof Part.content: takes note besides text, raw, url, data'.replace(/^/, 'changed '),
      'added enum value TaskState.TASK_STATE_PAUSED: 40',
      'removed http rule CancelTask: POST /tasks/{id=*}:cancel, body *',
      'added http rule CancelTask: POST /tasks/{id=*}:stop, body *',
    ]),
  );
  expect(changes.some((line) => line.startsWith('renamed field Task.contextId: conversationId'))).toBe(true);
  const older = 'a2a-1.1, a2a-1.0, a2a-0.3, a2a-php-0.3, agentvault-0.2, a2a-0.2, a2a-0.1';
  const losses = Object.fromEntries(chapter(text, 'Lost in older generations:').map((line) => line.split(': ')));
  expect(losses['Task.labels']?.split(', ').sort()).toEqual(older.split(', ').sort());
  expect(losses['TaskState.TASK_STATE_PAUSED']).toBe(losses['Task.labels']);
  expect(losses['Part.note']).toBe(losses['Task.labels']);
  const uses = chapter(text, 'Named in your project:');
  expect(uses.map((line) => line.replace(/: .*/, ''))).toEqual([
    'src/reply.js:2',
    'src/states.ts:3',
    'src/states.ts:4',
    'src/states.ts:5',
    'src/view.vue:1',
  ]);
  expect(uses[1]).toBe('src/states.ts:3: renamed field Task.contextId');
});

test('files that git ignores are not searched', async () => {
  const project = new Project();
  await project.types();
  spawnSync('git', ['init', '-q'], { cwd: project.folder });
  project.write('.gitignore', 'node_modules\nlib\n');
  for (const folder of ['lib', 'src']) project.write(`${folder}/a.ts`, "export const path = '/tasks/1:cancel';\n");
  project.write('draft.proto', published.replaceAll(':cancel"', ':stop"'));
  const { text } = await project.types({ proto: 'draft.proto' });
  expect(chapter(text, 'Named in your project:').map((line) => line.replace(/: .*/, ''))).toEqual(['src/a.ts:1']);
});

test('files that git tracks are searched in every folder, and others not in those that programs write', async () => {
  const project = new Project();
  await project.types();
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: project.folder });
  git('init', '-q');
  const folders = ['build', 'out', 'target', 'vendor', 'dist', 'coverage', '.storybook', 'src'];
  const write = (name: string) => {
    for (const folder of folders) project.write(`lib/${folder}/${name}.ts`, "export const path = '/tasks/1:cancel';\n");
  };
  write('tracked');
  git('add', '-f', 'lib');
  write('other');
  project.write('draft.proto', published.replaceAll(':cancel"', ':stop"'));
  const { text } = await project.types({ proto: 'draft.proto' });
  const uses = chapter(text, 'Named in your project:').map((line) => line.replace(/:1: .*/, ''));
  expect(uses).toEqual([...folders.map((folder) => `lib/${folder}/tracked.ts`), 'lib/src/other.ts'].sort());
});

test('the report on the page is what a run prints', async () => {
  const page = readFileSync(join(root, 'docs/guides/follow-the-specification.md'), 'utf8');
  const [, sample = ''] = /```text\n(Changed since A2A 1\.0:\n[\s\S]*?)```/.exec(page) ?? [];
  const project = new Project();
  await project.types();
  const { text } = await project.types({ a2a: '1.1' });
  expect(sample).not.toBe('');
  expect(text).toContain(`\n\n${sample}`);
});

test('from A2A 1.0 to 1.1, a run names the new fields', async () => {
  const project = new Project();
  await project.types({ with: '' });
  const { text } = await project.types({ a2a: '1.1' });
  expect(chapter(text, 'Changed since A2A 1.0:')).toContain('added field Task.generation: int64');
  expect(text).toContain('Task.generation: a2a-1.0, a2a-0.3');
});

test('a proto finds what it imports beside it, above it, and in the package', async () => {
  const project = new Project();
  project.write(
    'protos/acme/v1/agent.proto',
    `syntax = "proto3";
package acme.v1;
import "acme/common.proto";
import "google/api/annotations.proto";
import "google/protobuf/any.proto";
import "google/protobuf/wrappers.proto";
service Agents {
  rpc Ask(Question) returns (stream acme.common.Answer) { option (google.api.http) = { post: "/ask" body: "*" }; }
}
service Others { rpc Ask(Question) returns (Question); }
message Question {
  oneof of { string text = 1; int64 number = 2; }
  map<int32, acme.common.Answer> answers = 3;
  google.protobuf.Any any = 4;
  google.protobuf.Int64Value maybe = 5;
  Question parent = 6;
  message V1alpha_inner { Kind kind = 1; }
  V1alpha_inner inner = 7;
  enum Kind { KIND_NONE = 0; KIND_SOME = 1; }
}
message Empty {}
`,
  );
  project.write(
    'protos/acme/common.proto',
    'syntax = "proto3";\npackage acme.common;\nmessage Answer { bytes raw = 1; double score = 2; }\n',
  );
  const { failure, text } = await project.types({ proto: 'protos/acme/v1/agent.proto', importExtension: '.ts' });
  expect(failure).toBeUndefined();
  expect(text).toMatch(/^protos\/acme\/v1\/agent\.proto, in a2a:/);
  const types = project.read('a2a/types.ts');
  expect(types).toContain('export interface acme_common_Answer {');
  expect(types).toContain('export interface Question_V1alpha_inner {');
  const operations = project.read('a2a/operations.ts');
  expect(operations).toContain('  Agents_Ask: {\n');
  expect(operations).toContain('  Others_Ask: {\n');
  project.write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: 'NodeNext',
        noEmit: true,
        allowImportingTsExtensions: true,
        isolatedDeclarations: true,
        declaration: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        types: [],
      },
      include: ['a2a'],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(
    spawnSync(process.execPath, [tsc, '-p', project.folder, '--singleThreaded'], { encoding: 'utf8' }).stdout,
  ).toBe('');
  expect(await project.check()).toBeUndefined();
  project.edit('protos/acme/common.proto', (proto) => proto.replace('double score', 'double rank'));
  expect(await project.check()).toMatch(/^a2a is not up to date: types\.ts, schemas\.ts, \.a2a-types\.json; run/);
});

test('a fork of A2A with a package of its own keeps what is known of A2A', async () => {
  const project = new Project();
  project.write('fork.proto', published.replaceAll('lf.a2a.v1', 'acme.a2a.v2'));
  project.write('fork.json', publishedBundle.replaceAll('lf.a2a.v1', 'acme.a2a.v2'));
  expect((await project.types({ proto: 'fork.proto', schema: 'fork.json' })).failure).toBeUndefined();
  expect(project.read('a2a/schemas.ts')).toContain("'expected exactly one of text, raw, url, data'");
  expect(declarations(project.read('a2a/types.ts'))).toEqual(
    declarations((await published10()).replaceAll('lf.a2a.v1', 'acme.a2a.v2')),
  );
});

/** Code without comments: those of A2A's own types name sections of its specification. */
const declarations = (code: string): string[] =>
  code
    .replace(/\/\*[\s\S]*?\*\/|^\/\/.*$/gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '');

async function published10(): Promise<string> {
  const project = new Project();
  await project.types({ a2a: '1.0', with: '' });
  return project.read('a2a/types.ts');
}

test('--check names what is missing, edited, or of other inputs, and nothing else', async () => {
  const project = new Project();
  expect(await project.check()).toBe(
    'a2a is not up to date: nothing was generated there yet; run npx a2a-gateway types',
  );
  project.write('draft.proto', published);
  await project.types({ proto: 'draft.proto' });
  const again = 'run npx a2a-gateway types';
  expect(await project.check()).toBeUndefined();
  expect(await project.check({ with: 'zod' })).toBe(`a2a is not up to date: .a2a-types.json; ${again} --with zod`);
  expect(await project.check({ out: 'a folder', proto: 'draft.proto', importExtension: '.ts' })).toBe(
    `a folder is not up to date: nothing was generated there yet; ${again} --out 'a folder' --proto draft.proto --import-extension .ts`,
  );
  project.edit('a2a/types.ts', (text) => text.replaceAll('\n', '\r\n'));
  project.edit('draft.proto', (text) => text.replaceAll('\n', '\r\n'));
  expect(await project.check()).toBeUndefined();
  project.version = '1.3.0';
  expect(await project.check()).toBeUndefined();
  project.edit('a2a/types.ts', (text) => `${text}\nexport type Mine = string;\n`);
  expect(await project.check()).toBe(`a2a is not up to date: types.ts; ${again}`);
  await project.types();
  expect(await project.check()).toBeUndefined();
  project.write('draft.proto', draft);
  expect(await project.check()).toContain('types.ts, schemas.ts, operations.ts, .a2a-types.json');
  project.edit('a2a/.a2a-types.json', (text) => `<<<<<<< ours\n${text}`);
  expect(await project.check()).toBe(`a2a is not up to date: .a2a-types.json cannot be read; ${again}`);
  expect((await project.types()).failure?.message).toMatch(
    /^a2a\/\.a2a-types\.json cannot be read, perhaps because of a merge: /,
  );
  expect((await project.types({ proto: 'draft.proto' })).failure).toBeUndefined();
  expect(await project.check()).toBeUndefined();
});

test('runs at the same time leave the files of one of them', async () => {
  const project = new Project();
  const outcomes = await Promise.all(['1.0', '1.1', '0.3', '1.0'].map((a2a) => project.types({ a2a })));
  expect(outcomes.map(({ failure }) => failure)).toEqual(outcomes.map(() => undefined));
  expect(await project.check()).toBeUndefined();
  expect(readdirSync(join(project.folder, 'a2a'))).toHaveLength(4);
});
