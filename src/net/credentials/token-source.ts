import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import { shared, unlessAborted } from '../../core/model/timing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { HttpClient } from '../http-client.ts';
import { markUnsent, markUntried, transient } from '../network-errors.ts';
import type { SettingsOf } from './outbound-settings.ts';

export interface TokenSourceOptions {
  readonly http: HttpClient;
  readonly logger?: Pick<Logger, 'warn'>;
  /** Returns the current time in milliseconds since the epoch. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Milliseconds that a call waits for its token, across all requests. Default 10,000. */
  readonly timeout?: number;
  /** Name of the token endpoint in errors. Default: its URL. */
  readonly place?: string;
}

/**
 * Duration of a failed request, in milliseconds, beyond which a call does not repeat it, because it would wait longer
 * than its deadline.
 */
const quick = 1_000;

/** Milliseconds before its expiry at which a token is replaced, so that a token is still valid when it arrives. */
const margin = 60_000;

const maxAnswer = 256 * 1024;

/**
 * Creates a source of access tokens for one client, which caches the latest token. As AgentVault's clients do, it uses
 * a token without `expires_in` until it is refused, and treats an unknown `token_type` as bearer.
 */
export function createTokenSource(settings: SettingsOf<'oauth2'>, options: TokenSourceOptions) {
  const { http, logger, clock = Date.now, timeout = 10_000 } = options;
  const { origin, pathname } = new URL(settings.tokenUrl);
  const { place = origin + pathname } = options;
  let latest: { readonly token: string; readonly until: number } | undefined;

  const { clientId, clientSecret, scopes } = settings;
  const form = (): Record<string, string> => ({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret.reveal(),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  });

  const fetch = shared(async (): Promise<string> => {
    const began = clock();
    const fields = await requestToken({ http, timeout, place, url: new URL(settings.tokenUrl), form: form() });
    const { token, isBearer, lifetime } = readToken(place, fields);
    if (!isBearer) logger?.warn({ tokenEndpoint: place }, 'the token is not of type bearer; it is used as bearer');
    latest = { token, until: began + lifetime - margin };
    return token;
  });

  return {
    /**
     * Returns the latest token until a minute before it expires, then a new one. Concurrent callers share one request.
     * Rejects with the errors of `requestToken`, and with `canceled` if the signal aborts, which does not stop the
     * request.
     */
    async get(signal: AbortSignal): Promise<string> {
      if (signal.aborted) throw canceled(signal);
      if (latest !== undefined && clock() < latest.until) return latest.token;
      return unlessAborted(fetch(), signal).catch((thrown: unknown) => {
        throw thrown === signal.reason ? canceled(signal) : thrown;
      });
    },
    /** Discards a token that was refused, if it is the latest. */
    reject(token: string): void {
      if (latest?.token === token) latest = undefined;
    },
  };
}

export const canceled = (signal: AbortSignal): A2AError =>
  new A2AError('canceled', undefined, { cause: signal.reason });

interface TokenRequest extends Required<Pick<TokenSourceOptions, 'http' | 'timeout' | 'place'>> {
  readonly url: URL;
  readonly form: Readonly<Record<string, string>>;
  /** Returns the error for a refusal with the code in `error`. Default: an error about the client's credentials. */
  readonly refusal?: (code: unknown, reason: string) => A2AError | undefined;
}

/**
 * Requests a token from a token endpoint, with client credentials (RFC 6749 section 4.4) or another grant. Id and
 * secret are sent in the form.
 *
 * Errors name the endpoint, and contain neither its response nor a cause, which may contain the secret or a token.
 * Transient errors are marked `neverArrived`, because the call that needs the token has not been sent, or after a long
 * wait `neverTried`, so that the call does not wait again.
 *
 * @returns the JSON object in the response, or an empty object if it is not one
 * @throws A2AError `upstreamUnreachable`, also for 429 and 5xx; `upstreamTimeout`; `invalidAgentResponse` for a refusal
 */
export async function requestToken({ url, place, form, http, timeout, refusal }: TokenRequest): Promise<JsonObject> {
  const began = performance.now();
  const failed = (kind: A2AError['kind'], reason: string, retryAfter?: number): A2AError => {
    const isLate = kind === 'upstreamTimeout' || performance.now() - began > quick;
    return failure(kind, place, reason, { retryAfter, isLate });
  };
  const request = async () => {
    const answer = await http.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      // Not a caller's signal, because several callers share the request.
      signal: new AbortController().signal,
      timeout,
    });
    const { status, headers } = answer;
    return { status, headers, fields: parse(await answer.read(maxAnswer)) };
  };
  const { status, headers, fields } = await request().catch((thrown: unknown) => {
    const { kind, message } = A2AError.from(thrown);
    throw failed(kind, message);
  });
  if (status >= 200 && status <= 299) return fields;
  if (status < 400) throw failed('invalidAgentResponse', `it answered HTTP ${status}`);
  const reason = knownErrors.has(fields.error) ? `HTTP ${status}, ${fields.error}` : `HTTP ${status}`;
  if (status !== 429 && status < 500) {
    const refused = refusal?.(fields.error, reason);
    throw refused ?? failed('invalidAgentResponse', `it refused the client's credentials (${reason})`);
  }
  const seconds = Number(headers['retry-after']);
  throw failed('upstreamUnreachable', `it answered ${reason}`, seconds >= 0 ? seconds : undefined);
}

function parse(body: Buffer): JsonObject {
  const value = parsedJson(body.toString('utf8'));
  return isObject(value) ? value : {};
}

interface FailureFacts {
  /** Seconds to wait before the next attempt. */
  readonly retryAfter?: number | undefined;
  /** Whether the call has already waited for long, and must not wait again. */
  readonly isLate?: boolean;
}

export function failure(
  kind: A2AError['kind'],
  place: string,
  reason: string,
  { retryAfter, isLate = false }: FailureFacts = {},
): A2AError {
  const options = retryAfter === undefined ? {} : { retryAfter };
  const error = new A2AError(kind, `no access token from ${place}: ${reason}`, options);
  if (!transient(error)) return error;
  return isLate ? markUntried(error) : markUnsent(error);
}

/**
 * Error codes of RFC 6749 sections 5.2 and 4.1.2.1, RFC 8693, RFC 6750 and OpenID Connect. Other codes do not appear in
 * messages.
 */
const knownErrors: ReadonlySet<unknown> = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope', 'unauthorized_client'],
  ...['unsupported_grant_type', 'access_denied', 'server_error', 'temporarily_unavailable'],
  ...['invalid_target', 'invalid_token', 'interaction_required', 'consent_required', 'login_required'],
]);

/**
 * Reads a token response. `lifetime` is in milliseconds from the time of the request. Throws A2AError if the response
 * contains no token.
 */
export function readToken(place: string, { access_token: token, token_type: type, expires_in: seconds }: JsonObject) {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw failure('invalidAgentResponse', place, 'its answer holds none');
  }
  const given = typeof seconds === 'number' || (typeof seconds === 'string' && seconds.trim() !== '');
  const lifetime = given ? Number(seconds) * 1_000 : Number.NaN;
  return {
    token,
    isBearer: type === undefined || type === null || (typeof type === 'string' && type.toLowerCase() === 'bearer'),
    lifetime: Number.isNaN(lifetime) ? Number.POSITIVE_INFINITY : lifetime,
  };
}
