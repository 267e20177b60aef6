import { expect, it } from 'vitest';
import { isEvent } from '../../../src/dialects/kernel/calls.ts';

it.each([
  { id: 't', status: { state: 'working' } },
  { id: 't', status: [], final: true },
  { task_id: 't', status: 7 },
  { taskId: 't', status: 'working' },
  { message: [] },
  { kind: 'status-update' },
  { artifact: 'a text' },
])('a frame of a stream is an event that can be read or is named: %j', (data) => {
  expect(isEvent(data)).toBe(true);
});

it.each([
  { type: 'ping' },
  { message: 'still here' },
  { status: 'alive' },
  { id: 't', status: null },
  [],
  'ping',
  null,
])('a frame of a stream is none, and is skipped: %j', (data) => {
  expect(isEvent(data)).toBe(false);
});
