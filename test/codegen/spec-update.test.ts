import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { targets } from '../../codegen/outputs.ts';
import { runCommand } from '../../codegen/update/command.ts';
import { changeLine } from '../../codegen/update/diff.ts';
import { readInputs, replaceInputs } from '../../codegen/update/inputs.ts';
import { formatReport } from '../../codegen/update/report.ts';
import { specUpdate, type UpdateOptions, type UpdateReport } from '../../codegen/update/update.ts';
import { versionProto, versions } from '../../codegen/versions.ts';
import { addPauseTask, copyInputs, type Inputs } from '../support/changed-proto.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(240_000), hookTimeout: paced(120_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));
const newest = versions[0].name;
let project: string;
let inputs: Inputs;

/** A project with the inputs of this one, and little code that uses what is generated. */
function newProject(): void {
  project = newFolder();
  for (const path of ['proto', 'codegen/schemas', 'docs/dialects', 'src/gen', 'tsconfig.json', 'package.json']) {
    cpSync(join(root, path), join(project, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'dir');
  const core = `import type { OperationName } from './gen/a2a-1.1/operations.ts';
import type { AgentCard, Task } from './gen/a2a-1.1/types.ts';
export const contextOf = (task: Task): string | undefined => task.contextId;
export const service: Record<OperationName, true> = { ${operationNames().join(': true, ')}: true };
export const iconOf = (card: AgentCard): string | undefined => card.iconUrl;\n`;
  writeFileSync(join(project, 'src', 'core.ts'), core);
  mkdirSync(join(project, 'src', 'dialects'));
  writeFileSync(join(project, 'src', 'dialects', 'old.ts'), "export const names = { contextId: 'sessionId' };\n");
  inputs = copyInputs();
}

function operationNames(): string[] {
  const source = readFileSync(join(root, 'src', 'gen', 'a2a-1.1', 'operations.ts'), 'utf8');
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
  specUpdate({ root: project, proto: inputs.protoFile, schema: inputs.schemaFile, target: newest, ...options });

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

/** Several changes at once: an rpc and its request, fields renamed, removed and retyped, an rpc and an enum value renamed. */
function changeMuch(): void {
  addPauseTask(inputs);
  inputs.editProto('string context_id = 2;', 'string thread_id = 2;');
  inputs.editProto('optional bool streaming = 1;', 'optional string streaming = 1;');
  inputs.editProto('TASK_STATE_REJECTED', 'TASK_STATE_DECLINED');
  inputs.editProto('optional string icon_url = 14;', '');
  inputs.editProto('rpc SubscribeToTask(', 'rpc WatchTask(');
  inputs.editSchema((bundle) => {
    const definitions = bundle.definitions as Record<
      string,
      { properties: Record<string, unknown>; patternProperties: Record<string, unknown> }
    >;
    const { Task: task, 'Agent Capabilities': capabilities, 'Agent Card': card } = definitions;
    if (!task || !capabilities || !card) throw new Error('the bundle has changed');
    task.properties = { ...task.properties, threadId: task.properties.contextId };
    delete task.properties.contextId;
    task.patternProperties = { '^(thread_id)$': { type: 'string' } };
    capabilities.properties.streaming = { ...(capabilities.properties.streaming as object), type: 'string' };
    delete card.properties.iconUrl;
    delete card.patternProperties['^(icon_url)$'];
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
  const binding = '        get: "/{tenant}/tasks/{id=*}:subscribe"\n      }\n';
  inputs.editProto(binding, `${binding}      additional_bindings {\n        get: "/tasks/{id=*}:follow"\n      }\n`);
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

const proto = () => readFileSync(join(project, 'proto/a2a-1.1/lf/a2a/v1/a2a.proto'), 'utf8');
const schema = () => readFileSync(join(project, 'codegen/schemas/a2a-1.1.json'), 'utf8');
const given = (): string[] => ['--proto', inputs.protoFile, '--schema', inputs.schemaFile, '--target', newest];
/** The published version, which is older. */
const published = 'a2a-1.0';
const publishedFiles = () => ({
  proto: join(inputs.protoDir, published, versionProto),
  schema: join(inputs.schemaDir, `${published}.json`),
});
const members = 'changes comments dryRun files generatedSchema later left losses refused result rows touched'.split(
  ' ',
);

/** Replaces the inputs of the project as an update does, without generating and compiling. */
async function replace(schemaFile?: string) {
  const [target] = targets;
  if (!target) throw new Error('there is no target');
  const before = await readInputs(project, target);
  return await replaceInputs(project, target, before.proto, inputs.protoFile, schemaFile);
}

describe('what is new', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' });
  const runs: Awaited<ReturnType<typeof command>>[] = [];
  let statusAfterDryRun: string;

  beforeAll(async () => {
    newProject();
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '-m', 'all');
    addMuch();
    runs.push(await command(...given(), '--dry-run', '--json'));
    statusAfterDryRun = git('status', '--porcelain');
    runs.push(await command(...given()));
    runs.push(await command(...given(), '--json'));
  });

  test('what is new is reported by --dry-run, which writes nothing and leaves git status clean', () => {
    expect(runs[0]).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(runs[0]?.out ?? '')).toMatchObject({ result: 'updated', dryRun: true });
    expect(statusAfterDryRun).toBe('');
  });

  test('what is new is reported as JSON with the documented members', () => {
    expect(Object.keys(JSON.parse(runs[0]?.out ?? '')).sort()).toEqual(members);
  });

  test('what is new is taken in, with the same report as text', async () => {
    const report = formatReport({ ...JSON.parse(runs[0]?.out ?? ''), dryRun: false });
    expect(runs[1]).toEqual({
      code: 0,
      out: `${report}\n\nThe update has been adopted. Run npm test to see what is left to do.\n`,
      err: '',
    });
    await expect(`${report}\n`).toMatchFileSnapshot('./reports/additions.txt');
    expect(git('status', '--porcelain')).not.toBe('');
  });

  test('what is new is in the files of the project', () => {
    expect(proto()).toBe(readFileSync(inputs.protoFile, 'utf8'));
    expect(JSON.parse(schema())).toEqual(JSON.parse(readFileSync(inputs.schemaFile, 'utf8')));
    expect(schema()).toBe(`${JSON.stringify(JSON.parse(schema()), undefined, 2)}\n`);
    expect(readFileSync(join(project, 'src/gen/a2a-1.1/types.ts'), 'utf8')).toContain('PauseTaskRequest');
    expect(readFileSync(join(project, 'docs/dialects/a2a-0.1.md'), 'utf8')).toContain('| `mood` |  | **lost**');
  });

  test('what is new is no change any more afterwards', () => {
    const again = JSON.parse(runs[2]?.out ?? '');
    expect(again).toMatchObject({ result: 'unchanged', changes: [], losses: [] });
    expect(Object.keys(again).sort()).toEqual(members);
  });
});

describe('names that break', () => {
  let refused: Awaited<ReturnType<typeof command>>;
  let before: string;
  let after: string;

  beforeAll(async () => {
    newProject();
    changeMuch();
    before = digest();
    refused = await command('--proto', publishedFiles().proto, '--schema', publishedFiles().schema);
    after = digest();
  });

  test('names that break are refused with their uses, and nothing changes', async () => {
    expect(refused.code).toBe(1);
    expect(after).toBe(before);
    await expect(`${refused.out}${refused.err}`).toMatchFileSnapshot('./reports/breaking.txt');
  });

  test.each([
    ['a field that was renamed', 'renamed field Task.contextId: threadId', 'src/core.ts contextOf'],
    ['a field that was removed', 'removed field AgentCard.iconUrl', 'src/core.ts iconOf'],
    ['an enum value that was renamed', 'renamed enum value TaskState.TASK_STATE_REJECTED', ''],
    ['a field that was retyped', 'retyped field AgentCapabilities.streaming: bool to string', ''],
  ])('a name that breaks is named: %s', (_, change, use) => {
    const lines = refused.err.split('\n').filter((line) => line.includes(change));
    expect(lines).toEqual([expect.stringContaining(use && `; used in ${use}`)]);
  });

  test('names that break leave rows of the overlay that no longer fit, which are named', () => {
    expect(refused.out).toContain(
      'codegen/overlay.ts overlay: has a row about lf.a2a.v1.A2AService.SubscribeToTask, which is gone',
    );
  });

  test('names that break are taken in with --breaking, with a bundle that is made from the proto', async () => {
    const report = await specUpdate({ root: project, proto: publishedFiles().proto, breaking: true });
    expect(report).toMatchObject({ result: 'updated', generatedSchema: true, refused: [] });
    for (const change of report.changes) expect(refused.out).toContain(`  ${changeLine(change)}\n`);
    expect(report.later).toEqual([{ version: newest, changes: report.changes }]);
    expect(formatReport(report)).toContain('The JSON Schema bundle was generated from the proto.');
    expect(readFileSync(join(project, 'src/gen/a2a-1.1/types.ts'), 'utf8')).toContain('threadId');
    expect(Object.keys(JSON.parse(schema()).definitions.Task.properties)).toContain('threadId');
  });
});

describe('the inputs are replaced', () => {
  beforeEach(newProject);

  test('a new declaration among other comments changes a few lines of the files', async () => {
    addMuch();
    reword();
    const vendored = proto().split('\n');
    await replace(inputs.schemaFile);
    const lines = proto().split('\n');
    expect(vendored.filter((line) => !lines.includes(line)).length).toBeLessThan(3);
    expect(lines.filter((line) => !vendored.includes(line)).length).toBeLessThan(25);
  });

  test('the bundle of the project stays where it fits', async () => {
    inputs.editProto('get: "/tasks/{id=*}:subscribe"', 'post: "/tasks/{id=*}:subscribe" body: "*"');
    const before = schema();
    expect(await replace()).toMatchObject({ generated: false });
    expect(schema()).toBe(before);
  });
});

describe('nothing changes', () => {
  let before: string;

  beforeAll(() => {
    newProject();
    before = digest();
  });
  beforeEach(() => {
    inputs = copyInputs();
  });
  afterEach(() => expect(digest()).toBe(before));

  test('nothing changes for the same spec', async () => {
    const report = await update();
    const lists = { changes: [], later: [], losses: [], left: [], rows: [], files: [] };
    expect(report).toMatchObject({ result: 'unchanged', comments: 0, ...lists });
    expect(formatReport(report)).toBe('No changes.');
  });

  test('nothing changes for other comments and formatting, which are one line of the report', async () => {
    reword();
    const report = await update();
    expect(report).toMatchObject({ result: 'unchanged', changes: [], files: [] });
    expect(report.comments).toBeGreaterThan(100);
    expect(formatReport(report)).toMatch(/^No changes\.\n\nComments: \d+ declarations with other comments; .*$/);
  });

  const addField = (): void => inputs.editProto('message Task {\n', 'message Task {\n  string mood = 99;\n');

  test.each<[string, () => void, string | RegExp]>([
    [
      'a proto that does not compile',
      () => inputs.editProto('message Task {', 'message Task'),
      /^buf build proto: proto\/a2a-1\.1\/lf\/a2a\/v1\/a2a\.proto:\d+:/,
    ],
    [
      'another package',
      () => inputs.editProto('package lf.a2a.v1;', 'package lf.a2a.v2;'),
      'package lf.a2a.v2, expected',
    ],
    [
      'the proto of another version',
      () => cpSync(join(inputs.protoDir, 'a2a', 'v1', 'a2a.proto'), inputs.protoFile),
      /buf build|package a2a\.v1, expected/,
    ],
    ['proto and schema that disagree', addField, 'lf.a2a.v1.Task.mood: only in the proto'],
    [
      'the bundle of another version',
      () => cpSync(join(root, 'codegen', 'schemas', 'a2a-0.3.json'), inputs.schemaFile),
      /JSON Schema disagree:\n {2}lf\.a2a\.v1\.[\s\S]*\n {2}and \d+ more$/,
    ],
    [
      'the bundle of an older minor version',
      () => cpSync(join(root, 'codegen', 'schemas', 'a2a-1.0.json'), inputs.schemaFile),
      'lf.a2a.v1.Task.generation: only in the proto',
    ],
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
  ])('nothing changes for %s, even with --breaking', async (_, damage, message) => {
    damage();
    await expect(update({ breaking: true })).rejects.toThrow(message);
  });

  test('nothing changes for a bundle whose shape of a field is none of a proto, which says what each has', async () => {
    inputs.editSchema(({ definitions }) => {
      (definitions.Task as { properties: Record<string, object> }).properties.contextId = { type: 'integer' };
    });
    await expect(update()).rejects.toThrow('lf.a2a.v1.Task.contextId: proto has string, schema has {"type":"integer"}');
  });

  test('nothing changes for a refusal whose change two versions have, which is named once', async () => {
    inputs.editProto('string context_id = 2;', 'string context_id = 22;');
    const { code, err } = await command('--proto', publishedFiles().proto);
    expect([code, err.match(/renumbered field Task\.contextId/g)?.length]).toEqual([1, 1]);
  });

  test('nothing changes for a refusal, which has exit code 1 as text and as JSON', async () => {
    inputs.editProto('string context_id = 2;', 'string context_id = 22;');
    const { code, out } = await command(...given(), '--json');
    expect(code).toBe(1);
    expect(Object.keys(JSON.parse(out)).sort()).toEqual(members);
    expect(JSON.parse(out)).toMatchObject({
      result: 'refused',
      refused: [expect.any(String), expect.stringContaining('Task.contextId: 2 to 22')],
    });
    expect(await command(...given())).toMatchObject({
      code: 1,
      err: expect.stringMatching(/renumbered field Task.contextId: 2 to 22\nNothing was changed\.\n$/),
    });
  });

  test('nothing changes, and the last line says so', async () => {
    expect(await command(...given(), '--dry-run')).toEqual({
      code: 0,
      out: 'No changes.\n\nNothing was changed (--dry-run).\n',
      err: '',
    });
    expect(await command(...given())).toEqual({ code: 0, out: 'No changes.\n\nNothing was changed.\n', err: '' });
    const missing = await command('--proto', join(project, 'none.proto'), '--json');
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.out)).toEqual({ result: 'failed', error: expect.stringContaining('no such file') });
  });
});

describe('an older version', () => {
  beforeAll(newProject);
  const place = (name: string): string => join('proto', name, versionProto);
  const schemaPlace = (name: string): string => `codegen/schemas/${name}.json`;

  test('an older version is updated where the target is the published one, and nothing names another', async () => {
    const own = join(project, place('a2a-1.0'));
    const args = ['--proto', own, '--schema', join(project, 'codegen/schemas/a2a-1.0.json')];
    expect(await command(...args, '--dry-run')).toMatchObject({ code: 0, out: expect.stringMatching(/^No changes\./) });
    expect((await command('--proto', own, '--target', newest, '--dry-run')).code).toBe(1);
  });

  test('an older version counts the comments that differ, where a new bundle is made from the proto', async () => {
    const file = join(newFolder(), 'a2a.proto');
    const own = readFileSync(join(project, place(published)), 'utf8');
    const reworded = own.replace('// Returns one task.', '// Returns the task with this id.');
    writeFileSync(file, reworded.replace('message Task {\n', 'message Task {\n  string mood = 20;\n'));
    const { out } = await command('--proto', file, '--dry-run', '--json');
    expect(JSON.parse(out)).toMatchObject({ generatedSchema: true, comments: 1 });
  });

  test('an older version brings what is new to the later ones', async () => {
    addMuch();
    const files = publishedFiles();
    // The newer proto has lines of its own beside the new one.
    const was = proto().split('\n');
    const { code, out } = await command('--proto', files.proto, '--schema', files.schema, '--json');
    const report: UpdateReport = JSON.parse(out);
    expect(code, out).toBe(0);
    expect(report.changes.map(changeLine)).toContain('added field Task.mood: string');
    expect(report.later).toEqual([{ version: newest, changes: report.changes }]);
    expect(formatReport(report)).toContain('\n\na2a-1.1 adopts the same changes.\n\n');
    expect(report.files).toEqual(expect.arrayContaining([place(published), place(newest), schemaPlace(newest)]));
    expect(report.losses).not.toContainEqual(expect.objectContaining({ dialect: published }));
    const added = proto()
      .split('\n')
      .filter((line) => !was.includes(line));
    expect(added).toContain('  string mood = 20;');
    expect(added).not.toContainEqual(expect.stringContaining('generation'));
    expect(proto()).toContain('int64 generation = 7;');
    expect(JSON.parse(schema()).definitions.Task.properties).toMatchObject({ mood: {}, generation: {} });
    const fields = readFileSync(join(project, 'src/gen', newest, 'fields.ts'), 'utf8');
    const rows = fields.split('\n').filter((line) => /jsonName: '(mood|generation)'/.test(line));
    expect(rows.slice(0, 2)).toEqual([
      expect.stringMatching(/'mood'.*(?<!, since: '1.1') \}/),
      expect.stringMatching(/'generation'.*, since: '1.1' \}/),
    ]);
    expect(fields).not.toContain('valuesSince');
  });

  test('an older version is refused where a later one has something else in the place of what is new', async () => {
    const file = publishedFiles().proto;
    const taken = readFileSync(file, 'utf8').replace('message Task {\n', 'message Task {\n  string whim = 7;\n');
    writeFileSync(file, taken);
    const before = digest();
    const { code, err } = await command('--proto', file);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^a2a-1\.1 cannot adopt the additions:\nbuf build proto: proto\/a2a-1\.1\/.*`7` used more than once/,
    );
    expect(digest()).toBe(before);
  });

  test('an older version must be known', async () => {
    expect(await command('--proto', 'x', '--target', 'a2a-2.0')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--target NAME   the version of A2A 1.x to update: a2a-1.1 or a2a-1.0.'),
    });
  });
});

test('--help says how the command is used, and so does a wrong argument', async () => {
  const usage = 'usage: npm run spec:update';
  expect(await command('--help')).toMatchObject({ code: 0, out: expect.stringContaining(usage) });
  expect(await command()).toMatchObject({ code: 2, err: expect.stringContaining(usage) });
  expect(await command('--prot', 'x')).toMatchObject({ code: 2, err: expect.stringMatching(/--prot[\s\S]*usage:/) });
});

test('the command runs from the shell', () => {
  const args = [join(root, 'codegen', 'spec-update.ts'), '--proto', join(root, 'none.proto'), '--dry-run'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('no such file\nNothing was changed.');
  expect(stderr).not.toContain('    at ');
});
