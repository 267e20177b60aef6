import type { Writable } from 'node:stream';
import { MemoryBudget } from '../../core/limits/memory-budget.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { Audit } from '../../core/ports/audit.ts';

/** A connection or an HTTP/2 stream whose client has not read everything that was written. */
export interface SlowReader {
  /** Id of the caller under which pending bytes are counted. Absent: no caller. */
  readonly caller?: string | undefined;
  /** Bytes that the client has not read. */
  readonly pendingBytes: number;
  /** Changes whenever the client reads some bytes. */
  readonly progress: number;
  readonly remoteAddress: string;
  /** Ends the connection or the stream, and drops its pending bytes. */
  disconnect(): void;
}

interface SlowReaderLimits {
  /** Milliseconds in which a client must read something, for each pending mebibyte. Default 30,000. */
  readonly timeout?: number;
  /** Counts pending bytes together with answers in preparation. Default: a budget of its own, of 256 MiB. */
  readonly budget?: MemoryBudget;
  readonly audit?: Audit;
  /** Called for each client that is disconnected. */
  readonly onDisconnect?: () => void;
}

const mebibyte = 1_048_576;

/** Milliseconds in which a client must read: `timeout` for every pending mebibyte, and at least `timeout`. */
export const readTimeoutFor = (pendingBytes: number, timeout: number): number =>
  timeout * Math.max(1, pendingBytes / mebibyte);

/**
 * Waits until a client has read what was written, or is gone. Resolves with false when it reads too slowly.
 *
 * @param timeout milliseconds in which the client must read a mebibyte, or everything where that is less
 */
export function drained(stream: Writable, timeout: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onDrain = (): void => resolve(true);
  const timer = setTimeout(resolve, readTimeoutFor(stream.writableLength, timeout), false);
  stream.on('drain', onDrain).on('close', onDrain);
  return promise.finally(() => {
    clearTimeout(timer);
    stream.off('drain', onDrain).off('close', onDrain);
  });
}

/** Characters or bytes of a body that are written at once: the rest waits until the client has read them. */
const sliceLength = 262_144;

/** The first part of a body that is larger than what is written at once, and the rest of it; undefined for others. */
export function sliced<Body extends string | Buffer>(body: Body): readonly [first: Body, rest: Body] | undefined {
  if (body.length <= sliceLength) return undefined;
  if (typeof body !== 'string') return [body.subarray(0, sliceLength) as Body, body.subarray(sliceLength) as Body];
  // The halves of a surrogate pair are encoded together.
  const isCut = (body.charCodeAt(sliceLength - 1) & 0xfc00) === 0xd800;
  const end = isCut ? sliceLength - 1 : sliceLength;
  return [body.slice(0, end) as Body, body.slice(end) as Body];
}

interface TrackedReader {
  caller: string | undefined;
  pendingBytes: number;
  progress: number;
  /** Time when the client last read something, by `steadyNow`. */
  since: number;
}

/** Milliseconds between two audit events. */
const auditInterval = 60_000;

/**
 * Limits the bytes that wait in memory for slow clients, and the time that they wait. A reader is added when it does not
 * read at once what was written; readers that keep up cost nothing. When the budget is exceeded, the readers with the most
 * pending bytes are disconnected first.
 */
export class SlowReaders {
  readonly #timeout: number;
  readonly budget: MemoryBudget;
  readonly #limits: SlowReaderLimits;
  readonly #tracked = new Map<SlowReader, TrackedReader>();
  #timer: NodeJS.Timeout | undefined;
  #auditedAt = 0;

  constructor(limits: SlowReaderLimits = {}) {
    this.#timeout = limits.timeout ?? 30_000;
    this.budget = limits.budget ?? new MemoryBudget(256 * mebibyte);
    this.budget.onFull = () => this.#updateAll(steadyNow());
    this.#limits = limits;
  }

  /** Adds a reader that has not read everything; called again whenever more is written. */
  add(reader: SlowReader): void {
    const { caller, pendingBytes } = reader;
    let tracked = this.#tracked.get(reader);
    if (!tracked && pendingBytes > 0) {
      tracked = { caller, pendingBytes: 0, progress: reader.progress, since: steadyNow() };
      this.#tracked.set(reader, tracked);
    }
    if (tracked) this.#count(tracked, caller, pendingBytes);
    this.#timer ??= setInterval(() => this.#check(steadyNow()), Math.min(1_000, this.#timeout / 2)).unref();
    if (this.budget.isOver) this.#freeMemory();
  }

  delete(reader: SlowReader): void {
    const tracked = this.#tracked.get(reader);
    if (!tracked) return;
    this.#tracked.delete(reader);
    this.budget.count(tracked.caller, -tracked.pendingBytes);
  }

  get size(): number {
    return this.#tracked.size;
  }

  #check(now: number): void {
    if (this.#tracked.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    for (const [reader, tracked] of this.#tracked) {
      this.#update(reader, tracked, now);
      if (tracked.pendingBytes === 0) this.#tracked.delete(reader);
      else if (now - tracked.since > readTimeoutFor(tracked.pendingBytes, this.#timeout)) this.#disconnect(reader);
    }
  }

  #update(reader: SlowReader, tracked: TrackedReader, now: number): void {
    const { pendingBytes, progress, caller } = reader;
    this.#count(tracked, caller, pendingBytes);
    if (progress === tracked.progress) return;
    tracked.progress = progress;
    tracked.since = now;
  }

  #count(tracked: TrackedReader, caller: string | undefined, pendingBytes: number): void {
    if (tracked.caller === caller) {
      if (pendingBytes !== tracked.pendingBytes) this.budget.count(caller, pendingBytes - tracked.pendingBytes);
    } else {
      this.budget.count(tracked.caller, -tracked.pendingBytes);
      this.budget.count(caller, pendingBytes);
      tracked.caller = caller;
    }
    tracked.pendingBytes = pendingBytes;
  }

  /** Readers may have read on since the last check. */
  #updateAll(now: number): void {
    for (const [reader, tracked] of this.#tracked) this.#update(reader, tracked, now);
  }

  #freeMemory(): void {
    const now = steadyNow();
    this.#updateAll(now);
    if (!this.budget.isOver) return;
    const bySize = [...this.#tracked].sort(([, a], [, b]) => b.pendingBytes - a.pendingBytes);
    for (const [reader] of bySize) {
      if (!this.budget.isOver) return;
      this.#reportDisconnect(reader, now);
      this.#disconnect(reader);
    }
  }

  #disconnect(reader: SlowReader): void {
    this.delete(reader);
    this.#limits.onDisconnect?.();
    reader.disconnect();
  }

  #reportDisconnect({ remoteAddress: address }: SlowReader, now: number): void {
    if (now - this.#auditedAt < auditInterval) return;
    this.#auditedAt = now;
    const reason = 'Too many bytes were pending for slow clients; the one with the most was disconnected';
    this.#limits.audit?.({ event: 'limit.exceeded', reason, address });
  }
}
