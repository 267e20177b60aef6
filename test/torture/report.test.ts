import { expect, it } from 'vitest';
import { report } from './report.ts';

it('the report of a run begins with the seed and the violations, and shows what happened after them', () => {
  const task = {
    id: 't-1',
    key: 't-1',
    agent: 'far',
    principal: 'anonymous',
    state: 'TASK_STATE_WORKING',
    seq: 0,
    owner: null,
  };
  const violations = [
    { check: 'logs', what: 'it never came to rest', task: { ...task, log: [], snapshots: [] } },
    { check: 'processes', what: 'gateway 2 fell by itself: exit code 1' },
  ];
  const log = ['   1.4 s  gateway 1 is paused for 10851 ms'];
  const outcome = { violations, said: [], counts: { tasks: 3 }, tally: {}, log, folder: '/logs' };
  const lines = report(outcome, { seed: 7, seconds: 14, clients: 8, troubles: ['pause'] }).split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'seed 7, 14 s, pause: 2 violations; the logs lie in /logs',
    '- logs: task t-1 (far): it never came to rest',
    '- processes: gateway 2 fell by itself: exit code 1',
    '',
    ...log,
  ]);
  expect(lines.slice(5)).toContain('logs: it never came to rest');
  expect(lines.at(-1)).toBe('tasks  3');
});
