import { A2AError } from '../core/model/errors.ts';
import type { Delivery } from '../core/ports/push-store.ts';
import type { TraceContext } from '../core/telemetry/trace-context.ts';
import type { PushShape } from '../dialects/kernel/dialect.ts';
import { type UrlGuard, UrlRefused } from '../net/guard.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { HttpRequest } from '../net/http-exchange.ts';
import { describeNetworkError, neverArrived } from '../net/network-errors.ts';
import { requestedWait } from '../net/retry.ts';

/** The result of one attempt. Reasons contain neither the URL's path or query nor text from the receiver. */
export type AttemptResult =
  | { readonly kind: 'delivered' }
  /** Another attempt may succeed. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Milliseconds to wait, as requested by the receiver. */
      readonly retryAfter?: number;
      /** The receiver did not answer, so other deliveries to it will fail too. */
      readonly silent?: true;
      /** The connection was closed before the response. */
      readonly cut?: true;
    }
  /** No further attempt can succeed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The gateway is stopping. */
  | { readonly kind: 'canceled' };

/** Bytes of a response's body that are read, so that the connection can be reused. */
const maxAnswer = 64 * 1024;
/** Longest `Retry-After` that is observed, in milliseconds. */
const maxRetryAfter = 86_400_000;

/** Characters that a header's value may contain. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface SenderOptions {
  /** HTTP client whose connections are limited to addresses that the guard allows. */
  readonly http: HttpClient;
  readonly guard: Pick<UrlGuard, 'check'>;
  /** Milliseconds for one attempt, including the response. Read for every attempt. */
  readonly timeout: number;
}

/** Attempts once to deliver a body. `trace` is the trace context of the events in it. Never rejects. */
export type SendNotification = (
  delivery: Delivery,
  shape: PushShape,
  body: string,
  signal: AbortSignal,
  trace?: TraceContext,
) => Promise<AttemptResult>;

/** Creates the sender of bodies to webhooks. It sends a POST and does not follow redirects. */
export function createSender(options: SenderOptions): SendNotification {
  const { http, guard } = options;
  return async (delivery, shape, body, signal, trace) => {
    let url: URL;
    try {
      url = guard.check(delivery.config.url);
    } catch (thrown) {
      return { kind: 'refused', reason: thrown instanceof UrlRefused ? thrown.message : 'the URL is not valid' };
    }
    const headers = { ...headersOf(delivery, shape), ...trace };
    if (!Object.values(headers).every((value) => headerText.test(value))) {
      return { kind: 'refused', reason: 'the credentials or the token contain characters that headers cannot contain' };
    }
    const request = { method: 'POST', url, headers, body, signal, timeout: options.timeout };
    // The receiver may have just closed a reused connection, so another connection is tried at once.
    const first = await attempt(http, request);
    return first.kind === 'failed' && first.cut ? attempt(http, request) : first;
  };
}

async function attempt(http: HttpClient, request: HttpRequest): Promise<AttemptResult> {
  try {
    const answer = await http.request(request);
    // Reads a short response, so that the connection can be reused. Only the status matters.
    if (Number(answer.headers['content-length'] ?? 0) > maxAnswer) answer.discard();
    else await answer.read(maxAnswer).catch(() => answer.discard());
    return resultOfStatus(answer.status, answer.headers['retry-after']);
  } catch (thrown) {
    return resultOfError(thrown);
  }
}

/**
 * Returns the headers of a notification (A2A 1.0.1 section 4.3.3). The token's header is a convention of the official
 * SDKs.
 */
function headersOf({ config, hops }: Delivery, { mediaType, headers }: PushShape): Record<string, string> {
  const { token, authentication: { scheme, credentials } = {} } = config;
  return {
    ...headers,
    'content-type': mediaType,
    'a2a-hops': String(hops + 1),
    ...(scheme && credentials && { authorization: `${scheme} ${credentials}` }),
    ...(token && { 'x-a2a-notification-token': token }),
  };
}

/** Converts a status to the result. Only a 2xx counts as a delivery. */
function resultOfStatus(status: number, header: string | undefined): AttemptResult {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'refused', reason: 'the receiver is gone (HTTP 410)' };
  const reason = status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`;
  const wait = requestedWait(header);
  return { kind: 'failed', reason, ...(wait !== undefined && { retryAfter: Math.min(wait, maxRetryAfter) }) };
}

function resultOfError(thrown: unknown): AttemptResult {
  // Not a permanent refusal, because the host name may later resolve to another address.
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof UrlRefused) return { kind: 'failed', reason: error.message };
  }
  const error = A2AError.from(thrown);
  if (error.kind === 'canceled') return { kind: 'canceled' };
  if (error.kind === 'upstreamTimeout') return { kind: 'failed', reason: 'no answer in time', silent: true };
  if (error.kind === 'upstreamUnreachable') {
    const reason = describeNetworkError(error.cause);
    return neverArrived(error) ? { kind: 'failed', reason, silent: true } : { kind: 'failed', reason, cut: true };
  }
  return { kind: 'failed', reason: 'the answer is not HTTP' };
}
