import { inspect } from 'node:util';

/** Text that replaces a secret. */
const mask = '[secret]';

/**
 * A key, token or password. Printing, logging, stringifying or inspecting it, or an object that contains it, shows
 * `[secret]`.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the secret itself, for the code that sends it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}

/** Length of the shortest secret that is masked: shorter texts may be ordinary words. */
const minLength = 6;

/** Masks secrets in a text. */
export function hide(text: string, secrets: Iterable<string>): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= minLength && masked.includes(secret)) masked = masked.replaceAll(secret, mask);
  }
  return masked;
}

/**
 * Yields the secrets in headers with credentials: each value, the part after its scheme, and for Basic the decoded
 * password.
 */
export function* secretsIn(headers: Readonly<Record<string, string>>): Generator<string> {
  for (const value of Object.values(headers)) {
    yield value;
    const [, scheme, credentials] = /^(\w+) +([^ ].*)$/.exec(value) ?? [];
    if (credentials === undefined) continue;
    yield credentials;
    if (scheme?.toLowerCase() !== 'basic') continue;
    const decoded = Buffer.from(credentials, 'base64').toString();
    yield decoded.slice(decoded.indexOf(':') + 1);
  }
}

/** Yields the values of a URL's query, which may be keys, both decoded and as written. */
export function* secretsInQuery({ search, searchParams }: URL): Generator<string> {
  yield* searchParams.values();
  for (const [, value = ''] of search.matchAll(/=([^&]*)/g)) yield value;
}
