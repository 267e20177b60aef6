import { getHeapStatistics } from 'node:v8';
import { A2AError } from '../model/errors.ts';
import type { MemoryReservation } from '../model/memory.ts';
import { LoopTurns } from './loop-turns.ts';

/** Bytes of an answer or a request that is not reserved: it costs its caller no look at what others take. */
const small = 65_536;
const mebibyte = 1_048_576;
/** Bytes of answers that are read and encoded at the same time, which takes several times as many; or one answer. */
const atOnce = 16 * mebibyte;
/**
 * Bytes that are reserved for each byte of a large request: its body, the parsed request, the event that is written, and
 * the task.
 */
const requestCost = 4;
/** Large answers of one connection at the same time, where a connection has several calls. */
const perConnection = 4;
/** Milliseconds that an answer with a reservation waits until it is its turn to be made. */
const patience = 10_000;
/** Milliseconds after which an answer that is still being made, because a database is slow, say, lets others begin. */
const longest = 5_000;
/** Milliseconds between two looks whether clients have made room by reading. */
const lookEvery = 250;

/**
 * Bytes of the largest answer that can be made at all, whatever the configuration allows: V8 has no longer strings than
 * about 512 MiB, and encoding takes several copies.
 */
const largest = Math.min(256 * mebibyte, getHeapStatistics().heap_size_limit / 8);

/** What the calls of one connection share. */
export interface MultiplexedConnection {
  /** Large answers that are being made, or have not left yet. */
  largeAnswers: number;
}

/** Whom an answer is counted for: what limits are counted under, or the principal's id. */
interface Caller {
  readonly id: string;
  readonly limitedAs?: string;
}

/** Where an answer goes: a response or a stream. */
export interface AnswerTarget {
  /** The one room for all that goes there. */
  reservation?: Reservation;
  /** What it shares with others, where its connection has several calls. */
  readonly shared?: MultiplexedConnection;
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

interface Waiter {
  readonly reservation: Reservation;
  readonly bytes: number;
  /** Milliseconds since the epoch: when it gives up. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/**
 * The bytes that calls take in memory, of all connections together: large requests, answers that are being made, and
 * answers that clients have not read yet. A request is reserved before it is read, and refused when there is no room for
 * it, or when its caller has half of all there is. An answer is reserved before it is read from the store, and refused when there is no
 * room for it, or when its caller has half of all there is. Large answers are made one after the other, so that others
 * are served in between.
 */
export class MemoryBudget {
  /** When calls begin. */
  readonly turns: LoopTurns = new LoopTurns();
  readonly #max: number;
  readonly #callers = new Map<string, number>();
  #total = 0;
  /** Bytes of tasks in memory: they leave less room for requests, which would become more of them. */
  #tasks = 0;
  /** Bytes of answers that are being made. */
  #making = 0;
  readonly #makers = new Set<Reservation>();
  readonly #waiting = new Set<Waiter>();
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;
  /** Called when there is no room: bytes that have left meanwhile may be uncounted. */
  onFull: () => void = () => {};

  /** @param max bytes. Default: any number */
  constructor(max: number = Number.POSITIVE_INFINITY) {
    this.#max = max;
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
    if (bytes < 0) this.#schedule();
  }

  /** Counts bytes more, or fewer, of tasks in memory. */
  countTasks(bytes: number): void {
    this.#tasks += bytes;
  }

