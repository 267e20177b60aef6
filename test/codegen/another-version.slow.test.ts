import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { type Version, versions } from '../../codegen/versions.ts';
import type { Dialects } from '../../src/dialects/kernel/detect.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';

/** The next version of A2A 1.x is a row, a proto and a bundle: it becomes the canonical form, and the others drop. */

vi.setConfig({ testTimeout: paced(300_000), hookTimeout: paced(240_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = newFolder();
const next: Version = { name: 'a2a-1.9', version: '1.9', preview: { source: 'a test', date: '2030-01-01' } };
let dialects: Dialects;
let published: Dialects;

beforeAll(async () => {
  const results = 'test/conformance/results.json';
  for (const path of ['src', 'codegen', 'proto', 'scripts', 'docs', results, 'package.json', 'tsconfig.json']) {
    cpSync(join(root, path), join(dir, path), { recursive: true });
  }
  for (const path of ['node_modules', 'tools']) symlinkSync(join(root, path), join(dir, path), 'dir');
  const [{ name: newest }] = versions;
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(dir, path), change(readFileSync(join(dir, path), 'utf8')));
  cpSync(join(dir, 'proto', newest), join(dir, 'proto', next.name), { recursive: true });
  cpSync(join(dir, 'codegen/schemas', `${newest}.json`), join(dir, 'codegen/schemas', `${next.name}.json`));
  edit(`proto/${next.name}/lf/a2a/v1/a2a.proto`, (text) =>
    text.replace('message Task {\n', 'message Task {\n  string mood = 99;\n'),
  );
  edit(`codegen/schemas/${next.name}.json`, (text) => {
    const bundle = JSON.parse(text);
    bundle.definitions.Task.properties.mood = { type: 'string' };
    return JSON.stringify(bundle);
  });
  edit('codegen/versions.ts', (text) => {
    const rows = /(export const versions: [^=]*= \[\n)/;
    expect(text).toMatch(rows);
    return text.replace(rows, (head) => `${head}  ${JSON.stringify(next)},\n`);
  });
  execFileSync(process.execPath, ['codegen/main.ts'], { cwd: dir, timeout: paced(240_000) });
  const { createDialects } = await import(pathToFileURL(join(dir, 'src/dialects/registry.ts')).href);
  dialects = createDialects();
  published = createDialects({ preview: [] });
});

const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, mood: 'well' };
const stored = { value: task, json: JSON.stringify(task), facts: { createdAt: 0, updatedAt: 0, generation: 2 } };
const getTask = (dialect: Dialect | undefined) => dialect?.jsonrpc?.methods.get('GetTask')?.result;

test('a version that is generated besides the others: it is served behind the others, where it is named', () => {
  const names = versions.map(({ name }) => name).toReversed();
  expect(dialects.list.map(({ name }) => name).slice(0, names.length + 1)).toEqual([...names, next.name]);
  expect(dialects.byVersion.get('1.9')?.name).toBe(next.name);
  expect(published.byVersion.has('1.9')).toBe(false);
});

test('a version that is generated besides the others: its field is stored, and sent in this version alone', () => {
  const newest = getTask(dialects.byVersion.get('1.9'));
  expect(JSON.parse(newest?.textOf?.(stored as never) ?? '')).toEqual({ ...task, generation: '2' });
  const { mood: _, ...without } = task;
  for (const set of [dialects, published]) {
    const older = getTask(set.byVersion.get('1.0'));
    const losses = new Set<string>();
    // Text from the store may have the field now.
    expect(older?.textOf?.(stored as never)).toBeUndefined();
    expect(older?.encode(stored as never, { losses })).toEqual(without);
    expect([...losses]).toEqual(['mood']);
  }
});

test('every older dialect lists the loss on its page', () => {
  const page = (name: string): string => readFileSync(join(dir, 'docs/dialects', `${name}.md`), 'utf8');
  for (const { name } of versions) expect(page(name)).toContain('| `Task.mood` | **lost** |');
  expect(page('a2a-0.3')).toContain('| `mood` |  | **lost**; from A2A 1.9 on |');
});

test('a version that is generated besides the others: it compiles without another edit', () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const config = { extends: './tsconfig.json', include: ['src', 'codegen'] };
  writeFileSync(join(dir, 'tsconfig.next.json'), JSON.stringify(config));
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', 'tsconfig.next.json', '--noEmit', '--singleThreaded'],
    {
      cwd: dir,
      encoding: 'utf8',
      timeout: paced(300_000),
    },
  );
  expect([status, stdout]).toEqual([0, '']);
});
