import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonValues } from '../../src/wire/json-values.ts';

/** The values of a text that arrives in pieces of these sizes. */
function valuesIn(text: string, sizes: readonly number[] = []): unknown[] {
  const reader = new JsonValues(10_000);
  const found: string[] = [];
  let rest = text;
  for (const size of sizes) {
    found.push(...reader.push(rest.slice(0, size)));
    rest = rest.slice(size);
  }
  return [...found, ...reader.push(rest)].map((value) => JSON.parse(value) as unknown);
}

const object = fc.dictionary(fc.string({ unit: fc.constantFrom('a', '{', '"', '\\', ']') }), fc.jsonValue());
const values = fc.array(object, { maxLength: 5 });
const sizes = fc.array(fc.integer({ min: 0, max: 9 }));

it('JSON values come out of a list wherever it is cut, as soon as each is complete', () => {
  fc.assert(
    fc.property(values, sizes, fc.constantFrom(0, 2), (given, cut, indent) => {
      expect(valuesIn(` ${JSON.stringify(given, undefined, indent)}\n`, cut)).toEqual(
        given.map((value) => JSON.parse(JSON.stringify(value))),
      );
    }),
  );
  expect(valuesIn('[{"a":1},{"b":')).toEqual([{ a: 1 }]);
});

it('JSON values come one after another, with any separator', () => {
  fc.assert(
    fc.property(values, sizes, fc.constantFrom('', '\n', '\r\n', ',', '\u001E', '\n\n'), (given, cut, separator) => {
      const text = given.map((value) => separator + JSON.stringify(value)).join('');
      expect(valuesIn(text, cut)).toEqual(given.map((value) => JSON.parse(JSON.stringify(value))));
    }),
  );
});

it('JSON values are objects and lists; anything else is left out', () => {
  expect(valuesIn('[null, {"a":1}, "}{", 7, [1], true]')).toEqual([{ a: 1 }, [1]]);
  expect(valuesIn('{"a":1}\nping\n]}{"b":2}')).toEqual([{ a: 1 }, { b: 2 }]);
});

it('JSON values are known to be cut off', () => {
  for (const [text, cut] of [
    ['', false],
    ['[', false],
    ['[{}', false],
    ['{}', false],
    ['{', true],
    ['[{}, {"', true],
  ]) {
    const reader = new JsonValues(100);
    reader.push(text as string);
    expect(reader.isWithinValue).toBe(cut);
  }
});

it('JSON values are refused beyond the bound, finished or not', () => {
  const unfinished = new JsonValues(10);
  expect(() => unfinished.push('[{"a":"0123456789')).toThrow(/larger than 10/);
  const joined = new JsonValues(10);
  joined.push('{"a":');
  expect(() => joined.push('"012345"}')).toThrow(/larger than 10/);
  expect(new JsonValues(10).push('[{"a":"01"},{"a":"01"},{"a":"01"}]')).toHaveLength(3);
});
