/** How callers may show who they are, once every default is known. Hashes are SHA-256 in base64url, without a prefix. */

/** What a caller may do. */
export interface GrantSettings {
  /** Names of the agents that may be called; undefined: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes; undefined: every scope that need not be granted explicitly (`impliedScopes`). */
  readonly scopes?: readonly string[] | undefined;
}

/** One key. Several keys of one name are one caller, so that a key can be replaced while the old one still works. */
export interface ApiKeySettings extends GrantSettings {
  readonly name: string;
  readonly hash: string;
}

/** Signature algorithms of tokens: asymmetric ones only, so that a public key can never be taken for a shared secret. */
export const jwtAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** Tokens of an identity provider. What a token's own scopes say counts within `scopes`, where that is given. */
export interface JwtSettings extends GrantSettings {
  readonly issuer: string;
  /** Any one of them will do. */
  readonly audience: readonly string[];
  /** Where the provider's public keys are. */
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  /** What tokens must say of their type, such as `at+jwt`. Undefined: anything. */
  readonly typ?: string | undefined;
  /** Milliseconds that clocks may differ by. */
  readonly clockTolerance: number;
  /** Claims that may hold a token's scopes; the first that is there counts. */
  readonly scopeClaims: readonly string[];
}

/** A client of the token endpoint. Several of one id are one client, as with keys. */
export interface TokenClientSettings extends GrantSettings {
  readonly id: string;
  readonly hash: string;
}

/** The built-in token endpoint. */
export interface TokenEndpointSettings {
  readonly clients: readonly TokenClientSettings[];
  /** Milliseconds that a token is good for. */
  readonly lifetime: number;
}

/** A client certificate: everything that is given must fit. */
export interface CertificateSettings extends GrantSettings {
  readonly name: string;
  readonly commonName?: string | undefined;
  /** One of its alternative names, without its kind: `spiffe://example.com/agent`, `client.example.com`. */
  readonly altName?: string | undefined;
  /** SHA-256 of the certificate, in lower-case hexadecimal. */
  readonly fingerprint?: string | undefined;
}

/** Client certificates of the listener's authorities. */
export interface MtlsSettings {
  readonly clients: readonly CertificateSettings[];
  /** Whether certificates that none of `clients` fits are let in, each subject as a caller of its own. */
  readonly others: 'accept' | 'refuse';
  /** Whether connections without a certificate are refused, whatever else they would have shown. */
  readonly required: boolean;
}

/**
 * Who may call without credentials. `local`: requests from this machine that nothing makes doubtful. `anyone`: written
 * in so many words for a listener that others can reach. `nobody`: everyone needs credentials.
 */
export type AnonymousAccess = 'local' | 'anyone' | 'nobody';

/** Everything about who gets in. */
export interface AuthSettings {
  readonly anonymous: AnonymousAccess;
  readonly apiKeys: readonly ApiKeySettings[];
  /** The header that cards name for keys; `X-Api-Key` is read as well. */
  readonly apiKeyHeader: string;
  readonly jwt: JwtSettings | undefined;
  readonly tokenEndpoint: TokenEndpointSettings | undefined;
  readonly mtls: MtlsSettings | undefined;
  /** Whether cards are for everybody. Otherwise for those who are let in. */
  readonly publicCards: boolean;
  /** Wrong credentials of one network address within a minute, until others than known ones are no longer judged. */
  readonly failuresPerMinute: number;
}

/** Whether there is any way to show who one is. */
export const hasCredentialMethods = (auth: AuthSettings): boolean =>
  auth.apiKeys.length > 0 || auth.jwt !== undefined || auth.tokenEndpoint !== undefined || auth.mtls !== undefined;
