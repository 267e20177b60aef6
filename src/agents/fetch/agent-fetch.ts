import type { AgentFetch, AgentFetchInit } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { longestTimer, steadyNow } from '../../core/model/timing.ts';
import { type TraceContext, traceOf } from '../../core/telemetry/trace-context.ts';
import { currentTrace, type Tracing, withSpan } from '../../core/telemetry/tracing.ts';
import { UrlRefused } from '../../net/guard.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../net/http-exchange.ts';
import { neverArrived, transient } from '../../net/network-errors.ts';
import { requestedWait, retry } from '../../net/retry.ts';
import { webResponse } from '../../net/web-response.ts';

/** The dependencies of the `fetch` of agents. */
export interface AgentFetchDeps {
  readonly http: HttpClient;
  readonly tracing?: Tracing | undefined;
}

/** The run that sends a request. */
export interface FetchRun {
  readonly signal: AbortSignal;
  readonly trace: TraceContext;
}

const attempts = 3;
/** Milliseconds: the longest wait before the second attempt. */
const base = 200;
const maxRedirects = 20;

/** Methods that may be sent twice (RFC 9110 section 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
/** Statuses of responses after which a request is sent again. */
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Creates the `fetch` of each run, over the gateway's own HTTP client with its guard. */
export function createAgentFetch(deps: AgentFetchDeps): (run: FetchRun) => AgentFetch {
  const sender = new RequestSender(deps);
  return (run) => async (input, init) => {
    const { timeout, redirect, request, signal } = await readRequest(input, init, run.signal);
    const until = steadyNow() + timeout;
    let current = request;
    try {
      for (let redirects = 0; ; redirects += 1) {
        const answer = await sender.send(current, { run, signal, until, timeout });
        const next = redirect === 'manual' ? undefined : nextRequest(current, answer);
        if (!next) return responseOf(answer, current, redirects > 0, (thrown) => errorOf(thrown, signal, timeout));
        answer.discard();
        if (redirect === 'error') throw new TypeError('fetch failed: the answer is a redirect');
        if (redirects === maxRedirects) throw new TypeError(`fetch failed: more than ${maxRedirects} redirects`);
        current = next;
      }
    } catch (thrown) {
      throw errorOf(thrown, signal, timeout);
    }
  };
}

/** Sends the requests of agents. */
class RequestSender {
  readonly #http: HttpClient;
  readonly #tracing: Tracing | undefined;

  constructor({ http, tracing }: AgentFetchDeps) {
    this.#http = http;
    this.#tracing = tracing;
  }

  /** Sends a request, and again if that is harmless and may help. Resolves with the last response. */
  async send(request: SentRequest, options: SendOptions): Promise<HttpAnswer> {
    const mayRepeat = idempotent.has(request.method);
    /** Responses that permit another attempt, by the errors that stand for them. */
    const refused = new WeakMap<object, HttpAnswer>();
    const attempt = async (): Promise<HttpAnswer> => {
      const answer = await this.#sendOnce(request, options);
      if (!mayRepeat || !retriedStatuses.has(answer.status)) return answer;
      const error = new A2AError('unavailable', undefined, {
        retryAfter: (requestedWait(answer.headers['retry-after']) ?? 0) / 1_000,
      });
      refused.set(error, answer);
      throw error;
    };
    try {
      return await retry(attempt, {
        attempts,
        base,
        within: options.until - steadyNow(),
        signal: options.signal,
        repeatable: (error) => (mayRepeat ? transient(error) : neverArrived(error)),
        onRetry: (error) => refused.get(error as object)?.discard(),
      });
    } catch (thrown) {
      const answer = refused.get(thrown as object);
      if (answer) return answer;
      throw thrown;
    }
  }

  /** Makes one attempt, with a span if tracing is on. */
  #sendOnce(
    { method, url, headers, body }: SentRequest,
    { run, signal, until, timeout }: SendOptions,
  ): Promise<HttpAnswer> {
    const parent = currentTrace(run.trace);
    const remaining = Math.max(1, until - steadyNow());
    const request = (trace: TraceContext): Promise<HttpAnswer> =>
      this.#http.request({
        method,
        url,
        body,
        signal,
        timeout: remaining,
        silence: timeout,
        headers: headers.traceparent === undefined ? { ...headers, ...traceOf(trace) } : headers,
      });
    if (!this.#tracing) return request(parent);
    const port = url.port === '' ? undefined : Number(url.port);
    return withSpan(
      this.#tracing,
      { name: method, kind: 'client', parent },
      () => ({ 'http.request.method': method, 'server.address': url.hostname, 'server.port': port }),
      async (span) => {
        const answer = await request(span.trace);
        if (span.recording) span.set({ 'http.response.status_code': answer.status });
        if (answer.status >= 400) span.fail(String(answer.status));
        return answer;
      },
      (thrown) => A2AError.from(thrown).kind,
    );
  }
}

