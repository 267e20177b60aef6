import type { CallRecord } from '../../core/telemetry/call-log.ts';
import { processDigest } from '../../core/telemetry/process-digest.ts';
import { minuteMs, minuteOf } from './model.ts';

/**
 * Calls of one caller that are kept: at once, and more in each minute. Besides them, in each minute, the first call of so many kinds:
 * with an agent, an operation and an error that no kept call of the caller had in the minute.
 */
export const callerRoom = { atOnce: 120, perMinute: 1, kindsPerMinute: 10 } as const;
/** Most callers with room of their own. All further callers share one room. Also most forgotten callers with room. */
const mostCallers = 2_000;

/** Room of a caller, from which one cannot see which calls the caller made. */
interface FormerRoom {
  /** Number of calls that may still be kept. */
  readonly left: number;
  /** Time at which `left` was counted: milliseconds since the epoch. */
  readonly at: number;
}

interface Room extends FormerRoom {
  left: number;
  at: number;
  minute: number;
  /** Number of kinds whose first call may still be kept in the minute. */
  kindsLeft: number;
  readonly kinds: Set<string>;
}

/** Returns how many calls may be kept at a time. */
const leftAt = ({ left, at }: FormerRoom, now: number): number =>
  Math.min(callerRoom.atOnce, left + (Math.max(0, now - at) / minuteMs) * callerRoom.perMinute);

/** The kinds of a forgotten caller's calls are forgotten, so no further kind has room in the same minute. */
const roomFrom = ({ left, at }: FormerRoom): Room => ({
  left,
  at,
  minute: minuteOf(at),
  kindsLeft: 0,
  kinds: new Set(),
});

const newRoom = (now: number): Room => ({
  left: callerRoom.atOnce,
  at: now,
  minute: minuteOf(now),
  kindsLeft: callerRoom.kindsPerMinute,
  kinds: new Set(),
});

/** The room that each caller has for failed and slow calls. */
export class CallerRooms {
  readonly #rooms = new Map<string, Room>();
  /**
   * Rooms of callers that were forgotten, by digests of their names: an erasure that goes on for long gives no new room. They are
   * dropped when they are full again.
   */
  readonly #formerRooms = new Map<string, FormerRoom>();

  /** Number of rooms in memory, with those of forgotten callers. */
  get size(): number {
    return this.#rooms.size + this.#formerRooms.size;
  }

  /** Takes the room of a call. Returns false if there is none. @param name names the room: that of the caller, as a rule */
  take(name: string, { agent, operation, error, at, ms = 0, decisions = [] }: CallRecord): boolean {
    const now = at + ms;
    const room = this.#roomOf(name, now);
    room.left = leftAt(room, now);
    room.at = Math.max(room.at, now);
    const minute = minuteOf(now);
    if (room.minute !== minute) {
      room.minute = minute;
      room.kindsLeft = callerRoom.kindsPerMinute;
      room.kinds.clear();
    }
    const kind = [agent, operation, error, ...decisions.map(({ rule, outcome }) => `${rule} ${outcome}`)].join('\n');
    const isNew = room.kindsLeft > 0 && !room.kinds.has(kind);
    if (room.left < 1 && !isNew) return false;
    if (isNew) {
      room.kinds.add(kind);
      room.kindsLeft -= 1;
    }
    room.left = Math.max(0, room.left - 1);
    return true;
  }

  #roomOf(name: string, now: number): Room {
    const known = this.#rooms.get(name);
    if (known) return known;
    if (this.#rooms.size >= mostCallers) this.trim(now);
    const isFull = this.#rooms.size >= mostCallers && name !== '';
    if (isFull) return this.#roomOf('', now);
    const room = this.#formerRoomOf(name) ?? newRoom(now);
    this.#rooms.set(name, room);
    return room;
  }

  #formerRoomOf(name: string): Room | undefined {
    if (this.#formerRooms.size === 0) return undefined;
    const digest = processDigest(name);
    const former = this.#formerRooms.get(digest);
    this.#formerRooms.delete(digest);
    return former && roomFrom(former);
  }

  /** Forgets the name of a room and the kinds of its calls, but not how much is left of it. */
  forget(name: string): void {
    const room = this.#rooms.get(name);
    if (!room) return;
    this.#rooms.delete(name);
    this.#formerRooms.set(processDigest(name), { left: room.left, at: room.at });
    const [oldest] = this.#formerRooms.keys();
    if (this.#formerRooms.size > mostCallers && oldest !== undefined) this.#formerRooms.delete(oldest);
  }

  /** Drops the rooms that are full again. @param now milliseconds since the epoch */
  trim(now: number): void {
    for (const rooms of [this.#rooms, this.#formerRooms]) {
      for (const [name, room] of rooms) {
        if (leftAt(room, now) >= callerRoom.atOnce) rooms.delete(name);
      }
    }
  }
}
