import { type Linked, LinkedList } from './linked-list.ts';

/** Something that is looked at from time to time. */
export interface Watched extends Linked<Watched> {
  /** @param now milliseconds since the epoch */
  check(now: number): void;
}

/**
 * One timer for everything that waits: a timer for each of thousands of streams and bodies costs more than looking at
 * all of them once in a while. The timer runs only while there is something to look at, and never keeps the process up.
 */
export class Watchdog {
  readonly #members = new LinkedList<Watched>();
  #size = 0;
  readonly #interval: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param interval milliseconds between two looks */
  constructor(interval: number) {
    this.#interval = interval;
  }

  add(member: Watched): void {
    this.#members.add(member);
    this.#size += 1;
    this.#timer ??= setInterval(() => this.#sweep(), this.#interval).unref();
  }

  delete(member: Watched): void {
    // The timer stays until it finds nothing: members come and go with every request.
    if (this.#members.delete(member)) this.#size -= 1;
  }

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  #sweep(): void {
    if (this.#size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = Date.now();
    for (const member of this.#members) member.check(now);
  }
}
