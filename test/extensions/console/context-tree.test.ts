import { expect, test } from 'vitest';
import { type ContextTask, contextRows, contextTaskOf } from '../../../src/extensions/console/tasks/context-tree.ts';

let count = 0;
function task(id: string, more: Partial<ContextTask> & { readonly agent?: string } = {}): ContextTask {
  const { agent = 'main', ...rest } = more;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + 1000 * count++).toISOString();
  return {
    ...contextTaskOf({ summary: { key: `k-${id}`, id, agent, state: 'TASK_STATE_WORKING', createdAt } }),
    ...rest,
  };
}

const lines = (tasks: readonly ContextTask[]): string[] =>
  contextRows(tasks).map(
    ({ summary, level, relation }) => `${' '.repeat(level - 1)}${summary.id}${relation ? ` (${relation})` : ''}`,
  );

test('tasks without relations are listed by time', () => {
  const tasks = [task('a'), task('b'), task('c')];
  expect(lines(tasks.toReversed())).toEqual(['a', 'b', 'c']);
});

test('a task stands below the task whose agent opened it', () => {
  const tasks = [
    task('plan', { agent: 'planner', upstreamTaskId: 'book' }),
    task('other', { agent: 'booker' }),
    task('book', { agent: 'booker', references: ['other'], upstreamTaskId: 'pay' }),
    task('pay', { agent: 'payer' }),
  ];
  expect(lines(tasks)).toEqual(['plan', ' book (upstream)', '  pay (upstream)', 'other']);
});

test('an agent of the gateway that called another one stands above it', () => {
  const tasks = [task('plan', { agent: 'planner' }), task('again', { agent: 'planner' })];
  const called = tasks.map(({ summary: { id, key } }) => ({ ...task(`${id}-book`).summary, parent: key }));
  const all = [...tasks, ...called.map((summary) => contextTaskOf({ summary }))];
  expect(lines(all)).toEqual(['plan', ' plan-book (upstream)', 'again', ' again-book (upstream)']);
});

test('the row of the task whose agent opened another one may be younger', () => {
  const tasks = [task('book', { agent: 'booker' }), task('plan', { agent: 'planner', upstreamTaskId: 'book' })];
  expect(lines(tasks)).toEqual(['plan', ' book (upstream)']);
});

test('circles of tasks that opened each other are no circles in the tree', () => {
  const tasks = [
    task('a', { agent: 'one', upstreamTaskId: 'b' }),
    task('b', { agent: 'two', upstreamTaskId: 'a', references: ['a'] }),
  ];
  expect(lines(tasks)).toEqual(['b', ' a (upstream)']);
});

test('a task stands below the latest task that it refers to, never below a later one', () => {
  const tasks = [
    task('a'),
    task('b', { references: ['a', 'd'] }),
    task('c', { references: ['a', 'b'] }),
    task('d', { references: ['missing'] }),
  ];
  expect(lines(tasks)).toEqual(['a', ' b (reference)', '  c (reference)', 'd']);
});

test('a task of another agent in the same trace stands below the first task of the trace', () => {
  const tasks = [
    task('a', { traceId: 't1' }),
    task('b', { traceId: 't1' }),
    task('c', { agent: 'tool', traceId: 't1' }),
    task('d', { agent: 'tool' }),
  ];
  expect(lines(tasks)).toEqual(['a', ' c (trace)', 'b', 'd']);
});

test('circles of references are no circles in the tree', () => {
  expect(lines([task('a', { references: ['b'] }), task('b', { references: ['a'] })])).toEqual(['a', ' b (reference)']);
});

test('references come from all messages of a task, without the task itself', () => {
  const message = (...referenceTaskIds: string[]) => ({
    messageId: 'm',
    role: 'ROLE_USER',
    parts: [],
    referenceTaskIds,
  });
  const { references, traceId } = contextTaskOf({
    summary: { key: 'k', id: 't', agent: 'main', state: 'TASK_STATE_WORKING' },
    task: {
      id: 't',
      history: [message('a', 'b'), message('b', 't')],
      status: { state: 'TASK_STATE_WORKING', message: message('c') },
    },
    traceId: 'f00',
  });
  expect(references).toEqual(['a', 'b', 'c']);
  expect(traceId).toBe('f00');
});
