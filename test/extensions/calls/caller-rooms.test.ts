import { expect, it } from 'vitest';
import { CallerRooms, callerRoom } from '../../../src/extensions/calls/caller-rooms.ts';
import { minuteMs } from '../../../src/extensions/calls/model.ts';
import { failedCall } from './support.ts';

const now = Date.now();
const call = (agent: string, at = now) => failedCall({ principal: 'erased', agent, at, ms: 0 });

/** Takes all of a caller's room. */
function takeAll(rooms: CallerRooms): void {
  for (let count = 0; count < callerRoom.atOnce; count += 1) expect(rooms.take('erased', call('demo'))).toBe(true);
}

it('the room of a forgotten caller is dropped as soon as it is full again', () => {
  const rooms = new CallerRooms();
  takeAll(rooms);
  rooms.take('other', call('demo'));
  rooms.forget('erased');
  const rested = now + (callerRoom.atOnce / callerRoom.perMinute) * minuteMs;
  rooms.trim(rested - 1);
  expect(rooms.size).toBe(1);
  rooms.trim(rested);
  expect(rooms.size).toBe(0);
  expect(rooms.take('erased', call('demo', rested))).toBe(true);
});

it('of the room of a forgotten caller, only the number of calls is known, and not their kinds', () => {
  const rooms = new CallerRooms();
  takeAll(rooms);
  rooms.forget('erased');
  const offered = ['demo', 'other'].map((agent) => rooms.take('erased', call(agent)));
  expect(offered).toEqual([false, false]);
  const minuteLater = ['demo', 'other', 'other'].map((agent) => rooms.take('erased', call(agent, now + minuteMs)));
  expect(minuteLater).toEqual([true, true, false]);
});
