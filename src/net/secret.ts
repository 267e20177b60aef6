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
