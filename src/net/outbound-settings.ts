import type { Secret } from './secret.ts';

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
  | { readonly type: 'forward' };

export type SettingsOf<T extends OutboundAuthSettings['type']> = Extract<OutboundAuthSettings, { readonly type: T }>;
