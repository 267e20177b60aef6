import type { CallRecord } from '../../core/telemetry/call-log.ts';
import { CallerRooms } from './caller-rooms.ts';

/** Most calls that wait for the store. From `crowded` on, each caller has at most `ofCaller`; from `all` on, no call is added. */
export const mostPending = { crowded: 1_000, ofCaller: 10, all: 5_000 } as const;
/** Milliseconds after a call within which its status becomes known, as a rule: it is stored again then. */
const statusWithin = 5_000;

const roomOfDecided = (principal = ''): string => `decided\n${principal}`;

/** The failed and slow calls of this replica that the store has not taken yet, bounded for each caller. */
export class PendingCalls {
  #calls: CallRecord[] = [];
  readonly #rooms = new CallerRooms();
  /** Pending calls by caller. */
  #counts = new Map<string, number>();

  /** Keeps a call. Returns false if there is no room for it. */
  offer(record: CallRecord, room: string = record.principal ?? ''): boolean {
    const { principal = '' } = record;
    const count = this.#counts.get(principal) ?? 0;
    const { length } = this.#calls;
    if (length >= mostPending.all || (length >= mostPending.crowded && count >= mostPending.ofCaller)) return false;
    if (!this.#rooms.take(room, record)) return false;
    this.#counts.set(principal, count + 1);
    this.#calls.push(record);
    return true;
  }

  /** Keeps a call about which a rule decided. Such calls have their own room, so that they displace no failures. */
  offerDecided(record: CallRecord): void {
    if (!this.#calls.includes(record)) this.offer(record, roomOfDecided(record.principal));
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
    for (const name of [principal, roomOfDecided(principal)]) this.#rooms.forget(name);
    this.#counts.delete(principal);
    this.#calls = this.#calls.filter((record) => record.principal !== principal);
  }

  /** Forgets the callers that have all of their room again. @param now milliseconds since the epoch */
  trim(now: number): void {
    this.#rooms.trim(now);
  }
}
