/** A map of at most so many records. A new one replaces the one that was used longest ago. */
export class BoundedRecords<T extends { lastAt: number }> extends Map<string, T> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  add(key: string, record: T): void {
    if (this.size >= this.#most) this.delete(this.#oldest());
    this.set(key, record);
  }

  /** A search, since few maps are ever full. */
  #oldest(): string {
    let [oldest, at] = ['', Number.POSITIVE_INFINITY];
    for (const [key, { lastAt }] of this) if (lastAt < at) [oldest, at] = [key, lastAt];
    return oldest;
  }
}
