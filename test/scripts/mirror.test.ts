import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of `test` that are not about one folder of `src`: the whole program, other folders of the project, or helps. */
const others = new Set([
  'bench',
  'codegen',
  'conformance',
  'contract',
  'ecosystem',
  'examples',
  'frameworks',
  'golden',
  'interop',
  'matrix',
  'mutants',
  'package',
  'readme',
  'scripts',
  'security',
  'simulation',
  'site',
  'stores/formats',
  'support',
  'torture',
  'workload',
]);

it('each folder of tests is a folder of src, or is named as one that is not', () => {
  const tests = globSync('test/**/*.test.ts', { cwd: root });
  const folders = new Set(tests.map((path) => path.split('/').slice(1, -1).join('/')));
  const strangers = [...folders].filter(
    (folder) =>
      !others.has(folder) && !others.has(folder.split('/')[0] as string) && !existsSync(`${root}src/${folder}`),
  );
  expect(strangers).toEqual([]);
  expect([...others].filter((folder) => existsSync(`${root}src/${folder}`))).toEqual([]);
});
