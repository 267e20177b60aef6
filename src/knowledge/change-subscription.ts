import type { CallerStreams } from '../core/limits/stream-limit.ts';
import type { A2AError } from '../core/model/errors.ts';
import type { ChangeEvent } from './ports.ts';

interface Waiting {
  resolve(step: IteratorResult<ChangeEvent>): void;
  reject(thrown: unknown): void;
}

const done: IteratorResult<ChangeEvent> = { done: true, value: undefined };

/**
 * The changes that one subscription delivers. Not a generator, which cannot be ended while its reader waits for the
 * next change: this one ends at once, aborts its source and releases its stream slot.
 */
export class ChangeSubscription implements AsyncIterableIterator<ChangeEvent> {
  readonly #source: AsyncIterator<ChangeEvent>;
  readonly #end: AbortController;
  readonly #left: () => void;
  #place: CallerStreams | undefined;
  #waiting: Waiting | undefined;
  #over = false;
  #failure: A2AError | undefined;

  /**
   * @param end aborts the source
   * @param place the slot among the caller's streams, released at the end
   * @param left called once at the end
   */
  constructor(
    source: AsyncIterable<ChangeEvent>,
    end: AbortController,
    place: CallerStreams | undefined,
    left: (following: ChangeSubscription) => void,
  ) {
    this.#source = source[Symbol.asyncIterator]();
    this.#end = end;
    this.#place = place;
    this.#left = () => left(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ChangeEvent>> {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) return Promise.reject(failure);
    if (this.#over) return Promise.resolve(done);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#source.next().then(
        (step) => {
          const waiting = this.#take();
          if (step.done) this.#close();
          waiting?.resolve(step);
        },
        (thrown: unknown) => {
          const waiting = this.#take();
          this.#close();
          waiting?.reject(thrown);
        },
      );
    });
  }

  async return(): Promise<IteratorResult<ChangeEvent>> {
    this.#close();
    return done;
  }

  /** Ends it with an error for its reader. */
  fail(error: A2AError): void {
    if (this.#over) return;
    const waiting = this.#take();
    if (waiting) waiting.reject(error);
    else this.#failure = error;
    this.#close();
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#take()?.resolve(done);
    this.#place?.release();
    this.#place = undefined;
    this.#left();
    this.#end.abort();
    // A source that was not started does not see the abort.
    this.#source.return?.()?.then(undefined, () => {});
  }
}