interface SendOptions {
  readonly run: FetchRun;
  readonly signal: AbortSignal;
  /** Time by which the response must have begun, by `steadyNow`. */
  readonly until: number;
  readonly timeout: number;
}

/** The error that agents get, as from any `fetch`: the signal's reason, a TimeoutError, or a TypeError with the cause. */
function errorOf(thrown: unknown, signal: AbortSignal, timeout: number): unknown {
  if (signal.aborted) return signal.reason;
  if (!(thrown instanceof A2AError)) return thrown;
  const { kind, message, cause } = thrown;
  if (kind === 'upstreamTimeout') return new DOMException(`${message} (timeout: ${timeout} ms)`, 'TimeoutError');
  const advice = cause instanceof UrlRefused ? '; list the host in outbound.allow to allow it' : '';
  return new TypeError(`fetch failed: ${message}${advice}`, { cause: thrown });
}

/** Headers that are also sent to another origin after a redirect. All others may hold credentials. */
const carried: ReadonlySet<string> = new Set([
  ...['accept', 'accept-language', 'accept-encoding', 'user-agent', 'content-type', 'content-encoding'],
  ...['content-language', 'range', 'if-match', 'if-none-match', 'if-modified-since'],
]);

/**
 * The request that follows a redirect, as browsers send it (WHATWG Fetch, HTTP-redirect fetch). Undefined if the response is not
 * a redirect.
 */
function nextRequest(
  { method, url, headers, body }: SentRequest,
  { status, headers: { location } }: HttpAnswer,
): SentRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const next = URL.parse(location, url.href);
  if (!next) throw new TypeError('fetch failed: the answer redirects to what is no URL');
  const becomesGet = (status === 303 && method !== 'GET' && method !== 'HEAD') || (status <= 302 && method === 'POST');
  const kept = Object.entries(headers).filter(
    ([name]) => (next.origin === url.origin || carried.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    method: becomesGet ? 'GET' : method,
    url: next,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : body,
  };
}

/** An answer as a standard Response. @param errorOf makes the error of reading the body */
function responseOf(
  answer: HttpAnswer,
  { method, url }: Pick<SentRequest, 'method' | 'url'>,
  redirected: boolean,
  errorOf: (thrown: unknown) => unknown,
): Response {
  const response = webResponse(answer, method === 'HEAD' ? null : bodyOf(answer, errorOf));
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
}

async function* bodyOf(answer: HttpAnswer, errorOf: (thrown: unknown) => unknown): AsyncGenerator<Uint8Array> {
  try {
    yield* answer.chunks();
  } catch (thrown) {
    throw errorOf(thrown);
  }
}

/** A request with its whole body, which can be sent again. */
interface SentRequest extends Pick<HttpRequest, 'method' | 'url' | 'headers'> {
  readonly body: Uint8Array | undefined;
}

/** Milliseconds until an answer begins, with all attempts and redirects, and between two chunks of its body. */
const defaultTimeout = 30_000;

/** Headers that belong to a connection, or that the HTTP client sets. */
const connectionHeaders = [
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'trailer'],
  ...['content-length', 'expect', 'host'],
];

/** Reads the arguments of `fetch`. @param run the signal of the agent's run */
async function readRequest(input: string | URL | Request, init: AgentFetchInit = {}, run: AbortSignal) {
  const { timeout = defaultTimeout, ...standard } = init;
  if (!(timeout > 0)) throw new TypeError(`timeout is a number of milliseconds above zero, not ${timeout}`);
  // Streams are read whole, so that they can be sent again.
  const given = new Request(input, { duplex: 'half', ...standard } as RequestInit);
  const body = given.body === null ? undefined : new Uint8Array(await given.arrayBuffer());
  const headers = Object.fromEntries([['accept', '*/*'], ['user-agent', 'a2a-gateway'], ...given.headers]);
  for (const name of connectionHeaders) delete headers[name];
  const request: SentRequest = { method: given.method, url: new URL(given.url), headers, body };
  const signal = AbortSignal.any([run, given.signal]);
  return { request, signal, timeout: Math.min(timeout, longestTimer), redirect: given.redirect };
}
