import type { StreamResponse } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';

/** What reading a stream gave: an event, the end of the stream, or nothing in time. */
export type ReadResult =
  | { readonly kind: 'event'; readonly event: StreamResponse }
  | { readonly kind: 'end' }
  | { readonly kind: 'nothing' };

/** How long an abandoned stream is drained: milliseconds and events. */
const drainLimit = { ms: 250, events: 8 } as const;

/** Reads a stream that may be silent, with a time limit for each event. No event is lost when the time is up. */
export class StreamReader {
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #wait: InterruptibleWait;
  #pending: Promise<ReadResult> | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, wait: InterruptibleWait) {
    this.#events = events[Symbol.asyncIterator]();
    this.#wait = wait;
  }

  /** The next event within `ms` milliseconds. Rejects when the stream breaks or the turn is aborted. */
  async next(ms: number): Promise<ReadResult> {
    const timeout = this.#wait.for(ms).then((): ReadResult => ({ kind: 'nothing' }));
    try {
      return await Promise.race([this.#read(), timeout]);
    } finally {
      timeout.catch(() => undefined);
      this.#wait.interrupt();
    }
  }

  /** Abandons the stream. It is drained in the background if it is about to end, so that its connection can be reused. */
  close(): void {
    void this.#drain();
  }

  #read(): Promise<ReadResult> {
    this.#pending ??= this.#events.next().then((result): ReadResult => {
      this.#pending = undefined;
      return result.done ? { kind: 'end' } : { kind: 'event', event: result.value.event };
    });
    return this.#pending;
  }

  async #drain(): Promise<void> {
    const timeout = Promise.withResolvers<ReadResult>();
    const timer = setTimeout(() => timeout.resolve({ kind: 'nothing' }), drainLimit.ms);
    try {
      for (let left: number = drainLimit.events; left > 0; left--) {
        const { kind } = await Promise.race([this.#read(), timeout.promise]);
        if (kind === 'end') return;
        if (kind === 'nothing') break;
      }
      this.#pending?.catch(() => undefined);
      await this.#events.return?.();
    } catch {
      // A broken stream needs no closing.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The waits of one turn, one at a time. Each can be interrupted. */
export class InterruptibleWait {
  readonly #signal: AbortSignal;
  #current: PromiseWithResolvers<void> | undefined;
  #listening = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the turn is aborted. */
  get aborted(): boolean {
    return this.#signal.aborted;
  }

  /** Ends the current wait. */
  interrupt(): void {
    this.#current?.resolve();
  }

  /** Resolves after `ms` milliseconds or when interrupted. Rejects with `canceled` when the turn is aborted. */
  async for(ms: number): Promise<void> {
    if (this.aborted) throw A2AError.from(this.#signal.reason);
    const current = Promise.withResolvers<void>();
    this.#current = current;
    this.#listen();
    const timer = setTimeout(() => current.resolve(), ms);
    try {
      await current.promise;
    } finally {
      clearTimeout(timer);
      if (this.#current === current) this.#current = undefined;
    }
  }

  /** Added with the first wait: most turns never wait. */
  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    const signal = this.#signal;
    signal.addEventListener('abort', () => this.#current?.reject(A2AError.from(signal.reason)), { once: true });
  }
}
