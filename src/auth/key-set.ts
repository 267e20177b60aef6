import type { JSONWebKeySet, JWTVerifyGetKey, LocalJWKSet } from 'jose';
import { A2AError } from '../core/model/errors.ts';
import { shared } from '../core/model/timing.ts';
import type { HttpClient } from '../net/http-client.ts';

/** Milliseconds after which keys are refreshed at their next use. */
const maxAge = 10 * 60_000;
/** Milliseconds for which old keys are used while the provider does not answer. */
const maxStale = 60 * 60_000;
/** Milliseconds between two fetches for unknown keys. */
const cooldown = 30_000;
/** Milliseconds between two failing fetches. */
const retryDelay = 5_000;
/** Bytes of the largest key set. */
const maxBytes = 512 * 1024;
/** Keys of the largest set. */
const maxKeys = 200;

export interface KeySetOptions {
  readonly url: string;
  readonly http: HttpClient;
  /** Milliseconds for the provider's whole answer. Default 5,000. */
  readonly timeout?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * The public keys of an identity provider. They are fetched at their first use, again after ten minutes, and when a token
 * names an unknown key, since it may be new; but at most every 30 seconds. While the provider is down, known keys are used.
 */
export class KeySet {
  readonly #options: KeySetOptions;
  readonly #now: () => number;
  #keys: LocalJWKSet | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** The fetch that is under way. */
  readonly #fetchOnce = shared(() => this.#fetch());
  #failed: { readonly error: A2AError; readonly at: number } | undefined;

  constructor(options: KeySetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Finds the key of a token. Rejects with an error of jose, or with A2AError `unavailable` when no keys are known. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw thrown;
      if (this.#now() - this.#fetchedAt < cooldown) throw thrown;
      return (await this.load())(header, token);
    }
  };

  #current(): LocalJWKSet | Promise<LocalJWKSet> {
    const age = this.#now() - this.#fetchedAt;
    if (!this.#keys || age > maxStale) return this.load();
    // In the background: known keys are still valid.
    if (age > maxAge) this.load().catch(() => {});
    return this.#keys;
  }

  /** Fetches the keys now. Rejects with A2AError `unavailable`. */
  load(): Promise<LocalJWKSet> {
    if (this.#failed && this.#now() - this.#failed.at < retryDelay) return Promise.reject(this.#failed.error);
    return this.#fetchOnce();
  }

  async #fetch(): Promise<LocalJWKSet> {
    const { createLocalJWKSet } = await import('jose');
    try {
      this.#keys = createLocalJWKSet(await this.#read());
      this.#fetchedAt = this.#now();
      this.#failed = undefined;
      return this.#keys;
    } catch (cause) {
      const message = 'The keys of the identity provider cannot be fetched';
      const error = new A2AError('unavailable', message, { retryAfter: retryDelay / 1_000, cause });
      this.#failed = { error, at: this.#now() };
      throw error;
    }
  }

  async #read(): Promise<JSONWebKeySet> {
    const { http, url, timeout = 5_000 } = this.#options;
    const answer = await http.request({
      method: 'GET',
      url: new URL(url),
      headers: { accept: 'application/jwk-set+json, application/json' },
      // Not the signal of one caller: several may wait for it.
      signal: new AbortController().signal,
      timeout,
    });
    if (answer.status !== 200) {
      answer.discard();
      throw new Error(`the key set was answered with HTTP ${answer.status}`);
    }
    const value: unknown = JSON.parse((await answer.read(maxBytes)).toString('utf8'));
    const { keys } = (value ?? {}) as { keys?: unknown };
    if (!Array.isArray(keys) || keys.length > maxKeys)
      throw new Error('the answer is not a key set, or has too many keys');
    return { keys };
  }
}
