import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../../src/extensions/console/', import.meta.url);

/** Stylesheets with the selectors of their rules. */
const sheets = globSync('**/*.css', { cwd: folder }).map((path) => {
  const text = readFileSync(new URL(path, folder), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const selectors = Array.from(text.matchAll(/([^{}]+)\{/g), ([, selector = '']) => selector.trim());
  return { path, selectors: selectors.filter((selector) => !selector.startsWith('@')) };
});

const classesIn = (selector: string): string[] =>
  Array.from(selector.matchAll(/\.([a-z][\w-]*)/gi), ([, name = '']) => name);

test('styles of a page do not change other pages: each rule has a class that no other stylesheet has', () => {
  const owners = new Map<string, Set<string>>();
  for (const { path, selectors } of sheets) {
    for (const name of selectors.flatMap(classesIn)) owners.set(name, (owners.get(name) ?? new Set()).add(path));
  }
  const foreign = sheets
    .filter(({ path }) => !path.startsWith('styles/'))
    .flatMap(({ path, selectors }) =>
      selectors
        .flatMap((selector) => selector.split(/,(?![^(]*\))/))
        .filter((selector) => !classesIn(selector).some((name) => owners.get(name)?.size === 1))
        .map((selector) => `${path}: ${selector.trim()}`),
    );
  expect(sheets.length).toBeGreaterThan(6);
  expect(foreign).toEqual([]);
});
