import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds after which steps are reported. */
const delayMs = 2_000;

/** Reports the steps of a command once it has taken longer than two seconds, so that users see that it is working. */
export class Progress {
  readonly #say: (line: string) => void;
  readonly #began: number = Date.now();
  #named: string | undefined;

  /** @param say writes a line, conventionally to stderr */
  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /**
   * Runs a step. If the command has already taken two seconds, the step is reported at once, otherwise when it does.
   *
   * @param name name of the step, such as `compiling the project`
   */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#name(name), Math.max(0, this.#began + delayMs - Date.now()));
    try {
      // Synchronous work blocks timers and signals.
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

/** Reports nothing. */
export const quiet: Progress = new Progress(() => {});
