import type { DialectName } from '../dialects/kernel/dialect.ts';

/** Types that several settings share. */

/** Bytes, or a text such as `512KiB` or `10MiB`. */
export type Size = number | string;

/** A text such as `500ms`, `30s`, `10m`, `12h` or `30d`. */
export type Duration = string;

/** A whole number above zero. */
export type Count = number | 'unlimited';

/** The bindings that cards list. */
export type ListedBinding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

/** What cards list. Default: every binding of every dialect. */
export interface CardListingSettings {
  /** The bindings that cards list. Default: all. */
  readonly interfaces?: readonly ListedBinding[];
  /** The bindings that cards list of one dialect, by its name. */
  readonly dialects?: {
    readonly [K in DialectName]?: {
      /** The bindings that cards list of this dialect. */
      readonly interfaces: readonly ListedBinding[];
    };
  };
}

/** The gateway's credentials at an upstream agent, a tool server or a graph database. */
export type OutboundAuthFileSettings =
  | {
      /** An API key in a header. */
      readonly type: 'apiKey';
      /** The key. */
      readonly key: string;
      /** The header that holds it. Default: as the card of the agent says, else `X-Api-Key`. */
      readonly header?: string;
    }
  | {
      /** A bearer token. */
      readonly type: 'bearer';
      /** The token. */
      readonly token: string;
    }
  | {
      /** A name and a password (HTTP Basic). */
      readonly type: 'basic';
      /** The name. */
      readonly username: string;
      /** The password. */
      readonly password: string;
    }
  | {
      /** Tokens of an OAuth 2 token endpoint, for client credentials. */
      readonly type: 'oauth2';
      /** The URL of the token endpoint. */
      readonly tokenUrl: string;
      /** The client's id. */
      readonly clientId: string;
      /** The client's secret. */
      readonly clientSecret: string;
      /** The scopes to ask for. */
      readonly scopes?: readonly string[];
    }
  | {
      /** A client certificate. It needs an https URL. */
      readonly type: 'mtls';
      /** The certificate. */
      readonly cert: string;
      /** Its private key. */
      readonly key: string;
      /** The authorities that sign the server's certificate. Default: those of the system. */
      readonly ca?: string;
    }
  | {
      /** Each caller's own credentials. */
      readonly type: 'forward';
    };
