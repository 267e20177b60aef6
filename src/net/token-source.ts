import { A2AError } from '../core/model/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { HttpClient } from './http-client.ts';
import { markUnsent, transient } from './network-errors.ts';
import type { OAuth2Settings } from './outbound-settings.ts';

export interface TokenSourceOptions {
  readonly http: HttpClient;
  readonly logger?: Pick<Logger, 'warn'>;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly clock?: () => number;
  /** Milliseconds for one answer of the token endpoint. Default 10,000. */
  readonly timeout?: number;
}

/** Access tokens of one client. */
export interface TokenSource {
  /**
   * A token: the last one until a minute before it expires, else a new one. Callers who come while one is being fetched
   * share it. Rejects as `requestToken` does; with `canceled` when the signal aborts, which does not stop what others
   * wait for.
   */
  get(signal: AbortSignal): Promise<string>;
  /** Tells that a token was refused: it is not given out again. Does nothing when it is not the last one. */
  reject(token: string): void;
}

/** Milliseconds before its expiry that a token is given up: it must arrive while it is still good. */
const margin = 60_000;

/**
 * Fetches tokens and keeps the last. As with AgentVault's clients, one without `expires_in` is good until it is refused,
 * and one of an unknown `token_type` is used as if it were bearer.
 */
export function createTokenSource(settings: OAuth2Settings, options: TokenSourceOptions): TokenSource {
  const { http, logger, clock = Date.now, timeout = 10_000 } = options;
  let last: { readonly token: string; readonly until: number } | undefined;
  let fetching: Promise<string> | undefined;

  const fetch = async (): Promise<string> => {
    try {
      const began = clock();
      const { token, strange, life } = await requestToken(settings, http, timeout);
      if (strange) {
        logger?.warn({ tokenEndpoint: tokenEndpoint(settings) }, 'a token that is not called bearer is used as bearer');
      }
      last = { token, until: began + life - margin };
      return token;
    } finally {
      fetching = undefined;
    }
  };

  return {
    async get(signal) {
      if (signal.aborted) throw canceled(signal);
      if (last !== undefined && clock() < last.until) return last.token;
      fetching ??= fetch();
      return unlessAborted(fetching, signal);
    },
    reject(token) {
      if (last?.token === token) last = undefined;
    },
  };
}

const canceled = (signal: AbortSignal): A2AError => new A2AError('canceled', undefined, { cause: signal.reason });

/** What a promise brings, or `canceled` when the signal aborts before. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(canceled(signal));
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** A token as the endpoint granted it. */
export interface GrantedToken {
  readonly token: string;
  /** Whether its type is called something else than bearer. */
  readonly strange: boolean;
  /** Milliseconds from the request on; Infinity when the endpoint does not tell. */
  readonly life: number;
}

const largestAnswer = 256 * 1024;

/** Where a token endpoint is, for messages. */
export const tokenEndpoint = ({ tokenUrl }: OAuth2Settings): string => {
  const { origin, pathname } = new URL(tokenUrl);
  return `${origin}${pathname}`;
};

/**
 * Asks for a token with the client-credentials grant (RFC 6749 section 4.4), id and secret in the form, as AgentVault's
 * clients do.
 *
 * Errors name the endpoint. They hold nothing of what it answered, nor a cause, for that may hold the secret or a token.
 * Those that may pass are `transient`, and `neverArrived`, for the call that the token was for has not been sent.
 *
 * @param timeout milliseconds for the whole answer
 * @throws A2AError `upstreamUnreachable`, also for 429 and 5xx; `upstreamTimeout`; `invalidAgentResponse` for a refusal
 *   or an answer without a token
 */
export async function requestToken(settings: OAuth2Settings, http: HttpClient, timeout: number): Promise<GrantedToken> {
  const place = tokenEndpoint(settings);
  const { clientId, clientSecret, scopes } = settings;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret.reveal(),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  });
  const answer = await exchange(http, settings.tokenUrl, form.toString(), timeout).catch((thrown: unknown) => {
    const { kind, message } = A2AError.from(thrown);
    throw failure(kind, `no access token from ${place}: ${message}`);
  });
  if (answer.status >= 400) throw refusal(place, answer);
  if (answer.status < 200 || answer.status > 299) {
    throw failure('invalidAgentResponse', `no access token from ${place}: it answered HTTP ${answer.status}`);
  }
  return granted(place, answer.fields);
}

interface Answer {
  readonly status: number;
  readonly retryAfter: number | undefined;
  /** Of the JSON object that it is; empty when it is something else. */
  readonly fields: Readonly<Record<string, unknown>>;
}

async function exchange(http: HttpClient, tokenUrl: string, body: string, timeout: number): Promise<Answer> {
  const answer = await http.request({
    method: 'POST',
    url: new URL(tokenUrl),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body,
    // Nobody's in particular: callers come and go while it is under way.
    signal: new AbortController().signal,
    timeout,
  });
  const seconds = Number(answer.headers['retry-after']);
  return {
    status: answer.status,
    retryAfter: seconds >= 0 ? seconds : undefined,
    fields: parse(await answer.read(largestAnswer)),
  };
}

function parse(body: Buffer): Answer['fields'] {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Answer['fields']) : {};
  } catch {
    return {};
  }
}

function failure(kind: A2AError['kind'], message: string, retryAfter?: number): A2AError {
  const error = new A2AError(kind, message, retryAfter === undefined ? {} : { retryAfter });
  return transient(error) ? markUnsent(error) : error;
}

/** What RFC 6749 section 5.2 and 4.1.2.1 let an endpoint say; anything else is not repeated. */
const knownErrors: ReadonlySet<unknown> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
]);

function refusal(place: string, { status, fields, retryAfter }: Answer): A2AError {
  const why = knownErrors.has(fields.error) ? `HTTP ${status}, ${fields.error}` : `HTTP ${status}`;
  return status === 429 || status >= 500
    ? failure('upstreamUnreachable', `no access token from ${place}: it answered ${why}`, retryAfter)
    : failure('invalidAgentResponse', `no access token from ${place}: it refused the client's credentials (${why})`);
}

function granted(place: string, fields: Answer['fields']): GrantedToken {
  const { access_token: token, token_type: type, expires_in: seconds } = fields;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw failure('invalidAgentResponse', `no access token from ${place}: its answer holds none`);
  }
  const told = typeof seconds === 'number' || (typeof seconds === 'string' && seconds.trim() !== '');
  const life = told ? Number(seconds) * 1_000 : Number.NaN;
  return {
    token,
    strange: type !== undefined && type !== null && String(type).toLowerCase() !== 'bearer',
    life: Number.isNaN(life) ? Number.POSITIVE_INFINITY : life,
  };
}
