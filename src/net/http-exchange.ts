import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { A2AError } from '../core/model/errors.ts';
import type { FrameTap } from '../core/model/frames.ts';
import { longestTimer } from '../core/model/timing.ts';
import { decoded, isEncoded } from './content-coding.ts';
import { abortError, markUnsent, networkError, notHttp, resetCodeOf, tooLarge } from './network-errors.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** Headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /**
   * Whether the request may be sent again if the connection is closed before a response begins. Default: true for GET
   * and DELETE.
   */
  readonly isRepeatable?: boolean | undefined;
  /** Cancels the request, even while its response is read. */
  readonly signal: AbortSignal;
  /** Milliseconds for the whole response; with `silence`, for its headers only. */
  readonly timeout: number;
  /** For a stream: longest time without a byte after the headers, in milliseconds. */
  readonly silence?: number | undefined;
  /** Taps the bytes that are sent and received, including those of repeated requests. */
  readonly frames?: { frames(): FrameTap } | undefined;
}

/** A body, which may be incomplete. */
export interface AvailableBody {
  readonly bytes: Buffer;
  /** The error that ended the body. Undefined if the body is complete. */
  readonly failure: A2AError | undefined;
}

/** A response whose body has not been read. The body must be read to its end, or discarded. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The media type in lower case, without parameters. '' if there is none. */
  readonly mediaType: string;
  /**
   * Returns the chunks of the body, decoded if it has a content coding. Ending the iteration early closes the
   * connection.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /** Reads the whole body and decodes it. Rejects with `invalidAgentResponse` if it is larger than `limit` bytes. */
  read(limit: number): Promise<Buffer>;
  /** Reads the body as far as it arrives and decodes it. Rejects if it is larger than `limit` bytes. */
  readAvailable(limit: number): Promise<AvailableBody>;
  /** The most recently read part of the body. */
  readonly received?: Uint8Array | undefined;
  /** Closes the connection unless the body was read. */
  discard(): void;
}

type Controller = Dispatcher.DispatchController;

/** Maximum number of interim responses (1xx) before a response. */
export const maxInterim = 100;

/** Unread bytes of a body at which reading from the connection is paused. */
const highWater = 256 * 1024;

/** One request and its response. Its timer and listeners end with the body of the response. */
export class HttpExchange implements Dispatcher.DispatchHandler, HttpAnswer {
  status = 0;
  headers: IncomingHttpHeaders = {};
  received: Uint8Array | undefined = undefined;
  readonly #request: HttpRequest;
  readonly #connectTimeout: number;
  readonly #place: string;
  readonly #answer = Promise.withResolvers<HttpAnswer>();
  readonly #deadline: NodeJS.Timeout;
  #controller: Controller | undefined;
  /** The error with which the exchange failed or was canceled. */
  #failure: A2AError | undefined;
  /**
   * Whether bytes of the request may have been sent. False again if the server reports that it processed none of them.
   */
  #sent = false;
  #interim = 0;
  #ended = false;
  #mediaType: string | undefined;
  /** Unread chunks of the body. */
  #parts: Buffer[] = [];
  /** Number of bytes that arrived since the reader last waited. */
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

  /** Resolves when the headers of the response have arrived. */
  get answered(): Promise<HttpAnswer> {
    return this.#answer.promise;
  }

  /** Whether the connection was closed before a response began, as happens to idle connections. */
  get cutOff(): boolean {
    return this.#sent && this.status === 0 && this.#failure?.kind === 'upstreamUnreachable';
  }

  get mediaType(): string {
    this.#mediaType ??= mediaTypeOf(this.headers['content-type'] ?? '');
    return this.#mediaType;
  }

  chunks(): AsyncGenerator<Uint8Array, void> {
    return isEncoded(this.headers['content-encoding']) ? this.#decoded() : this.#received();
  }

