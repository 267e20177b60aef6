import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { formatReport, specUpdate } from '../../codegen/spec-update.ts';
import { addPauseTask, copyInputs, type Inputs } from '../support/changed-proto.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

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

const update = (dryRun = false) =>
  specUpdate({ root: project, proto: inputs.protoFile, schema: inputs.schemaFile, dryRun });

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

test('an update is taken in and reported', async () => {
  changeMuch();
  const report = await update();
  expect(report.changes.map(({ change, kind, name, detail }) => [change, kind, name, detail])).toEqual([
    ['added', 'message', 'PauseTaskRequest', undefined],
    ['renamed', 'field', 'Task.contextId', 'threadId'],
    ['retyped', 'field', 'AgentCapabilities.streaming', 'bool to string'],
    ['renamed', 'enum value', 'TaskState.TASK_STATE_REJECTED', 'TASK_STATE_DECLINED'],
    ['added', 'rpc', 'PauseTask', undefined],
  ]);
  expect(report.operations).toContain('PauseTask');
  expect(report.operations).toContain('GetTask');
  expect(report.operations).not.toContain('DeleteTaskPushNotificationConfig');
  expect(report.dialects).toEqual([{ file: 'old.ts', words: ['contextId'] }]);
  expect(report.files).toContain('a2a-v1/types.ts');
  expect(report.compiler.join('\n')).toMatch(/core\.ts.*PauseTask/);
  expect(report.compiler.join('\n')).toMatch(/core\.ts.*contextId/);
  expect(readFileSync(join(project, 'proto/lf/a2a/v1/a2a.proto'))).toEqual(readFileSync(inputs.protoFile));
  expect(readFileSync(join(project, 'codegen/schemas/a2a-1.0.json'))).toEqual(readFileSync(inputs.schemaFile));
  expect(readFileSync(join(project, 'src/gen/a2a-v1/types.ts'), 'utf8')).toContain('PauseTaskRequest');
  const text = formatReport(report);
  expect(text).toContain('renamed field Task.contextId: threadId');
  expect(text).toContain('src/dialects/old.ts: contextId');
});

test('the same spec again changes nothing', async () => {
  const before = digest();
  const report = await update();
  expect(report).toMatchObject({
    changes: [],
    operations: [],
    dialects: [],
    files: [],
    staleOverlay: [],
    compiler: [],
  });
  expect(digest()).toBe(before);
  expect(formatReport(report)).toContain('The compiler is content.');
});

test('--dry-run reports the same and writes nothing', async () => {
  changeMuch();
  const before = digest();
  const report = await update(true);
  expect(report.changes).toHaveLength(5);
  expect(report.compiler.join('\n')).toMatch(/core\.ts.*PauseTask/);
  expect(digest()).toBe(before);
});

test('overlay rows that no longer fit are named', async () => {
  inputs.editProto('rpc SubscribeToTask(', 'rpc WatchTask(');
  const report = await update();
  const renamed = { kind: 'rpc', change: 'renamed', name: 'SubscribeToTask', detail: 'WatchTask' };
  expect(report.changes).toContainEqual(expect.objectContaining(renamed));
  expect(report.staleOverlay).toEqual(['lf.a2a.v1.A2AService.SubscribeToTask']);
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
  ])('%s', async (_, damage, message) => {
    damage();
    const before = digest();
    await expect(update()).rejects.toThrow(message);
    expect(digest()).toBe(before);
  });

  const addField = (): void => inputs.editProto('message Task {\n', 'message Task {\n  string mood = 99;\n');
});

describe('the command', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'codegen', 'spec-update.ts'), ...args], { encoding: 'utf8' });

  test('without a file says how it is used', () => {
    expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('usage: npm run spec:update') });
  });

  test('with a bad file says why in words, and that nothing was changed', () => {
    const { status, stderr } = run('--proto', join(project, 'none.proto'), '--dry-run');
    expect(status).toBe(1);
    expect(stderr).toContain('no such file\nNothing was changed.');
    expect(stderr).not.toContain('    at ');
  });
});
