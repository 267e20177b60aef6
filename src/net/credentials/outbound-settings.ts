import type { Secret } from '../secret.ts';

/** The gateway's credentials at an upstream. */
export type OutboundAuthSettings =
  /** `header`: default, the header that the agent's card names for API keys, else `X-Api-Key`. */
  | { readonly type: 'apiKey'; readonly key: Secret; readonly header?: string }
  | { readonly type: 'bearer'; readonly token: Secret }
  /** RFC 7617. The name has no colon. */
  | { readonly type: 'basic'; readonly username: string; readonly password: Secret }
  /** The client-credentials grant (RFC 6749 section 4.4). */
  | {
      readonly type: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: Secret;
      readonly scopes: readonly string[];
    }
  /** A client certificate: absolute paths of PEM files. `ca`: default, the authorities that the system trusts. */
  | { readonly type: 'mtls'; readonly cert: string; readonly key: string; readonly ca?: string }
  /** Each caller's own credentials. */
  | { readonly type: 'forward' }
  | OnBehalfSettings;

/** Settings that both ways to get a token for a caller share. */
interface TokenRequestSettings {
  readonly tokenUrl: string;
  readonly clientId?: string;
  readonly clientSecret?: Secret;
  /** Whom the token is for. A JWT that names others is refused. */
  readonly audience?: string;
  readonly resource?: string;
  readonly scopes: readonly string[];
  /** More fields of the form. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The claim in which the caller's token and the one for it must agree, where one issuer signed both. '': none. */
  readonly subjectClaim: string;
}

/** Tokens for an agent, each for one caller. */
export type OnBehalfSettings =
  /** Token exchange (RFC 8693). `callerOrActor`: the actor itself is the subject for callers without a token. */
  | (TokenRequestSettings & {
      readonly type: 'exchange';
      readonly subject: 'caller' | 'callerOrActor';
      readonly subjectTokenType: 'access_token' | 'jwt' | 'id_token';
      readonly actor?: SettingsOf<'bearer' | 'oauth2'>;
    })
  /**
   * The JWT bearer grant (RFC 7523 section 2.1): with the caller's JWT; or, with a key, with one that the gateway signs.
   *
   * `privateKey`: absolute path of a PEM file. `issuer`: default, `clientId`. `assertionAudience`: default, `tokenUrl`.
   */
  | (TokenRequestSettings & {
      readonly type: 'jwtBearer';
      readonly subject: 'caller' | 'principal';
      readonly privateKey?: string;
      readonly keyId?: string;
      readonly issuer?: string;
      readonly assertionAudience?: string;
    });

export type SettingsOf<T extends OutboundAuthSettings['type']> = Extract<OutboundAuthSettings, { readonly type: T }>;