  async *#decoded(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* decoded(this.#received(), this.headers['content-encoding'] ?? '', this.#place);
    } finally {
      this.discard();
    }
  }

  /** Yields the body as it was sent, without decoding. */
  async *#received(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const parts = this.#parts;
        this.#parts = [];
        this.received = parts.at(-1);
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
    const { bytes, failure } = await this.readAvailable(limit);
    if (failure) throw failure;
    return bytes;
  }

  async readAvailable(limit: number): Promise<AvailableBody> {
    if (isEncoded(this.headers['content-encoding'])) return this.#readDecoded(limit);
    for (;;) {
      const size = this.#parts.reduce((sum, { length }) => sum + length, 0);
      if (size > limit) {
        this.discard();
        throw tooLarge(limit);
      }
      const [first, ...others] = this.#parts;
      if (this.#ended || this.#failure) {
        const bytes = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#parts);
        this.received = bytes;
        return { bytes, failure: this.#failure };
      }
      await this.#more().catch(() => undefined);
    }
  }

  async #readDecoded(limit: number): Promise<AvailableBody> {
    const parts: Uint8Array[] = [];
    let size = 0;
    let failure: A2AError | undefined;
    try {
      for await (const part of this.#decoded()) {
        parts.push(part);
        size += part.length;
        if (size > limit) break;
      }
    } catch (thrown) {
      failure = A2AError.from(thrown);
    }
    if (size > limit) throw tooLarge(limit);
    return { bytes: Buffer.concat(parts), failure };
  }

  discard(): void {
    if (!this.#ended) this.#stop(new A2AError('canceled', 'The answer was not read'));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
    else this.#sent = true;
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    // 1xx precedes the answer.
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > maxInterim) this.#stop(tooManyInterim(this.#place));
      return;
    }
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
    // The server has not processed it (RFC 9113 section 8.7).
    if (this.status === 0 && resetCodeOf(thrown) === 'REFUSED_STREAM') this.#sent = false;
    this.#fail(this.#failure ?? this.#errorOf(thrown));
  }

  /**
   * Waits for more of the body, or its end. The time between two waits, during which the reader works, does not count
   * as silence.
   */
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
    return setTimeout(late, Math.min(ms, longestTimer));
  }

  readonly #abort = (): void => this.#stop(abortError(this.#request.signal));

  /** Cancels the request. A request that still waits for a connection is not sent. */
  #stop(error: A2AError): void {
    if (this.#failure) return;
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: A2AError): void {
    this.#failure = error;
    this.#release();
    // Has no effect if the response has begun.
    this.#answer.reject(this.#sent ? error : markUnsent(error));
    this.#reader?.reject(error);
  }

  #release(): void {
    clearTimeout(this.#deadline);
    this.#request.signal.removeEventListener('abort', this.#abort);
  }

  #errorOf(thrown: Error): A2AError {
    const { code } = thrown as { code?: unknown };
    // The request cannot be sent, which is an error of this side.
    if (code === 'UND_ERR_INVALID_ARG') return A2AError.from(thrown);
    // undici's error for any headers with a Content-Length that it cannot read.
    if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && this.status === 0) {
      return notHttp(this.#place, thrown, 'headers that cannot be read, such as several of Content-Length');
    }
    if (code !== 'UND_ERR_CONNECT_TIMEOUT') return networkError(this.#place, thrown);
    const message = `${this.#place} did not accept a connection within ${this.#connectTimeout} ms`;
    return new A2AError('upstreamTimeout', message, { cause: thrown });
  }
}

/** Creates the error for a response that does not begin, after too many interim responses. */
export const tooManyInterim = (place: string): A2AError =>
  new A2AError(
    'invalidAgentResponse',
    `${place} sent more than ${maxInterim} interim responses (1xx) instead of a response`,
  );

/** Joins repeated headers, as node:http does. Equal values count once. */
function joined(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value) && name !== 'set-cookie') headers[name] = [...new Set(value)].join(', ');
  }
  return headers;
}

/**
 * Returns the media type in a Content-Type header. If a proxy has joined several, the last one counts, as in browsers.
 */
function mediaTypeOf(header: string): string {
  const types = header.includes(',') ? header.split(',').filter((one) => /^[^;"]+\//.test(one)) : [header];
  return types.at(-1)?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
