/** Most values, and most bytes of values, that are judged at once. */
const most = { values: 16, bytes: 1024 * 1024 } as const;

/** Work on the values of a stream. It begins when a value arrives; results are given in order. */
export interface ReadAheadWork<T> {
  begin(value: T): Promise<T>;
  /** Returns the error that the reader gets in place of the source's error. */
  failed(thrown: unknown): Promise<unknown>;
  bytesOf(value: T): number;
}

interface Held<T> {
  readonly outcome: Promise<T>;
  readonly bytes: number;
}

/**
 * Reads values ahead of their reader, some at a time, so that what is to be done for each takes its time beside the others.
 * Rejects where the work of a value does, after the values before it, and ends the source then.
 */
export class ReadAhead<T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterator<T>;
  readonly #work: ReadAheadWork<T>;
  readonly #held: Held<T>[] = [];
  #bytes = 0;
  #isReading = false;
  #isOver = false;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(source: AsyncIterator<T>, work: ReadAheadWork<T>) {
    this.#source = source;
    this.#work = work;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T>> {
    for (;;) {
      void this.#read();
      const held = this.#held.shift();
      if (held) {
        this.#bytes -= held.bytes;
        return this.#give(held);
      }
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#stop();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  async #give({ outcome }: Held<T>): Promise<IteratorResult<T>> {
    try {
      return { done: false, value: await outcome };
    } catch (thrown) {
      this.#stop();
      void this.#source.return?.().catch(() => undefined);
      throw thrown;
    }
  }

  /** Reads values until the limits are reached. Only one such reading takes place at a time. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (!this.#isOver && this.#held.length < most.values && this.#bytes < most.bytes) await this.#readOne();
    this.#isReading = false;
    this.#wake?.();
  }

  async #readOne(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done) this.#isOver = true;
      else this.#hold({ outcome: this.#work.begin(value), bytes: this.#work.bytesOf(value) });
    } catch (thrown) {
      this.#isOver = true;
      this.#hold({ outcome: this.#work.failed(thrown).then((error) => Promise.reject(error)), bytes: 0 });
    }
  }

  #hold(held: Held<T>): void {
    // It is read later, perhaps never.
    held.outcome.catch(() => undefined);
    if (this.#isStopped) return;
    this.#held.push(held);
    this.#bytes += held.bytes;
    this.#wake?.();
  }

  #stop(): void {
    this.#isOver = true;
    this.#isStopped = true;
    this.#held.splice(0);
    this.#wake?.();
  }
}
