/** A key that somebody waits for. */
interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gathers what is asked for until everybody who runs now waits for an answer, and then asks for all of it at once: one
 * question for a level of a traversal, not one for every node.
 */
export class Batch<Key, Value> {
  readonly #load: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly #largest: number;
  #waiting: Waiting<Key, Value>[] = [];

  /**
   * @param load answers keys in their order.
   * @param largest how many keys one question may have.
   */
  constructor(load: (keys: readonly Key[]) => Promise<readonly Value[]>, largest: number) {
    this.#load = load;
    this.#largest = largest;
  }

  /** Rejects as `load` does. */
  load(key: Key): Promise<Value> {
    // Promises that were kept just now go on first, and may ask for more: ticks come after them.
    if (this.#waiting.length === 0) Promise.resolve().then(() => process.nextTick(() => void this.#ask()));
    return new Promise((resolve, reject) => this.#waiting.push({ key, resolve, reject }));
  }

  async #ask(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < asked.length; from += this.#largest) {
      await this.#answer(asked.slice(from, from + this.#largest));
    }
  }

  async #answer(asked: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await this.#load(asked.map(({ key }) => key));
      asked.forEach(({ resolve }, index) => {
        resolve(values[index] as Value);
      });
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
