import { signal } from '@preact/signals';
import type { ConsoleSettings } from '../../../wire/console-settings.ts';
import { refusedBy } from './error.ts';

/** The settings when the console started; undefined until they were read. */
export const settings = signal<ConsoleSettings | undefined>(undefined);

/** Reads the current settings. Rejects if the gateway does not answer. */
export async function readSettings(): Promise<ConsoleSettings> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch('./settings.json', { cache: 'no-store', credentials: 'omit', signal });
  if (!response.ok) throw await refusedBy(response);
  return response.json();
}

/** Returns the URL of a trace's page; undefined if none is configured. */
export const traceUrl = (traceId: string): string | undefined =>
  settings.value?.traces?.replaceAll('{traceId}', encodeURIComponent(traceId));
