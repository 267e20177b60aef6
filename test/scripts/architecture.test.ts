import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The walks of ARCHITECTURE.md lead to code that exists. */

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');

/** The numbered lines: a file below src and what is declared in it. */
const steps = [...page.matchAll(/^\d+\. `([^`]+)`: `([^`]+)` — ./gm)].map(([, file = '', name = '']) => ({
  file,
  name,
}));

/** Whether a source declares a function, class, constant or method of this name. */
function declares(source: string, name: string): boolean {
  const declaration = `\\b(?:function\\*?|class|const|let) ${name}\\b`;
  const method = `^ *(?:(?:public|protected|private|static|override|async|get|readonly) )*\\*?#?${name}(?:<[^>]*>)?(?:\\(| = (?:async )?\\()`;
  return new RegExp(`${declaration}|${method}`, 'm').test(source);
}

it('ARCHITECTURE.md has four walks, every line of which names a file and a function', () => {
  const walks = page.slice(page.indexOf('## Four walks'));
  expect(walks.match(/^### /gm)).toHaveLength(4);
  expect(walks.match(/^\d+\. /gm)).toHaveLength(steps.length);
});

it('ARCHITECTURE.md names files and functions that exist', () => {
  const wrong = steps.flatMap(({ file, name }) => {
    const path = new URL(`src/${file}`, root);
    if (!existsSync(path)) return [`src/${file} does not exist: name the file that holds ${name} now`];
    if (declares(readFileSync(path, 'utf8'), name)) return [];
    return [`src/${file} declares no ${name}: name what does its work now`];
  });
  expect(wrong, 'mend the walks in ARCHITECTURE.md').toEqual([]);
});

it('ARCHITECTURE.md lists every folder of src, and no other', () => {
  const table = page.slice(page.indexOf('## The folders'), page.indexOf('## Four walks'));
  const listed = [...table.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => folder),
  );
  const folders = (below: string): string[] =>
    readdirSync(new URL(`src/${below}`, root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${below}${name}`);
  // Of these, the table has each folder below.
  const divided = ['core', 'extensions'];
  const whole = folders('').filter((name) => !divided.includes(name));
  const expected = [...whole, ...divided.flatMap((name) => folders(`${name}/`))];
  expect([...new Set(listed)].sort()).toEqual(expected.sort());
});
