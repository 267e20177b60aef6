import type { Audit } from '../core/audit.ts';

/** Somebody who has not taken all that was written. */
export interface SlowReader {
  /** Bytes that wait now. 0: everything has been taken. */
  readonly waiting: number;
  /** Grows, or changes in any other way, whenever some of it is taken. */
  readonly taken: number;
  /** Network address. */
  readonly remoteAddress: string;
  /** Ends the connection, or the stream, with all that waits for it. */
  cut(): void;
}

export interface SlowReaderLimits {
  /** Milliseconds in which a reader must take something, longer where more than a mebibyte waits. Default 30,000. */
  readonly patience?: number;
  /** Bytes that may wait, of all readers together. Default 256 MiB. */
  readonly buffered?: number;
  readonly audit?: Audit;
  /** Called for each one that is cut off. */
  readonly onCut?: () => void;
}

const mebibyte = 1_048_576;

/** Milliseconds that a reader may need for what waits for it: `patience` for every mebibyte. */
export const patienceFor = (waiting: number, patience: number): number => patience * Math.max(1, waiting / mebibyte);

interface Watched {
  waiting: number;
  taken: number;
  /** When some of it was taken last: milliseconds since the epoch. */
  since: number;
}

/** Milliseconds between two lines of the audit. */
const quiet = 60_000;

/**
 * Bounds what waits in memory for readers that are slow, in bytes and in time. Readers are told of when they do not take
 * at once what was written; who keeps up costs nothing. When too much waits, the one with the most is cut off first.
 */
export class SlowReaders {
  readonly #patience: number;
  readonly #max: number;
  readonly #audit: Audit;
  readonly #onCut: () => void;
  readonly #watched = new Map<SlowReader, Watched>();
  #total = 0;
  #timer: NodeJS.Timeout | undefined;
  #told = 0;

  constructor(limits: SlowReaderLimits = {}) {
    const { patience = 30_000, buffered = 256 * mebibyte, audit = () => {}, onCut = () => {} } = limits;
    this.#patience = patience;
    this.#max = buffered;
    this.#audit = audit;
    this.#onCut = onCut;
  }

  /** A reader that has not taken all that was just written; to be called again whenever more is written. */
  add(reader: SlowReader): void {
    const known = this.#watched.get(reader);
    const { waiting } = reader;
    this.#total += waiting - (known?.waiting ?? 0);
    if (known) known.waiting = waiting;
    else if (waiting > 0) this.#watched.set(reader, { waiting, taken: reader.taken, since: Date.now() });
    this.#timer ??= setInterval(() => this.#sweep(Date.now()), Math.min(1_000, this.#patience / 2)).unref();
    if (this.#total > this.#max) this.#relieve();
  }

  /** The reader is gone. */
  delete(reader: SlowReader): void {
    const known = this.#watched.get(reader);
    if (!known) return;
    this.#total -= known.waiting;
    this.#watched.delete(reader);
  }

  /** Bytes that wait. */
  get total(): number {
    return this.#total;
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
      else if (now - known.since > patienceFor(known.waiting, this.#patience)) this.#cut(reader);
    }
  }

  #look(reader: SlowReader, known: Watched, now: number): void {
    const { waiting, taken } = reader;
    this.#total += waiting - known.waiting;
    known.waiting = waiting;
    if (taken === known.taken) return;
    known.taken = taken;
    known.since = now;
  }

  /** Some may have read on since they were looked at. */
  #relieve(): void {
    const now = Date.now();
    for (const [reader, known] of this.#watched) this.#look(reader, known, now);
    if (this.#total <= this.#max) return;
    const byNeed = [...this.#watched].sort(([, a], [, b]) => b.waiting - a.waiting);
    for (const [reader] of byNeed) {
      if (this.#total <= this.#max) return;
      this.#tell(reader, now);
      this.#cut(reader);
    }
  }

  #cut(reader: SlowReader): void {
    this.delete(reader);
    this.#onCut();
    reader.cut();
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
