import { expect, test } from 'vitest';
import { fileNameOf, writeHistory } from '../../../src/extensions/console/tasks/history-file.ts';
import type { TaskLogEvent, TaskSummary } from '../../../src/gen/admin-v1/types.ts';

const task: TaskSummary = { key: 'k', id: 't', agent: 'echo', state: 'TASK_STATE_WORKING', lastPosition: 3 };
const written = '2026-01-01T00:00:00.000Z';

const events = (count: number): TaskLogEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    position: at + 1,
    time: written,
    event:
      at === 0
        ? { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } }
        : { message: { messageId: `m${at}`, role: 'ROLE_AGENT', parts: [{ text: 'x'.repeat(100) }] } },
  }));

async function fileOf(list: readonly TaskLogEvent[]): Promise<string[]> {
  async function* all(): AsyncGenerator<TaskLogEvent> {
    yield* list;
  }
  const pieces: string[] = [];
  for await (const piece of writeHistory(task, all(), written)) pieces.push(piece);
  return pieces;
}

test('a file of a history is JSON with every event of the log, written in pieces', async () => {
  const pieces = await fileOf(events(2000));
  expect(pieces.length).toBeGreaterThan(3);
  expect(JSON.parse(pieces.join(''))).toEqual({
    format: 'a2a-gateway task history',
    version: 1,
    exportedAt: written,
    task,
    events: events(2000),
  });
});

test('the name of a file has no characters that mean something', () => {
  expect(fileNameOf({ ...task, agent: 'echo', id: '../a/b:c\u202e"d' })).toBe('task-echo-.._a_b_c_d.json');
  expect(fileNameOf({ ...task, id: 'x'.repeat(500) }).length).toBeLessThanOrEqual(125);
});
