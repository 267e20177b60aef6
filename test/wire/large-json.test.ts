import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { writeInTurns } from '../../src/core/limits/large-json.ts';
import { LoopTurns } from '../../src/core/limits/loop-turns.ts';
import { exactInteger } from '../../src/wire/exact-numbers.ts';
import { parseJson, parseLargeJson } from '../../src/wire/json-body.ts';

const item = { name: 'ordinary é', count: 1, tags: ['a', 'b'], deep: { null: null } };
const large = JSON.stringify(Array.from({ length: 5_000 }, () => item));

it('a large body is parsed to the same value, in several turns of the event loop', async () => {
  // Longer than fast machines take for one turn.
  const bytes = Buffer.from(`[${Array.from({ length: 36 }, () => large).join(',')}]`);
  let turns = 0;
  let isParsing = true;
  const count = (): void => {
    turns += 1;
    if (isParsing) setImmediate(count);
  };
  setImmediate(count);
  const value = await parseLargeJson(bytes);
  isParsing = false;
  expect(isDeepStrictEqual(value, parseJson(bytes))).toBe(true);
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

it('a large body keeps the digits of integers that no double holds, of an array and of an object', async () => {
  const long = '12345678901234567890';
  const list = (await parseLargeJson(Buffer.from(`[${'0,'.repeat(50_000)}${long}]`))) as object;
  expect(exactInteger(list, '50000')).toBe(long);
  const half = `[${'0,'.repeat(50_000)}0]`;
  const members = (await parseLargeJson(Buffer.from(`{"a":${half},"b":${long},"c":${half}}`))) as object;
  expect(exactInteger(members, 'b')).toBe(long);
  expect(Object.keys(members)).toEqual(['a', 'b', 'c']);
});

/** Numbers that look random, and are the same in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Some JSON, with members of every size. */
function anyValue(next: () => number, depth = 0): unknown {
  const kind = Math.floor(next() * (depth < 4 ? 9 : 6));
  const count = Math.floor(next() ** 4 * 60);
  if (kind === 0) return Math.floor(next() * 1e6);
  if (kind === 1) return next() < 0.5 ? null : true;
  if (kind < 6) return 'é"\\\u{1f600} [{,:}]'.repeat(next() < 0.002 ? 12_000 : Math.floor(next() * 4));
  const items = Array.from({ length: count }, () => anyValue(next, depth + 1));
  return kind < 8 ? items : Object.fromEntries(items.map((item, i) => [`key "${i % 90}`, item]));
}

it('a large string of any characters and escapes is parsed to the value of JSON.parse, and halves of characters are refused', async () => {
  const random = numbers(2);
  const units = ['a', 'é', '\\n', '\\\\', '\\"', '\\u00e9', '\\u005c', '\u{1f600}', '\\ud83d\\ude00', '\\uD83D\\uDE00'];
  const pick = (): string => units[Math.floor(random.next().value * units.length)] ?? '';
  for (let run = 0; run < 10; run += 1) {
    const ordinary = 'x'.repeat(65_520 + run);
    const text = `{"a":[1,"${ordinary}${Array.from({ length: 30_000 }, pick).join('')}"],"b":"c"}`;
    expect(await parseLargeJson(Buffer.from(text))).toEqual(JSON.parse(text));
    for (const half of ['\\ud83d', '\\ude00']) {
      const broken = `["${ordinary}${half}${'y'.repeat(70_000)}"]`;
      await expect(parseLargeJson(Buffer.from(broken))).rejects.toMatchObject({ kind: 'parse' });
    }
  }
  for (const end of ['', '\\"', '\\', '"', '\\u12"]']) {
    await expect(parseLargeJson(Buffer.from(`["${'x'.repeat(200_000)}${end}`))).rejects.toMatchObject({
      kind: 'parse',
    });
  }
});

it('any value is written as by JSON.stringify', async () => {
  const random = numbers(1);
  const next = (): number => random.next().value;
  for (let run = 0; run < 10; run += 1) {
    const value = ['x'.repeat(70_000), ...Array.from({ length: 8 }, () => anyValue(next))];
    expect(await writeInTurns(new LoopTurns(), value)).toBe(JSON.stringify(value));
  }
});
