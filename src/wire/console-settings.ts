/** Settings that the gateway sends to the console before sign-in. They contain no secrets. */
export interface ConsoleSettings {
  readonly version: string;
  /** Digest that changes whenever a file of the console changes. */
  readonly build: string;
  /** Name of the request header for API keys; absent if there are no API keys. */
  readonly apiKeyHeader?: string;
  /** Whether the gateway generated its own API key, which changes at each start. */
  readonly madeKey: boolean;
  /** Whether callers can authenticate with a bearer token. */
  readonly bearer: boolean;
  /** Host of the identity provider with which people can sign in. */
  readonly signIn?: string;
  /** URL template of a trace's page, with `{traceId}` in place of the id. */
  readonly traces?: string;
  /** Dialects that are served although their specification has not been published. */
  readonly previews: readonly string[];
  /** Whether the store keeps calls and their statistics. */
  readonly keepsCalls: boolean;
}

/** The caller that the console acts for: the response of `/console/session`. */
export interface CallerOfConsole {
  /** Id of the principal. Absent if no one is signed in and the gateway rejects callers without credentials. */
  readonly principal?: string;
  readonly anonymous?: boolean;
  readonly scopes: readonly string[];
  /**
   * Names of the only agents that the caller may call, and the only tenants that it may name. Absent if unrestricted.
   */
  readonly agents?: readonly string[];
  readonly tenants?: readonly string[];
  /** Operations of the admin service that the caller may use. */
  readonly operations: readonly string[];
  /** The console's session. Absent if the caller has none. */
  readonly session?: {
    /** Kind of credential used for signing in. */
    readonly kind: 'apiKey' | 'bearer';
    /** Latest time at which the session ends, in ISO 8601. */
    readonly until: string;
  };
}
