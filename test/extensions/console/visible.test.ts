import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startOf, visibleLine, visiblePieces } from '../../../src/extensions/console/ui/visible.ts';
import { paced } from '../../support/pace.ts';

const marks = (text: string): string[] => visiblePieces(text).flatMap((piece) => ('mark' in piece ? [piece.mark] : []));
const shown = (text: string): string =>
  visiblePieces(text)
    .map((piece) => ('text' in piece ? piece.text : `[${piece.mark}]`))
    .join('');

/** Controls except tab and line feed, and what changes the direction. */
const harmful = /(?![\t\n])\p{Cc}|\p{Bidi_Control}/u;

it.each([
  ['a terminal sequence', 'a\u001b[31mred', 'a[U+001B][31mred'],
  ['an override of the direction', 'safe\u202etxt.exe', 'safe[U+202E]txt.exe'],
  ['isolates', '\u2066a\u2069', '[U+2066]a[U+2069]'],
  ['marks without width', 'pay\u200bpal\ufeff', 'pay[U+200B]pal[U+FEFF]'],
  ['a soft hyphen', 'a\u00adb', 'a[U+00AD]b'],
  ['tags', 'a\u{e0041}', 'a[U+E0041]'],
  ['hidden variation selectors', 'a\u{e0100}b\ufe01', 'a[U+E0100]b[U+FE01]'],
  ['a lone surrogate', 'a\ud800b', 'a[U+D800]b'],
  ['line separators', 'a\u2028b\u2029c', 'a[U+2028]b[U+2029]c'],
  ['blank letters', 'a\u3164b\u2800c', 'a[U+3164]b[U+2800]c'],
  ['null, bell and backspace', '\0\u0007\b', '[U+0000][U+0007][U+0008]'],
  ['a carriage return', 'a\rb', 'a[U+000D]b'],
  ['C1 controls', 'a\u0085\u009b31m', 'a[U+0085][U+009B]31m'],
])('a text that others wrote shows %s', (_, text, expected) => {
  expect(shown(text)).toBe(expected);
});

it('a text that others wrote keeps at most four combining marks on a letter', () => {
  expect(marks(`Z${'\u0301'.repeat(50)}`)).toHaveLength(46);
  expect(marks('Žlutý kůň, e\u0301')).toEqual([]);
});

it.each([
  'plain <b>text</b> & "quotes"',
  'two\nlines\tand a tab',
  'مرحبا שלום',
  '日本語',
  '👩‍👩‍👧 ❤️ 👍🏽 🏳️‍🌈',
  'हिन्दी',
])('a text that others wrote leaves %s alone', (text) => {
  expect(visiblePieces(text)).toEqual([{ text }]);
});

it('a text that others wrote loses nothing but what it marks, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const pieces = visiblePieces(text);
      const back = pieces
        .map((piece) => ('text' in piece ? piece.text : String.fromCodePoint(Number.parseInt(piece.mark.slice(2), 16))))
        .join('');
      expect(back).toBe(text);
      for (const piece of pieces) {
        if ('text' in piece) expect(piece.text).not.toMatch(harmful);
      }
    }),
  );
});

// The deadline is for work that grows faster than the text.
it('a text that others wrote is split into pieces, however large the text is', { timeout: paced(2_000) }, () => {
  for (const text of ['x\u202e'.repeat(50_000), `a${'\u0301'.repeat(100_000)}`]) {
    expect(visiblePieces(text).length).toBeGreaterThan(0);
  }
});

it('a text that others wrote is cut without cutting a character', () => {
  expect(startOf('ab👍', 3)).toBe('ab');
  expect(startOf('ab👍', 4)).toBe('ab👍');
  expect(visibleLine('a\n\u202eb', 10)).toBe('a [U+202E]b');
  expect(visibleLine('abcdef', 3)).toBe('abc…');
});
