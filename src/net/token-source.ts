import { A2AError } from '../core/model/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { HttpClient } from './http-client.ts';
import type { OAuth2Settings } from './outbound-settings.ts';
import { requestToken, tokenEndpoint } from './token-request.ts';

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
