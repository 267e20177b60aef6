import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BrokenHistory,
  fileNameOf,
  readerOf,
  readHistories,
  writeHistory,
} from '../../../src/extensions/console/tasks/history-file.ts';
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

test('a history comes back from its file', async () => {
  const pieces = await fileOf(events(2000));
  expect(pieces.length).toBeGreaterThan(3);
  const [history] = readHistories(pieces.join(''));
  if (!history) throw new Error('no history');
  expect(readHistories(`[${pieces.join('')},${pieces.join('')}]`)).toEqual([history, history]);
  expect(history).toEqual(expect.objectContaining({ exportedAt: written, task, events: events(2000) }));
  const page = await readerOf(history)(1990, 100, new AbortController().signal);
  expect(page.events?.map(({ position }) => position)).toEqual([
    1991, 1992, 1993, 1994, 1995, 1996, 1997, 1998, 1999, 2000,
  ]);
  expect(page.lastPosition).toBe(2000);
});

test('a file that is no history is refused with the reason', async () => {
  const whole = (await fileOf(events(3))).join('');
  const file = JSON.parse(whole);
  const broken: [string, RegExp][] = [
    ['', /is empty/],
    [whole.slice(0, -20), /is not JSON, or ends too early/],
    ['[]', /not a task history/],
    ['null', /not a task history/],
    [JSON.stringify({ ...file, format: 'other' }), /"format" is not/],
    [JSON.stringify({ ...file, version: 2 }), /has version 2 of the format, but this console reads version 1/],
    [JSON.stringify({ ...file, task: { key: 'k' } }), /"task" is missing or is not the row/],
    [JSON.stringify({ ...file, events: [] }), /has no events/],
    [JSON.stringify({ ...file, events: {} }), /has no events/],
    [JSON.stringify({ ...file, events: [null] }), /Event 1 is not an object/],
    [JSON.stringify({ ...file, events: [file.events[0], file.events[2]] }), /Event 2 is missing: .* position 3/],
    [JSON.stringify({ ...file, events: [{ ...file.events[0], time: 'noon' }] }), /time of event 1/],
    [
      JSON.stringify({ ...file, events: [file.events[0], { position: 2, event: {} }] }),
      /Event 2 is not a StreamResponse/,
    ],
    [JSON.stringify({ ...file, events: [{ ...file.events[1], position: 1 }] }), /first event is not a task/],
  ];
  for (const [text, reason] of broken) {
    const read = () => readHistories(text);
    expect(read).toThrow(BrokenHistory);
    expect(read).toThrow(reason);
  }
});

test('a damaged file is read or refused, and never breaks the page', async () => {
  const whole = (await fileOf(events(3))).join('');
  fc.assert(
    fc.property(fc.nat(whole.length), fc.nat(20), fc.string({ maxLength: 8 }), (at, removed, inserted) => {
      const text = whole.slice(0, at) + inserted + whole.slice(at + removed);
      try {
        expect(readHistories(text).length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenHistory);
      }
    }),
  );
});

test('the name of a file has no characters that mean something', () => {
  expect(fileNameOf({ ...task, agent: 'echo', id: '../a/b:c\u202e"d' })).toBe('task-echo-.._a_b_c_d.json');
  expect(fileNameOf({ ...task, id: 'x'.repeat(500) }).length).toBeLessThanOrEqual(125);
});
