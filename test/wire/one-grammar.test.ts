import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactInteger } from '../../src/wire/exact-numbers.ts';
import { parseJsonText, parseLargeText } from '../../src/wire/json.ts';
import { parseJson, parseLargeJson } from '../../src/wire/json-body.ts';
import { anyJson } from '../support/arbitrary-json.ts';

/** Small texts of JSON are parsed at once, and large ones in pieces: both must take the same texts for the same values. */

const token = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\t', '\n', '\r', '""', '"a"', 'null', 'true', '0', '-1', '1e3'],
  // White space of other languages, and a byte order mark within a text.
  ...['\v', '\f', '\u00a0', '\u2028', '\u3000', '\ufeff', '\u0000', '\u001f'],
  // Numbers that are none, and those that no double holds.
  ...['01', '-01', '+1', '.5', '1.', '1e', '1e+', '-', '--1', '0x1', 'NaN', 'Infinity', '1e999', '-1e400', '1_0'],
  ...['12345678901234567890', '-9007199254740993', '0.1', '1E5', '1e-999', '9'.repeat(400)],
  ...[
    'tru',
    'nulL',
    'undefined',
    "'a'",
    '//',
    '/**/',
    '__proto__',
    '"__proto__"',
    '"\\u005f_proto__"',
    '"constructor"',
  ],
  ...[
    '"\\ud83d"',
    '"\\ude00"',
    '"\\ud83d\\ude00"',
    '"\ud83d"',
    '"😀"',
    '"\\u12"',
    '"\\x41"',
    '"\\',
    '"\n"',
    '"\\u0000"',
  ],
);

/** Texts that are JSON, with anything between two of their characters left out, put in, or there twice. */
const damaged = fc
  .tuple(anyJson, fc.constantFrom(undefined, 1), fc.array(fc.tuple(fc.nat(), token, fc.nat(3)), { maxLength: 3 }))
  .map(([value, indent, changes]) => {
    let text = JSON.stringify(value, undefined, indent);
    for (const [place, put, left] of changes) {
      const at = place % (text.length + 1);
      text = text.slice(0, at) + put + text.slice(at + left);
    }
    return text;
  });

const texts = fc.oneof(
  damaged,
  fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join('')),
  // Deeper than a body may be, or nearly.
  fc
    .tuple(fc.integer({ min: 60, max: 68 }), damaged)
    .map(([depth, text]) => '['.repeat(depth) + text + ']'.repeat(depth)),
  fc.tuple(fc.integer({ min: 60, max: 68 }), damaged).map(([d, text]) => '{"a":'.repeat(d) + text + '}'.repeat(d)),
);

type Read = { readonly value: unknown } | { readonly refused: string };

function outcomeOf(read: () => unknown, exact = true): Read {
  try {
    return { value: withDigits(read(), exact) };
  } catch (thrown) {
    return { refused: (thrown as { kind?: string }).kind ?? String(thrown) };
  }
}

async function laterOutcomeOf(read: Promise<unknown>, exact = true): Promise<Read> {
  return read.then(
    (value) => ({ value: withDigits(value, exact) }),
    (thrown) => ({ refused: thrown.kind ?? String(thrown) }),
  );
}

/** With the order of members, and, where it is to be exact, with the digits of large integers in their place. */
function withDigits(value: unknown, exact: boolean): unknown {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : value;
  const digits = (key: string): string | undefined => (exact ? exactInteger(value, key) : undefined);
  return Object.entries(value).map(([key, member]) => [key, digits(key) ?? withDigits(member, exact)]);
}

it.each([1, 2, 5, 16, 64])('a text is read in pieces of %d characters as it is read at once', async (piece) => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      // The digits of a number are kept where it fits into a piece.
      const exact = piece >= 64;
      const inPieces = await laterOutcomeOf(parseLargeText(text, 64, piece), exact);
      expect(inPieces).toEqual(outcomeOf(() => parseJsonText(text), exact));
    }),
    { numRuns: 250 },
  );
});

it.each([
  ['vertical tabs and form feeds', '[\v[1,2,3,4],\f"a"]'],
  ['a leading comma', '[,[1,2,3,4]]'],
  ['a leading comma in an object', '{,"a":[1,2,3,4]}'],
  ['two commas', '[[1,2,3,4],,[1,2,3,4]]'],
  ['a trailing comma', '[[1,2,3,4],]'],
  ['a byte order mark within', '[[1,2,3,4],\ufeff"a"]'],
  ['a name without a value', '{"a","b":[1,2,3,4]}'],
  ['two values in one place', '[[1,2,3,4][1,2,3,4]]'],
  ['text behind the value', '[[1,2,3,4]] [1]'],
])('%s are refused in pieces and at once', async (_, text) => {
  expect(outcomeOf(() => parseJsonText(text))).toEqual({ refused: 'parse' });
  expect(await laterOutcomeOf(parseLargeText(text, 64, 2))).toEqual({ refused: 'parse' });
  const large = text.replaceAll('[1,2,3,4]', `[${'1,'.repeat(70_000)}1]`);
  expect(await laterOutcomeOf(parseLargeText(large))).toEqual({ refused: 'parse' });
});

describe('a byte order mark before a text is no part of it', () => {
  const large = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => `text ${at}`));
  it.each([
    ['small', '{"a":1}'],
    ['large', large],
  ])('a byte order mark before a %s body is no part of it', async (_, text) => {
    const bytes = Buffer.from(`\ufeff${text}`);
    expect(parseJson(bytes)).toEqual(JSON.parse(text));
    expect(await parseLargeJson(bytes)).toEqual(JSON.parse(text));
  });

  it('only one byte order mark before a text is no part of it', async () => {
    const bytes = Buffer.from('\ufeff\ufeff{}');
    expect(() => parseJson(bytes)).toThrow(expect.objectContaining({ kind: 'parse' }));
    await expect(parseLargeJson(bytes)).rejects.toMatchObject({ kind: 'parse' });
  });
});

describe('a number has a bounded number of digits', () => {
  const padding = ' '.repeat(200_000);
  it.each([
    ['small', ''],
    ['large', padding],
  ])('a number in a %s text has a bounded number of digits', async (_, before) => {
    // Zeros in the middle: an expression that looks for those at the end must not try each of them.
    const number = (digits: number): string => `0.1${'0'.repeat(digits - 4)}1`;
    const read = (digits: number): Promise<unknown> => parseLargeText(`${before}[${number(digits)}]`);
    expect(await read(4_096)).toEqual([0.1]);
    await expect(read(4_097)).rejects.toMatchObject({ kind: 'parse', message: expect.stringContaining('4096 digits') });
    await expect(read(2_000_000)).rejects.toMatchObject({ kind: 'parse' });
  });
});
