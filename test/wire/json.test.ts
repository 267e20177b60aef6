import { describe, expect, test } from 'vitest';
import { checkJson, parseJsonText } from '../../src/wire/json.ts';
import { parseJson } from '../../src/wire/json-body.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));
const parseError = expect.objectContaining({ name: 'A2AError', kind: 'parse' });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  ['{"a":[1,"x",null,true]}'],
  ['"\\u0000"'],
  ['"\\ud83d\\ude00"'],
  ['"😀 ünïcödé"'],
  ['[1e308,-1.5E+300,1e-999,"1e999"]'],
  [`["${'9'.repeat(400)}"]`],
  ['{"proto":1,"constructor":2}'],
  [JSON.stringify('__proto__')],
  [JSON.stringify('{[{['.repeat(100))],
  [nested(64)],
  [JSON.stringify(Array.from({ length: 1000 }, () => ({ a: [] })))],
])('the body %.60s is legal', (text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

test('a view into a bigger buffer is a legal body', () => {
  expect(parseJson(new Uint8Array(Buffer.from('xx[1]yy')).subarray(2, 5))).toEqual([1]);
});

describe('big bodies are scanned before they are parsed', () => {
  const filler = 'x'.repeat(70_000);

  test.each([
    ['brackets in strings', { filler, text: '[{'.repeat(100) }],
    ['quotes and backslashes in strings', { filler, text: '"[\\"[\\\\"'.repeat(100), end: '\\' }],
    ['as deep as may be', { filler, deep: JSON.parse(nested(63)) }],
    ['wide', { filler, wide: Array.from({ length: 200 }, () => [[]]) }],
  ])('a big body is parsed after a scan: %s', (_, value) => {
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  test.each([
    ['too deep', JSON.stringify({ filler, deep: JSON.parse(nested(64)) })],
    ['a string without an end', `{"filler":"${filler}`],
    ['brackets without end', '['.repeat(5_000_000)],
    ['brackets that close only', `${filler}${']'.repeat(100)}`],
  ])('a big body is refused before it is parsed: %s', (_, text) => {
    expect(() => parse(text)).toThrow(parseError);
  });
});

test.each([
  ['nothing', ''],
  ['no JSON', '{a}'],
  ['too deep', nested(65)],
  ['too deep in objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
  ['deep enough to overflow a stack', nested(200_000)],
  ['a number beyond a double', '{"a":1e999}'],
  ['the same, below', '[-1E+400]'],
  ['the same, in digits', `[${'9'.repeat(400)}]`],
  ['a key called __proto__', '{"a":{"__proto__":{"b":1}}}'],
  ['the same, escaped', '{"a":{"\\u005f_proto__":{"b":1}}}'],
  ['an unpaired surrogate', '{"a":"\\ud83d"}'],
  ['an unpaired surrogate in a key', '{"\\ude00":1}'],
  ['surrogates in the wrong order', '["\\ude00\\ud83d"]'],
])('a body is refused: %s', (_, text) => {
  expect(() => parse(text)).toThrow(parseError);
  expect(({} as { b?: number }).b).toBeUndefined();
});

test.each([[[0x22, 0xff, 0x22]], [[0x22, 0xc0, 0x80, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]]])(
  'a body of the bytes %j is refused',
  (bytes) => {
    expect(() => parseJson(Uint8Array.from(bytes))).toThrow(parseError);
  },
);

test('written surrogates in text are refused', () => {
  expect(() => parseJsonText('"\ud83d"')).toThrow(parseError);
});

test('the depth of a body is a parameter', () => {
  expect(() => parseJson(Buffer.from(nested(4)), 3)).toThrow(parseError);
  expect(parseJson(Buffer.from(nested(3)), 3)).toEqual([[[]]]);
});

test('JSON that other code has parsed is checked the same way', () => {
  checkJson({ a: [1, 'b', null] });
  expect(() => checkJson(JSON.parse('{"__proto__":1}'))).toThrow(parseError);
  expect(() => checkJson(JSON.parse(nested(65)))).toThrow(parseError);
  expect(() => checkJson(['\ud800'])).toThrow(parseError);
});
