import type { A2AError } from '../model/errors.ts';

/**
 * The events of a source until the source is over, the reader leaves, or the stream is ended from outside, even while the reader
 * waits for the next event.
 */
export class EndableStream<T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterator<T>;
  /** Stops watching for a reason to end the stream. It is called at the end, and may be called before and again. */
  readonly unwatch: () => void;
  #ended: A2AError | undefined;
  /** The reader that waits. */
  #reader: Pick<PromiseWithResolvers<IteratorResult<T>>, 'resolve' | 'reject'> | undefined;

  /**
   * @param watch receives the function that ends the stream with an error, and returns a function that stops watching
   */
  constructor(events: AsyncIterable<T>, watch: (end: (error: A2AError) => void) => () => void) {
    this.#source = events[Symbol.asyncIterator]();
    this.unwatch = watch((error) => this.#end(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#source.next().then(
        (step) => {
          if (step.done) this.unwatch();
          resolve(step);
        },
        (thrown: unknown) => {
          this.unwatch();
          reject(thrown);
        },
      );
    });
  }

  async return(): Promise<IteratorResult<T>> {
    this.unwatch();
    this.#reader?.resolve({ done: true, value: undefined });
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  #end(error: A2AError): void {
    this.unwatch();
    this.#ended = error;
    this.#reader?.reject(error);
    this.#source.return?.()?.then(undefined, () => {});
  }
}
