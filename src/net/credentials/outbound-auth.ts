import type { AgentCard } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { apiKeyHeader } from '../header-names.ts';
import { markCredentials } from '../network-errors.ts';
import { hide, secretsIn } from '../secret.ts';
import type { OnBehalf } from './on-behalf.ts';
import type { OutboundCaller } from './on-behalf-subjects.ts';
import type { OnBehalfSettings, OutboundAuthSettings, SettingsOf } from './outbound-settings.ts';
import { createTokenSource, type TokenSourceOptions } from './token-source.ts';

export interface OutboundAuthOptions extends TokenSourceOptions {
  /** The only origin (scheme, host and port) that receives the credentials. */
  readonly origin: string;
  /** Returns the agent's latest card, which may name the header for API keys. */
  readonly card?: () => AgentCard | undefined;
  /** Name of the agent, for tokens that are issued for single callers. */
  readonly agent?: string;
  /** Reads the store's secret, for tokens that are issued for single callers. */
  readonly secret?: () => Promise<string>;
}

type Headers = Readonly<Record<string, string>>;

/** The gateway's credentials at one upstream. */
export interface OutboundAuth {
  /**
   * Returns the headers of one request, with lower-case names. Empty if `url` is not at the configured origin. Rejects
   * with an A2AError if a token is required and cannot be fetched.
   *
   * @param caller the caller of the request; undefined for requests without a caller, such as that for the agent's card
   */
  headers(
    caller: OutboundCaller | undefined,
    url: URL,
    signal: AbortSignal,
  ): Record<string, string> | Promise<Record<string, string>>;
  /** Whether credentials can be renewed after a rejection, so that `rejected` may return true. */
  readonly isRenewable: boolean;
  /**
   * Reports that the response to a request with these headers was 401. Returns whether another request would get new
   * credentials.
   */
  rejected(sent: Headers): boolean;
  /** Masks credentials that were sent, in a text from the other side. */
  hide(text: string, caller?: OutboundCaller): string;
}

/** One kind of credentials. */
interface Scheme {
  headers(
    caller: OutboundCaller | undefined,
    signal: AbortSignal,
  ): Record<string, string> | Promise<Record<string, string>>;
  rejected?(sent: Headers): boolean;
  /** Returns the credentials that were sent to the agent for a caller, if they differ between callers. */
  shown?(caller: OutboundCaller): Iterable<string>;
}

/** Maximum number of sent credentials that are remembered in order to mask them. */
const maxRemembered = 32;

/**
 * Creates the scheme of tokens that are issued for single callers. The code that requests them is loaded for the first
 * token.
 */
function onBehalf(
  settings: OnBehalfSettings,
  { agent = '', secret = async () => '', ...options }: OutboundAuthOptions,
): Scheme {
  let tokens: OnBehalf | undefined;
  return {
    async headers(caller, signal) {
      if (!caller) return {};
      const { OnBehalf } = await import('./on-behalf.ts');
      tokens ??= new OnBehalf(settings, { ...options, agent, secret });
      return tokens.headers(caller, signal);
    },
    rejected: (sent) => tokens?.rejected(sent) ?? false,
    shown: (caller) => tokens?.sentFor(caller) ?? [],
  };
}

/** Whether the credentials identify each caller to the agent, and not only the gateway. */
export const isPerCaller = (settings: OutboundAuthSettings | undefined): boolean =>
  settings !== undefined && ['forward', 'exchange', 'jwtBearer'].includes(settings.type);

/** Returns the token endpoints from which credentials are requested. */
export function tokenEndpointsOf(settings: OutboundAuthSettings | undefined): readonly string[] {
  if (!settings || !('tokenUrl' in settings)) return [];
  return [settings.tokenUrl, ...(settings.type === 'exchange' ? tokenEndpointsOf(settings.actor) : [])];
}

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
  // The connection presents the certificate: see `clientTls`.
  mtls: () => ({ headers: () => ({}) }),
  forward: (_, { card }) => ({
    headers: (caller) => ({
      ...(caller?.authorization !== undefined && { authorization: caller.authorization }),
      ...(caller?.apiKey !== undefined && { [apiKeyHeader(card?.())]: caller.apiKey }),
    }),
    shown: ({ authorization, apiKey }) =>
      secretsIn({ ...(authorization !== undefined && { authorization }), ...(apiKey !== undefined && { apiKey }) }),
  }),
  exchange: onBehalf,
  jwtBearer: onBehalf,
};

/** Creates the credentials for an upstream. Without settings, no credentials are sent. */
export function createOutboundAuth(
  settings: OutboundAuthSettings | undefined,
  options: OutboundAuthOptions,
): OutboundAuth {
  if (settings === undefined) {
    return { headers: () => ({}), isRenewable: false, rejected: () => false, hide: (text) => text };
  }
  const { origin } = new URL(options.origin);
  const create = schemes[settings.type] as (settings: OutboundAuthSettings, options: OutboundAuthOptions) => Scheme;
  const scheme = create(settings, options);
  const isOwn = scheme.shown === undefined;
  const sent = new Set<string>();
  let warnedOrigin: string | undefined;

  return {
    async headers(caller, url, signal) {
      if (url.origin !== origin) {
        if (warnedOrigin !== url.origin) {
          warnedOrigin = url.origin;
          const places = { origin: url.origin, configured: origin };
          options.logger?.warn(places, 'credentials are not sent to an origin other than the configured one');
        }
        return {};
      }
      let headers: Record<string, string>;
      try {
        headers = await scheme.headers(caller, signal);
      } catch (thrown) {
        throw markCredentials(A2AError.from(thrown));
      }
      for (const secret of isOwn ? secretsIn(headers) : []) sent.add(secret);
      for (const oldest of sent) if (sent.size > maxRemembered) sent.delete(oldest);
      return headers;
    },
    isRenewable: scheme.rejected !== undefined,
    rejected: (headers) => scheme.rejected?.(headers) ?? false,
    hide: (text, caller) => hide(text, scheme.shown?.(caller ?? {}) ?? sent),
  };
}
