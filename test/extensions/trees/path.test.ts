import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  clockTolerance,
  pathAge,
  readPath,
  readQuestion,
  signPath,
  signQuestion,
  type TreePath,
} from '../../../src/extensions/trees/path.ts';

/** The signed path that calls carry between gateways. */

const key = 'k'.repeat(32);
const now = 1_800_000_000_000;

const name = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });
const part = fc.option(fc.nat(), { nil: undefined });
const paths: fc.Arbitrary<TreePath> = fc.record(
  {
    root: name,
    steps: fc.array(fc.record({ gateway: name, agent: name, task: name }), { minLength: 1, maxLength: 8 }),
    left: fc.record({ calls: part, depth: part, time: part, bytes: part, cost: part }),
  },
  { requiredKeys: ['root', 'steps'] },
);

it('a path is read as it was signed', () => {
  fc.assert(
    fc.property(paths, (path) => {
      expect(readPath(signPath(path, key, now), ['another'.repeat(5), key], now)).toEqual(path);
    }),
  );
});

it('a path is no question, and a question is no path', () => {
  const questions = fc.record({ root: name, asked: fc.array(name, { maxLength: 8 }), left: fc.integer() });
  fc.assert(
    fc.property(paths, questions, (path, question) => {
      const signed = signQuestion(question, key, now);
      expect(readQuestion(signed, [key], now)).toEqual(question);
      expect(readPath(signed, [key], now)).toBe('forged');
      expect(readQuestion(signPath(path, key, now), [key], now)).toBeUndefined();
      expect(readQuestion(signed, ['another'.repeat(5)], now)).toBeUndefined();
    }),
  );
});

it('a path is not taken with any part changed, cut off or added', () => {
  fc.assert(
    fc.property(paths, fc.nat(), fc.string({ minLength: 1, maxLength: 3 }), (path, at, text) => {
      const value = signPath(path, key, now);
      const place = at % value.length;
      const changed = [value.slice(0, place), value.slice(0, place) + text + value.slice(place + 1), value + text];
      for (const other of changed) {
        if (other !== value) expect(typeof readPath(other, [key], now)).toBe('string');
      }
    }),
  );
});

it('a path is not taken with the signature of another key, or with none', () => {
  const path = { root: 'r', steps: [{ gateway: 'a', agent: 'b', task: 'c' }] };
  expect(readPath(signPath(path, 'x'.repeat(32), now), [key], now)).toBe('forged');
  const [body] = signPath(path, key, now).split('.');
  expect(readPath(`${body}.`, [key], now)).toBe('forged');
  expect(readPath(`${body}`, [key], now)).toBe('malformed');
  expect(readPath('', [key], now)).toBe('malformed');
});

it('a path is taken for a while, also where clocks differ', () => {
  const value = signPath({ root: 'r', steps: [{ gateway: 'a', agent: 'b', task: 'c' }] }, key, now);
  const at = (time: number) => typeof readPath(value, [key], time);
  expect([at(now + pathAge), at(now - clockTolerance)]).toEqual(['object', 'object']);
  expect(readPath(value, [key], now + pathAge + 1)).toBe('expired');
  expect(readPath(value, [key], now - clockTolerance - 1)).toBe('expired');
});

it('a path is not taken where it is too long, or says nothing', () => {
  const step = { gateway: 'a', agent: 'b', task: 'c' };
  expect(readPath('a'.repeat(10_000), [key], now)).toBe('too long');
  const long = signPath({ root: 'r', steps: Array.from({ length: 33 }, () => step) }, key, now);
  expect(readPath(long, [key], now)).toBe('too long');
  expect(readPath(signPath({ root: 'r', steps: [] }, key, now), [key], now)).toBe('malformed');
  const left = { calls: -1 };
  expect(readPath(signPath({ root: 'r', steps: [step], left }, key, now), [key], now)).toBe('malformed');
});