  /** Called by a reservation whose request has so many bytes. False, and nothing is reserved, when there is no room. */
  admitRequest(reservation: Reservation, size: number): boolean {
    // One large request is served however small the bound is.
    const bytes = Math.min(size * requestCost, this.#max / 2);
    const more = bytes - reservation.bytes;
    if (more <= 0) return true;
    if (!this.#fits(reservation, more + this.#tasks, more)) {
      this.onFull();
      if (!this.#fits(reservation, more + this.#tasks, more)) return false;
    }
    reservation.grow(bytes);
    return true;
  }

  /** Called by a reservation that grows to `bytes`. Resolves when the answer may be made. */
  admit(reservation: Reservation, bytes: number, until: number | undefined): Promise<void> | undefined {
    if (bytes > Math.min(this.#max, largest)) return Promise.reject(tooLargeError(bytes));
    const more = bytes - reservation.bytes;
    if (!this.#fits(reservation, more)) {
      this.onFull();
      if (!this.#fits(reservation, more)) {
        return until === undefined ? Promise.reject(overLimitError()) : this.#wait(reservation, bytes, until);
      }
    }
    reservation.grow(bytes);
    if (this.#waiting.size === 0 && this.#mayBegin(reservation)) {
      this.#begin(reservation);
      return undefined;
    }
    return this.#wait(reservation, bytes, Date.now() + patience);
  }

  /** Called by a reservation whose answer has been made, or never will be. */
  made(reservation: Reservation, bytes: number): void {
    this.#makers.delete(reservation);
    this.#making -= bytes;
    this.#schedule();
  }

  /** Called by a reservation that grows while its answer is made. */
  grown(bytes: number): void {
    this.#making += bytes;
  }

  /** Called when a connection may have another large answer. */
  left(): void {
    this.#schedule();
  }

  /** Called by a reservation that is closed. */
  forget(reservation: Reservation): void {
    for (const waiter of this.#waiting) {
      if (waiter.reservation === reservation) this.#refuse(waiter, new A2AError('canceled'));
    }
    this.#schedule();
  }

  /** @param ofCaller bytes of `more` that count for the reservation's caller. Default: all */
  #fits({ caller, bytes }: Reservation, more: number, ofCaller: number = more): boolean {
    const held = this.#callers.get(caller) ?? 0;
    // One reservation may have more than half.
    return this.#total + more <= this.#max && (held <= bytes || held + ofCaller <= this.#max / 2);
  }

  #mayBegin({ bytes, connection }: Reservation): boolean {
    if (connection && connection.largeAnswers >= perConnection) return false;
    return this.#making === 0 || this.#making + bytes <= atOnce;
  }

  #begin(reservation: Reservation): void {
    this.#makers.add(reservation);
    this.#making += reservation.bytes;
    reservation.begin();
  }

  #wait(reservation: Reservation, bytes: number, until: number): Promise<void> {
    this.#timer ??= setInterval(() => this.#look(), lookEvery).unref();
    return new Promise((resolve, reject) => {
      this.#waiting.add({ reservation, bytes, until, resolve, reject });
      this.#schedule();
    });
  }

  /** What has waited goes on in a turn of the loop of its own: others are served before it. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#goOn();
    });
  }

  #goOn(): void {
    for (const waiter of this.#waiting) {
      const { reservation, bytes } = waiter;
      const more = bytes - reservation.bytes;
      if (more > 0 && !this.#fits(reservation, more)) continue;
      // One that has its turn already only waits for room.
      if (!reservation.isMaking && !this.#mayBegin(reservation)) continue;
      if (more > 0) reservation.grow(bytes);
      if (!reservation.isMaking) this.#begin(reservation);
      this.#leave(waiter);
      waiter.resolve();
    }
  }

  #look(): void {
    const now = Date.now();
    for (const waiter of this.#waiting) if (now >= waiter.until) this.#refuse(waiter, overLimitError());
    if (this.#waiting.size === 0) return;
    for (const reservation of this.#makers) if (now - reservation.begunAt > longest) reservation.encoded();
    this.onFull();
    this.#goOn();
  }

  #refuse(waiter: Waiter, error: A2AError): void {
    this.#leave(waiter);
    waiter.reject(error);
  }

  #leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Room for one call: for its request, where that is large, from before it is read; and for its answer until that has been
 * handed to its connection. The answer takes the request's room first.
 */
export class Reservation implements MemoryReservation {
  readonly #budget: MemoryBudget;
  readonly #target: AnswerTarget;
  /** Whom it is counted for. */
  readonly caller: string;
  readonly connection: MultiplexedConnection | undefined;
  /** Bytes that are reserved. */
  bytes = 0;
  /** Bytes that were counted as being made. */
  #making = 0;
  isMaking = false;
  /** When it was this answer's turn: milliseconds since the epoch. */
  begunAt = 0;
  #inConnection = false;
  #watched = false;
  #closed = false;

