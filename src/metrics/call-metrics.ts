import {
  type BindingKind,
  bindingKinds,
  type CallContext,
  canonicalDialect,
  type Invoke,
  isStream,
  type Reply,
} from '../core/model/call.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import type { Meters } from '../core/telemetry/meters.ts';
import { counter, type Family, gauge, histogram } from './family.ts';
import { bounds, Histogram } from './histogram.ts';

/** What labels may say: all else that a call says is `other`. */
export interface KnownNames {
  readonly isAgent: (name: string) => boolean;
  readonly operations: ReadonlySet<string>;
  readonly dialects: ReadonlySet<string>;
}

/** What stands for everything that is not known. */
export const other = 'other';

/** Combinations of labels at most; agents of those beyond are `other`. */
const mostCombinations = 5_000;

/** Calls of one operation of one agent in one dialect over one binding. */
class CallSeries {
  readonly labels: Readonly<Record<'binding' | 'dialect' | 'operation' | 'agent', string>>;
  readonly latency = new Histogram(bounds.calls);
  readonly failed = new Map<ErrorKind, number>();
  answered = 0;
  /** Losses on the way to the agent, and back. */
  readonly lost = { request: 0, answer: 0 };

  constructor(labels: CallSeries['labels']) {
    this.labels = labels;
  }
}

/** By name, so that looking up costs no new string. */
type Tree = Map<string, Map<string, Map<string, Map<BindingKind, CallSeries>>>>;

/** Counts calls: how many, how long they took, what became of them, and what their conversions lost. */
export class CallMetrics {
  readonly #meters: Meters;
  readonly #tree: Tree = new Map();
  readonly #all: CallSeries[] = [];
  readonly #inFlight = Object.fromEntries(bindingKinds.map((kind) => [kind, 0])) as Record<BindingKind, number>;

  constructor(meters: Meters) {
    this.#meters = meters;
  }

  /** Middleware that counts. */
  middleware(known: KnownNames): (next: Invoke) => Invoke {
    return (next) => (call) => {
      const { context } = call;
      const { binding = 'local' } = context;
      const calls = this.#callsOf(context, call.operation, binding, known);
      this.#inFlight[binding] += 1;
      const began = performance.now();
      const over = (): void => {
        this.#inFlight[binding] -= 1;
        calls.latency.observe((performance.now() - began) / 1_000);
      };
      const reply = next(call);
      // Beside the call, and not in its way.
      reply.then(
        (value) => {
          over();
          calls.answered += 1;
          this.#noteReply(calls, context, binding, value);
        },
        (thrown: unknown) => {
          over();
          const { kind } = A2AError.from(thrown);
          calls.failed.set(kind, (calls.failed.get(kind) ?? 0) + 1);
        },
      );
      return reply;
    };
  }

  families(): Family[] {
    const all = this.#all;
    return [
      counter(
        'requests',
        'Calls that were answered, by what became of them: ok, or the kind of error. A stream is ok once it has begun.',
        all.flatMap(({ labels, answered, failed }) => [
          [{ ...labels, result: 'ok' }, answered] as const,
          ...[...failed].map(([kind, count]) => [{ ...labels, result: kind }, count] as const),
        ]),
      ),
      histogram(
        'request_duration_seconds',
        'Time from a call to its answer, or to the beginning of its stream.',
        all.map(({ labels, latency }) => [labels, latency] as const),
      ),
      gauge(
        'requests_in_flight',
        'Calls that have not been answered yet.',
        bindingKinds.map((binding) => [{ binding }, this.#inFlight[binding]] as const),
      ),
      counter(
        'losses',
        'Parts of requests and answers that conversions between dialects dropped, by the dialect of the caller.',
        this.#losses(),
      ),
    ];
  }

  /** Called before whoever waits for the reply goes on. */
  #noteReply(
    calls: CallSeries,
    { dialect, notes, replay, semantics }: CallContext,
    binding: BindingKind,
    reply: Reply,
  ): void {
    const before = notes.losses.size;
    calls.lost.request += before;
    if (isStream(reply) && typeof replay === 'object' && replay !== semantics.replay) {
      this.#meters.streams[binding].resumed += 1;
    }
    // What the gateway keeps everything in can say everything.
    if (dialect === canonicalDialect) return;
    notes.onAnswered = () => {
      calls.lost.answer += notes.losses.size - before;
    };
  }

  #callsOf({ agent, dialect }: CallContext, operation: string, binding: BindingKind, known: KnownNames): CallSeries {
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
      const calls = new CallSeries(labels);
      this.#all.push(calls);
      return calls;
    });
  }

  #losses(): [Record<string, string>, number][] {
    const sums = new Map<string, [Record<string, string>, number]>();
    for (const { labels, lost } of this.#all) {
      const { dialect, agent } = labels;
      for (const direction of ['request', 'answer'] as const) {
        if (lost[direction] === 0) continue;
        const key = JSON.stringify([dialect, agent, direction]);
        const sum = sums.get(key) ?? [{ dialect, direction, agent }, 0];
        sum[1] += lost[direction];
        sums.set(key, sum);
      }
    }
    return [...sums.values()];
  }
}

/** The map's value, made where there is none. */
export function getOrCreate<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
