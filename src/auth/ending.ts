import type { Invoke, LoggedEvent } from '../core/call.ts';
import { isStream } from '../core/call.ts';
import { A2AError } from '../core/errors.ts';

/** The longest that a timer can wait, milliseconds. */
const longest = 2 ** 31 - 1;

/**
 * Middleware: a stream ends, with `unauthenticated`, when what its caller showed ends; otherwise whoever has shown a token
 * once would go on listening for as long as the connection holds. With a new one the caller goes on after the last event.
 */
export function endWithCredentials(next: Invoke): Invoke {
  return async (call) => {
    const reply = await next(call);
    const { until } = call.context.principal;
    if (until === undefined || !isStream(reply)) return reply;
    return { ...reply, events: new EndingEvents(reply.events, until) };
  };
}

/** Events up to a moment, also for a reader who waits for the next one then. */
class EndingEvents implements AsyncIterableIterator<LoggedEvent> {
  readonly #source: AsyncIterator<LoggedEvent>;
  readonly #until: number;
  #timer: NodeJS.Timeout;
  #ended = false;
  /** Ends the reader's wait. */
  #refuse: ((error: A2AError) => void) | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, until: number) {
    this.#source = events[Symbol.asyncIterator]();
    this.#until = until;
    this.#timer = this.#wait();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<LoggedEvent>> {
    if (this.#ended) return Promise.reject(expired());
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      this.#source.next().then((step) => {
        if (step.done) clearTimeout(this.#timer);
        resolve(step);
      }, reject);
    });
  }

  async return(): Promise<IteratorResult<LoggedEvent>> {
    clearTimeout(this.#timer);
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  #wait(): NodeJS.Timeout {
    const left = Math.max(this.#until - Date.now(), 0);
    return setTimeout(() => this.#end(), Math.min(left, longest)).unref();
  }

  #end(): void {
    if (Date.now() < this.#until) {
      this.#timer = this.#wait();
      return;
    }
    this.#ended = true;
    this.#refuse?.(expired());
    this.#source.return?.()?.then(undefined, () => {});
  }
}

const expired = (): A2AError => new A2AError('unauthenticated', 'What the caller showed is not valid any longer');
