import { type Linked, LinkedList } from '../../core/collections/linked-list.ts';
import { steadyNow } from '../../core/model/timing.ts';

/** Something with a time-out. */
export interface Watched extends Linked<Watched> {
  /** @param now by `steadyNow` */
  check(now: number): void;
}

/**
 * Checks the time-outs of all its members with one interval timer, which costs less than a timer for each of thousands of
 * streams and bodies. The timer runs only while there are members, and does not keep the process alive.
 */
export class Watchdog {
  readonly #members = new LinkedList<Watched>();
  readonly #interval: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param interval milliseconds between two checks */
  constructor(interval: number) {
    this.#interval = interval;
  }

  add(member: Watched): void {
    this.#members.add(member);
    this.#timer ??= setInterval(() => this.#check(), this.#interval).unref();
  }

  delete(member: Watched): void {
    // The timer keeps running until its next check, because members come and go with every request.
    this.#members.delete(member);
  }

  /** Adds a member. The returned function deletes it. */
  watch(check: (now: number) => void): () => void {
    const member: Watched = { previous: undefined, next: undefined, check };
    this.add(member);
    return () => this.delete(member);
  }

  get size(): number {
    return this.#members.size;
  }

  #check(): void {
    if (this.#members.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    // Timers come first in a turn of the event loop: what arrived while it was busy is read before its time-out is checked.
    setImmediate(() => {
      const now = steadyNow();
      for (const member of this.#members) member.check(now);
    });
  }
}
