import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../codegen/update/command.ts';
import { formatReport } from '../../codegen/update/report.ts';
import { RefusedUpdate, specUpdate, type UpdateOptions } from '../../codegen/update/update.ts';
import { addPauseTask, copyInputs, type Inputs } from '../support/changed-proto.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
let project: string;
let inputs: Inputs;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'a2a-project-'));
  for (const path of ['proto', 'codegen/schemas', 'docs/dialects', 'src/gen', 'tsconfig.json', 'package.json']) {
    cpSync(join(root, path), join(project, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'dir');
  const core = `import type { OperationName } from './gen/a2a-v1/operations.ts';
import type { Task } from './gen/a2a-v1/types.ts';
export const contextOf = (task: Task): string | undefined => task.contextId;
export const service: Record<OperationName, true> = { ${operationNames().join(': true, ')}: true };\n`;
  writeFileSync(join(project, 'src', 'core.ts'), core);
  mkdirSync(join(project, 'src', 'dialects'));
  writeFileSync(join(project, 'src', 'dialects', 'old.ts'), "export const names = { contextId: 'sessionId' };\n");
  inputs = copyInputs();
});

afterEach(() => {
  rmSync(project, { recursive: true, force: true });
  inputs.dispose();
});

function operationNames(): string[] {
  const source = readFileSync(join(root, 'src', 'gen', 'a2a-v1', 'operations.ts'), 'utf8');
  return [...source.matchAll(/^ {4}name: '(\w+)'/gm)].map(([, name]) => name as string);
}

/** A digest of every file, to see that nothing has changed. */
function digest(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(project, { recursive: true, encoding: 'utf8' }).sort()) {
    if (file.startsWith('node_modules')) continue;
    const path = join(project, file);
    if (statSync(path).isFile()) hash.update(file).update(readFileSync(path));
  }
  return hash.digest('hex');
}

const update = (options: Partial<UpdateOptions> = {}) =>
  specUpdate({ root: project, proto: inputs.protoFile, schema: inputs.schemaFile, ...options });

/** Runs the command on the project. */
async function command(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const code = await runCommand(args, project, {
    out: (text) => {
      printed.out += `${text}\n`;
    },
    err: (text) => {
      printed.err += `${text}\n`;
    },
  });
  return { code, ...printed };
}

/** Several changes at once: an rpc and its request, a field renamed, one retyped, an enum value renamed. */
function changeMuch(): void {
  addPauseTask(inputs);
  inputs.editProto('string context_id = 2;', 'string thread_id = 2;');
  inputs.editProto('optional bool streaming = 1;', 'optional string streaming = 1;');
  inputs.editProto('TASK_STATE_REJECTED', 'TASK_STATE_DECLINED');
  inputs.editSchema((bundle) => {
    const definitions = bundle.definitions as Record<
      string,
      { properties: Record<string, unknown>; patternProperties: Record<string, unknown> }
    >;
    const { Task: task, 'Agent Capabilities': capabilities } = definitions;
    if (!task || !capabilities) throw new Error('the bundle has changed');
    task.properties = { ...task.properties, threadId: task.properties.contextId };
    delete task.properties.contextId;
    task.patternProperties = { '^(thread_id)$': { type: 'string' } };
    capabilities.properties.streaming = { type: 'string' };
    const text = JSON.stringify(bundle.definitions).replaceAll('TASK_STATE_REJECTED', 'TASK_STATE_DECLINED');
    bundle.definitions = JSON.parse(text);
  });
}

