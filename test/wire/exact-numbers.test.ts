import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changedFields,
  changedNumbers,
  exactInteger,
  exactNumber,
  mayBeInexact,
} from '../../src/wire/exact-numbers.ts';
import { parseJsonText, parseLargeText } from '../../src/wire/json.ts';

const long = '12345678901234567890';

test.each([
  ['an integer beyond 2^53', '9007199254740993'],
  ['a negative one', '-9007199254740993'],
  ['one of many digits', long],
  ['a decimal with 18 significant digits', '0.123456789012345678'],
  ['a large one', '123456.789012345678901'],
  ['a tiny one', '1e-400'],
])('a number that a double cannot hold is noticed: %s: %s', (_, source) => {
  for (const text of [`{"a":${source}}`, `[1, ${source}]`, `{"x":"${'y'.repeat(100)}","a":\n${source}}`]) {
    const found = changedNumbers(parseJsonText(text));
    expect(found.map((one) => one.source)).toEqual([source]);
  }
});

test.each([
  [
    'numbers as programs write them',
    '[0.1,1e21,9007199254740991,-0.012345678901234567,1.7976931348623157e+308,5e-324]',
  ],
  ['powers of ten, which doubles hold', '[100000000000000000000,1e100,10000000000000000]'],
  ['zeros behind a decimal', '[1.50000000000000000000,0.00000000000000000000]'],
  ['digits in strings', `["${long}","1e999"]`],
])('a number that a double can hold is not noticed: %s', (_, text) => {
  expect(changedNumbers(parseJsonText(text))).toEqual([]);
});

test('any number that is written as a double is not noticed', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      expect(changedNumbers(parseJsonText(JSON.stringify({ numbers })))).toEqual([]);
    }),
  );
});

test('any other integer is noticed, wherever it stands', () => {
  const integer = fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n }).filter((one) => BigInt(Number(one)) !== one);
  fc.assert(
    fc.property(integer, fc.nat(40), fc.boolean(), (one, space, minus) => {
      const source = `${minus ? '-' : ''}${one}`;
      // A double is written with 17 digits at most, which may make it the integer again.
      fc.pre(BigInt(Number(source).toLocaleString('en', { useGrouping: false })) !== BigInt(source));
      const text = `{"${'n'.repeat(space)}":[${source}]}`;
      expect(mayBeInexact(text)).toBe(true);
      expect(exactNumber((parseJsonText(text) as Record<string, object>)['n'.repeat(space)] as object, '0')).toBe(
        source,
      );
    }),
  );
});

test('ids in hexadecimal cost nothing more', () => {
  for (const id of ['0b6f3c1e-1111-4222-8333-444455556666', 'ab3e123', '3e1234567890-1']) {
    expect(mayBeInexact(JSON.stringify({ id, ids: [id] }))).toBe(false);
  }
});

test('numbers that no double can hold: they are named by their paths, at most 20, in texts of any size', async () => {
  const one = `{"a":{"b":[0,${long}]},"c":1e-400}`;
  const found = [
    { path: 'a.b[1]', source: long, number: Number(long) },
    { path: 'c', source: '1e-400', number: 0 },
  ];
  expect(changedNumbers(parseJsonText(one))).toEqual(found);
  for (const piece of [32, 1_000]) expect(changedNumbers(await parseLargeText(one, 64, piece))).toEqual(found);
  const large = `{"x":"${'y'.repeat(100_000)}","a":[${Array(30).fill(long).join(',')}]}`;
  const paths = changedNumbers(await parseLargeText(large)).map(({ path }) => path);
  expect(paths).toEqual(Array.from({ length: 20 }, (_, at) => `a[${at}]`));
});

test('integers of any length have their digits, and decimals have none', () => {
  const value = parseJsonText(`{"a":${long},"b":0.123456789012345678,"c":1}`) as object;
  expect(exactInteger(value, 'a')).toBe(long);
  expect(exactInteger(value, 'b')).toBeUndefined();
  expect(exactNumber(value, 'b')).toBe('0.123456789012345678');
  expect(exactNumber(value, 'c')).toBeUndefined();
});

test('the fields of a decoded request that hold such numbers are named, without the names in them', () => {
  const document = parseJsonText(`{"params":{"n":${long},"data":{"secret":[${long}]},"metadata":{"x":1e-400}}}`);
  const { params } = document as { params: Readonly<Record<string, unknown>> };
  const message = { parts: [{ data: params.data }, { data: [1] }], metadata: params.metadata, generation: long };
  const fields = changedFields(document, { message }, new Set(['data', 'metadata']));
  expect(fields).toEqual(['message.parts.data', 'message.metadata']);
});
