import type { ApiKeyConfig, CertificateConfig, JwtConfig, TokenEndpointConfig } from '../gen/settings.ts';
import type { Secret } from '../net/secret.ts';
import type { AuthHooks } from './hooks/hooks.ts';

/** Authentication of callers, with all defaults filled in. Hashes are SHA-256 in base64url, without a prefix. */

/** Signature algorithms of tokens: only asymmetric ones, so that a public key can never be used as a shared secret. */
export const jwtAlgorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;

/** Settings for client certificates signed by the listener's authorities. */
export interface MtlsSettings {
  readonly clients: readonly CertificateConfig[];
  /** Whether certificates that match no client are accepted. Each subject is then a caller of its own. */
  readonly others: 'accept' | 'refuse';
  /** Whether connections without a certificate are refused, including those with other credentials. */
  readonly required: boolean;
}

/** A program's own authentication and authorization: either a module or hooks. */
export interface HookSettings {
  /** The module that exports the hooks. `path` is absolute. */
  readonly module?:
    | { readonly path: string; readonly config?: unknown; readonly env?: ReadonlyMap<string, Secret> | undefined }
    | undefined;
  readonly code?: AuthHooks | undefined;
  /** Milliseconds within which a hook must answer. */
  readonly timeout: number;
}

/** Settings for signing in to the console at the provider that issues tokens. */
export interface SignInSettings {
  readonly clientId: string;
  readonly clientSecret?: Secret | undefined;
  /** Scopes to request in addition to `openid`. */
  readonly scopes?: readonly string[] | undefined;
  /** Further parameters of the requests for a code and for a token. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** Callers that are admitted without credentials. `local` admits requests that certainly come from this machine. */
export type AnonymousAccess = 'local' | 'anyone' | 'none';

export interface AuthSettings {
  readonly anonymous: AnonymousAccess;
  readonly apiKeys: readonly ApiKeyConfig[];
  /** Header for API keys, which cards list. `X-Api-Key` is read too. */
  readonly apiKeyHeader: string;
  readonly jwt: JwtConfig | undefined;
  readonly tokenEndpoint: TokenEndpointConfig | undefined;
  readonly mtls: MtlsSettings | undefined;
  readonly publicCards: boolean;
  /**
   * Number of wrong credentials from one network within a minute after which only known credentials are accepted from
   * it.
   */
  readonly failuresPerMinute: number;
  readonly hooks?: HookSettings | undefined;
}

/** Whether a hook may authenticate callers. For a module, this is not known before it is loaded. */
export const hasAuthenticateHook = ({ hooks }: AuthSettings): boolean =>
  hooks?.module !== undefined || hooks?.code?.authenticate !== undefined;

/** Whether callers can authenticate at all. */
export const hasCredentialMethods = (auth: AuthSettings): boolean =>
  hasAuthenticateHook(auth) ||
  auth.apiKeys.length > 0 ||
  auth.jwt !== undefined ||
  auth.tokenEndpoint !== undefined ||
  auth.mtls !== undefined;
