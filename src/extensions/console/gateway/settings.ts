import { signal } from '@preact/signals';

/** What the gateway says to the console before there is a credential. */
export interface Settings {
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

/** The settings when the console started; undefined until they were read. */
export const settings = signal<Settings | undefined>(undefined);

/** Reads the settings as they are now. Rejects where the gateway does not answer. */
export async function readSettings(): Promise<Settings> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch('./settings.json', { cache: 'no-store', credentials: 'omit', signal });
  if (!response.ok) throw new Error(`The gateway answered with ${response.status}`);
  return response.json();
}

/** URL of a trace's page; undefined where none is configured. */
export const traceUrl = (traceId: string): string | undefined =>
  settings.value?.traces?.replaceAll('{traceId}', encodeURIComponent(traceId));
