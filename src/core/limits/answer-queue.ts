import { A2AError } from '../model/errors.ts';

const mebibyte = 1_048_576;
/** Bytes of answers that are read and encoded at the same time, which takes several times as many; or one answer. */
const concurrentBytes = 16 * mebibyte;
/** Large answers of one connection at the same time, where a connection has several calls. */
const perConnection = 4;
/** Milliseconds that an answer with a reservation waits for its turn. */
const turnTimeout = 10_000;
/** Milliseconds after which an answer that is still being encoded lets others start: its database may be slow. */
const longestEncoding = 5_000;
/** Milliseconds between two checks whether clients have made room by reading. */
const checkInterval = 250;

/** What the calls of one connection share. */
export interface MultiplexedConnection {
  /** Large answers that are being encoded, or have not left yet. */
  largeAnswers: number;
}

/** A reservation as the queue and the budget see it. */
export interface QueuedReservation {
  /** The caller that its bytes count for. */
  readonly caller: string;
  /** Undefined: the connection has one call at a time. */
  readonly connection: MultiplexedConnection | undefined;
  /** Bytes that are reserved. */
  readonly bytes: number;
  readonly isEncoding: boolean;
  /** When its turn came: milliseconds since the epoch. */
  readonly startedAt: number;
  /** There is room for so many bytes in all. */
  grow(bytes: number): void;
  /** Its turn has come. */
  start(): void;
  /** The answer has been read and encoded: others may start. */
  encoded(): void;
}

/** The budget, as far as the queue needs it. */
export interface QueueBudget {
  fits(reservation: QueuedReservation, more: number): boolean;
  /** Uncounts the bytes that have left meanwhile. */
  reclaim(): void;
}

interface WaitingAnswer {
  readonly reservation: QueuedReservation;
  readonly bytes: number;
  /** Milliseconds since the epoch: when it gives up. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/** The order in which large answers are encoded: few at a time, so that other calls are served in between. */
export class AnswerQueue {
  readonly #budget: QueueBudget;
  /** Bytes of answers that are being encoded. */
  #bytes = 0;
  readonly #encoding = new Set<QueuedReservation>();
  readonly #waiting = new Set<WaitingAnswer>();
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(budget: QueueBudget) {
    this.#budget = budget;
  }

  /** Resolves when it is the answer's turn; undefined: at once. */
  enter(reservation: QueuedReservation): Promise<void> | undefined {
    if (this.#waiting.size > 0 || !this.#mayStart(reservation))
      return this.wait(reservation, reservation.bytes, Date.now() + turnTimeout);
    this.#start(reservation);
    return undefined;
  }

  /** Resolves when there is room for so many bytes and it is the answer's turn; rejects at `until`. */
  wait(reservation: QueuedReservation, bytes: number, until: number): Promise<void> {
    this.#timer ??= setInterval(() => this.#check(), checkInterval).unref();
    return new Promise((resolve, reject) => {
      this.#waiting.add({ reservation, bytes, until, resolve, reject });
      this.schedule();
    });
  }

  /** Called by a reservation that grows while its answer is encoded. */
  grown(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Called by a reservation whose answer of so many bytes has been encoded, or never will be. */
  leave(reservation: QueuedReservation, bytes: number): void {
    this.#encoding.delete(reservation);
    this.#bytes -= bytes;
    this.schedule();
  }

  /** Called by a reservation that is closed. */
  cancel(reservation: QueuedReservation): void {
    for (const waiting of this.#waiting) {
      if (waiting.reservation === reservation) this.#refuse(waiting, new A2AError('canceled'));
    }
    this.schedule();
  }

  /** To be called when there may be room: waiting answers go on in a turn of the event loop of their own. */
  schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#advance();
    });
  }

  #mayStart({ bytes, connection }: QueuedReservation): boolean {
    if (connection && connection.largeAnswers >= perConnection) return false;
    return this.#bytes === 0 || this.#bytes + bytes <= concurrentBytes;
  }

  #start(reservation: QueuedReservation): void {
    this.#encoding.add(reservation);
    this.#bytes += reservation.bytes;
    reservation.start();
  }

  #advance(): void {
    for (const waiting of this.#waiting) {
      const { reservation, bytes } = waiting;
      const more = bytes - reservation.bytes;
      if (more > 0 && !this.#budget.fits(reservation, more)) continue;
      // An answer that has its turn already only waits for room.
      if (!reservation.isEncoding && !this.#mayStart(reservation)) continue;
      if (more > 0) reservation.grow(bytes);
      if (!reservation.isEncoding) this.#start(reservation);
      this.#remove(waiting);
      waiting.resolve();
    }
  }

  #check(): void {
    const now = Date.now();
    for (const waiting of this.#waiting) if (now >= waiting.until) this.#refuse(waiting, overLimitError('answers'));
    if (this.#waiting.size === 0) return;
    for (const reservation of this.#encoding) if (now - reservation.startedAt > longestEncoding) reservation.encoded();
    this.#budget.reclaim();
    this.#advance();
  }

  #refuse(waiting: WaitingAnswer, error: A2AError): void {
    this.#remove(waiting);
    waiting.reject(error);
  }

  #remove(waiting: WaitingAnswer): void {
    this.#waiting.delete(waiting);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** There is no room for another large answer or request at the moment. */
export const overLimitError = (what: 'answers' | 'requests'): A2AError =>
  new A2AError('unavailable', `Too many large ${what} are in progress; try again`, { retryAfter: 1 });
