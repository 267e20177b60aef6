import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';

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

/** Streams that share one reading of their source, at an interval. Nothing is read while there is no stream. */
export abstract class Watch<S extends WatchStream<unknown>> {
  protected readonly streams = new Set<S>();
  readonly #interval: number;
  readonly #share: number;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;

  /**
   * @param interval milliseconds between two readings
   * @param share part of the time that readings may take: after a slow one, the next one waits longer
   */
  constructor(interval: number, share: number = Number.POSITIVE_INFINITY) {
    this.#interval = interval;
    this.#share = share;
  }

  /** Reads the source, and offers what is found to the streams. Must not reject. */
  protected abstract read(): Promise<void>;
  /** Forgets what is known of the source. */
  protected abstract reset(): void;

  /** @param delay milliseconds until the first reading */
  protected add(stream: S, onEnd: () => void, delay: number = this.#interval): S {
    stream.onEnd = () => {
      this.streams.delete(stream);
      if (this.streams.size === 0) this.#stop();
      onEnd();
    };
    this.streams.add(stream);
    if (!this.#timer && !this.#isReading) this.#schedule(delay);
    return stream;
  }

  /** Ends all streams with `unavailable`. */
  close(): void {
    for (const stream of this.streams) stream.fail(new A2AError('unavailable', 'The gateway is stopping'));
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => void this.#run(), delay).unref();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isReading = true;
    const began = performance.now();
    await this.read();
    this.#isReading = false;
    if (this.streams.size === 0) this.#stop();
    else this.#schedule(Math.max(this.#interval, (performance.now() - began) / this.#share));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.reset();
  }
}
