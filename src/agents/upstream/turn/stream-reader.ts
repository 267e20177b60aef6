import type { Message, StreamResponse } from '../../../core/model/a2a.ts';
import type { LoggedEvent } from '../../../core/model/call.ts';
import type { InterruptibleWait } from './waits.ts';

type ReadResult = StreamResponse | 'end';

/** Limits of draining an abandoned stream: milliseconds and events. */
const drainLimit = { ms: 250, events: 8 } as const;

/** Reads a stream that may be silent, with a time limit for each event. No event is lost when the time is up. */
export class StreamReader {
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #wait: InterruptibleWait;
  #pending: Promise<ReadResult> | undefined;
  #held: StreamResponse | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, wait: InterruptibleWait) {
    this.#events = events[Symbol.asyncIterator]();
    this.#wait = wait;
  }

  /**
   * The next event within `ms` milliseconds; undefined if there was none. Rejects when the stream breaks or the turn is aborted.
   */
  next(ms: number): Promise<ReadResult | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held) return Promise.resolve(held);
    return this.#wait.for(ms, this.#read());
  }

  /** Whether `nextMessage` has read another event, which `next` returns. */
  get hasHeld(): boolean {
    return this.#held !== undefined;
  }

  /** The Message that arrives next within `ms` milliseconds; undefined if another event, the end or nothing arrives. */
  async nextMessage(ms: number): Promise<Message | undefined> {
    const read = await this.#wait.for(ms, this.#read());
    if (read === undefined || read === 'end') return undefined;
    if (!read.message) this.#held = read;
    return read.message;
  }

  /** Abandons the stream. It is drained in the background if it is about to end, so that its connection can be reused. */
  close(): void {
    void this.#drain();
  }

  #read(): Promise<ReadResult> {
    this.#pending ??= this.#events.next().then((result): ReadResult => {
      this.#pending = undefined;
      return result.done ? 'end' : result.value.event;
    });
    return this.#pending;
  }

  async #drain(): Promise<void> {
    const timeout = Promise.withResolvers<undefined>();
    const timer = setTimeout(timeout.resolve, drainLimit.ms, undefined);
    try {
      for (let left: number = drainLimit.events; left > 0; left--) {
        const read = await Promise.race([this.#read(), timeout.promise]);
        if (read === 'end') return;
        if (!read) break;
      }
      this.#pending?.catch(() => undefined);
      await this.#events.return?.();
    } catch {
      // A broken stream needs no closing.
    } finally {
      clearTimeout(timer);
    }
  }
}
