import { A2AError } from '../core/model/errors.ts';
import { isObject, type JsonObject } from '../core/model/json.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { fileText } from './read-file.ts';

/** A JWK set (RFC 7517 section 5). Its keys are not validated. */
export interface PublicKeys {
  readonly keys: readonly JsonObject[];
}

/** Location of public keys: a URL that the operator trusts, or the absolute path of a file. */
export type KeyPlace = { readonly url: string } | { readonly file: string };

const limits = { bytes: 512 * 1024, keys: 200, milliseconds: 5_000 } as const;

/**
 * Reads a key set, or a single key as a set of one. Redirects are not followed.
 *
 * Rejects with A2AError `unavailable`, whose message contains none of the content.
 */
export async function readPublicKeys(place: KeyPlace, signal: AbortSignal): Promise<PublicKeys> {
  if ('file' in place) return keysOf(await textOf(place.file), place.file);
  const http = createHttpClient();
  try {
    return keysOf(await answerText(http, new URL(place.url), signal), new URL(place.url).origin);
  } finally {
    http.close();
  }
}

const textOf = (path: string): Promise<string> =>
  fileText(path).catch(({ code = 'unknown' }: NodeJS.ErrnoException) => {
    throw unavailable(path, `cannot be read (${code})`);
  });

async function answerText(http: HttpClient, url: URL, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  try {
    const answer = await http.request({ method: 'GET', url, headers, signal, timeout: limits.milliseconds });
    if (answer.status === 200) return (await answer.read(limits.bytes)).toString('utf8');
    answer.discard();
    throw unavailable(url.origin, `cannot be fetched: HTTP ${answer.status}`);
  } catch (thrown) {
    const error = A2AError.from(thrown);
    throw error.kind === 'unavailable' ? error : unavailable(url.origin, `cannot be fetched: ${error.message}`);
  }
}

function keysOf(text: string, from: string): PublicKeys {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unavailable(from, 'are not JSON');
  }
  const { keys = value === null ? undefined : [value] } = (value ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > limits.keys || !keys.every(isKey))
    throw unavailable(from, 'are not a JWK set');
  return { keys };
}

const isKey = (key: unknown): key is JsonObject => isObject(key) && typeof key.kty === 'string';

const unavailable = (from: string, what: string): A2AError =>
  new A2AError('unavailable', `the keys of ${from} ${what}`);
