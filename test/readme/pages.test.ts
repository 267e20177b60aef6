import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { blocksOf } from './blocks.ts';
import { isChecked, typeErrors } from './type-check.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].sort();
const pages = new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

it('TypeScript of every page type-checks; what does not is named by its page and block', { timeout: 180_000 }, () => {
  const mistaken = '# Page\n\n```ts\nexport const n: number = "text";\n```\n';
  expect(
    typeErrors(new Map([...pages, ['mistaken.md', mistaken]]))
      .split('\n')
      .filter(Boolean),
  ).toEqual([expect.stringMatching(/^mistaken\.md\/line-3\.ts\(1,14\): error TS2322/)]);
});

it('the page of the examples names each of them, and no other', () => {
  const text = readFileSync(join(root, 'examples/README.md'), 'utf8');
  const named = [...text.matchAll(/`([\w-]+(?:\.\w+|\/))`/g)].map(([, name = '']) => name.replace(/\/$/, ''));
  const files = readdirSync(join(root, 'examples')).filter((name) => name !== 'README.md' && name !== 'data');
  expect([...new Set(named)].sort()).toEqual(files.sort());
});

it('TypeScript that is not checked has a reason', () => {
  const unexplained = [...pages].flatMap(([page, text]) =>
    blocksOf(text)
      .filter((block) => block.language === 'ts' && !isChecked(block) && !block.directives.has('no-check'))
      .map(({ line }) => `${page}:${line}`),
  );
  expect(unexplained).toEqual([]);
});

it('every page with commands is run by a test', () => {
  const tests = globSync('test/**/*.ts', { cwd: root }).map((name) => readFileSync(join(root, name), 'utf8'));
  const runnable = [...pages].filter(([, text]) =>
    blocksOf(text).some(({ language, words }) => language === 'sh' && !words.includes('no-run')),
  );
  expect(runnable.length).toBeGreaterThan(15);
  expect(runnable.filter(([page]) => !tests.some((text) => text.includes(page))).map(([page]) => page)).toEqual([]);
});
