import { readFile } from 'node:fs/promises';
import { A2AError } from '../core/model/errors.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

/** Public keys as RFC 7517 section 5 has them: each an object, and nothing else is known of it. */
export interface PublicKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** Where public keys are: at an URL that the operator trusts, or in a file, by its absolute path. */
export type KeyPlace = { readonly url: string } | { readonly file: string };

/** Bytes of a key set. */
const largest = 512 * 1024;
/** Keys of a set. */
const most = 200;
/** Milliseconds for the whole answer. */
const timeout = 5_000;

/**
 * Reads a key set, or a single key as a set of one. No redirect is followed: the keys are where they were said to be.
 *
 * Rejects with A2AError `unavailable` that says what is wrong, and nothing of what was read.
 */
export async function readPublicKeys(place: KeyPlace, signal: AbortSignal): Promise<PublicKeys> {
  if ('file' in place) return keysOf(await fileText(place.file), place.file);
  const http = createHttpClient();
  try {
    return keysOf(await answerText(http, new URL(place.url), signal), new URL(place.url).origin);
  } finally {
    http.close();
  }
}

async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw unavailable(path, `cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

async function answerText(http: HttpClient, url: URL, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  try {
    const answer = await http.request({ method: 'GET', url, headers, signal, timeout });
    if (answer.status === 200) return (await answer.read(largest)).toString('utf8');
    answer.discard();
    throw unavailable(url.origin, `were answered with HTTP ${answer.status}`);
  } catch (thrown) {
    const error = A2AError.from(thrown);
    throw error.kind === 'unavailable' ? error : unavailable(url.origin, `cannot be had: ${error.message}`);
  }
}

function keysOf(text: string, from: string): PublicKeys {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unavailable(from, 'are no JSON');
  }
  const { keys = value === null ? undefined : [value] } = (value ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > most || !keys.every(isKey)) throw unavailable(from, 'are no JWK set');
  return { keys };
}

const isKey = (key: unknown): key is Readonly<Record<string, unknown>> =>
  typeof key === 'object' && key !== null && typeof (key as { kty?: unknown }).kty === 'string';

const unavailable = (from: string, what: string): A2AError =>
  new A2AError('unavailable', `the keys of ${from} ${what}`);
