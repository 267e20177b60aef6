import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds after which a step is named. */
const delayMs = 2_000;

/** Names the steps of a command once it has taken longer than two seconds, so that a person sees that it works. */
export class Progress {
  readonly #say: (line: string) => void;
  readonly #began: number = Date.now();
  #named: string | undefined;

  /** @param say writes a line, by convention to stderr */
  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /**
   * Runs a step. It is named at once where the command has taken two seconds before, otherwise as soon as it has.
   *
   * @param name of the step, such as `compiling the project`
   */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#name(name), Math.max(0, this.#began + delayMs - Date.now()));
    try {
      // Work that is synchronous lets neither timers nor signals in.
      await turn();
      if (Date.now() - this.#began >= delayMs) this.#name(name);
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  #name(step: string): void {
    if (this.#named === step) return;
    this.#named = step;
    this.#say(`${step} …`);
  }
}

/** Names nothing. */
export const quiet: Progress = new Progress(() => {});
