import type { Logger } from '../../core/ports/logger.ts';
import { shortened } from './failures.ts';

/** Lines of a minute that reach the log, and characters of each. */
const perMinute = 60;
const longest = 500;
/** Last lines that are told when a program ends. */
const last = 5;

/** What a program writes to its standard error, for the log alone, and no more of it than can be read. */
export class Complaints {
  readonly #logger: Logger;
  readonly #server: string;
  readonly #last: string[] = [];
  #minute = 0;
  #count = 0;

  constructor(logger: Logger, server: string) {
    this.#logger = logger;
    this.#server = server;
  }

  add(text: string): void {
    const line = shortened(text.trimEnd(), longest);
    if (line === '') return;
    this.#last.push(line);
    if (this.#last.length > last) this.#last.shift();
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= perMinute) this.#logger.debug({ server: this.#server, line }, 'a tool server says');
    else if (this.#count === perMinute + 1) this.#logger.debug({ server: this.#server }, 'a tool server says too much');
  }

  /** The program is gone, or could not be made use of: what it said last is often why. */
  ended(reason: string): void {
    if (this.#last.length === 0) return;
    this.#logger.warn({ server: this.#server, reason, said: [...this.#last] }, 'what a tool server said last');
  }
}
