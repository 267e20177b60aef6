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
  /** URL of a trace's page, with `{traceId}` in the id's place. */
  readonly traces?: string;
  /** Dialects that are served although their specification is not published. */
  readonly previews: readonly string[];
}
