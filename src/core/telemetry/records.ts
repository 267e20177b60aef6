import type { BindingKind, Call, CallContext } from '../model/call.ts';
import type { Mutable } from '../model/timing.ts';
import { askedTask, shortenedId } from './call-fields.ts';

/** A map with a bounded number of records. A new one replaces the least recently used. */
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

  /** Finds the oldest record by a search, since few maps are ever full. */
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
  /** Name of the agent; '' for an operation on the whole gateway. */
  readonly lastAgent: string;
  readonly lastDialect: string;
  readonly lastBinding: BindingKind;
}

/** Labels by which calls are counted. Each has few values: none is a name that callers choose. */
export type CallLabels = Readonly<Record<'binding' | 'dialect' | 'operation' | 'agent', string>>;

/** Counts the calls of each principal. */
export class Callers {
  /** Start of the counts: milliseconds since the epoch. */
  readonly since: number = Date.now();
  /**
   * Called with each call: the id of its principal, its labels, one object for equal ones, and its time. Must not throw.
   * Undefined: there is no listener.
   */
  onCall: ((principal: string, labels: CallLabels, at: number) => void) | undefined = undefined;
  readonly #records: BoundedRecords<Mutable<CallerRecord>>;

  /** @param limit principals that are remembered at once */
  constructor(limit = 1_000) {
    this.#records = new BoundedRecords(limit);
  }

  /** Counts a call. Its failure is counted with `failed` of the returned record. */
  note({ operation, context }: Call, labels: CallLabels): { failed: number } {
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
    this.onCall?.(id, labels, known.lastAt);
    return known;
  }

  /** Forgets a caller. */
  forget(principal: string): void {
    this.#records.delete(principal);
  }

  /** Returns the records, the latest first. */
  list(): CallerRecord[] {
    return [...this.#records.values()].sort((one, other) => other.lastAt - one.lastAt);
  }
}

/** One field that conversions dropped. */
export interface LossRecord {
  /** The dialect that cannot express it. */
  readonly dialect: string;
  /** Whether the dialect is the agent's. Otherwise it is the caller's. */
  readonly ofAgent: boolean;
  /** Schema path of the field in A2A 1.x. */
  readonly path: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
  /** The last call that lost the field. */
  readonly lastAgent: string;
  readonly lastPrincipal: string;
  /** Id or key of the task; undefined if the call was about none. */
  readonly lastTask: string | undefined;
  readonly lastRequestId: string;
}

/** One field that a call lost. */
export interface CallLoss extends Pick<LossRecord, 'path'> {
  readonly context: CallContext;
  /** Dialect of the agent if that dialect cannot express the field. Undefined: the caller's dialect cannot. */
  readonly agentDialect: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Counts fields that conversions dropped, by dialect and field. */
export class LossCounts {
  /** Start of the counts: milliseconds since the epoch. */
  readonly since: number = Date.now();
  /** Called with each field that a call loses. Must not throw. Undefined: there is no listener. */
  onLost: ((loss: CallLoss) => void) | undefined = undefined;
  readonly #records: BoundedRecords<Mutable<LossRecord>>;

  /** @param limit fields that are remembered at once. Paths come from schemas, so there are fewer in practice */
  constructor(limit = 2_000) {
    this.#records = new BoundedRecords(limit);
  }

  /** Removes a caller from the records of the last call that lost a field. */
  forget(principal: string): void {
    for (const record of this.#records.values()) {
      if (record.lastPrincipal !== principal) continue;
      Object.assign(record, { lastPrincipal: '', lastTask: undefined, lastRequestId: '' });
    }
  }

  /** Counts the losses of one call. @param from number of losses that were counted before */
  note({ request, context }: Call, from = 0): void {
    const { losses, agentLosses, taskKey } = context.notes;
    const last = {
      lastAt: Date.now(),
      lastAgent: context.agent,
      lastPrincipal: context.principal.id,
      lastTask: taskKey ?? shortenedId(askedTask(request)),
      lastRequestId: context.requestId,
    };
    for (const path of [...losses].slice(from)) {
      const agentDialect = agentLosses?.get(path);
      const dialect = agentDialect ?? context.dialect;
      const ofAgent = agentDialect !== undefined;
      const key = `${dialect} ${ofAgent} ${path}`;
      const known = this.#records.get(key) ?? this.#records.add(key, { dialect, ofAgent, path, count: 0, ...last });
      Object.assign(known, last, { count: known.count + 1 });
      this.onLost?.({ context, path, agentDialect, at: last.lastAt });
    }
  }

  list(): LossRecord[] {
    return [...this.#records.values()];
  }
}
