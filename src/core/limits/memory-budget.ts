import { getHeapStatistics } from 'node:v8';
import { TransientMap } from '../collections/transient-map.ts';
import type { AnswerSink, MemoryReservation, RequestHead } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { steadyNow } from '../model/timing.ts';

const mebibyte = 1_048_576;
/** Bytes reserved for each byte of a large request: for its body, the parsed request, its event, and the task. */
const requestCost = 4;
/**
 * Bytes of the largest possible answer: V8's strings have at most about 512 MiB, and encoding takes several copies, with up to
 * two bytes in memory for each byte of UTF-8.
 */
const largest = Math.min(256 * mebibyte, getHeapStatistics().heap_size_limit / 16);
/** Largest number of bytes of all calls together: the program itself takes part of a small heap. */
const largestShare = getHeapStatistics().heap_size_limit / 3;
/** Bytes of an answer or a request that needs no reservation. */
const small = 65_536;

/**
 * The bytes that calls take in memory, of all connections together: large requests, answers that are being encoded, and answers
 * that clients have not read yet. A large request is reserved before its body is read, a large answer before it is read from the
 * store; either is refused if there is no room, or if its caller already holds half of the budget.
 */
export class MemoryBudget {
  /** The order in which large answers are encoded. */
  readonly queue: AnswerQueue = new AnswerQueue(this);
  /** Bytes that are counted now. */
  total = 0;
  readonly largestAnswer: number;
  readonly #max: number;
  readonly #callers = new TransientMap<number>();
  /** Bytes of tasks in memory. They reduce the room for requests, which would add to them. */
  #tasks = 0;
  /**
   * Bytes among them that cannot be read again from the store: unwritten events, and tasks that were given to agents.
   */
  #heldByTasks = 0;
  /** Called when there is no room: uncounts bytes that have been sent meanwhile. */
  onFull: () => void = () => {};

