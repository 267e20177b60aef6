import { batch, signal } from '@preact/signals';

/** Data of one row in a list that is kept current. */
export interface LiveRow {
  readonly key: string;
  /** Time of the latest change, by which rows are sorted. */
  readonly updatedAt?: string;
  readonly lastPosition?: number;
}

/** Decides whether a row belongs to a list. */
export type Matcher<Row> = (row: Row) => boolean;

/** Whether a row is no older than the known one. Pages and live changes arrive in any order. */
function isCurrent(next: LiveRow, known: LiveRow): boolean {
  const position = next.lastPosition ?? 0;
  const knownPosition = known.lastPosition ?? 0;
  if (position !== knownPosition) return position > knownPosition;
  return (next.updatedAt ?? '') >= (known.updatedAt ?? '');
}

const latestFirst = (one: LiveRow, other: LiveRow): number => {
  const a = one.updatedAt ?? '';
  const b = other.updatedAt ?? '';
  if (a !== b) return a < b ? 1 : -1;
  return one.key < other.key ? 1 : -1;
};

/**
 * The rows of a list, the latest change first: pages and live changes merged, each task or call once. While the rows
 * are held, they change in place only, so that nothing moves while a reader has scrolled.
 */
export class LiveRows<Row extends LiveRow> {
  /** The rows in their order. The same array until something changes. */
  readonly rows = signal<readonly Row[]>([]);
  /** Number of rows that will appear or move when the rows are released. */
  readonly waiting = signal(0);
  /** Whether the oldest rows are left out, because there are too many. */
  readonly isCut = signal(false);
  readonly #known = new Map<string, Row>();
  readonly #matcher: () => Matcher<Row>;
  readonly #limit: number;
  /** Keys of the rows in their order while they are held. */
  #held: Set<string> | undefined;

  /**
   * @param matcher returns a function that decides which rows belong to the list
   * @param limit largest number of rows: the oldest ones are dropped
   */
  constructor(matcher: () => Matcher<Row>, limit = 20_000) {
    this.#matcher = matcher;
    this.#limit = limit;
  }

  /** Merges rows of a page, of live changes, or of an action's result. */
  take(found: readonly Row[], options: { readonly older?: boolean } = {}): void {
    const matches = this.#matcher();
    let isChanged = false;
    for (const row of found) {
      const known = this.#known.get(row.key);
      // A row that no longer matches stays known until the rows are sorted, so that it is updated in its place.
      if (known ? !isCurrent(row, known) : !matches(row)) continue;
      this.#known.set(row.key, row);
      isChanged = true;
      // A page of older rows belongs to the end of the list, where it moves nothing.
      if (options.older) this.#held?.add(row.key);
    }
    if (isChanged) this.#arrange(matches);
  }

  /** Whether the rows keep their places while they change. */
  hold(held: boolean): void {
    if (held === (this.#held !== undefined)) return;
    this.#held = held ? new Set(this.rows.peek().map(({ key }) => key)) : undefined;
    this.#arrange(this.#matcher());
  }

  #arrange(matches: Matcher<Row>): void {
    batch(() => {
      if (this.#held) {
        const held = this.#held;
        const isNew = (row: Row): boolean => !held.has(row.key) && matches(row);
        this.rows.value = Array.from(held).flatMap((key) => this.#known.get(key) ?? []);
        this.waiting.value = Array.from(this.#known.values()).filter(isNew).length;
        return;
      }
      const rows = [...this.#known.values()].filter(matches).sort(latestFirst);
      if (rows.length > this.#limit) this.isCut.value = true;
      this.rows.value = rows.slice(0, this.#limit);
      this.waiting.value = 0;
      this.#known.clear();
      for (const row of this.rows.value) this.#known.set(row.key, row);
    });
  }
}
