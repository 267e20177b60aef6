import { Parser, Store } from 'n3';
import { expect, test } from 'vitest';
import { patternsIn } from '../../../../../src/extensions/knowledge/alignment/shapes/load.ts';

/** The pattern of a shape, as it is applied. */
function patternOf(source: string, flags?: string): RegExp {
  const literal = (text: string): string => JSON.stringify(text);
  const ofFlags = flags === undefined ? '' : `; sh:flags ${literal(flags)}`;
  const turtle = `@prefix sh: <http://www.w3.org/ns/shacl#> . <urn:s> sh:pattern ${literal(source)}${ofFlags} .`;
  return patternsIn(new Store(new Parser().parse(turtle)))(source, flags);
}

test.each([
  ['a class of Unicode', '^\\p{Lu}', undefined, 'Émile', 'émile'],
  ['an escape that JavaScript knows in old patterns alone', '^a\\-b$', undefined, 'a-b', 'ab'],
  ['the flag i', '^ab$', 'i', 'AB', 'abc'],
  ['the flag x, which ignores white space', '^ a [ b] $', 'x', 'a ', 'a  '],
  ['the flag q, which takes the pattern literally', 'a.b', 'q', 'a.b', 'axb'],
  ['characters beyond the basic plane', '^.$', undefined, '😀', 'ab'],
])('a pattern with %s matches what it says', (_, source, flags, matched, unmatched) => {
  const pattern = patternOf(source, flags);
  expect([pattern.test(matched), pattern.test(unmatched)]).toEqual([true, false]);
});

test.each([
  ['a', 'gg'],
  ['(', undefined],
  ['\\p{Nonsense}', undefined],
])('the pattern %s with the flags %s refuses the start', (source, flags) => {
  expect(() => patternOf(source, flags)).toThrow('is not a valid regular expression');
});
