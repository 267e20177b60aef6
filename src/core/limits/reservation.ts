import type { MemoryReservation } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { type MultiplexedConnection, overLimitError, type QueuedReservation } from './answer-queue.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** Bytes of an answer or a request that needs no reservation. */
const small = 65_536;

/** The principal that an answer is counted for, by its limit key or its id. */
interface Caller {
  readonly id: string;
  readonly limitedAs?: string;
}

/** Where an answer goes: a response or a stream. */
export interface AnswerTarget {
  /** The one reservation for all that goes there. */
  reservation?: Reservation;
  /** What it shares with others, where its connection has several calls. */
  readonly shared?: MultiplexedConnection;
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Room for one call: for a large request before it is read, then for its answer until the connection has it. */
export class Reservation implements MemoryReservation, QueuedReservation {
  readonly #budget: MemoryBudget;
  readonly #target: AnswerTarget;
  readonly caller: string;
  readonly connection: MultiplexedConnection | undefined;
  bytes = 0;
  /** Bytes that the queue counts as being encoded. */
  #encodingBytes = 0;
  isEncoding = false;
  startedAt = 0;
  #inConnection = false;
  #watched = false;
  #closed = false;

  /**
   * @param target where the answer goes; what is reserved is released when the target is closed
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

  /** The reservation for what goes to a target, which several calls may share. */
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

  count(bytes: number): void {
    this.#budget.count(this.caller, bytes);
  }

  reserve(bytes: number, until?: number): Promise<void> | undefined {
    if (bytes <= this.bytes || bytes <= small) return undefined;
    this.#watch();
    if (this.#closed) return Promise.reject(new A2AError('canceled'));
    return this.#budget.admitAnswer(this, bytes, until);
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

  /** The same for the size of a parsed body, which is computed for large bodies alone. */
  reserveParsed(size: number, parsed: () => number): void {
    if (size > small) this.reserveRequest(parsed());
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#target.once('close', () => this.close());
    this.#closed = this.#target.destroyed;
  }

  grow(bytes: number): void {
    const more = bytes - this.bytes;
    this.bytes = bytes;
    this.count(more);
    if (this.isEncoding) {
      this.#encodingBytes += more;
      this.#budget.queue.grown(more);
    }
  }

  start(): void {
    this.isEncoding = true;
    this.startedAt = Date.now();
    this.#encodingBytes = this.bytes;
    if (!this.connection || this.#inConnection) return;
    this.#inConnection = true;
    this.connection.largeAnswers += 1;
  }

  encoded(): void {
    if (!this.isEncoding) return;
    this.isEncoding = false;
    const bytes = this.#encodingBytes;
    this.#encodingBytes = 0;
    this.#budget.queue.leave(this, bytes);
  }

  release(): void {
    if (this.bytes === 0) return;
    const { bytes } = this;
    this.bytes = 0;
    this.count(-bytes);
    this.encoded();
  }

  /** The client has read what was handed to the connection. */
  drained(): void {
    if (!this.connection || !this.#inConnection) return;
    this.#inConnection = false;
    this.connection.largeAnswers -= 1;
    this.#budget.queue.schedule();
  }

  /** Nothing more is answered. */
  close(): void {
    this.#closed = true;
    this.release();
    this.drained();
    if (this.#watched) this.#budget.queue.cancel(this);
  }
}
