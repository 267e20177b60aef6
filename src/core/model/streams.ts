import type { StreamResponse } from './a2a.ts';
import { isStream, type Reply } from './call.ts';

/** Observes a stream on its way to its reader. Must not throw. */
export interface StreamTap<T> {
  /** Called with each value before the reader gets it. */
  onValue?(value: T): void;
  /** Called once: the stream is over, its reader has left, or it failed with `thrown`. */
  onEnd(thrown?: unknown): void;
}

/** Wraps a stream so that `tap` observes it. */
export const tapStream = <T>(source: AsyncIterator<T>, tap: StreamTap<T>): AsyncIterableIterator<T> =>
  new TappedStream(source, tap);

/** A class, since an async generator costs more for each value. */
class TappedStream<T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterator<T>;
  #tap: StreamTap<T> | undefined;

  constructor(source: AsyncIterator<T>, tap: StreamTap<T>) {
    this.#source = source;
    this.#tap = tap;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T>> {
    try {
      const step = await this.#source.next();
      if (step.done) this.#end();
      else this.#tap?.onValue?.(step.value);
      return step;
    } catch (thrown) {
      this.#end(thrown);
      throw thrown;
    }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#end();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  #end(thrown?: unknown): void {
    const tap = this.#tap;
    this.#tap = undefined;
    tap?.onEnd(thrown);
  }
}

/**
 * Turns `next` into a stream over a source. Not a generator: a generator that is closed before it began would not close
 * its source.
 */
export function streamOver<T>(
  source: AsyncIterator<unknown>,
  next: () => Promise<IteratorResult<T>>,
): AsyncIterableIterator<T> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next,
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** Observes a reply after the core has returned it. */
export interface ReplyTap {
  /**
   * Called with each event of a stream before its reader gets it; the losses of the previous event are known by then.
   */
  onEvent?(event: StreamResponse): void;
  /** Called once: the value has been encoded, or the stream is over. */
  onEnd(thrown?: unknown): void;
}

/**
 * Wraps a reply so that `tap` observes it. `onEnd` is called after the reader has encoded the value or written the
 * stream's end.
 */
export function tapReply(reply: Reply, tap: ReplyTap): Reply {
  if (!isStream(reply)) {
    setImmediate(endOf, tap);
    return reply;
  }
  const events = tapStream(reply.events[Symbol.asyncIterator](), {
    onValue: ({ event }) => tap.onEvent?.(event),
    onEnd: (thrown) => (thrown === undefined ? setImmediate(endOf, tap) : tap.onEnd(thrown)),
  });
  return { ...reply, events };
}

const endOf = (tap: ReplyTap): void => tap.onEnd();

/** Returns a stream that breaks at once. */
export const brokenStream = (thrown: unknown): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(thrown) }),
});