  /** @param max bytes, limited further by the heap's size. Default: any number */
  constructor(max: number = Number.POSITIVE_INFINITY) {
    this.#max = max === Number.POSITIVE_INFINITY ? max : Math.min(max, largestShare);
    this.largestAnswer = Math.min(this.#max, largest);
  }

  /** Whether more bytes are counted than there is room for. */
  get isOver(): boolean {
    return this.total > this.#max;
  }

  /** Whether there is no room left. */
  get isFull(): boolean {
    return this.total >= this.#max;
  }

  /** Adds bytes to the count, or subtracts them, for a caller or for none. */
  count(caller: string | undefined, bytes: number): void {
    this.total += bytes;
    if (caller !== undefined) {
      const held = (this.#callers.get(caller) ?? 0) + bytes;
      if (held === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, held);
    }
    if (bytes < 0) this.queue.schedule();
  }

  /** Adds bytes of tasks in memory to the count, or subtracts them: of folded tasks, and of tasks that must stay. */
  countTasks(folded: number, held: number): void {
    this.#tasks += folded + held;
    this.#heldByTasks += held;
  }

  /** Whether tasks have reached the memory limit for all tasks: the size of the largest answer. */
  get tasksAreCrowded(): boolean {
    return this.#tasks > this.largestAnswer;
  }

  /** Whether the tasks that must stay in memory exceed the memory limit for all tasks. */
  get tasksHoldTooMuch(): boolean {
    return this.#heldByTasks > this.largestAnswer;
  }

  /** Bytes that a single task may hold, however small the bound is. */
  get largestTask(): number {
    return getHeapStatistics().heap_size_limit / 8;
  }

  /** Whether an agent can be given a task of this size. One task is given however small the bound is. */
  fitsTask(bytes: number): boolean {
    return bytes <= small || this.#heldByTasks <= small || this.#heldByTasks + bytes <= this.largestAnswer;
  }

  /** Throws `unavailable` unless `fitsTask` permits a task of this size. */
  requireFit(bytes: number): void {
    if (!this.fitsTask(bytes)) throw overLimitError('tasks');
  }

  /** Called by a reservation with the size of its request. If there is no room, it reserves nothing and returns false. */
  admitRequest(reservation: Reservation, size: number): boolean {
    // One large request is served however small the bound is.
    const bytes = Math.min(size * requestCost, this.#max / 2);
    const more = bytes - reservation.bytes;
    if (more <= 0) return true;
    if (!this.#fitsAfterReclaim(reservation, more + this.#tasks, more)) return false;
    reservation.grow(bytes);
    return true;
  }

  /** Called by a reservation that grows to `bytes`. Resolves when the answer may be encoded. */
  admitAnswer(reservation: Reservation, bytes: number, until: number | undefined): Promise<void> | undefined {
    if (bytes > this.largestAnswer) return Promise.reject(tooLargeError(bytes, this.largestAnswer));
    if (!this.#fitsAfterReclaim(reservation, bytes - reservation.bytes)) {
      return until === undefined
        ? Promise.reject(overLimitError('answers'))
        : this.queue.wait(reservation, bytes, until);
    }
    reservation.grow(bytes);
    return this.queue.enter(reservation);
  }

  #fitsAfterReclaim(reservation: Reservation, more: number, ofCaller?: number): boolean {
    if (this.fits(reservation, more, ofCaller)) return true;
    this.onFull();
    return this.fits(reservation, more, ofCaller);
  }

  /** Whether there is room for `more` bytes, of which `ofCaller` count for the reservation's caller. */
  fits({ caller, bytes }: Reservation, more: number, ofCaller: number = more): boolean {
    const held = this.#callers.get(caller) ?? 0;
    // One reservation may have more than half.
    return this.total + more <= this.#max && (held <= bytes || held + ofCaller <= this.#max / 2);
  }
}

/**
 * Bytes of answers that are read and encoded at the same time, which takes several times as much memory. A single answer may be
 * larger.
 */
const concurrentBytes = Math.min(16 * mebibyte, getHeapStatistics().heap_size_limit / 16);
/** Largest number of large answers that one multiplexed connection encodes or sends at the same time. */
const perConnection = 4;
/** Milliseconds that an answer with a reservation waits for its turn. */
const turnTimeout = 10_000;
/** Milliseconds after which an answer that is still being encoded lets others start: its database may be slow. */
const longestEncoding = 5_000;
/** Milliseconds between two checks whether clients have made room by reading. */
const checkInterval = 250;

interface WaitingAnswer {
  readonly reservation: Reservation;
  readonly bytes: number;
  /** Time at which the answer stops waiting, by `steadyNow`. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/** The order in which large answers are encoded: few at a time, so that other calls are served in between. */
export class AnswerQueue {
  readonly #budget: MemoryBudget;
  /** Bytes of answers that are being encoded. */
  #bytes = 0;
  readonly #encoding = new Set<Reservation>();
  readonly #waiting = new Set<WaitingAnswer>();
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Resolves when it is the answer's turn; undefined: at once. */
  enter(reservation: Reservation): Promise<void> | undefined {
    if (reservation.isEncoding) return undefined;
    if (this.#waiting.size > 0 || !this.#mayStart(reservation))
      return this.wait(reservation, reservation.bytes, steadyNow() + turnTimeout);
    this.#start(reservation);
    return undefined;
  }

  /** Resolves when there is room for so many bytes and it is the answer's turn; rejects at `until`. */
  wait(reservation: Reservation, bytes: number, until: number): Promise<void> {
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

  /** Called by a reservation whose answer of `bytes` has been encoded, or never will be. */
  leave(reservation: Reservation, bytes: number): void {
    this.#encoding.delete(reservation);
    this.#bytes -= bytes;
    this.schedule();
  }

  /** Called by a reservation that is closed. */
  cancel(reservation: Reservation): void {
    for (const waiting of this.#waiting) {
      if (waiting.reservation === reservation) this.#refuse(waiting, new A2AError('canceled'));
    }
    this.schedule();
  }

  /** Called when there may be room. Waiting answers continue in a later turn of the event loop. */
  schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#advance();
    });
  }

  #mayStart({ bytes, connection }: Reservation): boolean {
    if (connection && connection.largeAnswers >= perConnection) return false;
    return this.#bytes === 0 || this.#bytes + bytes <= concurrentBytes;
  }

  #start(reservation: Reservation): void {
    this.#encoding.add(reservation);
    this.#bytes += reservation.bytes;
    reservation.start();
  }

  #advance(): void {
    for (const waiting of this.#waiting) {
      const { reservation, bytes } = waiting;
      const more = bytes - reservation.bytes;
      if (more > 0 && !this.#budget.fits(reservation, more)) continue;
      // An answer whose turn has come only waits for room.
      if (!reservation.isEncoding && !this.#mayStart(reservation)) continue;
      if (more > 0) reservation.grow(bytes);
      if (!reservation.isEncoding) this.#start(reservation);
      this.#remove(waiting);
      waiting.resolve();
    }
  }

  #check(): void {
    const now = steadyNow();
    for (const waiting of this.#waiting) if (now >= waiting.until) this.#refuse(waiting, overLimitError('answers'));
    if (this.#waiting.size === 0) return;
    for (const reservation of this.#encoding) if (now - reservation.startedAt > longestEncoding) reservation.encoded();
    this.#budget.onFull();
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

/** State shared by the calls of one connection. */
export interface MultiplexedConnection {
  /** Number of large answers that are being encoded, or have not been sent completely. */
  largeAnswers: number;
  readonly remoteAddress?: string;
}

/** The principal that an answer is counted for, by its limit key or its id. */
type Caller = Pick<Principal, 'id' | 'limitedAs'>;

/** Target of an answer, with its reservation. */
export interface AnswerTarget extends AnswerSink {
  /** The one reservation for everything sent there. */
  reservation?: Reservation;
  /** State shared with other targets, if the connection has several calls. */
  readonly shared?: MultiplexedConnection;
}

/** Room for one call: for a large request before it is read, then for its answer until the connection has it. */
export class Reservation implements MemoryReservation {
  readonly #budget: MemoryBudget;
  readonly target: AnswerSink;
  readonly caller: string;
  readonly connection: MultiplexedConnection | undefined;
  bytes = 0;
  sent: Uint8Array | undefined = undefined;
  head: RequestHead | undefined = undefined;
  /** Bytes that the queue counts as being encoded. */
  #encodingBytes = 0;
  isEncoding = false;
  startedAt = 0;
  #inConnection = false;
  #watched = false;
  #closed = false;

  /** @param target its close releases the reservation. `connection`: absent if the connection has one call at a time */
  constructor(budget: MemoryBudget, caller: Caller, target: AnswerTarget, connection?: MultiplexedConnection) {
    this.#budget = budget;
    this.target = target;
    this.caller = caller.limitedAs ?? caller.id;
    this.connection = connection;
  }

  get isFull(): boolean {
    return this.#budget.isFull;
  }

  get largest(): number {
    return this.#budget.largestAnswer;
  }

  get address(): string | undefined {
    return this.connection?.remoteAddress ?? this.target.socket?.remoteAddress;
  }

  get isClosed(): boolean {
    return this.target.destroyed;
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

  /** Reserves a request's memory until its answer is handed over. Throws `unavailable` without room, or `canceled`. */
  reserveRequest(size: number): void {
    if (size <= small) return;
    this.#watch();
    if (this.#closed) throw new A2AError('canceled');
    if (this.#budget.admitRequest(this, size)) return;
    // Requests that arrived together would otherwise refuse each other: each holds the room that another one needs.
    this.release();
    throw overLimitError('requests');
  }

  /** Reserves like `reserveRequest`, by the size of a parsed body, which is computed for large bodies alone. */
  reserveParsed(size: number, parsed: () => number): void {
    if (size > small) this.reserveRequest(parsed());
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.target.once('close', () => this.close());
    this.#closed = this.target.destroyed;
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
    this.startedAt = steadyNow();
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

  /** Reports that the client has read all data handed to the connection. */
  drained(): void {
    if (!this.connection || !this.#inConnection) return;
    this.#inConnection = false;
    this.connection.largeAnswers -= 1;
    this.#budget.queue.schedule();
  }

  /** Closes the reservation: nothing more is sent. */
  close(): void {
    this.#closed = true;
    this.sent = undefined;
    this.head = undefined;
    this.release();
    this.drained();
    if (this.#watched) this.#budget.queue.cancel(this);
  }
}

/** Returns the error for a lack of room for another large answer or request. */
const overLimitError = (what: 'answers' | 'requests' | 'tasks'): A2AError =>
  new A2AError('unavailable', `Too many large ${what} are in progress; try again`, { retryAfter: 1 });

const tooLargeError = (bytes: number, limit: number): A2AError => {
  const mebibytes = (size: number): string => `${Math.ceil((size / mebibyte) * 10) / 10} MiB`;
  return new A2AError(
    'answerTooLarge',
    `The answer has ${mebibytes(bytes)}, and the largest that this gateway sends has ${mebibytes(limit)} ` +
      '(limits.buffered, a sixteenth of the heap, or 256 MiB). A task can be read in parts: subscribe to it with the header ' +
      '`Last-Event-ID: 0`, which streams its events one by one',
    { metadata: { bytes: `${bytes}`, limitBytes: `${Math.floor(limit)}` } },
  );
};
