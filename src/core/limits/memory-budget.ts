import { getHeapStatistics } from 'node:v8';
import { A2AError } from '../model/errors.ts';
import { AnswerQueue, overLimitError, type QueuedReservation } from './answer-queue.ts';

const mebibyte = 1_048_576;
/** Bytes reserved for each byte of a large request: for its body, the parsed request, its event, and the task. */
const requestCost = 4;

/** Bytes of the largest possible answer: V8's strings have at most about 512 MiB, and encoding takes several copies. */
const largest = Math.min(256 * mebibyte, getHeapStatistics().heap_size_limit / 8);

/**
 * The bytes that calls take in memory, of all connections together: large requests, answers that are being encoded, and
 * answers that clients have not read yet. A large request is reserved before its body is read, a large answer before it
 * is read from the store; either is refused when there is no room, or when its caller has half of the budget already.
 */
export class MemoryBudget {
  /** The order in which large answers are encoded. */
  readonly queue: AnswerQueue;
  readonly #max: number;
  readonly #callers = new Map<string, number>();
  #total = 0;
  /** Bytes of tasks in memory: they leave less room for requests, which would become more of them. */
  #tasks = 0;
  /** Called when there is no room: uncounts the bytes that have left meanwhile. */
  onFull: () => void = () => {};

  /** @param max bytes. Default: any number */
  constructor(max: number = Number.POSITIVE_INFINITY) {
    this.#max = max;
    this.queue = new AnswerQueue({ fits: (...asked) => this.#fits(...asked), reclaim: () => this.onFull() });
  }

  /** Bytes that are counted now. */
  get total(): number {
    return this.#total;
  }

  /** Whether more is counted than there is room for. */
  get isOver(): boolean {
    return this.#total > this.#max;
  }

  /** Whether there is no room left. */
  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  /** Counts bytes more, or fewer, for a caller or for none. */
  count(caller: string | undefined, bytes: number): void {
    this.#total += bytes;
    if (caller !== undefined) {
      const held = (this.#callers.get(caller) ?? 0) + bytes;
      if (held === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, held);
    }
    if (bytes < 0) this.queue.schedule();
  }

  /** Counts bytes more, or fewer, of tasks in memory. */
  countTasks(bytes: number): void {
    this.#tasks += bytes;
  }

  /** Called by a reservation whose request has so many bytes. False, and nothing is reserved, when there is no room. */
  admitRequest(reservation: QueuedReservation, size: number): boolean {
    // One large request is served however small the bound is.
    const bytes = Math.min(size * requestCost, this.#max / 2);
    const more = bytes - reservation.bytes;
    if (more <= 0) return true;
    if (!this.#fitsAfterReclaim(reservation, more + this.#tasks, more)) return false;
    reservation.grow(bytes);
    return true;
  }

  /** Called by a reservation that grows to `bytes`. Resolves when the answer may be encoded. */
  admitAnswer(reservation: QueuedReservation, bytes: number, until: number | undefined): Promise<void> | undefined {
    if (bytes > Math.min(this.#max, largest)) return Promise.reject(tooLargeError(bytes));
    if (!this.#fitsAfterReclaim(reservation, bytes - reservation.bytes)) {
      return until === undefined
        ? Promise.reject(overLimitError('answers'))
        : this.queue.wait(reservation, bytes, until);
    }
    reservation.grow(bytes);
    return this.queue.enter(reservation);
  }

  #fitsAfterReclaim(reservation: QueuedReservation, more: number, ofCaller?: number): boolean {
    if (this.#fits(reservation, more, ofCaller)) return true;
    this.onFull();
    return this.#fits(reservation, more, ofCaller);
  }

  /** @param ofCaller bytes of `more` that count for the reservation's caller. Default: all */
  #fits({ caller, bytes }: QueuedReservation, more: number, ofCaller: number = more): boolean {
    const held = this.#callers.get(caller) ?? 0;
    // One reservation may have more than half.
    return this.#total + more <= this.#max && (held <= bytes || held + ofCaller <= this.#max / 2);
  }
}

const tooLargeError = (bytes: number): A2AError => {
  const size = Math.ceil(bytes / mebibyte);
  return new A2AError('unavailable', `The answer has ${size} MiB, more than the gateway can send`, {
    metadata: { bytes: String(bytes) },
  });
};
