import fc from 'fast-check';
import { expect, it } from 'vitest';
import { weightOf } from '../../../src/core/tasks/task-log.ts';

const mebibyte = 1_048_576;

it('the bytes that an event counts in its task are those of its text while the task is small', () => {
  const json = JSON.stringify(Array.from({ length: 10_000 }, () => ({})));
  expect(weightOf(json, 0)).toBe(json.length);
});

it('the bytes that an event counts in its task are at least those of its text, whatever it contains', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(weightOf(json, mebibyte)).toBeGreaterThanOrEqual(Buffer.byteLength(json));
    }),
  );
});

it('the bytes that an event counts in its task are many times those of its text where it consists of small values', () => {
  const json = JSON.stringify(Array.from({ length: 10_000 }, () => ({})));
  expect(weightOf(json, mebibyte)).toBeGreaterThan(20 * json.length);
});

it('the bytes that an event counts in its task do not grow by commas and brackets within strings', () => {
  const json = JSON.stringify({ text: '{[,"\\'.repeat(10_000) });
  expect(weightOf(json, mebibyte)).toBe(json.length);
});
