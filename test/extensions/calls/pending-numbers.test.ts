import { expect, it } from 'vitest';
import { minuteMs, minuteOf, others } from '../../../src/extensions/calls/model.ts';
import { mostInMinute, PendingNumbers } from '../../../src/extensions/calls/pending-numbers.ts';
import { failedCall } from './support.ts';

/** The numbers of the latest minutes in memory. */

const minute = minuteOf(Date.now());
const isAgent = (name: string): boolean => name === 'demo';

/** Notes that the entries are stored as they are. */
function stored(numbers: PendingNumbers): void {
  for (const entry of numbers.changed()) entry.stored = entry.changes;
}

it('calls are counted in the minute of their arrival, by agent, caller and generation', () => {
  const numbers = new PendingNumbers(isAgent);
  numbers.note(failedCall({ at: minute + 1 }), false);
  numbers.note(failedCall({ at: minute + 59_999, error: undefined }), false);
  numbers.note(failedCall({ at: minute + minuteMs, agent: 'unknown' }), true);
  numbers.note(failedCall({ at: minute, ms: undefined, principal: undefined, dialect: undefined }), false);
  numbers.noteTask({ minute: minute + 5, agent: 'demo', principal: 'key:alice', dialect: 'a2a-1.0' }, true);
  const counts = numbers.changed().map((entry) => ({
    key: [entry.minute - minute, entry.agent, entry.principal, entry.dialect],
    counts: [...entry.numbers.values.subarray(0, 6)],
  }));
  expect(counts).toEqual([
    { key: [0, 'demo', '', ''], counts: [0, 0, 1, 0, 0, 0] },
    { key: [0, 'demo', 'key:alice', 'a2a-1.0'], counts: [2, 1, 0, 1, 1, 0] },
    { key: [minuteMs, '', 'key:alice', 'a2a-1.0'], counts: [1, 1, 0, 0, 0, 1] },
  ]);
});

it('one minute counts so many callers each, and all further ones together', () => {
  const numbers = new PendingNumbers(isAgent);
  for (let count = 0; count < 1_000; count += 1) {
    numbers.note(failedCall({ at: minute, principal: `caller-${count}`, dialect: `d${count % 2}` }), false);
    numbers.note(failedCall({ at: minute, principal: 'caller-0', dialect: `d${count % 500}` }), false);
  }
  const entries = numbers.changed();
  expect(entries.length).toBeLessThanOrEqual(mostInMinute.entries + 1);
  expect(new Set(entries.map(({ principal }) => principal)).size).toBe(mostInMinute.principals + 1);
  const total = entries.reduce((sum, entry) => sum + entry.numbers.count('calls'), 0);
  expect(total).toBe(2_000);
  expect(entries.some(({ principal }) => principal === others)).toBe(true);
});

it('one minute counts every agent, however many there are', () => {
  const numbers = new PendingNumbers(() => true);
  const agents = 2 * mostInMinute.entries;
  for (let count = 0; count < 2 * agents; count += 1)
    numbers.note(failedCall({ at: minute, agent: `agent-${count % agents}` }), false);
  const ofAgents = numbers.changed().filter(({ agent }) => agent !== '');
  expect(ofAgents.map((entry) => entry.numbers.count('calls'))).toEqual(new Array(agents).fill(2));
});

it('a minute that is stored is forgotten, and a call of it that ends later adds to what the store has', () => {
  const numbers = new PendingNumbers(isAgent);
  numbers.note(failedCall({ at: minute }), false);
  numbers.trim(minute + 10 * minuteMs);
  expect(numbers.changed()).toHaveLength(1);
  stored(numbers);
  numbers.trim(minute + minuteMs);
  numbers.note(failedCall({ at: minute }), false);
  expect(numbers.changed().map((entry) => [entry.numbers.count('calls'), entry.isUnread])).toEqual([[2, false]]);
  stored(numbers);
  numbers.trim(minute + 10 * minuteMs);
  numbers.note(failedCall({ at: minute }), false);
  numbers.note(failedCall({ at: minute + 10 * minuteMs }), false);
  expect(numbers.changed().map((entry) => [entry.numbers.count('calls'), entry.isUnread])).toEqual([
    [1, true],
    [1, false],
  ]);
});

it('a caller that is forgotten has no numbers in memory', () => {
  const numbers = new PendingNumbers(isAgent);
  numbers.note(failedCall({ at: minute, principal: 'erased' }), false);
  numbers.note(failedCall({ at: minute }), false);
  numbers.forget('erased');
  expect(numbers.changed().map(({ principal }) => principal)).toEqual(['key:alice']);
});
