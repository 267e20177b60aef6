import type { Secret } from '../secret.ts';

/** The gateway's credentials at an upstream. */
export type OutboundAuthSettings =
  /** An API key. Default of `header`: the header that the agent's card names for API keys, otherwise `X-Api-Key`. */
  | { readonly type: 'apiKey'; readonly key: Secret; readonly header?: string }
  | { readonly type: 'bearer'; readonly token: Secret }
  /** HTTP Basic (RFC 7617). The user name contains no colon. */
  | { readonly type: 'basic'; readonly username: string; readonly password: Secret }
  /** The client-credentials grant (RFC 6749 section 4.4). */
  | {
      readonly type: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: Secret;
      readonly scopes: readonly string[];
    }
  /** A client certificate, as absolute paths of PEM files. Default of `ca`: the authorities that the system trusts. */
  | { readonly type: 'mtls'; readonly cert: string; readonly key: string; readonly ca?: string }
  /** The caller's own credentials are forwarded. */
  | { readonly type: 'forward' }
  | OnBehalfSettings;

/** Settings that both kinds of token requests for a caller share. */
interface TokenRequestSettings {
  readonly tokenUrl: string;
  readonly clientId?: string;
  readonly clientSecret?: Secret;
  /** Audience of the token. A JWT for another audience is refused. */
  readonly audience?: string;
  readonly resource?: string;
  readonly scopes: readonly string[];
  /** Further fields of the form. */
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * The claim that must be equal in the caller's token and in the issued token, if one issuer signed both. '' for none.
   */
  readonly subjectClaim: string;
}

/** Settings for tokens that are issued for single callers of an agent. */
export type OnBehalfSettings =
  /** Token exchange (RFC 8693). With `callerOrActor`, the actor is the subject for callers without a token. */
  | (TokenRequestSettings & {
      readonly type: 'exchange';
      readonly subject: 'caller' | 'callerOrActor';
      readonly subjectTokenType: 'access_token' | 'jwt' | 'id_token';
      readonly actor?: SettingsOf<'bearer' | 'oauth2'>;
    })
  /**
   * The JWT bearer grant (RFC 7523 section 2.1), with the caller's JWT, or with a JWT that the gateway signs if
   * `privateKey` is set.
   *
   * `privateKey` is the absolute path of a PEM file. `issuer` defaults to `clientId`, and `assertionAudience` to
   * `tokenUrl`.
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
