import type { Secret } from './secret.ts';

/** What the gateway shows of itself to an upstream: one of these, by `type`. */
export type OutboundAuthSettings =
  | ApiKeySettings
  | BearerSettings
  | BasicSettings
  | OAuth2Settings
  | MtlsSettings
  | ForwardSettings;

/** A key in a header. */
export interface ApiKeySettings {
  readonly type: 'apiKey';
  readonly key: Secret;
  /** Default: the header that the agent's card names for API keys, else `X-Api-Key`. */
  readonly header?: string;
}

/** A token that was obtained elsewhere. */
export interface BearerSettings {
  readonly type: 'bearer';
  readonly token: Secret;
}

/** A name and a password (RFC 7617). */
export interface BasicSettings {
  readonly type: 'basic';
  /** Without a colon. */
  readonly username: string;
  readonly password: Secret;
}

/** Tokens of the client-credentials grant (RFC 6749 section 4.4). */
export interface OAuth2Settings {
  readonly type: 'oauth2';
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scopes: readonly string[];
}

/** A client certificate. */
export interface MtlsSettings {
  readonly type: 'mtls';
  /** Absolute paths of PEM files. */
  readonly cert: string;
  readonly key: string;
  /** The authorities that the agent's own certificate is of. Default: those that the system trusts. */
  readonly ca?: string;
}

/** What each caller showed to the gateway, as it came. */
export interface ForwardSettings {
  readonly type: 'forward';
}
