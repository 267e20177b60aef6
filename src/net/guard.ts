import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { bareName, createPolicy, type Policy } from './guard/policy.ts';
import { portOf } from './guard/ports.ts';

/**
 * Judges where requests may go whose target somebody else chose: webhooks, interfaces of an upstream's card, key sets
 * that a signature names.
 */
export interface UrlGuard {
  /**
   * Judges a URL by its text: scheme, user information, port, and the address when the host is one, in any spelling.
   *
   * @throws UrlRefused
   */
  check(url: string | URL): URL;
  /**
   * Resolves a name as `dns.lookup` does, and refuses with UrlRefused where an address is not allowed. Given to the
   * connection itself, so that what was judged is what is connected to. Sockets do not ask for the address of a host that
   * is one: `check` comes first. What is allowed on certain ports only, it refuses: see `lookupAt`.
   */
  readonly lookup: LookupFunction;
  /** The same for connections to this port. */
  lookupAt(port: number): LookupFunction;
  /** This guard, but for the origins of these URLs, which the operator wrote down: they are not judged. */
  trusting(...urls: readonly string[]): UrlGuard;
}

/** A target that the guard does not let through. The message names scheme, host or address, nothing else of the URL. */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused';
  /** As the errors of sockets have one. */
  readonly code = 'ERR_URL_REFUSED';
}

export interface UrlGuardOptions {
  /** Lines of `outbound.allow`: hosts, addresses and blocks of them, perhaps with a port. A function: those of now. */
  readonly allow?: readonly string[] | (() => readonly string[]);
  /** Lets names and addresses of this machine through. Default false. */
  readonly loopback?: boolean;
  /** Resolves names; asked for all addresses of one at once. Default: the system. */
  readonly resolve?: LookupFunction;
  /**
   * Told of every refusal.
   *
   * @param target scheme, host and port; the host alone where it was resolved; '' where the text is no URL
   * @param reason a sentence about it, which holds nothing of the URL
   */
  readonly onRefused?: (target: string, reason: string) => void;
}

/** Longest URL that is judged: as much as the paths of this program's own requests may have. */
const longest = 8_192;

/** What readers of URLs skip, or take for something else, each in its own way. */
const doubtful = /[\s\\\p{Cc}]/u;

/** The policy of the lines that count, made when they are others than before. */
function createPolicies(allow: NonNullable<UrlGuardOptions['allow']>, loopback: boolean): () => Policy {
  const lines = typeof allow === 'function' ? allow : () => allow;
  let read = lines();
  let policy = createPolicy(read, loopback);
  return () => {
    const now = lines();
    if (now !== read) {
      policy = createPolicy(now, loopback);
      read = now;
    }
    return policy;
  };
}

const noAddress = (name: string): Error => Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });

/**
 * Makes a guard. Unless it is allowed, a target must be http or https, without a user, at a port that is no other
 * service's, and, once it is resolved, at addresses that are reached from everywhere: all of them, for whoever answers
 * with one that is not does it on purpose.
 *
 * A name that is allowed may lead to private addresses too, but not to link-local ones and those of a cloud's metadata:
 * they are allowed by address only.
 *
 * @throws TypeError for a line that allows nothing
 */
export function createUrlGuard(options: UrlGuardOptions = {}): UrlGuard {
  const { allow = [], loopback = false, resolve = systemLookup as LookupFunction, onRefused } = options;
  const policy = createPolicies(allow, loopback);

  const refusal = (target: string, reason: string): UrlRefused => {
    onRefused?.(target, reason);
    return new UrlRefused(`${target === '' ? 'the URL' : target} is refused: ${reason}`);
  };

  const guardedLookup =
    (port: number | undefined): LookupFunction =>
    (hostname, asked, callback) => {
      const name = bareName(hostname);
      const settle = (error: Error | null, found: readonly LookupAddress[]): void => {
        const fault = error ? undefined : policy().addresses(name, port, found);
        const [first] = found;
        if (error) callback(error, []);
        else if (fault !== undefined) callback(refusal(name, fault), []);
        else if (first === undefined) callback(noAddress(name), []);
        else if (asked.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      };
      const family = isIP(hostname);
      const objection = family === 0 ? policy().name(name, port) : undefined;
      if (objection !== undefined) process.nextTick(settle, refusal(name, objection), []);
      else if (family !== 0) process.nextTick(settle, null, [{ address: hostname, family }]);
      else
        resolve(hostname, { ...asked, all: true }, (error, found) =>
          // With an error there is nothing else, whatever the types say.
          settle(error, error ? [] : (found as LookupAddress[])),
        );
    };

  const make = (trusted: readonly URL[]): UrlGuard => {
    const origins = new Set(trusted.map(({ origin }) => origin));
    const places = new Set(trusted.map((url) => `${bareName(url.hostname)} ${portOf(url)}`));
    return {
      check(input) {
        const text = typeof input === 'string' ? input : input.href;
        if (text.length > longest) throw refusal('', `it is longer than ${longest} characters`);
        if (doubtful.test(text)) throw refusal('', 'it holds spaces, backslashes or control characters');
        const url = URL.parse(text);
        if (url === null) throw refusal('', 'it is none');
        if (origins.has(url.origin)) return url;
        const objection = policy().url(url);
        if (objection !== undefined) throw refusal(`${url.protocol}//${url.host}`, objection);
        return url;
      },
      lookup: guardedLookup(undefined),
      lookupAt(port) {
        const guarded = guardedLookup(port);
        return (hostname, asked, callback) =>
          (places.has(`${bareName(hostname)} ${port}`) ? resolve : guarded)(hostname, asked, callback);
      },
      trusting: (...urls) => make([...trusted, ...urls.map((url) => new URL(url))]),
    };
  };
  return make([]);
}
