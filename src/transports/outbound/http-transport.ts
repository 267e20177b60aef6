import type { CallContext, Invoke, Quirks } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../net/http-exchange.ts';
import type { ReceivedResponse } from './response-body.ts';

/** What the clients of the HTTP bindings have in common. */

/** One end of a binding that calls an agent. */
export interface ClientTransport {
  readonly invoke: Invoke;
  /** Closes the connections that are this client's own. */
  close(): void | Promise<void>;
}

export interface HttpTransportOptions {
  /** Where the agent's interface is. */
  readonly url: string;
  /** The generation that the agent speaks. */
  readonly dialect: WireProtocol;
  /** A pool to share. Default: one of its own, closed with the client. */
  readonly http?: HttpClient;
  /** Headers of each call, such as credentials, their names in lower case. */
  readonly headers?: (context: CallContext) => Record<string, string> | Promise<Record<string, string>>;
  /** Milliseconds that an answer, or the beginning of a stream, may take. Default 330,000: a little more than servers take. */
  readonly timeout?: number;
  /** Milliseconds that a stream may be silent, comments included. Default 600,000. */
  readonly silence?: number;
  /** Bytes of an answer. Default 16 MiB. */
  readonly maxAnswer?: number;
  /** Bytes of one event of a stream. Default 16 MiB. */
  readonly maxEvent?: number;
  /** Refuse a request of which the dialect cannot say all. Default false. */
  readonly strict?: boolean;
  /** What is known by now of the agent's software. Default: nothing. */
  readonly quirks?: () => Quirks;
}

/** The same with every default filled in. */
export interface HttpTransport {
  readonly url: URL;
  readonly dialect: WireProtocol;
  readonly maxAnswer: number;
  readonly maxEvent: number;
  readonly strict: boolean;
  readonly quirks: (() => Quirks) | undefined;
  /** Sends one request of a call. A stream's `silence` begins to count when its headers are there. */
  send(request: OutgoingRequest, context: CallContext): Promise<ReceivedResponse>;
  close(): void;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly mediaType?: string;
  readonly body?: string | Uint8Array;
  readonly accept: string;
  readonly streaming: boolean;
}

/** @throws A2AError `invalidParams` for a URL that cannot be called */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { dialect, headers, timeout = 330_000, silence = 600_000 } = options;
  const { maxAnswer = 16 << 20, maxEvent = 16 << 20, strict = false } = options;
  if (!URL.canParse(options.url)) throw A2AError.invalidParams(`${options.url} is not a URL that can be called`);
  const http = options.http ?? createHttpClient();
  return {
    url: new URL(options.url),
    dialect,
    maxAnswer,
    maxEvent,
    strict,
    quirks: options.quirks,
    async send({ method, url, mediaType, body, accept, streaming }, context) {
      const left = context.deadline === undefined ? timeout : Math.min(timeout, context.deadline - Date.now());
      if (left <= 0) throw new A2AError('deadlineExceeded');
      const shown = (await headers?.(context)) ?? {};
      const request: HttpRequest = {
        method,
        url,
        headers: {
          'user-agent': userAgent,
          ...contextHeaders(context, dialect),
          ...shown,
          accept,
          ...(mediaType !== undefined && { 'content-type': mediaType }),
        },
        ...(body !== undefined && { body }),
        signal: context.signal,
        timeout: left,
        ...(streaming && { silence }),
      };
      let answer = await http.request(request);
      const moved = otherSlash(answer, url);
      if (moved !== undefined) {
        answer.discard();
        answer = await http.request({ ...request, url: moved });
      }
      if (answer.status >= 300 && answer.status <= 399) {
        answer.discard();
        throw new A2AError(
          'invalidAgentResponse',
          `${url.href} redirects to ${answer.headers.location ?? 'nowhere'}, which is not followed (HTTP ${answer.status})`,
        );
      }
      readReplyHeaders(answer, context);
      return { answer, url, sentHeaders: shown };
    },
    close() {
      if (options.http === undefined) http.close();
    },
  };
}

/**
 * Where the same request is to be sent again: 307 and 308 keep method and body (RFC 9110 section 15.4.8), and many
 * frameworks so add a slash to a URL, or take it away. Any other place is a decision for whoever gave the URL.
 */
function otherSlash({ status, headers: { location } }: HttpAnswer, url: URL): URL | undefined {
  if ((status !== 307 && status !== 308) || location === undefined) return undefined;
  const moved = URL.parse(location, url.href);
  if (moved === null || moved.href === url.href || moved.origin !== url.origin || moved.search !== url.search) {
    return undefined;
  }
  return moved.pathname.replace(/\/$/, '') === url.pathname.replace(/\/$/, '') ? moved : undefined;
}

/** What this software calls itself. */
export const userAgent = 'a2a-gateway';

/** The headers that say what a call's context says. */
export function contextHeaders(
  context: CallContext,
  { versions, extensionHeaders }: WireProtocol,
): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': context.requestId };
  if (versions[0] !== undefined) headers['a2a-version'] = versions[0];
  const named = extensionHeaders[0]?.toLowerCase();
  if (context.extensions.length > 0 && named !== undefined) headers[named] = context.extensions.join(', ');
  if (context.idempotencyKey !== undefined) headers['idempotency-key'] = context.idempotencyKey;
  if (context.traceparent !== undefined) headers.traceparent = context.traceparent;
  if (context.tracestate !== undefined) headers.tracestate = context.tracestate;
  if (context.hops > 0) headers['a2a-hops'] = String(context.hops);
  if (typeof context.replay === 'object') headers['last-event-id'] = String(context.replay.after);
  return headers;
}

const list = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Takes over what the other side tells in headers: activated extensions, and losses when it is a gateway. */
export function readReplyHeaders({ headers }: Pick<HttpAnswer, 'headers'>, { notes }: CallContext): void {
  for (const name of ['a2a-extensions', 'x-a2a-extensions']) {
    for (const uri of list(headers[name])) notes.extensions.add(uri);
  }
  for (const path of list(headers['a2a-gateway-loss'])) notes.losses.add(path);
}
