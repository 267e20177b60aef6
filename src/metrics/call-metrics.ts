import { v1Dialects } from '../core/model/a2a.ts';
import {
  type BindingKind,
  type Call,
  type CallContext,
  type Invoke,
  isStream,
  type Reply,
} from '../core/model/call.ts';
import type { A2AError } from '../core/model/errors.ts';
import type { CallLog } from '../core/telemetry/call-log.ts';
import type { Meters } from '../core/telemetry/meters.ts';
import type { Callers, CallLabels, LossCounts } from '../core/telemetry/records.ts';
import { by, counter, type Family, gauge, histogram, type Labels } from './family.ts';
import { bounds, getOrCreate, Histogram, Outcomes } from './series.ts';

/** The values that labels may have. Other values from callers become `other`. */
export interface KnownNames {
  readonly isAgent: (name: string) => boolean;
  readonly operations: ReadonlySet<string>;
  readonly dialects: ReadonlySet<string>;
  /** Operations of consoles and other operators that only read. Their calls are counted as calls, but not recorded. */
  readonly unlisted: ReadonlySet<string>;
}

/** Records for operators, written together with the metrics. */
export interface CallRecords {
  readonly callers: Callers;
  readonly losses: LossCounts;
  readonly log: CallLog;
}

export interface AgentCalls {
  readonly calls: number;
  readonly failed: number;
  /**
   * Returns the milliseconds in which a share of the calls were answered, estimated. Undefined: no calls. @param share
   * from 0 to 1
   */
  quantile(share: number): number | undefined;
}

/** The label's value for unknown names. */
const other = 'other';

/** Largest number of label combinations. Agents in further ones become `other`. */
const mostCombinations = 5_000;

/** Calls of one operation of one agent in one dialect over one binding. */
class CallSeries extends Outcomes {
  readonly labels: CallLabels;
  readonly lost = { request: 0, answer: 0 };

  readonly isListed: boolean;

  constructor(labels: CallLabels, isListed: boolean) {
    super(bounds.calls);
    this.labels = labels;
    this.isListed = isListed;
  }
}

/** Maps in maps, so that a look-up creates no string. */
type Tree = Map<string, Map<string, Map<string, Map<BindingKind, CallSeries>>>>;

/** Counts calls, their durations, their results, and the losses of their conversions. */
export class CallMetrics {
  /** Called with each call that failed, before its answer is sent unless a stream had begun. Must not throw. */
  onFailed: ((call: Call, error: A2AError, seconds: number) => void) | undefined;
  readonly #meters: Meters;
  readonly #records: CallRecords;
  readonly #tree: Tree = new Map();
  readonly #all: CallSeries[] = [];
  readonly #inFlight: Record<BindingKind, number> = {};

  constructor(meters: Meters, records: CallRecords) {
    this.#meters = meters;
    this.#records = records;
  }

  middleware(known: KnownNames): (next: Invoke) => Invoke {
    return (next) => (call) => {
      const { context } = call;
      const { binding = 'local' } = context;
      const series = this.#seriesOf(context, call.operation, binding, known);
      const caller = series.isListed ? this.#records.callers.note(call, series.labels) : undefined;
      this.#inFlight[binding] = (this.#inFlight[binding] ?? 0) + 1;
      return series.watch(
        () => next(call),
        (error, seconds, reply) => {
          this.#inFlight[binding] = (this.#inFlight[binding] ?? 0) - 1;
          if (reply) this.#noteReply(series, call, binding, reply, seconds);
          else if (caller) {
            caller.failed += 1;
            this.#records.log.note(call, seconds * 1_000, error);
            if (error) this.onFailed?.(call, error, seconds);
          }
        },
      );
    };
  }

