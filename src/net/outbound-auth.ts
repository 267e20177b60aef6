import type { AgentCard } from '../core/model/a2a.ts';
import type { Logger } from '../core/ports/logger.ts';
import { apiKeyHeader } from './header-names.ts';
import type { OutboundAuthSettings } from './outbound-settings.ts';
import { hide, secretsIn } from './secret.ts';
import { createTokenSource, type TokenSourceOptions } from './token-source.ts';

/** What a caller showed to the gateway, as it came. */
export interface CallerCredentials {
  /** The whole value of its `Authorization`. */
  readonly authorization?: string;
  readonly apiKey?: string;
}

export interface OutboundAuthOptions extends TokenSourceOptions {
  /** The one origin (scheme, host and port) that credentials may go to. */
  readonly origin: string;
  /** The agent's card as it was last read: it may name the header for API keys. */
  readonly card?: () => AgentCard | undefined;
  /** Told when credentials are held back from another origin, and of tokens of unknown types. */
  readonly logger?: Pick<Logger, 'warn'>;
}

/** What the gateway shows of itself to one upstream. */
export interface OutboundAuth {
  /**
   * The headers of one request, their names in lower case; none where `url` is not of the configured origin. Rejects
   * with an A2AError when a token is needed and cannot be had.
   *
   * @param caller whose request it is, where there is one
   */
  headers(caller: CallerCredentials | undefined, url: URL, signal: AbortSignal): Promise<Record<string, string>>;
  /**
   * Tells that a request with these headers was answered with 401. Returns whether another one would show something
   * new, so that it is worth sending, once.
   */
  rejected(shown: Readonly<Record<string, string>>): boolean;
  /** A text of whoever was shown something, without what that was. */
  hide(text: string, caller?: CallerCredentials): string;
}

/** One way to show who one is. */
interface Scheme {
  headers(
    caller: CallerCredentials | undefined,
    signal: AbortSignal,
  ): Record<string, string> | Promise<Record<string, string>>;
  rejected?(shown: Readonly<Record<string, string>>): boolean;
}

type SettingsOf<T> = Extract<OutboundAuthSettings, { readonly type: T }>;

/** Texts that are remembered of what was shown, so that they are found in what comes back: a few tokens' worth. */
const remembered = 32;

const nothing = (): Record<string, string> => ({});

const schemes: {
  readonly [T in OutboundAuthSettings['type']]: (settings: SettingsOf<T>, options: OutboundAuthOptions) => Scheme;
} = {
  apiKey: ({ key, header }, { card }) => ({
    headers: () => ({ [header?.toLowerCase() ?? apiKeyHeader(card?.())]: key.reveal() }),
  }),
  bearer: ({ token }) => ({ headers: () => ({ authorization: `Bearer ${token.reveal()}` }) }),
  basic: ({ username, password }) => ({
    headers: () => ({
      authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`,
    }),
  }),
  oauth2: (settings, options) => {
    const tokens = createTokenSource(settings, options);
    const prefix = 'Bearer ';
    return {
      headers: async (_, signal) => ({ authorization: prefix + (await tokens.get(signal)) }),
      rejected: ({ authorization }) => {
        if (!authorization?.startsWith(prefix)) return false;
        tokens.reject(authorization.slice(prefix.length));
        return true;
      },
    };
  },
  // The certificate is shown by the connection: see `clientTls`.
  mtls: () => ({ headers: nothing }),
  forward: (_, { card }) => ({
    headers: (caller) => ({
      ...(caller?.authorization !== undefined && { authorization: caller.authorization }),
      ...(caller?.apiKey !== undefined && { [apiKeyHeader(card?.())]: caller.apiKey }),
    }),
  }),
};

/** Makes the headers by which an upstream knows the gateway. Without settings there are none. */
export function createOutboundAuth(
  settings: OutboundAuthSettings | undefined,
  options: OutboundAuthOptions,
): OutboundAuth {
  if (settings === undefined) return { headers: async () => ({}), rejected: () => false, hide: (text) => text };
  const origin = new URL(options.origin).origin;
  const make = schemes[settings.type] as (settings: OutboundAuthSettings, options: OutboundAuthOptions) => Scheme;
  const scheme = make(settings, options);
  let told: string | undefined;
  const own = settings.type !== 'forward';
  const shown = new Set<string>();
  const remember = (headers: Record<string, string>): Record<string, string> => {
    for (const secret of own ? secretsIn(headers) : []) shown.add(secret);
    for (const oldest of shown) if (shown.size > remembered) shown.delete(oldest);
    return headers;
  };

  return {
    async headers(caller, url, signal) {
      if (url.origin === origin) return remember(await scheme.headers(caller, signal));
      if (told !== url.origin) {
        told = url.origin;
        options.logger?.warn({ origin: told, configured: origin }, 'credentials are held back from another origin');
      }
      return {};
    },
    rejected: (headers) => scheme.rejected?.(headers) ?? false,
    hide: (text, caller) => hide(text, own ? shown : secretsIn({ ...caller })),
  };
}
