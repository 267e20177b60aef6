import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { A2AError } from '../core/model/errors.ts';
import { markUnsent, networkError } from './network-errors.ts';

/** One HTTP request. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Gives the request up, its body included. */
  readonly signal: AbortSignal;
  /** Milliseconds for the whole answer; with `silence`, until its headers. */
  readonly timeout: number;
  /** For a stream: milliseconds without a byte, after the headers. */
  readonly silence?: number;
}

/** An answer whose body has not been read. It must be read to its end or discarded. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The media type without parameters, in lower case; '' when there is none. */
  readonly mediaType: string;
  /** The body as it comes. Ending the iteration early closes the connection. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The whole body. Rejects with `invalidAgentResponse` when it is larger than `limit` bytes. */
  read(limit: number): Promise<Buffer>;
  /** Closes the connection without reading on. */
  discard(): void;
}

type Controller = Dispatcher.DispatchController;

/** Bytes of a body that wait for their reader before the connection is held up. */
const highWater = 256 * 1024;

/**
 * One request under way, and its answer. Every wait of it has an end: its timer and its listener are gone when the
 * answer's body is.
 */
export class Exchange implements Dispatcher.DispatchHandler, HttpAnswer {
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #request: HttpRequest;
  readonly #connectTimeout: number;
  readonly #place: string;
  readonly #answer = Promise.withResolvers<HttpAnswer>();
  readonly #deadline: NodeJS.Timeout;
  #controller: Controller | undefined;
  /** Why it was given up, or broke. */
  #failure: A2AError | undefined;
  /** Whether anything of the request may have left. */
  #sent = false;
  #ended = false;
  /** What has come of the body and was not taken. */
  #parts: Buffer[] = [];
  /** Bytes that have come since somebody last waited for some. */
  #unread = 0;
  #reader: PromiseWithResolvers<void> | undefined;

  /** @param place the request's origin */
  constructor(request: HttpRequest, place: string, connectTimeout: number) {
    const { signal, timeout } = request;
    this.#request = request;
    this.#place = place;
    this.#connectTimeout = connectTimeout;
    this.#deadline = this.#within(timeout, 'answer');
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Resolves when the answer's headers are there. */
  get answered(): Promise<HttpAnswer> {
    return this.#answer.promise;
  }

  /** Whether the connection was closed before an answer began, as the server may do with one that was idle. */
  get cutOff(): boolean {
    return this.#sent && this.status === 0 && this.#failure?.kind === 'upstreamUnreachable';
  }

  get mediaType(): string {
    return this.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const parts = this.#parts;
        this.#parts = [];
        yield* parts;
        if (this.#parts.length > 0) continue;
        if (this.#ended) return;
        await this.#more();
      }
    } finally {
      this.discard();
    }
  }

  async read(limit: number): Promise<Buffer> {
    for (;;) {
      const size = this.#parts.reduce((sum, { length }) => sum + length, 0);
      if (size > limit) {
        this.discard();
        throw new A2AError('invalidAgentResponse', `The answer is larger than ${limit} bytes`);
      }
      const [first, ...others] = this.#parts;
      if (this.#ended) return first !== undefined && others.length === 0 ? first : Buffer.concat(this.#parts);
      await this.#more();
    }
  }

  discard(): void {
    if (!this.#ended) this.#stop(new A2AError('canceled', 'The answer is not read'));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
    else this.#sent = true;
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    // 1xx announces an answer.
    if (status < 200) return;
    if (this.#request.silence !== undefined) clearTimeout(this.#deadline);
    this.status = status;
    this.headers = joined(headers);
    this.#answer.resolve(this);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > highWater) controller.pause();
    this.#reader?.resolve();
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#release();
    this.#reader?.resolve();
  }

  onResponseError(_: Controller, thrown: Error): void {
    this.#fail(this.#failure ?? this.#errorOf(thrown));
  }

  /** Resolves when more of the body has come, or all. The time that the reader takes for what it has does not count. */
  async #more(): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#unread = 0;
    const reader = Promise.withResolvers<void>();
    this.#reader = reader;
    const { silence } = this.#request;
    const timer = silence === undefined ? undefined : this.#within(silence, 'send anything');
    try {
      if (this.#controller?.paused) this.#controller.resume();
      await reader.promise;
    } finally {
      clearTimeout(timer);
      this.#reader = undefined;
    }
  }

  #within(ms: number, what: string): NodeJS.Timeout {
    const late = (): void =>
      this.#stop(new A2AError('upstreamTimeout', `${this.#place} did not ${what} within ${ms} ms`));
    return setTimeout(late, ms);
  }

  readonly #abort = (): void => this.#stop(new A2AError('canceled', undefined, { cause: this.#request.signal.reason }));

  /** Gives the request up; one that waits for its connection will not be sent. */
  #stop(error: A2AError): void {
    if (this.#failure) return;
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: A2AError): void {
    this.#failure = error;
    this.#release();
    // Nobody hears of it where the answer has begun.
    this.#answer.reject(this.#sent ? error : markUnsent(error));
    this.#reader?.reject(error);
  }

  #release(): void {
    clearTimeout(this.#deadline);
    this.#request.signal.removeEventListener('abort', this.#abort);
  }

  #errorOf(thrown: Error): A2AError {
    const { code } = thrown as { code?: unknown };
    // This side's fault: what cannot be sent.
    if (code === 'UND_ERR_INVALID_ARG') return A2AError.from(thrown);
    if (code !== 'UND_ERR_CONNECT_TIMEOUT') return networkError(this.#place, thrown);
    const said = `${this.#place} did not accept a connection within ${this.#connectTimeout} ms`;
    return new A2AError('upstreamTimeout', said, { cause: thrown });
  }
}

/** Headers that came several times as one line each, as node:http has them. */
function joined(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value) && name !== 'set-cookie') headers[name] = value.join(', ');
  }
  return headers;
}