  /** @param byAgent leaves out the other labels of calls */
  families(byAgent = false): Family[] {
    const all = byAgent ? this.#byAgent() : this.#all;
    return [
      counter(
        'requests',
        'Calls that were answered, by result: ok, or the kind of error. A stream is ok once it has begun.',
        all.flatMap(({ labels, results }) => results.map(([result, count]) => [{ ...labels, result }, count] as const)),
      ),
      histogram(
        'request_duration_seconds',
        'Time from a call to its answer, or to the beginning of its stream.',
        all.map(({ labels, latency }) => [labels, latency] as const),
      ),
      gauge('requests_in_flight', 'Calls that have not been answered yet.', by('binding', this.#callsInFlight())),
      counter(
        'losses',
        'Parts of requests and answers that conversions between dialects dropped, by the dialect of the caller.',
        this.#losses(all),
      ),
    ];
  }

  #callsInFlight(): [binding: string, calls: number][] {
    return [...this.#meters.streams.keys()].map((binding) => [binding, this.#inFlight[binding] ?? 0]);
  }

  /** Returns the calls of one agent, over all bindings and dialects. */
  of(agent: string): AgentCalls {
    const all = this.#all.filter(({ labels }) => labels.agent === agent);
    const latency = new Histogram(bounds.calls);
    let calls = 0;
    let ok = 0;
    for (const one of all) {
      for (const [, count] of one.results) calls += count;
      ok += one.ok;
      latency.add(one.latency);
    }
    const quantile = (share: number): number | undefined => {
      const seconds = latency.quantile(share);
      return seconds === undefined ? undefined : Math.round(seconds * 1e6) / 1e3;
    };
    return { calls, failed: calls - ok, quantile };
  }

  #noteReply({ lost, isListed }: CallSeries, call: Call, binding: BindingKind, reply: Reply, seconds: number): void {
    const { context } = call;
    const { dialect, notes, replay, semantics } = context;
    const { losses, log } = this.#records;
    const before = notes.losses.size;
    if (before > 0) losses.note(call);
    lost.request += before;
    if (typeof replay === 'object' && replay !== semantics.replay && isStream(reply)) {
      this.#meters.streamsOf(binding).resumed += 1;
    }
    // The bindings that follow streams and encode answers call it.
    const isFollowed = binding !== 'local' && notes.isInner !== true;
    // Versions of A2A 1.x lose nothing that is stored.
    if (!isFollowed || (v1Dialects.has(dialect) && !isStream(reply))) {
      if (isListed) log.note(call, seconds * 1_000, undefined);
      return;
    }
    const began = performance.now() - seconds * 1_000;
    notes.onAnswered = (failure) => {
      const ms = performance.now() - began;
      if (isListed) log.note(call, ms, failure);
      if (isListed && failure) this.onFailed?.(call, failure, ms / 1_000);
      const { size } = notes.losses;
      if (size === before) return;
      losses.note(call, before);
      lost.answer += size - before;
    };
  }

  #seriesOf({ agent, dialect }: CallContext, operation: string, binding: BindingKind, known: KnownNames): CallSeries {
    const found = this.#tree.get(agent)?.get(operation)?.get(dialect)?.get(binding);
    if (found) return found;
    const full = this.#all.length >= mostCombinations;
    const labels = {
      binding,
      dialect: known.dialects.has(dialect) ? dialect : other,
      operation: known.operations.has(operation) ? operation : other,
      agent: !full && known.isAgent(agent) ? agent : other,
    };
    const byOperation = getOrCreate(this.#tree, labels.agent, () => new Map());
    const byDialect = getOrCreate(byOperation, labels.operation, () => new Map());
    const byBinding = getOrCreate(byDialect, labels.dialect, () => new Map());
    return getOrCreate(byBinding, binding, () => {
      const series = new CallSeries(labels, !known.unlisted.has(operation));
      this.#all.push(series);
      return series;
    });
  }

  #byAgent(): CallSeries[] {
    const joined = new Map<string, CallSeries>();
    for (const { labels, latency, failed, ok, lost } of this.#all) {
      const { agent } = labels;
      const one = getOrCreate(
        joined,
        agent,
        () => new CallSeries({ agent, binding: '', dialect: '', operation: '' }, true),
      );
      one.latency.add(latency);
      one.ok += ok;
      for (const [kind, count] of failed) one.failed.set(kind, (one.failed.get(kind) ?? 0) + count);
      one.lost.request += lost.request;
      one.lost.answer += lost.answer;
    }
    return [...joined.values()];
  }

  #losses(all: readonly CallSeries[]): [Labels, number][] {
    const sums = new Map<string, [labels: Labels, count: number]>();
    for (const { labels, lost } of all) {
      const { dialect, agent } = labels;
      for (const direction of ['request', 'answer'] as const) {
        if (lost[direction] === 0) continue;
        const key = JSON.stringify([dialect, agent, direction]);
        const [, before] = sums.get(key) ?? [];
        sums.set(key, [{ dialect, direction, agent }, (before ?? 0) + lost[direction]]);
      }
    }
    return [...sums.values()];
  }
}
