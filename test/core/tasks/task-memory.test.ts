import { expect, test, vi } from 'vitest';
import { MemoryBudget } from '../../../src/core/limits/memory-budget.ts';
import type { A2AError } from '../../../src/core/model/errors.ts';
import type { StoredTask } from '../../../src/core/ports/task-store.ts';
import { LiveTasks } from '../../../src/core/tasks/live-tasks.ts';
import { createStore } from '../../../src/stores/index.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { silent } from '../../support/core.ts';

const mebibyte = 1_048_576;
const store = createStore('memory:', { instance: 'memory' });
await store.open();

const text = 'x'.repeat(mebibyte);
const run = { after: 0, bytes: 0, root: '', abort: () => undefined, fail: () => undefined };

async function taskOf(tasks: LiveTasks, events: number) {
  const writer = new TaskWriter();
  await store.append(writer.create('TASK_STATE_WORKING'));
  for (let i = 0; i < events; i += 1) await store.append(writer.next(writer.chunkEvent(text)));
  const live = tasks.adopt((await store.load(writer.key)) as StoredTask);
  live.addRun(run);
  return { live, chunk: () => live.emit(writer.chunkEvent(text)) };
}

test('tasks that together have more than their share are forgotten, still written, and read again', async () => {
  const budget = new MemoryBudget(4 * mebibyte);
  const tasks = new LiveTasks(store, silent, {}, budget);
  const several: Awaited<ReturnType<typeof taskOf>>[] = [];
  for (let i = 0; i < 4; i += 1) several.push(await taskOf(tasks, 1));
  for (const { chunk } of several) {
    chunk();
    chunk();
  }
  await Promise.all(several.map(({ live }) => live.journal.written()));
  await vi.waitFor(() => expect(several.some(({ live }) => live.journal.writer.writing)).toBe(false));
  expect(several.filter(({ live }) => live.log.isFolded).length).toBeLessThanOrEqual(1);
  expect(budget.tasksAreCrowded).toBe(false);
  for (const { live } of several) {
    const { task, seq } = await live.journal.current();
    expect(task.artifacts?.[0]?.parts.reduce((sum, { text: chunk = '' }) => sum + chunk.length, 0)).toBe(3 * mebibyte);
    expect(seq).toBe(4);
    expect(budget.tasksAreCrowded).toBe(false);
  }
  for (const { live } of several) live.removeRun(run);
  expect(budget.fitsTask(4 * mebibyte)).toBe(true);
});

test('a task that alone has more than the share is read for each caller, and kept by none', async () => {
  const tasks = new LiveTasks(store, silent, {}, new MemoryBudget(mebibyte));
  const { live } = await taskOf(tasks, 2);
  const load = vi.spyOn(store, 'load');
  const [first, second] = await Promise.all([live.journal.current(), live.journal.current()]);
  expect([first.seq, second.seq, live.log.isFolded, load.mock.calls.length]).toEqual([3, 3, false, 1]);
  expect((await live.journal.current()).task).toEqual(first.task);
  live.removeRun(run);
});

test('an agent is given a large task when those that other agents have leave room for it', () => {
  const budget = new MemoryBudget(4 * mebibyte);
  expect(budget.fitsTask(5 * mebibyte)).toBe(true);
  budget.countTasks(0, 3 * mebibyte);
  expect(budget.fitsTask(mebibyte)).toBe(true);
  expect(budget.fitsTask(2 * mebibyte)).toBe(false);
  expect(budget.fitsTask(1_000)).toBe(true);
});

test('when runs together hold too much, the largest task fails, and small ones continue', async () => {
  const tasks = new LiveTasks(store, silent, {}, new MemoryBudget(4 * mebibyte));
  const failed: string[] = [];
  const hold = async (name: string, bytes: number) => {
    const { live, chunk } = await taskOf(tasks, 0);
    const holding = {
      ...run,
      bytes,
      fail: ({ message, metadata }: A2AError) => {
        expect(metadata.limit).toBe('limits.buffered');
        expect(message).toContain('may hold 4194304 (limits.buffered');
        failed.push(name);
        live.removeRun(holding);
      },
    };
    live.removeRun(run);
    live.addRun(holding);
    return chunk;
  };
  await hold('alone', 8 * mebibyte);
  expect(failed).toEqual([]);
  const chunk = await hold('second', mebibyte);
  expect(failed).toEqual(['alone']);
  await hold('third', 1.5 * mebibyte);
  chunk();
  expect(failed).toEqual(['alone']);
  chunk();
  expect(failed).toEqual(['alone', 'second']);
});
