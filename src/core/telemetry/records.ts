import type { BindingKind, Call } from '../model/call.ts';
import type { Mutable } from '../model/timing.ts';

/** A map of at most so many records. A new one replaces the one that was used longest ago. */
class BoundedRecords<T extends { lastAt: number }> extends Map<string, T> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  add(key: string, record: T): T {
    if (this.size >= this.#most) this.delete(this.#oldest());
    this.set(key, record);
    return record;
  }

  /** A search, since few maps are ever full. */
  #oldest(): string {
    let [oldest, at] = ['', Number.POSITIVE_INFINITY];
    for (const [key, { lastAt }] of this) if (lastAt < at) [oldest, at] = [key, lastAt];
    return oldest;
  }
}

export interface CallerRecord {
  readonly principal: string;
  readonly scopes: ReadonlySet<string> | undefined;
  readonly calls: number;
  readonly failed: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
  readonly lastOperation: string;
  /** '' for an operation that is about the whole gateway. */
  readonly lastAgent: string;
  readonly lastDialect: string;
  readonly lastBinding: BindingKind;
}

/** Counts the calls of each principal. */
export class Callers {
  /** Milliseconds since the epoch. */
  readonly since: number = Date.now();
  readonly #records: BoundedRecords<Mutable<CallerRecord>>;

  /** @param limit principals that are remembered at once */
  constructor(limit = 1_000) {
    this.#records = new BoundedRecords(limit);
  }

  /** Counts a call. Its failure is counted with `failed` of the returned record. */
  note({ operation, context }: Call): { failed: number } {
    const { principal, agent, dialect, binding = 'local' } = context;
    const { id, scopes } = principal;
    const first = { principal: id, calls: 0, failed: 0 } as Mutable<CallerRecord>;
    const known = this.#records.get(id) ?? this.#records.add(id, first);
    known.calls += 1;
    known.scopes = scopes;
    known.lastAt = Date.now();
    known.lastOperation = operation;
    known.lastAgent = agent;
    known.lastDialect = dialect;
    known.lastBinding = binding;
    return known;
  }

  /** The latest first. */
  list(): CallerRecord[] {
    return [...this.#records.values()].sort((one, other) => other.lastAt - one.lastAt);
  }
}

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

/** Counts what conversions dropped, by dialect and field. */
export class LossCounts {
  readonly #records: BoundedRecords<Mutable<LossRecord>>;

  /** @param limit fields that are remembered at once. Paths come from schemas, so that there are fewer in practice */
  constructor(limit = 2_000) {
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
