/** A map of at most so many records. A new one replaces the one that was used longest ago. */
export class BoundedRecords<T extends { lastAt: number }> {
  readonly #most: number;
  readonly #records = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    return this.#records.get(key);
  }

  add(key: string, record: T): void {
    if (this.#records.size >= this.#most) this.#records.delete(this.#oldest());
    this.#records.set(key, record);
  }

  values(): IterableIterator<T> {
    return this.#records.values();
  }

  /** A search, since few maps are ever full. */
  #oldest(): string {
    let [oldest, at] = ['', Number.POSITIVE_INFINITY];
    for (const [key, { lastAt }] of this.#records) if (lastAt < at) [oldest, at] = [key, lastAt];
    return oldest;
  }
}
