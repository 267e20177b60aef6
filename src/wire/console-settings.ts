/** What the gateway says to the console before there is a credential: nothing secret. */
export interface ConsoleSettings {
  readonly version: string;
  /** Changes with the files of the console. */
  readonly build: string;
  /** The header for API keys; absent where there are none. */
  readonly apiKeyHeader?: string;
  /** Whether the gateway has made a key for itself, which changes with each start. */
  readonly madeKey: boolean;
  /** Whether callers can authenticate with a bearer token. */
  readonly bearer: boolean;
  /** The host of the provider at which people can sign in. */
  readonly signIn?: string;
  /** URL of a trace's page, with `{traceId}` in the id's place. */
  readonly traces?: string;
  /** Dialects that are served although their specification is not published. */
  readonly previews: readonly string[];
}

/** Who calls the gateway from the console: the answer of `/console/session`. */
export interface CallerOfConsole {
  /** Id of the principal. Absent: nobody is signed in, and the gateway admits nobody without credentials. */
  readonly principal?: string;
  readonly anonymous?: boolean;
  readonly scopes: readonly string[];
  /** The only agents that it may call, and the only tenants that it may name. Absent: all. */
  readonly agents?: readonly string[];
  readonly tenants?: readonly string[];
  /** The operations of the admin service that it may call. */
  readonly operations: readonly string[];
  /** Absent: it calls without a session. */
  readonly session?: {
    /** What it signed in with. */
    readonly kind: 'apiKey' | 'bearer';
    /** When the session ends at the latest: ISO 8601. */
    readonly until: string;
  };
}
