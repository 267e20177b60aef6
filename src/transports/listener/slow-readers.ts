import { MemoryBudget } from '../../core/limits/memory-budget.ts';
import type { Audit } from '../../core/ports/audit.ts';

/** A connection, or a stream of one, whose client has not read all that was written. */
export interface SlowReader {
  /** Whom what waits is counted for. Absent: nobody in particular. */
  readonly caller?: string | undefined;
  /** Bytes that wait now. 0: everything has been taken. */
  readonly pendingBytes: number;
  /** Grows, or changes in any other way, whenever some of it is taken. */
  readonly progress: number;
  /** Network address. */
  readonly remoteAddress: string;
  /** Ends the connection, or the stream, with all that waits for it. */
  disconnect(): void;
}

export interface SlowReaderLimits {
  /** Milliseconds in which a reader must take something, longer where more than a mebibyte waits. Default 30,000. */
  readonly timeout?: number;
  /** Where what waits is counted, with the answers that are being made. Default: one of its own, of 256 MiB. */
  readonly budget?: MemoryBudget;
  readonly audit?: Audit;
  /** Called for each one that is cut off. */
  readonly onDisconnect?: () => void;
}

const mebibyte = 1_048_576;

/** Milliseconds that a reader may need for what waits for it: `patience` for every mebibyte. */
export const readTimeoutFor = (waiting: number, patience: number): number => patience * Math.max(1, waiting / mebibyte);

interface TrackedReader {
  caller: string | undefined;
  waiting: number;
  taken: number;
  /** When some of it was taken last: milliseconds since the epoch. */
  since: number;
}

/** Milliseconds between two lines of the audit. */
const quiet = 60_000;

/**
 * Bounds what waits in memory for clients that read slowly, in bytes and in time. A reader is added when it does not take
 * at once what was written; readers that keep up cost nothing. When more waits than the budget allows, the reader with
 * the most is cut off first.
 */
export class SlowReaders {
  readonly #patience: number;
  /** What waits, and what is about to. */
  readonly budget: MemoryBudget;
  readonly #audit: Audit;
  readonly #onCut: () => void;
  readonly #watched = new Map<SlowReader, TrackedReader>();
  #timer: NodeJS.Timeout | undefined;
  #told = 0;

  constructor(limits: SlowReaderLimits = {}) {
    const { timeout: patience = 30_000, audit = () => {}, onDisconnect: onCut = () => {} } = limits;
    const { budget = new MemoryBudget(256 * mebibyte) } = limits;
    this.#patience = patience;
    this.budget = budget;
    budget.onFull = () => this.#lookAtAll(Date.now());
    this.#audit = audit;
    this.#onCut = onCut;
  }

  /** A reader that has not taken all that was just written; to be called again whenever more is written. */
  add(reader: SlowReader): void {
    const { caller, pendingBytes: waiting } = reader;
    let known = this.#watched.get(reader);
    if (!known && waiting > 0) {
      known = { caller, waiting: 0, taken: reader.progress, since: Date.now() };
      this.#watched.set(reader, known);
    }
    if (known) this.#count(known, caller, waiting);
    this.#timer ??= setInterval(() => this.#sweep(Date.now()), Math.min(1_000, this.#patience / 2)).unref();
    if (this.budget.isOver) this.#relieve();
  }

  /** The reader is gone. */
  delete(reader: SlowReader): void {
    const known = this.#watched.get(reader);
    if (!known) return;
    this.#watched.delete(reader);
    this.budget.count(known.caller, -known.waiting);
  }

  /** How many readers are slow. */
  get size(): number {
    return this.#watched.size;
  }

  #sweep(now: number): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    for (const [reader, known] of this.#watched) {
      this.#look(reader, known, now);
      if (known.waiting === 0) this.#watched.delete(reader);
      else if (now - known.since > readTimeoutFor(known.waiting, this.#patience)) this.#cut(reader);
    }
  }

  #look(reader: SlowReader, known: TrackedReader, now: number): void {
    const { pendingBytes: waiting, progress: taken, caller } = reader;
    this.#count(known, caller, waiting);
    if (taken === known.taken) return;
    known.taken = taken;
    known.since = now;
  }

  #count(known: TrackedReader, caller: string | undefined, waiting: number): void {
    if (known.caller === caller) {
      if (waiting !== known.waiting) this.budget.count(caller, waiting - known.waiting);
    } else {
      this.budget.count(known.caller, -known.waiting);
      this.budget.count(caller, waiting);
      known.caller = caller;
    }
    known.waiting = waiting;
  }

  /** Some may have read on since they were looked at. */
  #lookAtAll(now: number): void {
    for (const [reader, known] of this.#watched) this.#look(reader, known, now);
  }

  #relieve(): void {
    const now = Date.now();
    this.#lookAtAll(now);
    if (!this.budget.isOver) return;
    const byNeed = [...this.#watched].sort(([, a], [, b]) => b.waiting - a.waiting);
    for (const [reader] of byNeed) {
      if (!this.budget.isOver) return;
      this.#tell(reader, now);
      this.#cut(reader);
    }
  }

  #cut(reader: SlowReader): void {
    this.delete(reader);
    this.#onCut();
    reader.disconnect();
  }

  #tell({ remoteAddress: address }: SlowReader, now: number): void {
    if (now - this.#told < quiet) return;
    this.#told = now;
    this.#audit({
      event: 'limit.exceeded',
      reason: 'Too much waited for slow readers; the slowest is cut off',
      address,
    });
  }
}
