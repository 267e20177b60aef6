import type { LoggedEvent } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';

type Step<E> = IteratorResult<LoggedEvent<E>>;

/** Stream of the findings of a watch. It ends when its reader leaves, or when it fails. */
export abstract class WatchStream<E> implements AsyncIterableIterator<LoggedEvent<E>> {
  /** Called once, when the stream has ended. */
  onEnd: () => void = () => {};
  #failure: A2AError | undefined;
  #isOver = false;
  #isAwake = false;
  #wake: (() => void) | undefined;

  /** Returns the next event. Undefined: none waits. */
  protected abstract take(): LoggedEvent<E> | undefined | Promise<LoggedEvent<E> | undefined>;
  /** Drops all events that wait. */
  protected abstract clear(): void;

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step<E>> {
    for (;;) {
      this.#isAwake = false;
      const value = this.isOpen ? await this.take() : undefined;
      if (this.#failure) {
        const thrown = this.#failure;
        this.#failure = undefined;
        this.#end();
        throw thrown;
      }
      if (this.#isOver) return { done: true, value: undefined };
      if (value) return { done: false, value };
      if (this.#isAwake) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<Step<E>> {
    this.#end();
    return { done: true, value: undefined };
  }

  fail(error: A2AError): void {
    this.#failure ??= error;
    this.clear();
    this.wake();
  }

  protected get isOpen(): boolean {
    return !this.#isOver && !this.#failure;
  }

  /** Looks for an event for a waiting reader. */
  protected wake(): void {
    this.#isAwake = true;
    this.#wake?.();
    this.#wake = undefined;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.clear();
    this.wake();
    this.onEnd();
  }
}

/** Calls `read` soon, and whenever the source may have changed, until the function that it returns is called. */
export type Follow = (read: () => Promise<void>) => () => void;

/** Reads a source once for all of its streams. While there is no stream, nothing is read. */
export abstract class Watch<S extends WatchStream<unknown>> {
  protected readonly streams = new Set<S>();
  #unfollow: (() => void) | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** Begins to call `read` after changes of the source. */
  protected abstract follow(read: () => Promise<void>): () => void;
  /** Reads the source, and offers the findings to the streams. Must not reject. */
  protected abstract read(): Promise<void>;
  /** Drops all knowledge about the source. */
  protected abstract reset(): void;

  protected add(stream: S, onEnd: () => void): S {
    stream.onEnd = () => {
      this.streams.delete(stream);
      if (this.streams.size === 0) this.#stop();
      onEnd();
    };
    this.streams.add(stream);
    this.#unfollow ??= this.follow(() => this.#readNext());
    return stream;
  }

  /** Ends all streams with `unavailable`. */
  close(): void {
    for (const stream of this.streams) stream.fail(new A2AError('unavailable', 'The gateway is stopping'));
  }

  /** Reads the source after the present reading has ended. */
  #readNext(): Promise<void> {
    this.#reading = this.#reading.then(() => (this.streams.size > 0 ? this.read() : undefined));
    return this.#reading;
  }

  #stop(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.reset();
  }
}

/**
 * Returns a function that follows a source by reading it at an interval of milliseconds. For sources in memory or at other
 * replicas.
 */
export const followAt =
  (interval: number): Follow =>
  (read) => {
    let timer: NodeJS.Timeout | undefined;
    const schedule = (delay: number): void => {
      timer = setTimeout(() => void run(), delay).unref();
    };
    let isOver = false;
    const run = async (): Promise<void> => {
      await read();
      if (!isOver) schedule(interval);
    };
    schedule(0);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  };
