import { expect, test } from 'vitest';
import { type Outcome, onEach } from '../../../src/extensions/console/tasks/many.ts';

const tasks = Array.from({ length: 20 }, (_, at) => ({
  key: `k${at}`,
  id: `i${at}`,
  agent: 'shop',
  state: 'TASK_STATE_WORKING',
}));

test('a refusal for one of several tasks is shown at that task, and the others are done, a few at a time', async () => {
  const outcomes: Outcome<(typeof tasks)[number]>[] = [];
  let [running, most] = [0, 0];
  const act = async ({ key }: { readonly key: string }): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running -= 1;
    if (key === 'k3') throw new Error('The task is over');
  };
  await onEach(tasks, act, new AbortController().signal, (outcome) => outcomes.push(outcome));
  expect(outcomes).toHaveLength(20);
  expect(outcomes.filter(({ error }) => error)).toEqual([{ item: tasks[3], error: 'The task is over' }]);
  expect(most).toBe(4);
});

test('stopping ends before the tasks that are left, and claims nothing of those under way', async () => {
  const stopped = new AbortController();
  const asked: string[] = [];
  const outcomes: Outcome<(typeof tasks)[number]>[] = [];
  const act = async ({ key }: { readonly key: string }): Promise<void> => {
    asked.push(key);
    if (key === 'k5') stopped.abort();
    await new Promise(setImmediate);
  };
  await onEach(tasks, act, stopped.signal, (outcome) => outcomes.push(outcome));
  expect(asked).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
  expect(outcomes.length).toBeLessThan(5);
});
