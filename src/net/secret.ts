import { inspect } from 'node:util';

/** What is shown in a secret's place. */
const mask = '[secret]';

/**
 * A text that must be used and never shown: keys, tokens, passwords. Printing, logging, stringifying or inspecting it,
 * or anything that holds it, shows `[secret]`.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself, for the one place that sends it. */
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
/** Characters of the shortest secret that is looked for: anything shorter is a word that texts need. */
const shortest = 6;

/** A text with something else in the place of every secret. */
export function hide(text: string, secrets: Iterable<string>): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length >= shortest && shown.includes(secret)) shown = shown.replaceAll(secret, mask);
  }
  return shown;
}

/** What is secret in headers that show who somebody is: each value, and what follows its scheme, decoded where it is Basic. */
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

/** The values of a URL's query, which may be keys, as they are written and as they are meant. */
export function* secretsInQuery({ search, searchParams }: URL): Generator<string> {
  yield* searchParams.values();
  for (const [, value = ''] of search.matchAll(/=([^&]*)/g)) yield value;
}

/** A URL as it may be shown: a query may hold a key. */
export const shownUrl = ({ origin, pathname, search }: URL): string =>
  `${origin}${pathname}${search === '' ? '' : '?…'}`;
