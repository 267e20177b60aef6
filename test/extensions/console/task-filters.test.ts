import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  callFilters,
  type Filter,
  filtersOf,
  isFiltered,
  noneOf,
  requestOf,
  type TaskFilters,
  taskFilters,
  taskMatcher,
  taskStates,
  timeOf,
  wordsOf,
} from '../../../src/extensions/console/tasks/filters.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => value.trim() === value);
const time = fc.constantFrom('15m', '24h', '7d', '2026-02-01T00:00:00Z');
const states = fc.subarray(taskStates, { minLength: 1 }).map(wordsOf);
const outcome = fc.constantFrom('failed', 'refused', 'slow');

test.each([
  ['tasks', taskFilters],
  ['calls', callFilters],
])('the filters of %s come back from the address that says them', (_, table) => {
  const names = Object.keys(table);
  const values = Object.entries<Filter>(table).map(([name, { kind }]) => {
    return [name, { states, time, outcome }[kind as 'states'] ?? text];
  });
  const filters = fc.record(Object.fromEntries(values), { requiredKeys: [] });
  fc.assert(
    fc.property(filters, (each) => {
      expect(filtersOf(table, new URLSearchParams(each as Record<string, string>))).toEqual(each);
      expect(isFiltered(each)).toBe(Object.keys(each).length > 0);
      expect(Object.keys(noneOf(table))).toEqual(names);
    }),
  );
});

test('an address that means nothing filters nothing', () => {
  const of = (query: string) => filtersOf(taskFilters, new URLSearchParams(query));
  expect(of('state=nonsense&after=yesterday&before=2026&page=1&agent=')).toEqual({});
  expect(of('state=completed,nonsense,working')).toEqual({ state: 'working,completed' });
});

test('spans count back from now', () => {
  expect(timeOf('90m', now)).toBe(Date.parse('2026-03-01T10:30:00Z'));
  expect(timeOf('2d', now)).toBe(Date.parse('2026-02-27T12:00:00Z'));
  expect(timeOf('2026-02-27T13:00:00+01:00', now)).toBe(Date.parse('2026-02-27T12:00:00Z'));
  expect(timeOf('0h', now)).toBeUndefined();
});

test('a request has only the filters that are set', () => {
  expect(requestOf(taskFilters, {}, now)).toEqual({});
  expect(requestOf(taskFilters, { context: 'c', state: 'working', after: '1h', binding: 'rest' }, now)).toEqual({
    contextId: 'c',
    states: ['TASK_STATE_WORKING'],
    binding: 'rest',
    changedAfter: '2026-03-01T11:00:00.000Z',
  });
  expect(requestOf(callFilters, { failed: 'true', task: 't', before: '2026-02-01T00:00:00Z' }, now)).toEqual({
    failed: true,
    taskId: 't',
    before: '2026-02-01T00:00:00.000Z',
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
    dialect: 'a2a-0.3',
    binding: 'grpc',
    updatedAt: '2026-03-01T11:30:00.000Z',
  };
  const passes = (filters: TaskFilters): boolean => taskMatcher(filters, now, new Set())(task);
  expect(passes({})).toBe(true);
  const equal = {
    agent: 'echo',
    tenant: 't',
    principal: 'key:alice',
    context: 'c',
    dialect: 'a2a-0.3',
    binding: 'grpc',
  };
  expect(passes(equal)).toBe(true);
  for (const name of Object.keys(equal)) expect(passes({ [name]: 'x' })).toBe(false);
  expect(passes({ state: 'working,failed' })).toBe(true);
  expect(passes({ state: 'failed' })).toBe(false);
  expect(passes({ after: '1h' })).toBe(true);
  expect(passes({ after: '15m' })).toBe(false);
  expect(passes({ before: '15m' })).toBe(true);
  expect(passes({ before: '2026-03-01T11:30:00Z' })).toBe(false);
});

test('a live task is found by the ends of its names, and by what its texts contain', () => {
  const task = {
    key: 'key-1',
    id: 'id-of-task',
    agent: 'echo',
    principal: 'key:alice',
    state: 'TASK_STATE_FAILED',
    preview: 'Pay the bill',
    reason: 'payment provider answered 402',
  };
  const has = (text: string): boolean => taskMatcher({ text }, now, new Set())(task);
  expect(['ID-OF', 'task', 'alice', 'the bill', 'Answered 402'].map(has)).toEqual([true, true, true, true, true]);
  expect(['of-ta', 'bob', '403'].map(has)).toEqual([false, false, false]);
  expect(taskMatcher({ text: 'a word of its artifacts' }, now, new Set(['key-1']))(task)).toBe(true);
});
