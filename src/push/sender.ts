import type { Delivery } from '../core/ports/push-store.ts';
import type { TraceContext } from '../core/telemetry/trace-context.ts';
import type { PushShape } from '../dialects/kernel/dialect.ts';
import { type UrlGuard, UrlRefused } from '../net/guard.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../net/http-exchange.ts';
import { type AttemptResult, resultOfError, resultOfStatus } from './attempt-result.ts';

/** Bytes of an answer's body that are read for the sake of the connection; it says nothing that matters. */
const longestAnswer = 64 * 1024;

/** What can stand in a header's value. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface SenderOptions {
  /** Whose connections go to addresses that the guard let through only. */
  readonly http: HttpClient;
  readonly guard: Pick<UrlGuard, 'check'>;
  /** Milliseconds for one attempt, from its beginning to the end of the answer. Read for every attempt. */
  readonly timeout: number;
}

/** Tries once to deliver a body, which tells of what is at `trace`. Never rejects. */
export type SendNotification = (
  delivery: Delivery,
  shape: PushShape,
  body: string,
  signal: AbortSignal,
  trace?: TraceContext,
) => Promise<AttemptResult>;

/** Makes what sends bodies to webhooks: a POST without redirections. */
export function createSender(options: SenderOptions): SendNotification {
  const { http, guard } = options;
  return async (delivery, shape, body, signal, trace) => {
    let url: URL;
    try {
      url = guard.check(delivery.config.url);
    } catch (thrown) {
      return { kind: 'refused', reason: thrown instanceof UrlRefused ? thrown.message : 'the URL is none' };
    }
    const headers = { ...headersOf(delivery, shape), ...trace };
    if (!Object.values(headers).every((value) => headerText.test(value))) {
      return { kind: 'refused', reason: 'the credentials or the token cannot stand in a header' };
    }
    const { timeout } = options;
    const request = { method: 'POST', url, headers, body, signal, timeout };
    // A connection that was kept may have been closed by the other side at the same moment: another one is tried at once.
    const first = await attempt(http, request);
    return first.kind === 'failed' && first.cut ? attempt(http, request) : first;
  };
}

async function attempt(http: HttpClient, request: HttpRequest): Promise<AttemptResult> {
  try {
    const answer = await http.request(request);
    await finish(answer);
    return resultOfStatus(answer.status, answer.headers['retry-after']);
  } catch (thrown) {
    return resultOfError(thrown);
  }
}

/** A2A 1.0.1 section 4.3.3; the token's header is a convention of the official SDKs. */
function headersOf({ config, hops }: Delivery, { mediaType, headers }: PushShape): Record<string, string> {
  const { token, authentication } = config;
  const all: Record<string, string> = { ...headers, 'content-type': mediaType, 'a2a-hops': String(hops + 1) };
  if (authentication?.scheme && authentication.credentials) {
    all.authorization = `${authentication.scheme} ${authentication.credentials}`;
  }
  if (token) all['x-a2a-notification-token'] = token;
  return all;
}

/** Reads a short answer, so that the connection can be used again. The status counts, whatever becomes of the rest. */
async function finish(answer: HttpAnswer): Promise<void> {
  if (Number(answer.headers['content-length'] ?? 0) > longestAnswer) answer.discard();
  else await answer.read(longestAnswer).catch(() => answer.discard());
}
