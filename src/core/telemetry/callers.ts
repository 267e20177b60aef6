import type { BindingKind, Call } from '../model/call.ts';
import { BoundedRecords } from './bounded-records.ts';

/** What one principal has called. */
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

type Counted = { -readonly [K in keyof CallerRecord]: CallerRecord[K] };

/** Principals that are remembered at once. */
const most = 1_000;

/** Counts the calls of each principal. */
export class Callers {
  /** Milliseconds since the epoch. */
  readonly since: number = Date.now();
  readonly #records: BoundedRecords<Counted>;

  constructor(limit: number = most) {
    this.#records = new BoundedRecords(limit);
  }

  /** Counts a call. Its failure is counted with `failed` of the returned record. */
  note({ operation, context }: Call): { failed: number } {
    const { principal, agent, dialect, binding = 'local' } = context;
    const now = Date.now();
    const known = this.#records.get(principal.id);
    if (!known) {
      const last = {
        lastAt: now,
        lastOperation: operation,
        lastAgent: agent,
        lastDialect: dialect,
        lastBinding: binding,
      };
      const { id, scopes } = principal;
      const record: Counted = { principal: id, scopes, calls: 1, failed: 0, ...last };
      this.#records.add(id, record);
      return record;
    }
    known.calls += 1;
    known.scopes = principal.scopes;
    known.lastAt = now;
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