/** A field, an rpc and an enum value that are new, and a comment that names an error. */
function addMuch(): void {
  addPauseTask(inputs);
  inputs.editProto(
    'message Task {\n',
    'message Task {\n  // Ends with HTTP 409 (gRPC ABORTED) if it is taken.\n  string mood = 20;\n',
  );
  inputs.editProto('TASK_STATE_AUTH_REQUIRED = 8;', 'TASK_STATE_AUTH_REQUIRED = 8;\n  TASK_STATE_PAUSED = 9;');
  inputs.editProto('get: "/tasks/{id=*}:subscribe"', 'post: "/tasks/{id=*}:subscribe" body: "*"');
  inputs.editSchema((bundle) => {
    const { Task: task } = bundle.definitions as Record<string, { properties: Record<string, unknown> }>;
    if (!task) throw new Error('the bundle has changed');
    task.properties.mood = { type: 'string' };
    const text = JSON.stringify(bundle.definitions);
    const added = text.replaceAll('"TASK_STATE_AUTH_REQUIRED"', '"TASK_STATE_AUTH_REQUIRED","TASK_STATE_PAUSED"');
    bundle.definitions = JSON.parse(added);
  });
}

/** Other comments and formatting, and nothing else. */
function reword(): void {
  const proto = readFileSync(inputs.protoFile, 'utf8');
  writeFileSync(inputs.protoFile, proto.replace(/^( *)\/\/.*$/gm, '$1// Something else.').replace(/^ {2}/gm, '\t'));
  inputs.editSchema((bundle) => {
    const text = JSON.stringify(bundle.definitions);
    bundle.definitions = JSON.parse(text.replaceAll(/"description":"[^"\\]*"/g, '"description":"Something else."'));
  });
}

test('what is new is taken in and reported', async () => {
  addMuch();
  const report = await update();
  expect(report.result).toBe('updated');
  await expect(`${formatReport(report)}\n`).toMatchFileSnapshot('./reports/additions.txt');
  const proto = readFileSync(join(project, 'proto/lf/a2a/v1/a2a.proto'), 'utf8');
  expect(proto).toBe(readFileSync(inputs.protoFile, 'utf8'));
  const schema = readFileSync(join(project, 'codegen/schemas/a2a-1.0.json'), 'utf8');
  expect(JSON.parse(schema)).toEqual(JSON.parse(readFileSync(inputs.schemaFile, 'utf8')));
  expect(schema).toBe(`${JSON.stringify(JSON.parse(schema), undefined, 2)}\n`);
  expect(readFileSync(join(project, 'src/gen/a2a-v1/types.ts'), 'utf8')).toContain('PauseTaskRequest');
  expect(readFileSync(join(project, 'docs/dialects/a2a-0.1.md'), 'utf8')).toContain('| `mood` |  | **lost** |');
  // What has been taken in is no change any more.
  expect(await update()).toMatchObject({ result: 'unchanged', changes: [], losses: [] });
});

test('names that break are refused with their uses, and taken in with --breaking', async () => {
  changeMuch();
  const before = digest();
  const refused = await update().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RefusedUpdate);
  expect(digest()).toBe(before);
  const { report, message } = refused as RefusedUpdate;
  await expect(`${formatReport(report)}\n\n${message}\n`).toMatchFileSnapshot('./reports/breaking.txt');
  expect(await update({ breaking: true })).toMatchObject({ result: 'updated', changes: report.changes });
  expect(readFileSync(join(project, 'src/gen/a2a-v1/types.ts'), 'utf8')).toContain('threadId');
});

test('the same spec again changes nothing', async () => {
  const before = digest();
  const report = await update();
  expect(report).toMatchObject({
    result: 'unchanged',
    changes: [],
    comments: 0,
    losses: [],
    left: [],
    rows: [],
    files: [],
  });
  expect(digest()).toBe(before);
  expect(formatReport(report)).toBe('No changes.');
});

test('comments and formatting alone are one line and change no file', async () => {
  reword();
  const before = digest();
  const report = await update();
  expect(report).toMatchObject({ result: 'unchanged', changes: [], files: [] });
  expect(report.comments).toBeGreaterThan(100);
  expect(formatReport(report)).toMatch(/^No changes\.\n\nComments: \d+ declarations with other comments; .*$/);
  expect(digest()).toBe(before);
});

