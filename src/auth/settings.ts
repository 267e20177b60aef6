import type { Secret } from '../net/secret.ts';
import type { AuthHooks } from './hooks.ts';

/** How callers authenticate, with all defaults filled in. Hashes are SHA-256 in base64url, without a prefix. */

/** What a caller may do. */
export interface GrantSettings {
  /** Names of the agents that may be called; undefined: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes; undefined: every scope that need not be granted explicitly (`impliedScopes`). */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that may be named; undefined: any. */
  readonly tenants?: readonly string[] | undefined;
}

/** One key. Keys with one name are one caller, so that a new key can be added before the old one is removed. */
export interface ApiKeySettings extends GrantSettings {
  readonly name: string;
  readonly hash: string;
}

/** Signature algorithms of tokens: only asymmetric ones, so that a public key can never be used as a shared secret. */
export const jwtAlgorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;

/** Tokens of an identity provider. `scopes` bounds the scopes in a token. */
export interface JwtSettings extends GrantSettings {
  readonly issuer: string;
  /** A token needs one of them. */
  readonly audience: readonly string[];
  /** URL of the provider's public keys. */
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  /** The required type of tokens, such as `at+jwt`. Undefined: any. */
  readonly typ?: string | undefined;
  /** Milliseconds by which clocks may differ. */
  readonly clockTolerance: number;
  /** Claims that may hold a token's scopes; the first that is present is used. */
  readonly scopeClaims: readonly string[];
}

/** A client of the token endpoint. Entries with one id are one client, as with keys. */
export interface TokenClientSettings extends GrantSettings {
  readonly id: string;
  readonly hash: string;
}

/** The built-in token endpoint. */
export interface TokenEndpointSettings {
  readonly clients: readonly TokenClientSettings[];
  /** Milliseconds for which tokens are valid. */
  readonly lifetime: number;
}

/** A client certificate. All given properties must match. */
export interface CertificateSettings extends GrantSettings {
  readonly name: string;
  readonly commonName?: string | undefined;
  /** SHA-256 of the public key of its authority, in lower-case hexadecimal. */
  readonly authority?: string | undefined;
  /** One of its alternative names, with its kind: `URI:spiffe://example.com/agent`, `DNS:client.example.com`. */
  readonly altName?: string | undefined;
  /** SHA-256 of the certificate, in lower-case hexadecimal. */
  readonly fingerprint?: string | undefined;
}

/** Client certificates of the listener's authorities. */
export interface MtlsSettings {
  readonly clients: readonly CertificateSettings[];
  /** Whether certificates that match no client are accepted, with each subject as a caller of its own. */
  readonly others: 'accept' | 'refuse';
  /** Whether connections without a certificate are refused, also those with other credentials. */
  readonly required: boolean;
}

/** A program's own authentication and authorization. Either a module or hooks. */
export interface HookSettings {
  /** A module that exports them. `path` is absolute. */
  readonly module?:
    | { readonly path: string; readonly config?: unknown; readonly env?: ReadonlyMap<string, Secret> | undefined }
    | undefined;
  readonly code?: AuthHooks | undefined;
  /** Milliseconds for the answer of a hook. */
  readonly timeout: number;
}

/** Who may call without credentials. `local`: requests that certainly come from this machine. */
export type AnonymousAccess = 'local' | 'anyone' | 'none';

/** Authentication as configured. */
export interface AuthSettings {
  readonly anonymous: AnonymousAccess;
  readonly apiKeys: readonly ApiKeySettings[];
  /** The header for keys in cards; `X-Api-Key` is read too. */
  readonly apiKeyHeader: string;
  readonly jwt: JwtSettings | undefined;
  readonly tokenEndpoint: TokenEndpointSettings | undefined;
  readonly mtls: MtlsSettings | undefined;
  /** Whether cards can be read without credentials. */
  readonly publicCards: boolean;
  /** Wrong credentials from one network in a minute after which only known credentials are accepted from it. */
  readonly failuresPerMinute: number;
  readonly hooks?: HookSettings | undefined;
}

/** What each configured credential may do. */
export const grantsOf = ({ apiKeys, tokenEndpoint, mtls, jwt }: AuthSettings): readonly GrantSettings[] => [
  ...apiKeys,
  ...(tokenEndpoint?.clients ?? []),
  ...(mtls?.clients ?? []),
  ...(jwt ? [jwt] : []),
];

/** Whether a hook authenticates callers. A module may, which is not known before it is loaded. */
export const hasAuthenticateHook = ({ hooks }: AuthSettings): boolean =>
  hooks?.module !== undefined || hooks?.code?.authenticate !== undefined;

/** Whether callers can authenticate at all. */
export const hasCredentialMethods = (auth: AuthSettings): boolean =>
  hasAuthenticateHook(auth) ||
  auth.apiKeys.length > 0 ||
  auth.jwt !== undefined ||
  auth.tokenEndpoint !== undefined ||
  auth.mtls !== undefined;
