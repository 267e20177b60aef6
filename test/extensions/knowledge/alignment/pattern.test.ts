import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern } from '../../../../src/extensions/knowledge/alignment/shapes/pattern.ts';

/** Matches a text, and counts the steps. */
function match(source: string, flags: string, text: string): { readonly matches: boolean; readonly steps: number } {
  let steps = 0;
  const matches = compilePattern(source, flags)(text, (more) => {
    steps += more;
  });
  return { matches, steps };
}

/**
 * Whether JavaScript's own engine finds a match that begins at a character. Without the places, V8 also begins between
 * the halves of a surrogate pair in Unicode mode (`/\B/u` matches `a😀a`), where ECMA-262 has no place (22.2.7.2).
 */
function matchesAtCharacter(source: string, flags: string, text: string): boolean {
  const expression = new RegExp(source, `${flags}y`);
  const characters = Array.from(text);
  return [...characters, ''].some((_, at) => {
    expression.lastIndex = characters.slice(0, at).join('').length;
    return expression.test(text);
  });
}

const single = fc.constantFrom(
  ...['a', 'b', '1', '.', '\\d', '\\w', '\\s', '\\.', '\\-', '\\n', '\\x61', '\\u0062', '\\u00e9', '\\u212A', 'é', '-'],
  ...['[ab]', '[^a]', '[a-c1]', '[\\d.]', '[\\]a]', '[^\\w]', '\\W', '\\S', 'K', '\\0'],
);
const inUnicode = fc.constantFrom(
  '\\p{L}',
  '\\P{Lu}',
  '\\u{1F600}',
  '😀',
  '[😀a]',
  '\\ud83d\\ude00',
  '[^\\u{1F600}]',
  '.',
);
const place = fc.constantFrom('^', '$', '\\b', '\\B');
const quantifier = fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '{0}', '*?', '+?', '{1,2}?');

const patternOf = (atom: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ pattern: string; item: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3 },
      { weight: 4, arbitrary: fc.array(tie('item'), { maxLength: 4 }).map((items) => items.join('')) },
      { weight: 1, arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map((choices) => choices.join('|')) },
    ),
    item: fc.oneof(
      { maxDepth: 3 },
      { weight: 4, arbitrary: atom },
      { weight: 2, arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: place },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}'))
          .map(([open, inner, times]) => `${open}${inner})${times}`),
      },
    ),
  })).pattern;

const text = fc.array(
  fc.constantFrom('a', 'b', 'c', 'A', '1', '.', '-', ' ', '\n', 'é', 'É', 'K', 'k', '😀', ']', '\0'),
  {
    maxLength: 8,
  },
);
const flags = fc.subarray(['i', 'm', 's']).map((all) => all.join(''));
const numRuns = 1_500;

describe('a pattern of shapes', () => {
  test('matches what a regular expression of JavaScript matches', () => {
    fc.assert(
      fc.property(patternOf(single), flags, text, (source, given, characters) => {
        const value = characters.join('');
        expect(match(source, given, value).matches).toBe(new RegExp(source, given).test(value));
      }),
      { numRuns },
    );
  });

  test('matches what a regular expression of JavaScript matches in Unicode mode', () => {
    const atom = fc.oneof(
      inUnicode,
      single.filter((one) => one !== '\\-' && one !== '\\0'),
    );
    fc.assert(
      fc.property(patternOf(atom), flags, text, (source, given, characters) => {
        const value = characters.join('');
        expect(match(source, `${given}u`, value).matches).toBe(matchesAtCharacter(source, `${given}u`, value));
      }),
      { numRuns },
    );
  });

  test('takes steps in proportion to the text, whatever the pattern repeats', () => {
    fc.assert(
      fc.property(patternOf(single), fc.array(fc.constantFrom('a', 'b', '1'), { maxLength: 3 }), (source, unit) => {
        // As long as the unit may repeat, a backtracking engine tries every division of the text.
        const [few, many] = [100, 200].map((times) => match(source, '', `${unit.join('').repeat(times)}!`).steps);
        const [mostPerCharacter] = [20 * (source.length + 2) * 3 ** 4];
        expect(few).toBeLessThanOrEqual(mostPerCharacter * (100 * unit.length + 2));
        // Twice the text takes at most twice the steps, but for those of a begin and an end.
        expect(many).toBeLessThanOrEqual(2 * (few ?? 0) + mostPerCharacter);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['^(a+)+$', '^(a|a)*$', '^(a?){30}a{30}$', '^a*a*a*a*a*$', '^(a|aa)+$'])(
    '%s is matched in linear time',
    (source) => {
      const { matches, steps } = match(source, '', `${'a'.repeat(10_000)}!`);
      expect(matches).toBe(false);
      expect(steps).toBeLessThan(150 * 10_000);
    },
  );

  test.each([
    ['^\\d{4}-\\d{2}-\\d{2}$', '2026-11-24', '2026-1-24'],
    ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 'ann@mail.example.org', 'ann@example'],
    ['^(?<area>[A-Z]{2})-[0-9]{3,5}$', 'AB-1234', 'AB-12'],
    ['^https?://', 'https://example.org/', 'ftp://example.org/'],
    ['^a{,2}]}$', 'a{,2}]}', 'aa'],
  ])('%s matches %s and not %s', (source, good, bad) => {
    expect(match(source, '', good).matches).toBe(true);
    expect(match(source, '', bad).matches).toBe(false);
  });

  test.each([
    ['(a)\\1', '', /back references/],
    ['(?<x>a)\\k<x>', '', /back references/],
    ['a(?=b)', '', /lookaheads/],
    ['(?<!a)b', '', /lookbehinds/],
    ['(?i:a)', '', /modifiers/],
    ['((a{100}){100}){100}', '', /more than \d+ states/],
    ['(', '', /not a valid regular expression/],
    ['[a--b]', 'v', /flag v/],
    ['a', 'y', /flag y/],
  ])('/%s/%s is refused', (source, given, why) => {
    expect(() => compilePattern(source, given)).toThrow(why);
  });
});
