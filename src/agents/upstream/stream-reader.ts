import type { StreamResponse } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';

/** What a look at a stream came to: an event, its end, or that nothing came in time. */
export type ReadResult =
  | { readonly kind: 'event'; readonly event: StreamResponse }
  | { readonly kind: 'end' }
  | { readonly kind: 'nothing' };

/** How long a stream is still read that nobody listens to any more: milliseconds and events. */
const parting = { ms: 250, events: 8 } as const;

/** Reads a stream that may be silent: waits no longer than it is told to, and loses nothing meanwhile. */
export class StreamReader {
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #wait: InterruptibleWait;
  #pending: Promise<ReadResult> | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, patience: InterruptibleWait) {
    this.#events = events[Symbol.asyncIterator]();
    this.#wait = patience;
  }

  /** The next event, if it comes within `ms` milliseconds. Rejects with what the stream, or the patience, rejects with. */
  async next(ms: number): Promise<ReadResult> {
    const waited = this.#wait.for(ms).then((): ReadResult => ({ kind: 'nothing' }));
    try {
      return await Promise.race([this.#read(), waited]);
    } finally {
      // Nobody waits any more.
      waited.catch(() => undefined);
      this.#wait.interrupt();
    }
  }

  /**
   * Leaves the stream: what it still says counts no more. One that is about to end is read to its end in the background,
   * so that its connection can be used again.
   */
  close(): void {
    void this.#leave();
  }

  /** The event that is waited for, until it has come. */
  #read(): Promise<ReadResult> {
    this.#pending ??= this.#events.next().then((result): ReadResult => {
      this.#pending = undefined;
      return result.done ? { kind: 'end' } : { kind: 'event', event: result.value.event };
    });
    return this.#pending;
  }

  async #leave(): Promise<void> {
    const late = Promise.withResolvers<ReadResult>();
    const timer = setTimeout(() => late.resolve({ kind: 'nothing' }), parting.ms);
    try {
      for (let left: number = parting.events; left > 0; left--) {
        const { kind } = await Promise.race([this.#read(), late.promise]);
        if (kind === 'end') return;
        if (kind === 'nothing') break;
      }
      this.#pending?.catch(() => undefined);
      await this.#events.return?.();
    } catch {
      // It has broken, which is an end as well.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Waits of one turn, which somebody may end before their time. */
export class InterruptibleWait {
  readonly #signal: AbortSignal;
  #waiting: PromiseWithResolvers<void> | undefined;
  #listening = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the turn is to end. */
  get aborted(): boolean {
    return this.#signal.aborted;
  }

  /** Ends the wait that is under way. */
  interrupt(): void {
    this.#waiting?.resolve();
  }

  /** Most turns never wait, and need no ear. */
  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    const signal = this.#signal;
    signal.addEventListener('abort', () => this.#waiting?.reject(A2AError.from(signal.reason)), { once: true });
  }

  /** Resolves after so many milliseconds, or when the wait is ended. Rejects with `canceled` when the turn is to end. */
  async for(ms: number): Promise<void> {
    if (this.aborted) throw A2AError.from(this.#signal.reason);
    const waiting = Promise.withResolvers<void>();
    this.#waiting = waiting;
    this.#listen();
    const timer = setTimeout(() => waiting.resolve(), ms);
    try {
      await waiting.promise;
    } finally {
      clearTimeout(timer);
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }
}
