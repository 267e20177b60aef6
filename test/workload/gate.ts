/** Lets conversations begin, or holds them back. */
export class Gate {
  #held: PromiseWithResolvers<void> | undefined;
  #open = 0;

  /** Conversations under way. */
  get open(): number {
    return this.#open;
  }

  /** No conversation begins any more, until `release` is called. */
  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Runs a conversation, when it may begin. */
  async pass(hold: () => Promise<void>): Promise<void> {
    if (this.#held) await this.#held.promise;
    this.#open += 1;
    try {
      await hold();
    } finally {
      this.#open -= 1;
    }
  }
}
