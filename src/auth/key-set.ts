import type { JSONWebKeySet, JWTVerifyGetKey, LocalJWKSet } from 'jose';
import { A2AError } from '../core/model/errors.ts';
import type { HttpClient } from '../net/http-client.ts';

/** Milliseconds after which keys are fetched anew when they are next needed. */
const maxAge = 10 * 60_000;
/** Milliseconds that old keys still serve while the provider does not answer. */
const maxStale = 60 * 60_000;
/** Milliseconds between two fetches because of keys that are not there. */
const cooldown = 30_000;
/** Milliseconds between two fetches that fail. */
const patience = 5_000;
/** Bytes of a key set. */
const largest = 512 * 1024;
/** Keys of a set. */
const most = 200;

export interface KeySetOptions {
  readonly url: string;
  readonly http: HttpClient;
  /** What `createLocalJWKSet` of jose does. */
  readonly local: (keys: JSONWebKeySet) => LocalJWKSet;
  /** Milliseconds for the provider's whole answer. Default 5,000. */
  readonly timeout?: number;
  /** Milliseconds, of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * The public keys of an identity provider: fetched when they are first needed, again after ten minutes, and when a token
 * names a key that is not there, which is how a new key shows; but not more often than every 30 seconds. A provider that
 * is down does not take away the keys that are known.
 */
export class KeySet {
  readonly #options: KeySetOptions;
  readonly #now: () => number;
  #keys: LocalJWKSet | undefined;
  /** When the keys were fetched. */
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** The fetch that is under way. */
  #fetching: Promise<LocalJWKSet> | undefined;
  #failed: { readonly error: A2AError; readonly at: number } | undefined;

  constructor(options: KeySetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Finds the key of a token. Rejects with an error of jose, or with A2AError `unavailable` without keys to look in. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw thrown;
      if (this.#now() - this.#fetchedAt < cooldown) throw thrown;
      return (await this.#fetch())(header, token);
    }
  };

  /** Fetches the keys now. Rejects with A2AError `unavailable` when they cannot be had. */
  async load(): Promise<void> {
    await this.#fetch();
  }

  #current(): LocalJWKSet | Promise<LocalJWKSet> {
    const age = this.#now() - this.#fetchedAt;
    if (!this.#keys || age > maxStale) return this.#fetch();
    // Nobody waits for the provider while there are keys.
    if (age > maxAge) this.#fetch().catch(() => {});
    return this.#keys;
  }

  #fetch(): Promise<LocalJWKSet> {
    if (this.#failed && this.#now() - this.#failed.at < patience) return Promise.reject(this.#failed.error);
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<LocalJWKSet> {
    try {
      this.#keys = this.#options.local(await this.#read());
      this.#fetchedAt = this.#now();
      this.#failed = undefined;
      return this.#keys;
    } catch (cause) {
      const said = 'The keys of the identity provider cannot be had at the moment';
      const error = new A2AError('unavailable', said, { retryAfter: patience / 1_000, cause });
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
      // Nobody's in particular: callers come and go while it is under way.
      signal: new AbortController().signal,
      timeout,
    });
    if (answer.status !== 200) {
      answer.discard();
      throw new Error(`the key set was answered with HTTP ${answer.status}`);
    }
    const value: unknown = JSON.parse((await answer.read(largest)).toString('utf8'));
    const { keys } = (value ?? {}) as { keys?: unknown };
    if (!Array.isArray(keys) || keys.length > most) throw new Error('the key set is none, or has too many keys');
    return { keys };
  }
}
