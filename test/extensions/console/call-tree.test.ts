import { expect, test } from 'vitest';
import { treeOf } from '../../../src/extensions/console/tasks/call-tree.ts';
import type { TaskSummary } from '../../../src/gen/admin-v1/types.ts';

let count = 0;
function task(id: string, parent?: string): TaskSummary {
  const createdAt = new Date(Date.UTC(2026, 0, 1) + 1000 * count++).toISOString();
  const more = parent === undefined ? {} : { parent: `k-${parent}` };
  return { key: `k-${id}`, id, agent: 'main', state: 'TASK_STATE_WORKING', createdAt, ...more };
}

const lines = (tasks: readonly TaskSummary[]): string[] =>
  treeOf(tasks).map(({ id, level }) => `${' '.repeat(level - 1)}${id}`);

test('tasks that no other one called are listed by time', () => {
  const tasks = [task('a'), task('b'), task('c', 'unknown')];
  expect(lines(tasks.toReversed())).toEqual(['a', 'b', 'c']);
});

test('a task stands below the task whose agent called it', () => {
  const tasks = [task('plan'), task('other'), task('book', 'plan'), task('pay', 'book'), task('again', 'plan')];
  expect(lines(tasks)).toEqual(['plan', ' book', '  pay', ' again', 'other']);
});

test('the row of the task whose agent called another one may be younger', () => {
  expect(lines([task('book', 'plan'), task('plan')])).toEqual(['plan', ' book']);
});

test('circles of tasks that called each other are no circles in the tree', () => {
  expect(lines([task('a', 'b'), task('b', 'a'), task('c', 'c')])).toEqual(['b', ' a', 'c']);
});
