import type { JWTVerifyGetKey, RemoteJWKSet } from 'jose';
import { A2AError } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import { steadyNow } from '../core/model/timing.ts';
import type { HttpClient } from '../net/http-client.ts';

/** Milliseconds after which keys are refreshed at their next use. */
const maxAge = 10 * 60_000;
/** Milliseconds for which cached keys are used while the provider does not answer. */
const maxStale = 60 * 60_000;
/** Minimum milliseconds between two fetches for unknown keys. */
const cooldown = 30_000;
/** Minimum milliseconds between a failed fetch and the next one. */
const retryDelay = 5_000;
/** Largest key set, in bytes. */
const maxBytes = 512 * 1024;
/** Maximum number of keys in a set. */
const maxKeys = 200;

export type KeySet = ReturnType<typeof createKeySet>;

/**
 * Creates the cache of an identity provider's public keys, kept by jose. Keys are fetched at their first use, again
 * after ten minutes, and when a token names an unknown key, which may be new; the last at most every 30 seconds. While
 * the provider is unavailable, known keys are used for up to an hour.
 *
 * @param timeout milliseconds for the provider's whole response
 */
export function createKeySet(url: string, http: HttpClient, timeout = 5_000) {
  let opened: Promise<RemoteJWKSet> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failed: { readonly error: A2AError; readonly at: number } | undefined;

  const open = (): Promise<RemoteJWKSet> => {
    opened ??= import('jose').then(({ createRemoteJWKSet, customFetch }) =>
      createRemoteJWKSet(new URL(url), {
        cooldownDuration: cooldown,
        cacheMaxAge: maxStale,
        timeoutDuration: timeout,
        [customFetch]: fetchKeys,
      }),
    );
    return opened;
  };

  /** Rejects with A2AError `unavailable`. */
  async function fetchKeys(): Promise<Response> {
    if (failed && steadyNow() - failed.at < retryDelay) throw failed.error;
    try {
      const keys = await readKeys(url, http, timeout);
      fetchedAt = steadyNow();
      failed = undefined;
      return Response.json({ keys });
    } catch (cause) {
      const message = 'The keys of the identity provider cannot be fetched';
      const error = new A2AError('unavailable', message, { retryAfter: retryDelay / 1_000, cause });
      failed = { error, at: steadyNow() };
      throw error;
    }
  }

  /** Finds the key of a token. Rejects with an error of jose, or with A2AError `unavailable` if no keys are known. */
  const find: JWTVerifyGetKey = async (header, token) => {
    const keys = await open();
    // In the background: known keys are still valid.
    if (keys.fresh && steadyNow() - fetchedAt > maxAge) keys.reload().catch(() => {});
    return keys(header, token);
  };
  return {
    find,
    /** Fetches the keys now. Rejects with A2AError `unavailable`. */
    load: async (): Promise<void> => (await open()).reload(),
  };
}

async function readKeys(url: string, http: HttpClient, timeout: number): Promise<readonly object[]> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  // Not the signal of one caller, because several callers may wait for the keys.
  const { signal } = new AbortController();
  const answer = await http.request({ method: 'GET', url: new URL(url), headers, signal, timeout });
  if (answer.status !== 200) {
    answer.discard();
    throw new Error(`the key set was answered with HTTP ${answer.status}`);
  }
  const value: unknown = JSON.parse((await answer.read(maxBytes)).toString('utf8'));
  const keys = isObject(value) ? value.keys : undefined;
  if (Array.isArray(keys) && keys.length <= maxKeys && keys.every(isObject)) return keys;
  throw new Error('the answer is not a key set, or has too many keys');
}
