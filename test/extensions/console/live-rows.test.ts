import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveRows } from '../../../src/extensions/console/tasks/live-rows.ts';
import type { TaskSummary } from '../../../src/gen/admin-v1/types.ts';

const task = (key: string, position: number, state = 'TASK_STATE_WORKING'): TaskSummary => ({
  key,
  id: key,
  agent: 'echo',
  state,
  lastPosition: position,
  updatedAt: new Date(Date.UTC(2026, 0, 1) + position * 1000).toISOString(),
});
const working = ({ state }: TaskSummary): boolean => state === 'TASK_STATE_WORKING';
const keys = (rows: LiveRows<TaskSummary>): string => rows.rows.value.map(({ key }) => key).join('');

test('rows are sorted by their latest change, each task once', () => {
  const rows = new LiveRows<TaskSummary>(() => () => true);
  rows.take([task('b', 2), task('a', 1)]);
  expect(keys(rows)).toBe('ba');
  rows.take([task('a', 3)]);
  expect(keys(rows)).toBe('ab');
});

test('a page that is older than a live change does not undo it', () => {
  const rows = new LiveRows<TaskSummary>(() => () => true);
  rows.take([task('a', 5, 'TASK_STATE_COMPLETED')]);
  rows.take([task('a', 4)], { older: true });
  expect(rows.rows.value[0]?.state).toBe('TASK_STATE_COMPLETED');
});

test('a task that no longer passes the filters leaves the list', () => {
  const rows = new LiveRows<TaskSummary>(() => working);
  rows.take([task('a', 1), task('b', 2), task('c', 3, 'TASK_STATE_FAILED')]);
  expect(keys(rows)).toBe('ba');
  rows.take([task('b', 4, 'TASK_STATE_COMPLETED')]);
  expect(keys(rows)).toBe('a');
});

test('held rows keep their places and change in them', () => {
  const rows = new LiveRows<TaskSummary>(() => working);
  rows.take([task('a', 1), task('b', 2)]);
  rows.hold(true);
  rows.take([task('a', 5, 'TASK_STATE_COMPLETED'), task('c', 6), task('d', 7, 'TASK_STATE_COMPLETED')]);
  expect(keys(rows)).toBe('ba');
  expect(rows.rows.value[1]?.state).toBe('TASK_STATE_COMPLETED');
  expect(rows.waiting.value).toBe(1);
  rows.take([task('z', 0)], { older: true });
  expect(keys(rows)).toBe('baz');
  rows.hold(false);
  expect(keys(rows)).toBe('cbz');
  expect(rows.waiting.value).toBe(0);
});

test('the list is bounded', () => {
  const rows = new LiveRows<TaskSummary>(() => () => true, 3);
  rows.take([task('a', 1), task('b', 2), task('c', 3)]);
  expect(rows.isCut.value).toBe(false);
  rows.take([task('d', 4)]);
  expect(keys(rows)).toBe('dcb');
  expect(rows.isCut.value).toBe(true);
});

test('whatever the order in which changes arrive, the rows are the same', () => {
  const change = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), position: fc.nat(6) });
  fc.assert(
    fc.property(fc.array(change), fc.nat(), (changes, turn) => {
      // The state of a task is decided by its position, as in a log.
      const tasks = changes.map(({ key, position }) =>
        task(key, position, position % 2 === 0 ? 'TASK_STATE_WORKING' : 'TASK_STATE_FAILED'),
      );
      const [one, other] = [new LiveRows<TaskSummary>(() => () => true), new LiveRows(() => () => true)];
      for (const each of tasks) one.take([each]);
      const at = turn % (tasks.length + 1);
      other.take([...tasks.slice(at), ...tasks.slice(0, at)]);
      expect(other.rows.value).toEqual(one.rows.value);
    }),
  );
});
