import type { LoggedEvent } from '../../core/call.ts';
import { A2AError } from '../../core/errors.ts';

/** What a look at a stream came to: an event, its end, or that nothing came in time, or somebody asked to look. */
export type Next = { readonly kind: 'event'; readonly value: LoggedEvent } | { readonly kind: 'end' | 'nothing' };

const nothing: Next = { kind: 'nothing' };

/** Reads a stream that may be silent: waits no longer than it is told to, and loses nothing meanwhile. */
export class Reader {
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #signal: AbortSignal;
  #pending: Promise<Next> | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, signal: AbortSignal) {
    this.#events = events[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /**
   * The next event, if it comes within `ms` milliseconds. Rejects with what the stream rejects with, and with `canceled`
   * when the signal aborts.
   *
   * @param onWait is given what ends the wait at once
   */
  async next(ms: number, onWait: (look: () => void) => void): Promise<Next> {
    this.#pending ??= this.#events
      .next()
      .then((result): Next => (result.done ? { kind: 'end' } : { kind: 'event', value: result.value }));
    const waiting = Promise.withResolvers<Next>();
    const timer = setTimeout(() => waiting.resolve(nothing), ms);
    const abort = (): void => waiting.reject(A2AError.from(this.#signal.reason));
    this.#signal.addEventListener('abort', abort, { once: true });
    onWait(() => waiting.resolve(nothing));
    if (this.#signal.aborted) abort();
    try {
      const next = await Promise.race([this.#pending, waiting.promise]);
      if (next !== nothing) this.#pending = undefined;
      return next;
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', abort);
    }
  }

  /** Closes the stream. What it still says counts no more. */
  close(): void {
    this.#pending?.catch(() => undefined);
    void this.#events.return?.().catch(() => undefined);
  }
}
