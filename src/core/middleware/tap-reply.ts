import type { StreamResponse } from '../model/a2a.ts';
import { isStream, type LoggedEvent, type Reply } from '../model/call.ts';

/** Told how the answer to a call goes on after the core has given it. */
export interface ReplyTap {
  /** Each event of a stream before its reader gets it: what was made of the former one is known by then. */
  onEvent?(event: StreamResponse): void;
  /** Once: the value has been encoded, or the stream is over, in whatever way. */
  onEnd(thrown?: unknown): void;
}

/**
 * The same reply, watched to its end. A value is given to its reader first, who encodes it within the same turn of the
 * loop; its end is told after that.
 */
export function tapReply(reply: Reply, watch: ReplyTap): Reply {
  if (isStream(reply)) return { ...reply, events: new EndingEvents(reply.events, watch) };
  setImmediate(endOf, watch);
  return reply;
}

const endOf = (watch: ReplyTap): void => watch.onEnd();

class EndingEvents implements AsyncIterableIterator<LoggedEvent> {
  readonly #source: AsyncIterator<LoggedEvent>;
  #watch: ReplyTap | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, watch: ReplyTap) {
    this.#source = events[Symbol.asyncIterator]();
    this.#watch = watch;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<LoggedEvent>> {
    try {
      const step = await this.#source.next();
      if (step.done) this.#end();
      else this.#watch?.onEvent?.(step.value.event);
      return step;
    } catch (thrown) {
      this.#over(thrown);
      throw thrown;
    }
  }

  async return(): Promise<IteratorResult<LoggedEvent>> {
    this.#end();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  /** What the reader says at the end of a stream it says within this turn of the loop. */
  #end(): void {
    const watch = this.#watch;
    this.#watch = undefined;
    if (watch) setImmediate(endOf, watch);
  }

  #over(thrown: unknown): void {
    const watch = this.#watch;
    this.#watch = undefined;
    watch?.onEnd(thrown);
  }
}
