import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import { A2AError } from '../../core/model/errors.ts';
import { announcesBody } from '../../transports/http/body.ts';
import { CompatResponse } from '../../transports/listener/compat-response.ts';

/** Requests and responses of the Fetch API with the interface of HTTP/1.1: nothing is written as HTTP, or parsed. */

/** The place of a request, which a `Request` does not say. */
export interface FetchPlace {
  /** Path and query relative to the gateway, and the path at which the app serves the gateway. */
  readonly url: string;
  readonly baseUrl: string;
  /** The host of the URL, for requests without a `Host` header. */
  readonly host: string;
  readonly remoteAddress: string;
  readonly encrypted: boolean;
  /** The request of Node from which the `Request` was made. */
  readonly incoming?: IncomingMessage | undefined;
}

/**
 * Serves a request of the Fetch API with a listener for HTTP/1.1. Resolves with the head of the response; its body is written as
 * it is read. Rejects if the request is aborted before that.
 *
 * @throws A2AError `internal` if another reader has the body
 */
export function serveFetch(listener: RequestListener, request: Request, place: FetchPlace): Promise<Response> {
  const { signal } = request;
  if (signal.aborted) return Promise.reject(signal.reason);
  const req = new FetchRequest(request, place);
  const res = new FetchResponse(req);
  const leave = (): void => {
    res.answer.reject(signal.reason);
    res.destroy(signal.reason);
  };
  signal.addEventListener('abort', leave, { once: true });
  res.once('close', () => signal.removeEventListener('abort', leave));
  listener(req as unknown as IncomingMessage, res as unknown as ServerResponse);
  return res.answer.promise;
}

/** A request with the members of `IncomingMessage` that bindings and the MCP SDK read. */
class FetchRequest extends Readable {
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly method: string;
  readonly url: string;
  readonly baseUrl: string;
  readonly headers: IncomingHttpHeaders = Object.create(null);
  readonly socket: Socket;
  /** Whether the body has been read to its end. */
  complete: boolean;
  readonly #request: Request;
  readonly #isWhole: boolean;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request, { url, baseUrl, host, remoteAddress, encrypted, incoming }: FetchPlace) {
    super();
    this.method = request.method;
    this.url = url;
    this.baseUrl = baseUrl;
    this.socket = { remoteAddress, encrypted } as unknown as Socket;
    this.headers.host = host;
    for (const [name, value] of request.headers) this.headers[name] = value;
    this.#request = request;
    this.#isWhole = incoming !== undefined && readsWhole(request, incoming);
    this.complete = request.method === 'GET' || request.method === 'HEAD' || !(this.#isWhole || bodyOf(request));
    this.#announceBody(incoming);
    this.on('error', () => {});
  }

  /** Announces a body of unknown length, as HTTP/1.1 does, so that the request is not taken for one without a body. */
  #announceBody(incoming: IncomingMessage | undefined): void {
    const { headers } = this;
    delete headers['transfer-encoding'];
    if (!this.complete && /^\d+$/.test(headers['content-length'] ?? '')) return;
    delete headers['content-length'];
    // Adapters also provide a stream for requests without a body.
    if (!this.complete && !(incoming && isBodiless(incoming))) headers['transfer-encoding'] = 'chunked';
  }

  override _read(): void {
    this.#readMore().catch((thrown) => this.destroy(thrown));
  }

  async #readMore(): Promise<void> {
    if (this.#isWhole && !this.complete) {
      const bytes = Buffer.from(await this.#request.arrayBuffer());
      if (this.destroyed) return;
      this.complete = true;
      this.push(bytes);
    }
    if (this.complete) {
      this.push(null);
      return;
    }
    this.#reader ??= (this.#request.body as ReadableStream<Uint8Array>).getReader();
    const { done, value } = await this.#reader.read();
    // The end of a reader that was cancelled is not the end of the body.
    if (this.destroyed) return;
    this.complete = done;
    this.push(done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }

  /** Reads no more of the body: nothing must be read of it for the answer to arrive, as it must on a connection. */
  stop(): void {
    if (!this.complete) this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#reader?.cancel(error).catch(() => {});
    done(error);
  }
}

