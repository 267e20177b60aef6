import { A2AError } from '../../core/model/errors.ts';
import { steadyNow } from '../../core/model/timing.ts';

/** A message that is decoded when the handler reads it. */
type Undecoded = () => unknown;

interface HeldMessage {
  readonly message: Undecoded;
  readonly taken: () => void;
}

/**
 * The messages of a client that streams, for one reader. At most one message waits here; the transport pauses the client
 * until it has been read.
 */
export class RequestStream implements AsyncIterableIterator<unknown> {
  #held: HeldMessage | undefined;
  #reader: PromiseWithResolvers<IteratorResult<unknown>> | undefined;
  #convert: (message: unknown) => unknown = (message) => message;
  /** Whether no more messages arrive: the client's side is closed, or the reader has left. */
  #ended = false;
  #error: Error | undefined;
  /** Time since which the reader has been waiting for a message, by `steadyNow`. */
  waitingSince: number | undefined;

  /** Returns the messages, converted when they are read. */
  converted<T>(convert: (message: unknown) => T): AsyncIterable<T> {
    this.#convert = convert;
    return this as AsyncIterable<unknown> as AsyncIterable<T>;
  }

  /**
   * Hands over a message. Returns a promise that resolves when there is room for the next message; undefined if there is room at
   * once.
   */
  push(message: Undecoded): Promise<void> | undefined {
    if (this.#ended || this.#error) return undefined;
    if (this.#reader) {
      this.#settle((reader) => reader.resolve({ done: false, value: this.#convert(message()) }));
      return undefined;
    }
    return new Promise((taken) => {
      this.#held = { message, taken };
    });
  }

  /** Called when the client has sent its last message. */
  end(): void {
    this.#ended = true;
    this.#settle((reader) => reader.resolve({ done: true, value: undefined }));
  }

  /** Called when the call is over: the reader gets the error, and no unread messages. */
  fail(error: Error): void {
    if (this.#error) return;
    this.#error = error;
    this.#drop();
    this.#settle((reader) => reader.reject(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#reader) return Promise.reject(new TypeError('The next message is being read already'));
    if (this.#error) return Promise.reject(this.#error);
    const held = this.#held;
    if (held) {
      this.#drop();
      return new Promise((resolve) => resolve({ done: false, value: this.#convert(held.message()) }));
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    this.#reader = Promise.withResolvers();
    this.waitingSince = steadyNow();
    return this.#reader.promise;
  }

  /** Called when the reader leaves. Further messages are discarded, so that the client can end its side. */
  return(): Promise<IteratorResult<unknown>> {
    this.end();
    this.#drop();
    return Promise.resolve({ done: true, value: undefined });
  }

  #drop(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.taken();
  }

  /** Ends the reader's wait. If `settle` throws, the reader gets the error. */
  #settle(settle: (reader: PromiseWithResolvers<IteratorResult<unknown>>) => void): void {
    const reader = this.#reader;
    if (!reader) return;
    this.#reader = undefined;
    this.waitingSince = undefined;
    try {
      settle(reader);
    } catch (thrown) {
      reader.reject(A2AError.from(thrown));
    }
  }
}
