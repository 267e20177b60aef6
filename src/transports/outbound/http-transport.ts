import { type CallContext, type Invoke, pathHeader, type Quirks } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { LatestExchange } from '../../core/model/frames.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import { entriesOf } from '../../core/model/text.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../net/http-exchange.ts';
import type { ReceivedResponse } from './response-body.ts';
import type { SkippedFrame } from './response-stream.ts';

/** A client of one binding. */
export interface ClientTransport {
  readonly invoke: Invoke;
  /** Closes the client's own connections. */
  close(): void | Promise<void>;
}

/** Options of the clients of all bindings. */
export interface ClientOptions {
  /** The agent's interface. */
  readonly url: string;
  /** The dialect that the agent speaks. */
  readonly dialect: WireProtocol;
  /** Headers of each call, such as credentials, names in lower case. */
  readonly headers?: (context: CallContext) => Record<string, string> | Promise<Record<string, string>>;
  /** Milliseconds for an answer, or the beginning of a stream. Default 330,000: a little more than servers take. */
  readonly timeout?: number;
  /** Longest silence of a stream in milliseconds; in event streams comments end it, too. Default 600,000. */
  readonly silence?: number;
  /** Bytes of an answer, or of one event of a stream. Default 16 MiB. */
  readonly maxAnswer?: number;
  /** Whether to refuse requests that the dialect cannot carry completely. Default false. */
  readonly strict?: boolean;
  /** Called with each part of a stream that is not an answer, such as a heartbeat. */
  readonly onSkipped?: ((frame: SkippedFrame) => void) | undefined;
  /** Quirks of the agent's software. Default: none are known. */
  readonly quirks?: () => Quirks;
}

export const defaultTimeout = 330_000;
export const defaultSilence = 600_000;
export const defaultMaxAnswer: number = 16 << 20;

export interface HttpTransportOptions extends ClientOptions {
  /** A pool to share. Default: one of its own, closed with the client. */
  readonly http?: HttpClient;
}

/** Sends the requests of an HTTP binding. */
export type HttpTransport = ReturnType<typeof createHttpTransport>;

export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly mediaType?: string;
  readonly body?: string | Uint8Array;
  readonly accept: string;
  /** Returns further headers. Gets the time that is left for the call in milliseconds. */
  readonly headers?: (left: number) => Readonly<Record<string, string>>;
  readonly streaming: boolean;
}

/**
 * Sends the requests of the HTTP bindings.
 *
 * @throws A2AError `invalidParams` for an invalid URL
 */
export function createHttpTransport(options: HttpTransportOptions) {
  const {
    dialect,
    headers,
    timeout = defaultTimeout,
    silence = defaultSilence,
    maxAnswer = defaultMaxAnswer,
  } = options;
  if (!URL.canParse(options.url)) throw A2AError.invalidParams(`${options.url} is not a valid URL`);
  const http = options.http ?? createHttpClient();
  return {
    url: new URL(options.url),
    maxAnswer,
    onSkipped: options.onSkipped,
    /** Sends one request of a call. */
    async send(
      { method, url, mediaType, body, accept, headers: further, streaming }: OutgoingRequest,
      context: CallContext,
    ): Promise<ReceivedResponse> {
      const { answerBy = Number.POSITIVE_INFINITY, deadline = answerBy } = context;
      const left = Math.min(timeout, Math.min(answerBy, deadline) - Date.now());
      if (left <= 0) throw new A2AError('deadlineExceeded');
      const given = headers?.(context) ?? {};
      const sentHeaders = given instanceof Promise ? await given : given;
      const own = mediaType === undefined ? { accept } : { accept, 'content-type': mediaType };
      const request = {
        method,
        url,
        headers: Object.assign(
          { 'user-agent': userAgent },
          contextHeaders(context, dialect),
          further?.(left),
          sentHeaders,
          own,
        ),
        body,
        signal: context.signal,
        timeout: left,
        silence: streaming ? silence : undefined,
        frames: context.attempt,
      };
      const exchange: LatestExchange = { request, credentials: sentHeaders, answer: undefined };
      context.notes.exchange = exchange;
      const answered = await sendFollowing(http, request);
      exchange.answer = answered.answer;
      readReplyHeaders(answered.answer, context);
      return { ...answered, sentHeaders };
    },
    close() {
      if (options.http === undefined) http.close();
    },
  };
}

