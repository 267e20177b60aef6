import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { normalizedName, Policy } from './guard/policy.ts';
import { portOf } from './guard/ports.ts';

/**
 * Protects against SSRF for targets that others choose: webhooks, interfaces in an upstream's card, key sets of
 * signatures.
 */
export interface UrlGuard {
  /**
   * Checks a URL by its text: scheme, user information, port, and the address if the host is one, in any spelling.
   *
   * @throws UrlRefused
   */
  check(url: string | URL): URL;
  /**
   * Returns a function that resolves names for connections to this port as `dns.lookup` does, and fails with UrlRefused
   * if an address is not allowed. Sockets call it themselves, so that they connect to the address that was checked.
   * They do not call it for hosts that are addresses, so `check` is needed too.
   */
  lookupAt(port: number): LookupFunction;
  /** Returns a guard that also accepts the origins of these URLs, which the operator configured. */
  trusting(...urls: readonly string[]): UrlGuard;
}

/**
 * Error for a target that the guard refused. The message contains the scheme, host or address, and no other part of the
 * URL.
 */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused';
  readonly code = 'ERR_URL_REFUSED';
}

export interface UrlGuardOptions {
  /**
   * Lines of `outbound.allow`: hosts, addresses and address blocks, optionally with a port. A function is called for
   * each check.
   */
  readonly allow?: readonly string[] | (() => readonly string[]);
  /** Whether to allow names and addresses of this machine. Default false. */
  readonly loopback?: boolean;
  /** Resolves names, always with `all`. Default: the system's resolver. */
  readonly resolve?: LookupFunction;
  /**
   * Called for every refusal.
   *
   * @param target scheme, host and port; only the host if it was refused while being resolved; '' for an invalid URL
   * @param reason begins with "it" or "its", and contains no part of the URL
   */
  readonly onRefused?: (target: string, reason: string) => void;
}

/** Longest URL that is accepted, in characters. */
const maxLength = 8_192;

/** Characters that URL parsers skip or interpret in different ways. */
const ambiguous = /[\s\\\p{Cc}]/u;

/** Returns a function for the policy of the current lines, which creates it again if they change. */
function createPolicies(allow: NonNullable<UrlGuardOptions['allow']>, loopback: boolean): () => Policy {
  const lines = typeof allow === 'function' ? allow : () => allow;
  let read = lines();
  let policy = new Policy(read, loopback);
  return () => {
    const now = lines();
    if (now !== read) {
      policy = new Policy(now, loopback);
      read = now;
    }
    return policy;
  };
}

const noAddress = (name: string): Error => Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });

/**
 * Creates a guard. A target must use http or https and have no user information. Unless the operator allows it, its
 * port must not belong to another service, and it must resolve only to globally reachable addresses.
 *
 * An allowed name may resolve to private addresses. Link-local addresses and those of a cloud's metadata must be
 * allowed by address.
 *
 * @throws TypeError for an invalid line of `allow`
 */
export function createUrlGuard(options: UrlGuardOptions = {}): UrlGuard {
  return new Guard(new Judge(options), []);
}

/** Checks targets, reports refused ones, and resolves names. */
class Judge {
  readonly policy: () => Policy;
  readonly resolve: LookupFunction;
  readonly #onRefused: UrlGuardOptions['onRefused'];

  constructor({ allow = [], loopback = false, resolve, onRefused }: UrlGuardOptions) {
    this.policy = createPolicies(allow, loopback);
    this.resolve = resolve ?? (systemLookup as LookupFunction);
    this.#onRefused = onRefused;
  }

  refusal(target: string, reason: string): UrlRefused {
    this.#onRefused?.(target, reason);
    return new UrlRefused(`${target === '' ? 'the URL' : target} is refused: ${reason}`);
  }

  lookupAt(port: number): LookupFunction {
    return (hostname, lookupOptions, callback) => {
      const name = normalizedName(hostname);
      const settle = (error: Error | null, found: readonly LookupAddress[]): void => {
        const objection = error ? undefined : this.policy().addresses(name, port, found);
        const [first] = found;
        if (error) callback(error, []);
        else if (objection !== undefined) callback(this.refusal(name, objection), []);
        else if (first === undefined) callback(noAddress(name), []);
        else if (lookupOptions.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      };
      const family = isIP(hostname);
      const objection = family === 0 ? this.policy().name(name, port) : undefined;
      if (objection !== undefined) process.nextTick(settle, this.refusal(name, objection), []);
      else if (family !== 0) process.nextTick(settle, null, [{ address: hostname, family }]);
      else
        this.resolve(hostname, { ...lookupOptions, all: true }, (error, found) =>
          // With an error, `found` is undefined, although its type does not say so.
          settle(error, error ? [] : (found as LookupAddress[])),
        );
    };
  }
}

class Guard implements UrlGuard {
  readonly #judge: Judge;
  readonly #trusted: readonly URL[];
  readonly #origins: ReadonlySet<string>;
  /** Names and ports of the trusted URLs. */
  readonly #places: ReadonlySet<string>;

  constructor(judge: Judge, trusted: readonly URL[]) {
    this.#judge = judge;
    this.#trusted = trusted;
    this.#origins = new Set(trusted.map(({ origin }) => origin));
    this.#places = new Set(trusted.map((url) => `${normalizedName(url.hostname)} ${portOf(url)}`));
  }

  check(input: string | URL): URL {
    const text = typeof input === 'string' ? input : input.href;
    if (text.length > maxLength) throw this.#judge.refusal('', `it is longer than ${maxLength} characters`);
    if (ambiguous.test(text)) throw this.#judge.refusal('', 'it contains spaces, backslashes or control characters');
    const url = URL.parse(text);
    if (url === null) throw this.#judge.refusal('', 'it is not a valid URL');
    if (this.#origins.has(url.origin)) return url;
    const objection = this.#judge.policy().url(url);
    if (objection !== undefined) throw this.#judge.refusal(`${url.protocol}//${url.host}`, objection);
    return url;
  }

  lookupAt(port: number): LookupFunction {
    const guarded = this.#judge.lookupAt(port);
    return (hostname, lookupOptions, callback) => {
      const isTrusted = this.#places.has(`${normalizedName(hostname)} ${port}`);
      (isTrusted ? this.#judge.resolve : guarded)(hostname, lookupOptions, callback);
    };
  }

  trusting(...urls: readonly string[]): UrlGuard {
    return new Guard(this.#judge, [...this.#trusted, ...urls.map((url) => new URL(url))]);
  }
}
