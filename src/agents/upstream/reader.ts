import type { LoggedEvent } from '../../core/call.ts';
import type { StreamResponse } from '../../gen/a2a-v1/types.ts';
import type { Patience } from './patience.ts';

/** What a look at a stream came to: an event, its end, or that nothing came in time. */
export type Next =
  | { readonly kind: 'event'; readonly event: StreamResponse }
  | { readonly kind: 'end' }
  | { readonly kind: 'nothing' };

/** Reads a stream that may be silent: waits no longer than it is told to, and loses nothing meanwhile. */
export class Reader {
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #patience: Patience;
  #pending: Promise<Next> | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, patience: Patience) {
    this.#events = events[Symbol.asyncIterator]();
    this.#patience = patience;
  }

  /** The next event, if it comes within `ms` milliseconds. Rejects with what the stream, or the patience, rejects with. */
  async next(ms: number): Promise<Next> {
    this.#pending ??= this.#events
      .next()
      .then((result): Next => (result.done ? { kind: 'end' } : { kind: 'event', event: result.value.event }));
    const waited = this.#patience.wait(ms).then((): Next => ({ kind: 'nothing' }));
    try {
      const next = await Promise.race([this.#pending, waited]);
      if (next.kind !== 'nothing') this.#pending = undefined;
      return next;
    } finally {
      // Nobody waits any more.
      waited.catch(() => undefined);
      this.#patience.end();
    }
  }

  /** Closes the stream. What it still says counts no more. */
  close(): void {
    this.#pending?.catch(() => undefined);
    void this.#events.return?.().catch(() => undefined);
  }
}
