import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { A2AError } from '../core/errors.ts';
import { markUnsent } from './failures.ts';
import type { UrlGuard } from './guard.ts';
import { portOf } from './port-of.ts';
import { networkError, requireAllowed } from './reason.ts';

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

export interface HttpClientOptions {
  /** Milliseconds to connect, TLS included. Default 10,000. */
  readonly connectTimeout?: number;
  /** Certificates and authorities of its own, for https. */
  readonly tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
  /** The one origin that they are for, so that a certificate is shown to nobody else. Default: all. */
  readonly tlsOrigin?: string;
  /** Judges every request, and what its host resolves to. Default: none; whoever asks decides where to. */
  readonly guard?: UrlGuard | undefined;
}

/** A pool of connections to HTTP servers. */
export interface HttpClient {
  /**
   * Sends a request and resolves when the answer's headers are there, whatever their status. Redirects are not followed.
   *
   * Rejects with A2AError `upstreamUnreachable`, with UrlRefused as its cause where the guard refused, `upstreamTimeout`, `invalidAgentResponse` (not HTTP), or with the
   * signal's reason as `canceled`. The same errors end the body. Of an error of this promise, `neverArrived` tells
   * whether the request may have reached the server.
   */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** What judges the requests, for those who connect in other ways to the same places. */
  readonly guard?: UrlGuard | undefined;
  /** Closes every connection, also those in use. */
  close(): void;
}

/**
 * An HTTP/1.1 client with keep-alive, on node:http. Measured against undici: the same CPU per request, and nothing to
 * load at start-up. It goes straight to the host that is called: no variable of the environment names a proxy to it.
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const { connectTimeout = 10_000, tls = {}, tlsOrigin, guard } = options;
  const pool = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' as const };
  const http = new HttpAgent(pool);
  const https = new HttpsAgent(tlsOrigin === undefined ? { ...pool, ...tls } : pool);
  const own = tlsOrigin === undefined ? https : new HttpsAgent({ ...pool, ...tls });

  const open = (request: HttpRequest): ClientRequest => {
    const { method, url, headers, body } = request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const lookup = guard?.lookupAt(portOf(url));
    const options = { method, headers: { ...headers, ...length }, ...(lookup && { lookup }) };
    return url.protocol === 'https:'
      ? httpsRequest(url, { ...options, agent: url.origin === tlsOrigin ? own : https })
      : httpRequest(url, { ...options, agent: http });
  };

  return {
    guard,
    async request(request) {
      if (request.url.protocol !== 'http:' && request.url.protocol !== 'https:') {
        throw A2AError.invalidParams(`${request.url.protocol}// is not a scheme that can be called; use http or https`);
      }
      requireAllowed(guard, request.url);
      try {
        return await exchange(request, open(request), connectTimeout);
      } catch (error) {
        // The server may close an idle connection just as it is taken up again. Only what may be repeated is.
        const stale = error instanceof A2AError && staleConnections.has(error);
        if (!stale || (request.method !== 'GET' && request.method !== 'DELETE')) throw error;
        return exchange(request, open(request), connectTimeout);
      }
    },
    close() {
      http.destroy();
      https.destroy();
      own.destroy();
    },
  };
}

/** Errors of requests that met a connection which the server had closed while it was idle. */
const staleConnections = new WeakSet<A2AError>();

/** Sends one request over one connection; every timer and listener is gone when the answer's body is. */
function exchange(request: HttpRequest, req: ClientRequest, connectTimeout: number): Promise<HttpAnswer> {
  const { url, signal, timeout, silence } = request;
  const place = url.origin;
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  let res: IncomingMessage | undefined;
  let failure: A2AError | undefined;
  /** Whether anything of the request may have left. */
  let connected = false;

  const stop = (error: A2AError): void => {
    failure ??= error;
    res?.destroy(failure);
    req.destroy(failure);
  };
  const within = (ms: number, what: string): NodeJS.Timeout =>
    setTimeout(() => stop(new A2AError('upstreamTimeout', `${place} did not ${what} within ${ms} ms`)), ms);
  const abort = (): void => stop(new A2AError('canceled', undefined, { cause: signal.reason }));

  const answering = within(timeout, 'answer');
  let connecting: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearTimeout(answering);
    clearTimeout(connecting);
    signal.removeEventListener('abort', abort);
  };

  req.once('socket', (socket) => {
    connected = req.reusedSocket;
    if (connected || failure !== undefined) return;
    connecting = within(connectTimeout, 'accept a connection');
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      connected = true;
      clearTimeout(connecting);
    });
  });
  req.on('error', (thrown: NodeJS.ErrnoException) => {
    if (res === undefined) release();
    const error = failure ?? networkError(place, thrown);
    if (failure === undefined && req.reusedSocket && thrown.code === 'ECONNRESET') staleConnections.add(error);
    reject(connected ? error : markUnsent(error));
  });
  req.once('response', (response) => {
    res = response;
    clearTimeout(connecting);
    if (silence !== undefined) clearTimeout(answering);
    // Errors reach whoever reads the body; this one keeps them from being thrown when nobody does.
    response.on('error', () => {});
    response.once('close', release);
    resolve(
      answerOf(response, {
        errorOf: (thrown) => failure ?? networkError(place, thrown),
        waiting: () => (silence === undefined ? undefined : within(silence, 'send anything')),
      }),
    );
  });

  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  req.end(request.body);
  return promise;
}

interface Reading {
  errorOf(thrown: unknown): A2AError;
  /** Starts the clock of one wait for bytes. The time that the reader takes for them does not count. */
  waiting(): NodeJS.Timeout | undefined;
}

function answerOf(res: IncomingMessage, { errorOf, waiting }: Reading): HttpAnswer {
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    mediaType: (res.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    async *chunks() {
      let timer = waiting();
      try {
        for await (const chunk of res) {
          clearTimeout(timer);
          yield chunk as Uint8Array;
          timer = waiting();
        }
      } catch (thrown) {
        throw errorOf(thrown);
      } finally {
        clearTimeout(timer);
      }
    },
    read(limit) {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      const parts: Buffer[] = [];
      let size = 0;
      const timer = waiting();
      res.once('close', () => clearTimeout(timer));
      res.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= limit) {
          parts.push(chunk);
          return;
        }
        reject(new A2AError('invalidAgentResponse', `The answer is larger than ${limit} bytes`));
        res.destroy();
      });
      res.once('end', () => resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)));
      res.once('error', (thrown) => reject(errorOf(thrown)));
      res.once('close', () => {
        if (!res.readableEnded) reject(errorOf(Object.assign(new Error('closed early'), { code: 'ECONNRESET' })));
      });
      return promise;
    },
    discard() {
      res.destroy();
    },
  };
}
