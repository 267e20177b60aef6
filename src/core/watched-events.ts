import type { LoggedEvent } from './call.ts';

/**
 * Events that are looked at before their reader gets them. Not a generator, which cannot be ended while its reader waits
 * for the next event: its source would be held until one comes, though the reader is long gone.
 */
export class WatchedEvents implements AsyncIterableIterator<LoggedEvent> {
  readonly #source: AsyncIterator<LoggedEvent>;
  readonly #look: (event: LoggedEvent) => void | Promise<void>;
  readonly #isLast: ((event: LoggedEvent) => boolean) | undefined;
  readonly #failed: ((thrown: unknown) => Promise<void>) | undefined;
  #over = false;

  /**
   * @param look waited for before the event is handed out
   * @param ends `isLast`: whether the stream ends after an event, even though its source goes on; `failed`: waited for
   *   before its reader is told that the source has failed
   */
  constructor(
    events: AsyncIterable<LoggedEvent>,
    look: (event: LoggedEvent) => void | Promise<void>,
    ends: {
      readonly isLast?: (event: LoggedEvent) => boolean;
      readonly failed?: (thrown: unknown) => Promise<void>;
    } = {},
  ) {
    this.#source = events[Symbol.asyncIterator]();
    this.#look = look;
    this.#isLast = ends.isLast;
    this.#failed = ends.failed;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<LoggedEvent>> {
    if (this.#over) return this.return();
    const step = await this.#next();
    if (step.done) return step;
    await this.#look(step.value);
    if (this.#isLast?.(step.value)) this.#over = true;
    return step;
  }

  async #next(): Promise<IteratorResult<LoggedEvent>> {
    try {
      return await this.#source.next();
    } catch (thrown) {
      await this.#failed?.(thrown);
      throw thrown;
    }
  }

  async return(): Promise<IteratorResult<LoggedEvent>> {
    this.#over = true;
    await this.#source.return?.();
    return { done: true, value: undefined };
  }
}
