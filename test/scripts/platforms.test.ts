import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { leftOutOn, posixOnly } from '../../scripts/platforms.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const leftOut = leftOutOn('win32', root);

it('everything runs on Linux and macOS, and most of it on Windows', () => {
  expect(leftOutOn('linux', root)).toEqual([]);
  expect(leftOutOn('darwin', root)).toEqual([]);
  expect(leftOut.length).toBeLessThan(globSync('test/**/*.test.ts', { cwd: root }).length / 4);
});

it('what is left out on Windows has a reason that is still true', () => {
  const uses = /SIG(?:HUP|TERM|INT|STOP|KILL|QUIT)|'(?:bash|sh|ps|npx|npm)'/;
  for (const [path, reason] of Object.entries(posixOnly)) expect(read(path), `${path} ${reason}`).toMatch(uses);
  expect(new Set(leftOut.map(({ reason }) => reason))).toEqual(new Set(Object.values(posixOnly)));
});

it('tests of PostgreSQL are among it, although they do not start it themselves', () => {
  const paths = leftOut.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['test/contract/store.test.ts', 'test/core/cluster/takeover.test.ts']));
  expect(paths).not.toContain('test/dialects/registry.test.ts');
});

it('no other test stops processes by signals that Windows does not have, or starts a shell', () => {
  const paths = new Set(leftOut.map(({ path }) => path));
  const others = globSync('test/**/*.test.ts', { cwd: root }).filter((path) => !paths.has(path.replaceAll('\\', '/')));
  const uses =
    /\.kill\([^)]*'SIG(?:HUP|TERM|INT|STOP|QUIT)'|process\.kill\(-|(?:spawn|exec\w*)\(\s*'(?:bash|sh|ps|npx|npm)'/;
  expect(others.filter((path) => uses.test(read(path)) && !read(path).includes("exists('bash')"))).toEqual([]);
});
