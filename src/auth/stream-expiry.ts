import type { CallContext, Invoke, LoggedEvent } from '../core/model/call.ts';
import { isStream } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { longestTimer } from '../core/model/timers.ts';

/** Something that goes on for somebody who was let in. */
export interface OpenStream extends Pick<CallContext, 'principal' | 'agent'> {
  /** Undefined where it is no call's. */
  readonly operation: string | undefined;
  /** Ends it; its reader is told why. */
  end(error: A2AError): void;
}

/** What goes on for callers, so that it can be ended when others are let in than those who were. */
export class OpenStreams {
  readonly #all = new Set<OpenStream>();

  /** @returns what tells that it is over */
  add(ongoing: OpenStream): () => void {
    this.#all.add(ongoing);
    return () => this.#all.delete(ongoing);
  }

  /**
   * Ends those that something stands against.
   *
   * @returns how many
   */
  review(judge: (ongoing: OpenStream) => A2AError | undefined): number {
    let ended = 0;
    for (const ongoing of [...this.#all]) {
      const error = judge(ongoing);
      if (!error) continue;
      ended += 1;
      ongoing.end(error);
    }
    return ended;
  }

  /** How many go on. */
  get size(): number {
    return this.#all.size;
  }
}

/**
 * Middleware: a stream ends, with `unauthenticated`, when what its caller showed ends; otherwise whoever has shown a token
 * once would go on listening for as long as the connection holds. With a new one the caller goes on after the last event.
 *
 * @param ongoing told of every stream of callers who may be judged again
 */
export function endStreamsOnExpiry(next: Invoke, ongoing: OpenStreams = new OpenStreams()): Invoke {
  return async (call) => {
    const reply = await next(call);
    const { principal, agent } = call.context;
    const judged = principal.until !== undefined || principal.credential !== undefined || principal.anonymous;
    if (!judged || !isStream(reply)) return reply;
    const { operation } = call;
    const events = new ExpiringEvents(reply.events, principal.until, (end) =>
      ongoing.add({ principal, agent, operation, end }),
    );
    return { ...reply, events };
  };
}

/** Events up to a moment, or until they are ended, also for a reader who waits for the next one then. */
class ExpiringEvents implements AsyncIterableIterator<LoggedEvent> {
  readonly #source: AsyncIterator<LoggedEvent>;
  readonly #left: () => void;
  #timer: NodeJS.Timeout | undefined;
  #ended: A2AError | undefined;
  /** Ends the reader's wait. */
  #refuse: ((error: A2AError) => void) | undefined;

  constructor(
    events: AsyncIterable<LoggedEvent>,
    until: number | undefined,
    began: (end: (error: A2AError) => void) => () => void,
  ) {
    this.#source = events[Symbol.asyncIterator]();
    this.#left = began((error) => this.#end(error));
    if (until !== undefined) this.#timer = this.#wait(until);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<LoggedEvent>> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      this.#source.next().then(
        (step) => {
          if (step.done) this.#leave();
          resolve(step);
        },
        (thrown: unknown) => {
          this.#leave();
          reject(thrown);
        },
      );
    });
  }

  async return(): Promise<IteratorResult<LoggedEvent>> {
    this.#leave();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#left();
  }

  #wait(until: number): NodeJS.Timeout {
    const left = Math.max(until - Date.now(), 0);
    return setTimeout(() => this.#expire(until), Math.min(left, longestTimer)).unref();
  }

  #expire(until: number): void {
    if (Date.now() < until) this.#timer = this.#wait(until);
    else this.#end(new A2AError('unauthenticated', 'What the caller showed is not valid any longer'));
  }

  #end(error: A2AError): void {
    this.#leave();
    this.#ended = error;
    this.#refuse?.(error);
    this.#source.return?.()?.then(undefined, () => {});
  }
}
