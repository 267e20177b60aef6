/** Settings that the gateway sends to the console before it has a credential: nothing secret. */
export interface ConsoleSettings {
  readonly version: string;
  /** Digest that changes with the files of the console. */
  readonly build: string;
  /** The header for API keys; absent if there are none. */
  readonly apiKeyHeader?: string;
  /** Whether the gateway has generated a key for itself, which changes with each start. */
  readonly madeKey: boolean;
  /** Whether callers can authenticate with a bearer token. */
  readonly bearer: boolean;
  /** Host of the provider at which people can sign in. */
  readonly signIn?: string;
  /** URL of a trace's page, with `{traceId}` in place of the id. */
  readonly traces?: string;
  /** Dialects that are served although their specification is not published. */
  readonly previews: readonly string[];
  /** Whether the store keeps calls and their numbers. */
  readonly keepsCalls: boolean;
}

/** Caller of the gateway from the console: the response of `/console/session`. */
export interface CallerOfConsole {
  /** Id of the principal. Absent: no one is signed in, and the gateway admits no caller without credentials. */
  readonly principal?: string;
  readonly anonymous?: boolean;
  readonly scopes: readonly string[];
  /** Names of the only agents that it may call, and the only tenants that it may name. Absent: all. */
  readonly agents?: readonly string[];
  readonly tenants?: readonly string[];
  /** The operations of the admin service that it may call. */
  readonly operations: readonly string[];
  /** The session. Absent: it calls without one. */
  readonly session?: {
    /** Kind of credential used for signing in. */
    readonly kind: 'apiKey' | 'bearer';
    /** Latest end of the session, in ISO 8601. */
    readonly until: string;
  };
}