  /**
   * @param target where the answer goes; what is reserved is given back when that is closed
   * @param connection absent: the connection has one call at a time
   */
  constructor(
    budget: MemoryBudget,
    { limitedAs, id }: Caller,
    target: AnswerTarget,
    connection?: MultiplexedConnection,
  ) {
    this.#budget = budget;
    this.#target = target;
    this.caller = limitedAs ?? id;
    this.connection = connection;
  }

  /** The room for what goes to a target, which several calls may share. */
  static for(target: AnswerTarget, budget: MemoryBudget, caller: Caller): Reservation {
    target.reservation ??= new Reservation(budget, caller, target, target.shared);
    return target.reservation;
  }

  get isFull(): boolean {
    return this.#budget.isFull;
  }

  get isClosed(): boolean {
    return this.#target.destroyed;
  }

  turn(): Promise<void> | undefined {
    return this.#budget.turns.take();
  }

  count(bytes: number): void {
    this.#budget.count(this.caller, bytes);
  }

  reserve(bytes: number, until?: number): Promise<void> | undefined {
    if (bytes <= this.bytes || bytes <= small) return undefined;
    this.#watch();
    if (this.#closed) return Promise.reject(new A2AError('canceled'));
    return this.#budget.admit(this, bytes, until);
  }

  /**
   * Reserves what a request of so many bytes takes, until the answer, or the first part of it, is handed over.
   *
   * @throws A2AError `unavailable` when there is no room; `canceled` when the client is gone
   */
  reserveRequest(size: number): void {
    if (size <= small) return;
    this.#watch();
    if (this.#closed) throw new A2AError('canceled');
    if (!this.#budget.admitRequest(this, size)) throw overLimitError('requests');
  }

  /** The same for what a large body comes to, which is worked out for large ones alone. */
  reserveParsed(size: number, parsed: () => number): void {
    if (size > small) this.reserveRequest(parsed());
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#target.once('close', () => this.close());
    this.#closed = this.#target.destroyed;
  }

  /** Called by the budget: there is room. */
  grow(bytes: number): void {
    const more = bytes - this.bytes;
    this.bytes = bytes;
    this.count(more);
    if (this.isMaking) {
      this.#making += more;
      this.#budget.grown(more);
    }
  }

  /** Called by the budget: it is this answer's turn to be made. */
  begin(): void {
    this.isMaking = true;
    this.begunAt = Date.now();
    this.#making = this.bytes;
    if (!this.connection || this.#inConnection) return;
    this.#inConnection = true;
    this.connection.largeAnswers += 1;
  }

  encoded(): void {
    if (!this.isMaking) return;
    this.isMaking = false;
    const bytes = this.#making;
    this.#making = 0;
    this.#budget.made(this, bytes);
  }

  release(): void {
    if (this.bytes === 0) return;
    const { bytes } = this;
    this.bytes = 0;
    this.count(-bytes);
    this.encoded();
  }

  /** The client has read what was handed to the connection. */
  left(): void {
    if (!this.connection || !this.#inConnection) return;
    this.#inConnection = false;
    this.connection.largeAnswers -= 1;
    this.#budget.left();
  }

  /** Nothing more is answered. */
  close(): void {
    this.#closed = true;
    this.release();
    this.left();
    if (this.#watched) this.#budget.forget(this);
  }
}

const overLimitError = (what: 'answers' | 'requests' = 'answers'): A2AError =>
  new A2AError('unavailable', `Too many large ${what} are on their way`, { retryAfter: 1 });

const tooLargeError = (bytes: number): A2AError => {
  const size = Math.ceil(bytes / mebibyte);
  return new A2AError('unavailable', `The answer has ${size} MiB, more than the gateway can send`, {
    metadata: { bytes: String(bytes) },
  });
};
