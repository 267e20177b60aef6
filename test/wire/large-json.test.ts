import { expect, it } from 'vitest';
import { parseJson, parseLargeJson } from '../../src/wire/json-body.ts';

const item = { name: 'ordinary é', count: 1, tags: ['a', 'b'], deep: { null: null } };
const large = JSON.stringify(Array.from({ length: 30_000 }, () => item));

it('a large body is parsed to the same value, in several turns of the event loop', async () => {
  const bytes = Buffer.from(large);
  let turns = 0;
  let isParsing = true;
  const count = (): void => {
    turns += 1;
    if (isParsing) setImmediate(count);
  };
  setImmediate(count);
  const value = await parseLargeJson(bytes);
  isParsing = false;
  expect(value).toEqual(parseJson(bytes));
  expect(turns).toBeGreaterThanOrEqual(3);
});

it.each([
  ['cut off', large.slice(0, -1)],
  ['with a key called __proto__', `[{"__proto__":1},${large}]`],
  ['with an unpaired surrogate', `["\\ud800",${large}]`],
  ['nested too deeply', `${'['.repeat(100)}${large}${']'.repeat(100)}`],
  ['with a number that no double holds', `[1e999,${large}]`],
])('a large body %s is refused as a small one is', async (_, text) => {
  const bytes = Buffer.from(text);
  const refused = await parseLargeJson(bytes).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ kind: 'parse' });
  expect(() => parseJson(bytes)).toThrow((refused as Error).message);
});

it('a large body keeps the digits of integers that no double holds', async () => {
  const bytes = Buffer.from(`[12345678901234567890,${large}]`);
  expect(await parseLargeJson(bytes)).toEqual(parseJson(bytes));
});
