import { expect, test } from 'vitest';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import { describeEvent, spanOf } from '../../../src/extensions/console/tasks/describe.ts';
import { Outline } from '../../../src/extensions/console/tasks/time-travel.ts';

const ids = { taskId: 't', contextId: 'c' };
const start = Date.UTC(2026, 0, 1);

const add = (outline: Outline, seconds: number, event: StreamResponse): void =>
  outline.add({
    position: outline.length + 1,
    time: new Date(start + seconds * 1000).toISOString(),
    event: { ...event },
  });
const status = (
  state: 'TASK_STATE_WORKING' | 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_COMPLETED',
): StreamResponse => ({
  statusUpdate: { ...ids, status: { state } },
});
const artifact: StreamResponse = { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'x' }] } } };
const opened: StreamResponse = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } };

test('an outline has the phases of a task, and its events over time', () => {
  const outline = new Outline();
  add(outline, 0, opened);
  add(outline, 1, status('TASK_STATE_WORKING'));
  add(outline, 2, status('TASK_STATE_WORKING'));
  add(outline, 3, artifact);
  add(outline, 4, status('TASK_STATE_INPUT_REQUIRED'));
  add(outline, 60, { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'yes' }] } });
  add(outline, 61, status('TASK_STATE_COMPLETED'));
  expect(outline.phases.map(({ state, position }) => [state, position])).toEqual([
    ['TASK_STATE_SUBMITTED', 1],
    ['TASK_STATE_WORKING', 2],
    ['TASK_STATE_INPUT_REQUIRED', 5],
    ['TASK_STATE_COMPLETED', 7],
  ]);
  expect(outline.density(2)).toEqual([5, 2]);
  expect(outline.density(4, start + 120_000)).toEqual([5, 0, 2, 0]);
  expect(outline.timeAt(5)).toBe(start + 4000);
  expect(outline.timeAt(8)).toBeUndefined();
  expect([0, 3500, 4000, 999_999].map((after) => outline.positionAt(start + after))).toEqual([1, 4, 5, 7]);
  expect(outline.positionAt(0)).toBe(1);
  outline.add({ position: 9, event: { ...artifact } });
  outline.add({ position: 3, event: { ...artifact } });
  expect(outline.length).toBe(7);
});

test('a clock that was set back does not turn the timeline around', () => {
  const outline = new Outline();
  add(outline, 10, opened);
  add(outline, 5, status('TASK_STATE_WORKING'));
  outline.add({ position: 3, event: { ...artifact } });
  expect(outline.timeAt(2)).toBe(start + 10_000);
  expect(outline.timeAt(3)).toBe(start + 10_000);
  expect(outline.density(4)).toEqual([3, 0, 0, 0]);
});

test('each kind of event is one line of words', () => {
  const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: '\nWhich city?\n' }] };
  expect(describeEvent(opened)).toMatchObject({ kind: 'task', title: 'task submitted' });
  expect(describeEvent({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_INPUT_REQUIRED', message } } })).toEqual({
    kind: 'status',
    title: 'input required',
    text: 'Which city?',
    state: 'TASK_STATE_INPUT_REQUIRED',
  });
  expect(describeEvent({ message })).toMatchObject({ kind: 'message', title: 'agent message' });
  const more = { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [] }, append: true, lastChunk: true } };
  expect(describeEvent(more)).toMatchObject({ title: 'a (last)', text: '' });
  const other = { op: 'add', statement: { subject: 'ada' } } as never;
  expect(describeEvent(other)).toMatchObject({ kind: 'unknown', title: 'op, statement', text: JSON.stringify(other) });
});

test('a task takes until its last change, or until now', () => {
  const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:05Z' };
  const span = (state: string, since = times) => {
    const { start: from, end } = spanOf({ ...since, state }, start + 9000);
    return end - from;
  };
  expect(span('TASK_STATE_COMPLETED')).toBe(5000);
  expect(span('TASK_STATE_WORKING')).toBe(9000);
  expect(span('TASK_STATE_WORKING', {} as never)).toBeNaN();
});
