import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { buildImage } from '../../codegen/image.ts';
import type { Change } from '../../codegen/update/diff.ts';
import { mentions } from '../../codegen/update/mentions.ts';
import { moveFiles } from '../../codegen/update/project.ts';
import { declarationsIn, declarationsOf, nameAt } from '../../codegen/update/sources.ts';
import { touchedDocuments, touchedScopes } from '../../codegen/update/touched.ts';
import { operations } from '../../src/gen/a2a-1.1/operations.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';

vi.setConfig({ testTimeout: paced(120_000) });

const root = fileURLToPath(new URL('../..', import.meta.url));
const declarations = declarationsIn(root, 'src');
const file = buildImage(join(root, 'proto')).registry.getFile('a2a-1.1/lf/a2a/v1/a2a.proto');
if (!file) throw new Error('the proto is missing');

const change = (kind: Change['kind'], what: Change['change'], name: string, word = name): Change => ({
  kind,
  change: what,
  name,
  word,
  owner: name.split('.')[0] ?? '',
});

test('the scopes of operations, and those that move', () => {
  const moved = operations.map(({ name, ...rest }) => ({
    ...rest,
    name,
    ...(name === 'GetTask' && { reads: undefined }),
  }));
  expect(touchedScopes(operations, operations, ['GetTask', 'SendMessage'])).toEqual({
    scopes: ['tasks', 'tasks:read'],
    movedScopes: [],
  });
  expect(touchedScopes(operations, moved as unknown as typeof operations, ['GetTask']).movedScopes).toEqual([
    { operation: 'GetTask', from: 'tasks:read', to: 'tasks' },
  ]);
});

test('the pages that list what a new name joins, and those that have a changed one', () => {
  expect(touchedDocuments(root, [change('rpc', 'added', 'PauseTask')], file)).toContain('docs/reference/matrix.md');
  expect(touchedDocuments(root, [change('rpc', 'removed', 'SubscribeToTask')], file)).toContain(
    'docs/reference/matrix.md',
  );
  expect(touchedDocuments(root, [change('field', 'added', 'Task.mood', 'mood')], file)).toEqual([]);
});

const placesOf = (...changes: Change[]): string[] =>
  mentions(declarations, changes, file).map(({ file, name }) => `${file} ${name}`);

test('the places that list the values of an enum, and no others', () => {
  const places = placesOf(change('enum value', 'added', 'TaskState.TASK_STATE_PAUSED', 'TASK_STATE_PAUSED'));
  expect(places).toContain('src/core/model/lifecycle.ts lifecycle');
  expect(places).toContain('src/dialects/a2a-0.3/names.ts states');
  expect(places).not.toContain('src/core/operations/cancel.ts cancelTask');
});

test('a field is searched in dialects where its message is named, and never in comments', () => {
  const places = placesOf(change('field', 'removed', 'Task.contextId', 'contextId'));
  expect(places).toContain('src/dialects/a2a-0.3/mapping.ts task');
  expect(places).not.toContain('src/dialects/a2a-0.3/mapping.ts artifact');
  expect(places.every((place) => place.startsWith('src/dialects/'))).toBe(true);
});

test('declarations are found by their first line, without comments', () => {
  const source = `// const no = 1;
/** \`a\` */
export const a = 'x // y'; // z
class B {
  get(): number {
    return 1;
  }
  async #put<T>(x: T) {
    return x;
  }
}
`;
  const found = declarationsOf('x.ts', source);
  expect(found.map(({ name, line }) => [name, line])).toEqual([
    ['a', 3],
    ['B', 4],
  ]);
  expect(found[0]?.code).toContain("'x // y'; ");
  expect(found[0]?.code).not.toContain('z');
  expect([6, 9, 4].map((line) => nameAt(found, 'x.ts', line))).toEqual(['B.get', 'B.#put', 'B']);
});

test('files that cannot all be written are all as they were', () => {
  const dir = newFolder();
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  for (const place of [from, to]) mkdirSync(place);
  for (const name of ['a', 'b', 'c']) writeFileSync(join(from, name), `new ${name}`);
  writeFileSync(join(to, 'a'), 'old a');
  // A folder stands where a file is to be written.
  mkdirSync(join(to, 'c'));
  expect(() => moveFiles(['a', 'b', 'c'], from, to)).toThrow('EISDIR');
  expect(readFileSync(join(to, 'a'), 'utf8')).toBe('old a');
  expect(() => readFileSync(join(to, 'b'))).toThrow('ENOENT');
  rmSync(join(to, 'c'), { recursive: true });
  moveFiles(['a', 'b', 'c'], from, to);
  expect(readFileSync(join(to, 'c'), 'utf8')).toBe('new c');
});

test('the job of CI is off until it is given a proto, and ends like the command', () => {
  const job = (env: Record<string, string>) =>
    spawnSync(join(root, '.ci', 'spec-update'), { encoding: 'utf8', env: { ...process.env, ...env } });
  expect(job({ SPEC_PROTO: '' })).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing to do') });
  expect(job({ SPEC_PROTO: 'none.proto' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no such file'),
  });
});