/** Redirects that one request follows. */
const maxRedirects = 5;

/** Sends a request, and follows redirects within its origin with the same method, body and headers. */
async function sendFollowing(http: HttpClient, first: HttpRequest): Promise<{ answer: HttpAnswer; url: URL }> {
  const until = performance.now() + first.timeout;
  let answer = await http.request(first);
  let { url } = first;
  for (let hops = 0; answer.status >= 300 && answer.status <= 399; hops += 1) {
    answer.discard();
    url = redirected(answer, url, hops);
    const timeout = Math.max(1, until - performance.now());
    answer = await http.request({ ...first, url, timeout });
  }
  return { answer, url };
}

/** Statuses of redirects after which the same request is sent elsewhere. A request that was redirected was not carried out. */
const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * The target of a redirect. Many frameworks redirect to the path with or without a slash at its end. The query of the URL, which
 * may contain a key, is kept if the target has none.
 *
 * @throws A2AError `invalidAgentResponse` for a target of another origin, which must not get the message and the credentials, and
 *   for redirects that do not end
 */
function redirected({ status, headers: { location } }: HttpAnswer, from: URL, hops: number): URL {
  const refuse = (what: string): A2AError =>
    new A2AError('invalidAgentResponse', `${shownUrl(from)} redirects ${what} (HTTP ${status})`);
  const to = location === undefined ? null : URL.parse(location, from.href);
  if (to === null) throw refuse('to no URL');
  const shown = shownUrl(to);
  if (!redirects.has(status)) throw refuse(`to ${shown}, which is not followed`);
  if (to.origin !== from.origin) {
    throw refuse(`to ${shown}, which is another origin and gets no calls; use that URL if it is the agent's`);
  }
  if (to.search === '') to.search = from.search;
  to.hash = '';
  if (to.href === from.href) throw refuse('to itself');
  if (hops === maxRedirects) throw refuse(`to ${shown}, after ${maxRedirects} redirects`);
  return to;
}

/** Returns the caller's deadline for the answer, or the beginning of a stream: milliseconds since the epoch. */
export const dueOf = ({ answerBy = Number.POSITIVE_INFINITY, deadline = answerBy }: CallContext): number =>
  Math.min(answerBy, deadline);

/** Milliseconds by which timers, here and of the server, may be ahead of the clock. */
const clockSkew = 5;

export const isLate = (context: CallContext): boolean => dueOf(context) <= Date.now() + clockSkew;

export const userAgent = 'a2a-gateway';

/** The headers for a call's context. */
export function contextHeaders(
  context: CallContext,
  { versions, extensionHeaders }: WireProtocol,
): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': context.requestId };
  if (versions[0] !== undefined) headers['a2a-version'] = versions[0];
  if (context.extensions.length > 0 && extensionHeaders[0] !== undefined) {
    headers[extensionHeaders[0].toLowerCase()] = context.extensions.join(', ');
  }
  if (context.idempotencyKey !== undefined) headers['idempotency-key'] = context.idempotencyKey;
  if (context.traceparent !== undefined) headers.traceparent = context.traceparent;
  if (context.tracestate !== undefined) headers.tracestate = context.tracestate;
  if (context.hops > 0) headers['a2a-hops'] = String(context.hops);
  if (context.path !== undefined) headers[pathHeader] = context.path;
  if (typeof context.replay === 'object') headers['last-event-id'] = String(context.replay.after);
  return headers;
}

/** Copies activated extensions, and losses when the other side is a gateway, from an answer's headers to the notes. */
export function readReplyHeaders({ headers }: Pick<HttpAnswer, 'headers'>, { notes }: CallContext): void {
  for (const uri of entriesOf(headers['a2a-extensions'])) notes.extensions.add(uri);
  for (const uri of entriesOf(headers['x-a2a-extensions'])) notes.extensions.add(uri);
  for (const path of entriesOf(headers['a2a-gateway-loss'])) notes.losses.add(path);
}
