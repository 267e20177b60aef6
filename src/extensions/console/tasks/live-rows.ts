/** What a list that is kept current shows in one row. */
export interface LiveRow {
  readonly key: string;
  /** The latest change is the first row. */
  readonly updatedAt?: string;
  readonly lastPosition?: number;
}

/** Whether a row is no older than the one that is known. Pages and live changes arrive in any order. */
function isCurrent(next: LiveRow, known: LiveRow): boolean {
  const [position, knownPosition] = [next.lastPosition ?? 0, known.lastPosition ?? 0];
  if (position !== knownPosition) return position > knownPosition;
  return (next.updatedAt ?? '') >= (known.updatedAt ?? '');
}

const latestFirst = (one: LiveRow, other: LiveRow): number => {
  const [a, b] = [one.updatedAt ?? '', other.updatedAt ?? ''];
  if (a !== b) return a < b ? 1 : -1;
  return one.key < other.key ? 1 : -1;
};

/**
 * The rows of a list, the latest change first: pages and live changes merged, each task or call once. While the rows are
 * held, they change in place only, so that nothing moves under a reader who has scrolled.
 */
export class LiveRows<Row extends LiveRow> {
  readonly #known = new Map<string, Row>();
  readonly #matches: (row: Row) => boolean;
  readonly #limit: number;
  /** Keys of the rows in their order while they are held. */
  #held: Set<string> | undefined;
  #rows: readonly Row[] = [];
  #isCut = false;

  /**
   * @param matches whether a row belongs to the list
   * @param limit at most so many rows: the oldest ones are dropped
   */
  constructor(matches: (row: Row) => boolean, limit = 20_000) {
    this.#matches = matches;
    this.#limit = limit;
  }

  /** The rows in their order. The same array until something changes. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Whether rows were dropped at the limit. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Whether the rows keep their places. */
  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Number of rows that are shown, or shown elsewhere, when the rows are released. */
  get waiting(): number {
    if (!this.#held) return 0;
    let count = 0;
    for (const [key, row] of this.#known) if (!this.#held.has(key) && this.#matches(row)) count++;
    return count;
  }

  /** Merges a page or live changes. Returns the keys of those that changed. */
  merge(found: readonly Row[], options: { readonly older?: boolean } = {}): string[] {
    const changed: string[] = [];
    for (const row of found) {
      const known = this.#known.get(row.key);
      if (known && !isCurrent(row, known)) continue;
      // One that no longer matches stays known until the rows are sorted, so that it is updated in its place.
      if (!known && !this.#matches(row)) continue;
      this.#known.set(row.key, row);
      changed.push(row.key);
    }
    if (changed.length === 0) return changed;
    // A page of older ones belongs to the end of the list, where it moves nothing.
    if (options.older) for (const key of changed) this.#held?.add(key);
    this.#arrange(changed);
    return changed;
  }

  /** Keeps the rows at their places until `release`. */
  hold(): void {
    this.#held ??= new Set(this.#rows.map(({ key }) => key));
  }

  /** Sorts the rows again. */
  release(): void {
    if (!this.#held) return;
    this.#held = undefined;
    this.#arrange([...this.#known.keys()]);
  }

  /** Puts those that changed to their places. The others are in order, so that a long list is not sorted again. */
  #arrange(changed: readonly string[]): void {
    if (this.#held) {
      this.#rows = Array.from(this.#held).flatMap((key) => this.#known.get(key) ?? []);
      return;
    }
    const moved = new Set(changed);
    const fresh: Row[] = [];
    for (const key of moved) {
      const row = this.#known.get(key);
      if (row && this.#matches(row)) fresh.push(row);
      else this.#known.delete(key);
    }
    fresh.sort(latestFirst);
    const rows: Row[] = [];
    let next = 0;
    for (const row of this.#rows) {
      if (moved.has(row.key)) continue;
      for (; next < fresh.length && latestFirst(fresh[next] as Row, row) < 0; next++) rows.push(fresh[next] as Row);
      rows.push(row);
    }
    rows.push(...fresh.slice(next));
    // A span of time that ends now leaves the oldest behind.
    for (let last = rows.at(-1); last && !this.#matches(last); last = rows.at(-1))
      this.#known.delete(rows.pop()?.key ?? '');
    for (const { key } of rows.splice(this.#limit)) {
      this.#known.delete(key);
      this.#isCut = true;
    }
    this.#rows = rows;
  }
}
