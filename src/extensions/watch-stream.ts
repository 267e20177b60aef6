import type { LoggedEvent } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';

type Step<E> = IteratorResult<LoggedEvent<E>>;

/** A stream that waits for what a watch finds, until its reader leaves or it fails. */
export abstract class WatchStream<E> implements AsyncIterableIterator<LoggedEvent<E>> {
  /** Called once when it is over. */
  onEnd: () => void = () => {};
  #failure: A2AError | undefined;
  #isOver = false;
  #isAwake = false;
  #wake: (() => void) | undefined;

  /** The next event; undefined: none waits. */
  protected abstract take(): LoggedEvent<E> | undefined | Promise<LoggedEvent<E> | undefined>;
  /** Forgets what waits. */
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

  /** Something may wait. */
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

/** Streams that share the readings of their source. Nothing is read while there is no stream. */
export abstract class Watch<S extends WatchStream<unknown>> {
  protected readonly streams = new Set<S>();
  #unfollow: (() => void) | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** Begins to follow the source. */
  protected abstract follow(read: () => Promise<void>): () => void;
  /** Reads the source, and offers what is found to the streams. Must not reject. */
  protected abstract read(): Promise<void>;
  /** Forgets what is known of the source. */
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

  /** One reading after the other. */
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

/** Follows a source in memory, or at other replicas, which is read at an interval of milliseconds. */
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