/** @throws A2AError `internal` if another reader has the body */
function bodyOf({ body, bodyUsed }: Request): Request['body'] {
  if (!bodyUsed && !body?.locked) return body;
  const message =
    'The body of the request was read before it came to the gateway, or is being read: pass a clone() made before that';
  throw new A2AError('internal', message);
}

/**
 * Whether the body of a request is read whole. Adapters such as `@hono/node-server` turn the body of Node's request into a stream
 * on demand, which costs four times as much as the whole body. Node holds a body to the length that it announces. The `Request`
 * has an equal body unless it was read or may have been decoded.
 */
function readsWhole({ headers, bodyUsed }: Request, incoming: Partial<IncomingMessage>): boolean {
  const { 'content-length': length, 'content-encoding': coding } = incoming.headers ?? {};
  const isUnread = !bodyUsed && incoming.readableDidRead === false && incoming.listenerCount?.('data') === 0;
  return isUnread && coding === undefined && length !== undefined && length === headers.get('content-length');
}

/** Whether a request of Node has no body, according to its head. */
function isBodiless({ headers, stream }: Partial<IncomingMessage> & { readonly stream?: Partial<ServerHttp2Stream> }) {
  return stream ? stream.endAfterHeaders === true : headers !== undefined && !announcesBody({ headers });
}

/** A response. A whole body is handed over at once; a body that is written in parts is read by the client of its stream. */
class FetchResponse extends CompatResponse {
  readonly req: FetchRequest;
  /** The response with its head. Its body follows. */
  readonly answer: PromiseWithResolvers<Response> = Promise.withResolvers();
  #isAnswered = false;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Whether the client waits for bytes. Otherwise bytes wait for the client. */
  #isWanted = false;
  #pending: (() => void) | undefined;

  constructor(req: FetchRequest) {
    // Even a single byte that waits for the client counts as unread.
    super({ highWaterMark: 1 });
    this.req = req;
    this.on('error', () => {});
  }

  get socket(): Socket {
    return this.req.socket;
  }

  flushHeaders(): void {
    if (!this.#isAnswered) this.#answer(this.#hasBody ? this.#bodyStream() : null);
  }

  // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
  override end(...parts: any[]): this {
    if (this.#isAnswered || this.writableLength > 0) return super.end(...(parts as Parameters<Writable['end']>));
    const [body] = parts;
    this.#answer(typeof body === 'string' || body instanceof Uint8Array ? body : null);
    return super.end(parts.find((part) => typeof part === 'function'));
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.flushHeaders();
    const send = (): void => {
      this.#isWanted = false;
      this.#stream?.enqueue(chunk);
      done();
    };
    if (this.#isWanted || !this.#stream) send();
    else this.#pending = send;
  }

  override _final(done: () => void): void {
    this.#stream?.close();
    this.req.stop();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished) {
      const reason = error ?? new Error('The gateway has cut off its answer');
      this.answer.reject(reason);
      this.#stream?.error(reason);
      this.req.destroy();
    }
    done(error);
  }

  get #hasBody(): boolean {
    return this.req.method !== 'HEAD' && this.statusCode !== 204 && this.statusCode !== 304;
  }

  #bodyStream(): ReadableStream<Uint8Array> {
    const pull = (): void => {
      const send = this.#pending;
      this.#pending = undefined;
      if (send) send();
      else this.#isWanted = true;
    };
    const start = (stream: ReadableStreamDefaultController<Uint8Array>): void => {
      this.#stream = stream;
    };
    return new ReadableStream({ start, pull, cancel: () => void this.destroy() }, { highWaterMark: 0 });
  }

  #answer(body: ConstructorParameters<typeof Response>[0]): void {
    const { statusCode: status, statusMessage: statusText } = this;
    const headers = [...this.fields].flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    );
    this.#isAnswered = true;
    this.headersSent = true;
    this.answer.resolve(new Response(this.#hasBody ? body : null, { status, statusText, headers }));
  }
}