test('a new declaration among other comments changes a few lines of the files', async () => {
  addMuch();
  reword();
  const vendored = readFileSync(join(project, 'proto/lf/a2a/v1/a2a.proto'), 'utf8').split('\n');
  await update();
  const lines = readFileSync(join(project, 'proto/lf/a2a/v1/a2a.proto'), 'utf8').split('\n');
  expect(vendored.filter((line) => !lines.includes(line)).length).toBeLessThan(3);
  expect(lines.filter((line) => !vendored.includes(line)).length).toBeLessThan(25);
});

test('--dry-run reports the same, writes nothing and leaves git status clean', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '-m', 'all');
  addMuch();
  const dry = await update({ dryRun: true });
  expect(git('status', '--porcelain')).toBe('');
  const { dryRun, ...report } = await update();
  expect([dry.dryRun, dryRun]).toEqual([true, false]);
  expect(dry).toEqual({ ...report, dryRun: true });
  expect(git('status', '--porcelain')).not.toBe('');
});

test('overlay rows that no longer fit are named', async () => {
  inputs.editProto('rpc SubscribeToTask(', 'rpc WatchTask(');
  const { left } = await update({ breaking: true, dryRun: true });
  const why = 'has a row about lf.a2a.v1.A2AService.SubscribeToTask, which is gone';
  expect(left).toContainEqual({ file: 'codegen/overlay.ts', name: 'overlay', why });
});

describe('a bad input changes nothing', () => {
  test.each<[string, () => void, string | RegExp]>([
    ['a proto that does not compile', () => inputs.editProto('message Task {', 'message Task'), /buf build/],
    [
      'another package',
      () => inputs.editProto('package lf.a2a.v1;', 'package lf.a2a.v2;'),
      'package lf.a2a.v2, expected',
    ],
    ['proto and schema that disagree', () => addField(), 'lf.a2a.v1.Task.mood: only in the proto'],
    ['a schema that is not JSON', () => writeFileSync(inputs.schemaFile, '{'), 'not JSON'],
    ['a schema that is none', () => writeFileSync(inputs.schemaFile, '{}'), 'no definitions'],
    ['a proto that is not there', () => rmSync(inputs.protoFile), 'no such file'],
    ['a schema that is not there', () => rmSync(inputs.schemaFile), 'no such file'],
    [
      'a field with another number',
      () => inputs.editProto('string context_id = 2;', 'string context_id = 22;'),
      'renumbered field',
    ],
    [
      'an enum value with another number',
      () => inputs.editProto('TASK_STATE_REJECTED = 7', 'TASK_STATE_REJECTED = 17'),
      'renumbered enum value TaskState.TASK_STATE_REJECTED: 7 to 17',
    ],
  ])('%s, even with --breaking', async (_, damage, message) => {
    damage();
    const before = digest();
    await expect(update({ breaking: true })).rejects.toThrow(message);
    expect(digest()).toBe(before);
  });

  const addField = (): void => inputs.editProto('message Task {\n', 'message Task {\n  string mood = 99;\n');
});

