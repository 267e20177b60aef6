import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonMender } from '../../src/wire/mend-json.ts';

const mend = (text: string, maxDepth = 64) => new JsonMender().parse(text, maxDepth);

test('keys called __proto__ are left out by name, and nothing is polluted', () => {
  const { value, unread } = mend('{"a":{"__proto__":{"polluted":true},"b":1}}');
  expect(value).toEqual({ a: { b: 1 } });
  expect(unread.map(({ path }) => path)).toEqual(['a.__proto__']);
  expect(({} as { polluted?: true }).polluted).toBeUndefined();
});

test('numbers that a double cannot hold are left out of objects and lists', () => {
  const { value, unread } = mend('{"a":1e999,"list":[1,-1e999,2]}');
  expect(value).toEqual({ list: [1, 2] });
  expect(unread.map(({ path }) => path)).toEqual(['a', 'list[1]']);
});

test('what is nested too deeply is left out, and what nests without end is refused', () => {
  expect(mend('{"a":[[[[1]]]],"b":2}', 3)).toMatchObject({ value: { a: [[]], b: 2 } });
  expect(() => mend(`${'['.repeat(5_000)}${']'.repeat(5_000)}`, 64)).toThrow(
    expect.objectContaining({ kind: 'parse' }),
  );
});

test('text that is no JSON is refused', () => {
  expect(() => mend('{"a":')).toThrow(expect.objectContaining({ kind: 'parse' }));
});

test('a text in pieces that are cut anywhere is whole again, in one document and in several', () => {
  const emoji = fc.array(fc.constantFrom('a', '😀', '🚀', ' '), { maxLength: 20 }).map((parts) => parts.join(''));
  const cuts = fc.array(fc.nat(40), { maxLength: 6 });
  fc.assert(
    fc.property(emoji, cuts, (text, at) => {
      const places = [0, ...at.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, i) => text.slice(places[i], end));
      const list = mend(JSON.stringify(pieces.map((piece) => ({ text: piece })))).value as { text: string }[];
      expect(list.map((one) => one.text).join('')).toBe(text);
      const stream = new JsonMender();
      const frames = pieces.map((piece) => stream.parse(JSON.stringify({ text: piece }), 64).value as { text: string });
      expect(frames.map((one) => one.text).join('')).toBe(text);
    }),
  );
});
