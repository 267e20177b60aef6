import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkPatch, faultNames } from './patches.ts';

it.each(faultNames)('the patch of the fault %s applies to the program', (name) => {
  expect(() => checkPatch(name)).not.toThrow();
});

it('every planted fault has a line in the list, and every line a fault', () => {
  const list = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  expect(Array.from(list.matchAll(/^\| `([\w-]+)` \|/gm), ([, name]) => name).sort()).toEqual(faultNames);
  expect(faultNames.length).toBeGreaterThanOrEqual(15);
});
