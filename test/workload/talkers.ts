import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Gate } from './gate.ts';

export interface TalkersOptions {
  readonly random: Random;
  readonly gate: Gate;
}

/** Clients that hold one conversation after the other, with pauses in between, until they are stopped. */
export abstract class Talkers {
  readonly #options: TalkersOptions;
  /** Milliseconds of a pause: the shortest and the longest. */
  readonly #pause: readonly [number, number];
  #stopped = false;

  constructor(options: TalkersOptions, pause: readonly [number, number]) {
    this.#options = options;
    this.#pause = pause;
  }

  /** Talks with as many clients at a time until `stop` is called. Resolves when the last conversation is over. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#talk()));
  }

  stop(): void {
    this.#stopped = true;
  }

  protected abstract converse(): Promise<void>;

  async #talk(): Promise<void> {
    const { random, gate } = this.#options;
    while (!this.#stopped) {
      await gate.pass(() => this.converse());
      await delay(random.between(...this.#pause));
    }
  }
}
