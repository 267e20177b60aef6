import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Agent, buildConnector } from 'undici';
import { A2AError } from '../core/model/errors.ts';
import type { ClientTls, TlsByUrl } from './client-tls.ts';
import { acceptEncoding } from './content-coding.ts';
import { portOf } from './guard/ports.ts';
import type { UrlGuard } from './guard.ts';
import { type HttpAnswer, HttpExchange, type HttpRequest } from './http-exchange.ts';
import { readOverContinue } from './interim-responses.ts';
import { requireAllowed } from './network-errors.ts';
import { type OnWire, tapped, WireLog } from './wire-log.ts';

export interface HttpClientOptions {
  /** Milliseconds within which a connection must be made, including TLS. Default 10,000. */
  readonly connectTimeout?: number;
  /** TLS settings, for all servers or by URL. */
  readonly tls?: ClientTls | TlsByUrl;
  /** Whether to offer HTTP/2 to servers with TLS (ALPN). It is used if the server prefers it. Default false. */
  readonly http2?: boolean;
  /**
   * Checks every request, and the addresses of its host. Default: no guard, for targets that the operator configured.
   */
  readonly guard?: UrlGuard | undefined;
  /** Called with each line of every request and response, without credentials. */
  readonly onWire?: OnWire;
}

/** A pool of connections to HTTP servers. */
export interface HttpClient {
  /**
   * Sends a request and resolves to the response once its headers have arrived, with any status. Redirects are not
   * followed. Unless the headers of the request say otherwise, it asks for a response without content coding; encoded
   * responses are decoded anyway.
   *
   * Rejects, as does reading the body, with A2AError `upstreamUnreachable` (caused by UrlRefused if the guard refused
   * the target), `upstreamTimeout`, `invalidAgentResponse` (not HTTP) or `canceled`. If `neverArrived` is true for an
   * error of this promise, the request cannot have reached the server.
   */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** The guard, for code that connects to the targets by other means. */
  readonly guard?: UrlGuard | undefined;
  /** Closes every connection, including those in use. */
  close(): void;
}

/**
 * Creates an HTTP client with keep-alive on undici's dispatcher, which adds no streams to a request and its response.
 * It uses HTTP/1.1 by default, because a call over HTTP/2 takes 1.8 times the CPU. undici is loaded for the first
 * request. Proxies named by environment variables are not used.
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  return new UndiciClient(options);
}

class UndiciClient implements HttpClient {
  readonly guard: UrlGuard | undefined;
  readonly #options: HttpClientOptions;
  readonly #connectTimeout: number;
  readonly #wire: WireLog | undefined;
  /** URLs that the guard accepted, with their text at that time, because most URLs are called repeatedly. */
  readonly #judged = new WeakMap<URL, string>();
  #opening: Promise<Agent> | undefined;
  #agent: Agent | undefined;
  #closed = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#connectTimeout = options.connectTimeout ?? 10_000;
    this.guard = options.guard;
    this.#wire = options.onWire && new WireLog(options.onWire);
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    if (request.url.protocol !== 'http:' && request.url.protocol !== 'https:') {
      throw A2AError.invalidParams(`${request.url.protocol}// cannot be called; use http or https`);
    }
    this.#requireJudged(request.url);
    this.#opening ??= this.#open();
    const dispatcher = this.#agent ?? (await this.#opening);
    const began = performance.now();
    const sent = this.#exchange(dispatcher, request);
    try {
      return await sent.answered;
    } catch (error) {
      // The server may have closed an idle connection just as it was reused.
      if (!sent.cutOff || !isRepeatable(request)) throw error;
      const timeout = Math.max(1, request.timeout - (performance.now() - began));
      return this.#exchange(dispatcher, Object.assign({}, request, { timeout })).answered;
    }
  }

  close(): void {
    this.#closed = true;
    if (this.#agent) close(this.#agent);
  }

  async #open(): Promise<Agent> {
    this.#agent = await createAgent(this.#options, this.#connectTimeout, this.#wire);
    if (this.#closed) close(this.#agent);
    return this.#agent;
  }

  #requireJudged(url: URL): void {
    const { guard } = this;
    if (!guard || this.#judged.get(url) === url.href) return;
    requireAllowed(guard, url);
    this.#judged.set(url, url.href);
  }

  #exchange(dispatcher: Agent, request: HttpRequest): HttpExchange {
    const { method, url, body } = request;
    const { origin } = url;
    const headers = Object.assign({ 'accept-encoding': acceptEncoding }, request.headers);
    const sent = new HttpExchange(request, origin, this.#connectTimeout);
    const path = url.pathname + url.search;
    const frames = request.frames?.frames() ?? this.#wire?.frames();
    const handler = frames ? tapped(sent, { method, url, headers, body }, frames) : sent;
    dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, handler);
    return sent;
  }
}

const isRepeatable = ({ method, isRepeatable: may = method === 'GET' || method === 'DELETE' }: HttpRequest): boolean =>
  may;

/** Closes all connections. Requests in progress fail. */
const close = (agent: Agent): void => void agent.destroy().catch(() => undefined);

/** Creates an agent with a connection pool for each origin, with its own certificate and look-up. */
async function createAgent(
  { tls, guard, http2 = false }: HttpClientOptions,
  timeout: number,
  wire: WireLog | undefined,
): Promise<Agent> {
  const { Agent, Pool, buildConnector } = await import('undici');
  return new Agent({
    factory(place) {
      const lookup = guard?.lookupAt(portOf(new URL(place)));
      const own = typeof tls === 'function' ? tls(new URL(place)) : tls;
      // The exchange has its own deadlines.
      const untimed = { headersTimeout: 0, bodyTimeout: 0 };
      const connect = buildConnector({ allowH2: http2, timeout, ...own, ...(lookup && { lookup }) });
      // The streams of a connection end with it, and share its flow control window, which a stream that is not read
      // would use up.
      const h2Options = { maxConcurrentStreams: 1 };
      return new Pool(place, { ...untimed, allowH2: http2, h2Options, connect: watching(connect, wire) });
    },
  });
}

/** Wraps a connector so that it prepares and logs each connection. */
const watching =
  (connect: buildConnector.connector, wire: WireLog | undefined): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket && !isHttp2(socket)) readOverContinue(socket);
      if (socket) wire?.connected(options.hostname, socket);
      callback(...result);
    });

const isHttp2 = (socket: Socket): boolean => (socket as Partial<TLSSocket>).alpnProtocol === 'h2';
