import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addressOf,
  filtersOf,
  isFiltered,
  matches,
  noFilters,
  requestOf,
  type TaskFilters,
  taskStates,
  timeOf,
} from '../../../src/extensions/console/tasks/filters.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

const query = (filters: TaskFilters): URLSearchParams => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(addressOf(filters))) if (value !== undefined) query.set(name, value);
  return query;
};

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => value.trim());
const time = fc.constantFrom('', '15m', '24h', '7d', '2026-02-01T00:00:00Z');
const filters = fc.record({
  agent: text,
  tenant: text,
  principal: text,
  context: text,
  text,
  states: fc.subarray(taskStates),
  after: time,
  before: time,
});

test('filters come back from the address that says them', () => {
  fc.assert(
    fc.property(filters, (each) => {
      expect(filtersOf(query(each))).toEqual(each);
      expect(isFiltered(each)).toBe([...query(each)].length > 0);
    }),
  );
});

test('an address that means nothing filters nothing', () => {
  expect(filtersOf(new URLSearchParams('state=nonsense&after=yesterday&before=2026&page=1'))).toEqual(noFilters);
  expect(filtersOf(new URLSearchParams('state=working,nonsense,completed')).states).toEqual([
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
  ]);
});

test('spans count back from now', () => {
  expect(timeOf('90m', now)).toBe(Date.parse('2026-03-01T10:30:00Z'));
  expect(timeOf('2d', now)).toBe(Date.parse('2026-02-27T12:00:00Z'));
  expect(timeOf('2026-02-27T13:00:00+01:00', now)).toBe(Date.parse('2026-02-27T12:00:00Z'));
  expect(timeOf('0h', now)).toBeUndefined();
});

test('a request has only the filters that are set', () => {
  expect(requestOf(noFilters, now)).toEqual({});
  expect(requestOf({ ...noFilters, context: 'c', states: ['TASK_STATE_WORKING'], after: '1h' }, now)).toEqual({
    contextId: 'c',
    states: ['TASK_STATE_WORKING'],
    changedAfter: '2026-03-01T11:00:00.000Z',
  });
});

test('a live task is judged as the gateway judges it', () => {
  const task = {
    key: 'k',
    id: 'i',
    agent: 'echo',
    tenant: 't',
    principal: 'key:alice',
    contextId: 'c',
    state: 'TASK_STATE_WORKING',
    updatedAt: '2026-03-01T11:30:00.000Z',
  };
  const passes = (some: Partial<TaskFilters>): boolean => matches({ ...noFilters, ...some }, task, now);
  expect(passes({})).toBe(true);
  expect(passes({ agent: 'echo', tenant: 't', principal: 'key:alice', context: 'c' })).toBe(true);
  for (const name of ['agent', 'tenant', 'principal', 'context']) expect(passes({ [name]: 'x' })).toBe(false);
  expect(passes({ states: ['TASK_STATE_WORKING', 'TASK_STATE_FAILED'] })).toBe(true);
  expect(passes({ states: ['TASK_STATE_FAILED'] })).toBe(false);
  expect(passes({ after: '1h' })).toBe(true);
  expect(passes({ after: '15m' })).toBe(false);
  expect(passes({ before: '15m' })).toBe(true);
  expect(passes({ before: '2026-03-01T11:30:00Z' })).toBe(false);
});

test('a live task is found by the ends of its names, and by what its texts contain', () => {
  const task = {
    ...{ key: 'key-1', id: 'id-of-task', agent: 'echo', principal: 'key:alice', state: 'TASK_STATE_FAILED' },
    ...{ preview: 'Pay the bill', reason: 'payment provider answered 402' },
  };
  const has = (text: string): boolean => matches({ ...noFilters, text }, task, now);
  expect(['ID-OF', 'task', 'alice', 'the bill', 'Answered 402'].map(has)).toEqual([true, true, true, true, true]);
  expect(['of-ta', 'bob', '403'].map(has)).toEqual([false, false, false]);
  expect(matches({ ...noFilters, text: 'a word of its artifacts' }, task, now, true)).toBe(true);
});