describe('the bundle is made from the proto', () => {
  const alone = () => specUpdate({ root: project, proto: inputs.protoFile });

  /** Puts a program on the PATH in place of the published plugin. */
  function install(script: string): void {
    const bin = join(inputs.dir, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'protoc-gen-jsonschema'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, 'protoc-gen-jsonschema'), 0o755);
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env.PATH}`);
    vi.stubEnv('SCHEMA_PLUGIN_BUNDLE', inputs.schemaFile);
  }

  beforeEach(() => {
    // The machine may have the plugin.
    const dirs = (process.env.PATH ?? '').split(delimiter);
    vi.stubEnv('PATH', dirs.filter((dir) => !existsSync(join(dir, 'protoc-gen-jsonschema'))).join(delimiter));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('by the published plugin, where it is installed', async () => {
    addPauseTask(inputs);
    install(`exec '${process.execPath}' '${join(root, 'test', 'support', 'schema-plugin.ts')}' "$@"`);
    const report = await alone();
    expect(report).toMatchObject({ result: 'updated', generatedSchema: true });
    const schema = JSON.parse(readFileSync(join(project, 'codegen/schemas/a2a-1.0.json'), 'utf8'));
    expect(schema).toEqual(JSON.parse(readFileSync(inputs.schemaFile, 'utf8')));
  });

  test.each<[string, string | undefined, string | RegExp]>([
    ['a plugin that is missing: how to install it', undefined, /go install github\.com\/bufbuild\/protoschema-plugins/],
    ['another plugin of the same name', 'echo protoc-gen-jsonschema version 1.4.1', 'is another program'],
    [
      'a plugin that fails',
      'test "$1" = --version && echo v0.6.0 || { echo out of memory >&2; exit 3; }',
      'out of memory',
    ],
  ])('%s', async (_, script, message) => {
    addPauseTask(inputs);
    if (script !== undefined) install(script);
    const before = digest();
    await expect(alone()).rejects.toThrow(message);
    expect(digest()).toBe(before);
  });

  test('only where the one of the project does not fit', async () => {
    inputs.editProto('get: "/tasks/{id=*}:subscribe"', 'post: "/tasks/{id=*}:subscribe" body: "*"');
    expect(await alone()).toMatchObject({ result: 'updated', generatedSchema: false });
  });
});

describe('the command', () => {
  test('--help says how it is used, and so does a wrong argument', async () => {
    expect(await command('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('usage: npm run spec:update'),
    });
    expect(await command()).toMatchObject({ code: 2, err: expect.stringContaining('usage: npm run spec:update') });
    expect(await command('--prot', 'x')).toMatchObject({ code: 2, err: expect.stringMatching(/--prot[\s\S]*usage:/) });
  });

  test('--json prints the report of specUpdate', async () => {
    addMuch();
    const args = ['--proto', inputs.protoFile, '--schema', inputs.schemaFile, '--dry-run'];
    const { code, out } = await command(...args, '--json');
    expect(code).toBe(0);
    const report = await update({ dryRun: true });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(report)));
    expect(Object.keys(report).sort()).toEqual(keys);
    expect(await command(...args)).toMatchObject({
      code: 0,
      out: `${formatReport(report)}\n\nNothing was changed (--dry-run).\n`,
    });
  });

  test('a refusal has exit code 1, as text and as JSON', async () => {
    inputs.editProto('string context_id = 2;', 'string context_id = 22;');
    const args = ['--proto', inputs.protoFile, '--schema', inputs.schemaFile];
    const { code, out } = await command(...args, '--json');
    expect(code).toBe(1);
    expect(Object.keys(JSON.parse(out)).sort()).toEqual(keys);
    expect(JSON.parse(out)).toMatchObject({
      result: 'refused',
      refused: [expect.any(String), expect.stringContaining('Task.contextId: 2 to 22')],
    });
    const text = await command(...args);
    expect(text).toMatchObject({
      code: 1,
      err: expect.stringMatching(/renumbered field Task.contextId: 2 to 22\nNothing was changed\.\n$/),
    });
    const missing = await command('--proto', join(project, 'none.proto'), '--json');
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.out)).toEqual({ result: 'failed', error: expect.stringContaining('no such file') });
  });

  const keys = 'changes comments dryRun files generatedSchema left losses refused result rows touched'.split(' ');

  test('runs from the shell', () => {
    const file = join(root, 'codegen', 'spec-update.ts');
    const { status, stderr } = spawnSync(
      process.execPath,
      [file, '--proto', join(project, 'none.proto'), '--dry-run'],
      {
        encoding: 'utf8',
      },
    );
    expect(status).toBe(1);
    expect(stderr).toContain('no such file\nNothing was changed.');
    expect(stderr).not.toContain('    at ');
  });
});
