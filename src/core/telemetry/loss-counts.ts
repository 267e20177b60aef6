import { BoundedRecords } from './bounded-records.ts';

/** One field that conversions dropped. */
export interface LossRecord {
  /** Dialect of the caller. */
  readonly dialect: string;
  /** Schema path of the field in A2A 1.x. */
  readonly path: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
  readonly lastAgent: string;
}

type Counted = { -readonly [K in keyof LossRecord]: LossRecord[K] };

/** Fields that are remembered at once. Paths come from schemas, so that there are fewer in practice. */
const most = 2_000;

/** Counts what conversions dropped, by dialect and field. */
export class LossCounts {
  readonly #records: BoundedRecords<Counted>;

  constructor(limit: number = most) {
    this.#records = new BoundedRecords(limit);
  }

  /** Counts the losses of one call. @param from number of those that were counted before */
  note(
    { dialect, agent }: { readonly dialect: string; readonly agent: string },
    paths: Iterable<string>,
    from = 0,
  ): void {
    const lastAt = Date.now();
    let at = 0;
    for (const path of paths) {
      at += 1;
      if (at <= from) continue;
      const key = `${dialect} ${path}`;
      const known = this.#records.get(key);
      if (!known) this.#records.add(key, { dialect, path, count: 1, lastAt, lastAgent: agent });
      else {
        known.count += 1;
        known.lastAt = lastAt;
        known.lastAgent = agent;
      }
    }
  }

  /** The most frequent first. */
  list(): LossRecord[] {
    return [...this.#records.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt);
  }
}
