import { inspect } from 'node:util';

/** Stands in a secret's place. */
const mask = '[secret]';

/** A key, token or password. Printing, logging, stringifying or inspecting it, or what contains it, shows `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself, for the code that sends it. */
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

/** Length of the shortest secret that is hidden: shorter ones are ordinary words. */
const minLength = 6;

export function hide(text: string, secrets: Iterable<string>): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= minLength && masked.includes(secret)) masked = masked.replaceAll(secret, mask);
  }
  return masked;
}

/** The secrets in headers with credentials: each value, and what follows its scheme, for Basic the decoded password. */
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

/** The values of a URL's query, which may be keys, decoded and as they are written. */
export function* secretsInQuery({ search, searchParams }: URL): Generator<string> {
  yield* searchParams.values();
  for (const [, value = ''] of search.matchAll(/=([^&]*)/g)) yield value;
}
