import { type CallRecord, digestOf } from '../../core/telemetry/call-log.ts';
import { minuteMs, minuteOf } from './model.ts';

/**
 * Calls of one caller that are kept: at once, and more in each minute. Besides them, in each minute, the first call of so many kinds:
 * with an agent, an operation and an error that no kept call of the caller had in the minute.
 */
export const callerRoom = { atOnce: 120, perMinute: 1, kindsPerMinute: 10 } as const;
/** Most callers with room of their own. All further callers share one room. */
const mostCallers = 2_000;
/** Most calls that wait for the store. From `crowded` on, each caller has at most `ofCaller`; from `all` on, no call is added. */
export const mostPending = { crowded: 1_000, ofCaller: 10, all: 5_000 } as const;
/** Milliseconds after a call within which its status becomes known, as a rule: it is stored again then. */
const statusWithin = 5_000;

const roomOfDecided = (principal = ''): string => `decided\n${principal}`;

interface Room {
  /** Number of calls that may still be kept. */
  left: number;
  /** Time at which `left` was counted: milliseconds since the epoch. */
  at: number;
  minute: number;
  readonly kinds: Set<string>;
}

const newRoom = (now: number): Room => ({ left: callerRoom.atOnce, at: now, minute: 0, kinds: new Set() });

/** The failed and slow calls of this replica that the store has not taken yet, bounded for each caller. */
export class PendingCalls {
  #calls: CallRecord[] = [];
  readonly #rooms = new Map<string, Room>();
  /** Rooms of callers that were forgotten, by digests of their names: an erasure that goes on for long gives no new room. */
  readonly #formerRooms = new Map<string, Room>();
  /** Pending calls by caller. */
  #counts = new Map<string, number>();

  /** Keeps a call. Returns false if there is no room for it. */
  offer(record: CallRecord, room: string = record.principal ?? ''): boolean {
    const { principal = '' } = record;
    const count = this.#counts.get(principal) ?? 0;
    const { length } = this.#calls;
    if (length >= mostPending.all || (length >= mostPending.crowded && count >= mostPending.ofCaller)) return false;
    if (!this.#hasRoom(room, record)) return false;
    this.#counts.set(principal, count + 1);
    this.#calls.push(record);
    return true;
  }

  /** Keeps a call about which a rule decided. Such calls have their own room, so that they displace no failures. */
  offerDecided(record: CallRecord): void {
    if (!this.#calls.includes(record)) this.offer(record, roomOfDecided(record.principal));
  }

  /** Takes one call's room from the caller. Returns false if there is none. */
  #hasRoom(name: string, { agent, operation, error, at, ms = 0, decisions = [] }: CallRecord): boolean {
    const now = at + ms;
    const room = this.#roomOf(name, now);
    room.left = Math.min(callerRoom.atOnce, room.left + (Math.max(0, now - room.at) / minuteMs) * callerRoom.perMinute);
    room.at = Math.max(room.at, now);
    const minute = minuteOf(now);
    if (room.minute !== minute) {
      room.minute = minute;
      room.kinds.clear();
    }
    const kind = [agent, operation, error, ...decisions.map(({ rule, outcome }) => `${rule} ${outcome}`)].join('\n');
    const isNew = room.kinds.size < callerRoom.kindsPerMinute && !room.kinds.has(kind);
    if (room.left < 1 && !isNew) return false;
    room.kinds.add(kind);
    room.left = Math.max(0, room.left - 1);
    return true;
  }

  #roomOf(principal: string, now: number): Room {
    const known = this.#rooms.get(principal);
    if (known) return known;
    if (this.#rooms.size >= mostCallers) this.#forgetRested(now);
    const isFull = this.#rooms.size >= mostCallers && principal !== '';
    if (isFull) return this.#roomOf('', now);
    const room = this.#formerRoomOf(principal) ?? newRoom(now);
    this.#rooms.set(principal, room);
    return room;
  }

  #formerRoomOf(principal: string): Room | undefined {
    if (this.#formerRooms.size === 0) return undefined;
    const digest = digestOf(principal);
    const room = this.#formerRooms.get(digest);
    this.#formerRooms.delete(digest);
    return room;
  }

  /** Forgets the callers that have all of their room again. */
  #forgetRested(now: number): void {
    const { atOnce, perMinute } = callerRoom;
    for (const [principal, { left, at }] of this.#rooms) {
      if (left + ((now - at) / minuteMs) * perMinute >= atOnce) this.#rooms.delete(principal);
    }
  }

  get size(): number {
    return this.#calls.length;
  }

  /** Removes and returns all calls. */
  take(): CallRecord[] {
    const taken = this.#calls;
    this.#calls = [];
    this.#counts = new Map();
    return taken;
  }

  /**
   * Puts back calls that could not be stored. After they were stored: those whose status may still become known.
   *
   * @param storedAt when they were stored, in milliseconds since the epoch; undefined: they were not
   */
  putBack(calls: readonly CallRecord[], storedAt?: number): void {
    const waiting =
      storedAt === undefined
        ? calls
        : calls.filter(({ status, at, ms = 0 }) => status === undefined && at + ms > storedAt - statusWithin);
    // A rule may have decided about one of them meanwhile.
    const again = new Set(this.#calls);
    const added = waiting.filter((record) => !again.has(record));
    this.#calls.unshift(...added);
    for (const { principal = '' } of added) this.#counts.set(principal, (this.#counts.get(principal) ?? 0) + 1);
  }

  /** Forgets the calls of a caller, but not how much room the caller has left. */
  forget(principal: string): void {
    for (const name of [principal, roomOfDecided(principal)]) {
      const room = this.#rooms.get(name);
      if (!room) continue;
      this.#rooms.delete(name);
      this.#formerRooms.set(digestOf(name), room);
    }
    for (const digest of this.#formerRooms.keys()) {
      if (this.#formerRooms.size <= mostCallers) break;
      this.#formerRooms.delete(digest);
    }
    this.#counts.delete(principal);
    this.#calls = this.#calls.filter((record) => record.principal !== principal);
  }
}
