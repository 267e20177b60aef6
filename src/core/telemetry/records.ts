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

/** The calls of one principal with the same labels, since they were last taken. */
export interface CallCount {
  readonly principal: string;
  readonly labels: CallLabels;
  readonly calls: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

/** Counts that were taken, and the number of calls for which there was no room. */
export interface TakenCounts<T> {
  readonly counts: readonly T[];
  readonly uncounted: number;
}

/** Counts that wait to be taken. */
const mostCounts = 10_000;

/** Counts the calls of each principal. */
export class Callers {
  /** Start of the counts: milliseconds since the epoch. */
  readonly since: number = Date.now();
  readonly #records: BoundedRecords<Mutable<CallerRecord>>;
  /** By principal and labels, until they are taken. */
  #counts = new Map<string, Map<CallLabels, Mutable<CallCount>>>();
  /** Number of counts. */
  #begun = 0;
  /** The one count of all calls for which there was no room. */
  #uncounted = { calls: 0, lastAt: 0 };
  readonly #most: number;

  /** @param limit principals that are remembered at once @param most counts that wait to be taken */
  constructor(limit = 1_000, most = mostCounts) {
    this.#records = new BoundedRecords(limit);
    this.#most = most;
  }

  /** Counts a call. Its failure is counted with `failed` of the returned record. @param labels one object for equal labels */
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
    const count = this.#counts.get(id)?.get(labels) ?? this.#begin(id, labels);
    count.calls += 1;
    count.lastAt = known.lastAt;
    return known;
  }

  #begin(principal: string, labels: CallLabels): Pick<Mutable<CallCount>, 'calls' | 'lastAt'> {
    if (this.#begun >= this.#most) return this.#uncounted;
    this.#begun += 1;
    const count = { principal, labels, calls: 0, lastAt: 0 };
    const ofPrincipal = this.#counts.get(principal);
    if (ofPrincipal) ofPrincipal.set(labels, count);
    else this.#counts.set(principal, new Map([[labels, count]]));
    return count;
  }

  /** Returns the calls since the last time, and counts anew. */
  take(): TakenCounts<CallCount> {
    const taken = [...this.#counts.values()].flatMap((ofPrincipal) => [...ofPrincipal.values()]);
    const uncounted = this.#uncounted.calls;
    this.#counts = new Map();
    this.#begun = 0;
    this.#uncounted = { calls: 0, lastAt: 0 };
    return { counts: taken, uncounted };
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

/** One field that calls of one principal lost, since they were last taken. */
export interface CallerLoss extends Pick<LossRecord, 'path' | 'count' | 'lastAt'> {
  readonly principal: string;
  readonly agent: string;
  /** Dialect of the caller. */
  readonly dialect: string;
  readonly binding: BindingKind;
  /** Dialect of the agent, where that cannot express the field. Undefined: the caller's dialect cannot. */
  readonly agentDialect: string | undefined;
}

/** Counts fields that conversions dropped, by dialect and field. */
export class LossCounts {
  readonly #records: BoundedRecords<Mutable<LossRecord>>;
  /** By caller and field, until they are taken. */
  #ofCallers = new Map<string, Mutable<CallerLoss>>();
  #uncounted = 0;

  /** @param limit fields that are remembered at once. Paths come from schemas, so there are fewer in practice */
  constructor(limit = 2_000) {
    this.#records = new BoundedRecords(limit);
  }

  /** Forgets that a caller had the last call that lost a field. */
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
      const ofCaller = `${key}\n${context.agent}\n${context.dialect}\n${context.binding}\n${last.lastPrincipal}`;
      const lost = this.#ofCallers.get(ofCaller) ?? this.#begin(ofCaller, context, path, agentDialect);
      lost.count += 1;
      lost.lastAt = last.lastAt;
    }
  }

  #begin(key: string, context: CallContext, path: string, agentDialect: string | undefined): Mutable<CallerLoss> {
    const { principal, agent, dialect, binding = 'local' } = context;
    const lost = { principal: principal.id, agent, dialect, binding, path, agentDialect, count: 0, lastAt: 0 };
    if (this.#ofCallers.size < mostCounts) this.#ofCallers.set(key, lost);
    else this.#uncounted += 1;
    return lost;
  }

  /** Returns the losses of callers since the last time, and counts anew. */
  take(): TakenCounts<CallerLoss> {
    const taken = { counts: [...this.#ofCallers.values()], uncounted: this.#uncounted };
    this.#ofCallers = new Map();
    this.#uncounted = 0;
    return taken;
  }

  list(): LossRecord[] {
    return [...this.#records.values()];
  }
}
