import type { Sample, Samples } from './exposition.ts';

/** Lines of one name. `where`: the values of labels, as in PromQL's `=~`: some between `|`, each whole or with `.*` at its end. */
export interface Selector {
  readonly metric: string;
  readonly where?: Readonly<Record<string, string>>;
}

/**
 * What a chart computes from readings. `by` names the label that tells its lines apart; without it they are summed.
 * Windows are in seconds.
 */
export type Query =
  | { readonly kind: 'value'; readonly of: Selector; readonly by?: string }
  | { readonly kind: 'rate' | 'increase'; readonly of: Selector; readonly by?: string; readonly window: number }
  | { readonly kind: 'share'; readonly of: Selector; readonly among: Selector; readonly window: number }
  | {
      readonly kind: 'quantile';
      /** Of the lines `_bucket` of a histogram. */
      readonly of: Selector;
      readonly quantile: number;
      readonly by?: string;
      readonly window: number;
    };

/** The value of each line, by the value of the label `by`; the key is '' without such a label. */
export type Values = ReadonlyMap<string, number>;

/** Names of the lines that a query reads. */
export const metricsOf = (query: Query): string[] =>
  query.kind === 'share' ? [query.of.metric, query.among.metric] : [query.of.metric];

/** Most lines of one query: more are summed as `others`. */
const mostLines = 40;
export const others = 'others';

/** Evaluates a query at each reading. */
export interface Evaluator {
  /** @param time in seconds */
  read(samples: Samples, time: number): Values;
  /** Forgets former readings: the next one is the first. */
  restart(): void;
}

/** Creates an evaluator. Only `value` has values at the first reading: all else compares two readings. */
export function evaluatorOf(query: Query): Evaluator {
  switch (query.kind) {
    case 'value': {
      const { of, by } = query;
      return { read: (samples) => sums(select(samples, of), by), restart() {} };
    }
    case 'rate':
    case 'increase': {
      const { of, by, window, kind } = query;
      const counters = new Counters(window);
      return {
        read(samples, time) {
          const { seconds, increases } = counters.read(sums(select(samples, of), by), time);
          if (seconds === 0) return new Map();
          return mapped(increases, (increase) => (kind === 'rate' ? increase / seconds : increase));
        },
        restart: () => counters.restart(),
      };
    }
    case 'share': {
      const counters = new Counters(query.window);
      return {
        read(samples, time) {
          const sum = ({ metric, where }: Selector): number =>
            select(samples, { metric, ...(where && { where }) }).reduce((total, { value }) => total + value, 0);
          const totals = new Map([
            ['of', sum(query.of)],
            ['among', sum(query.among)],
          ]);
          const { seconds, increases } = counters.read(totals, time);
          const among = increases.get('among') ?? 0;
          if (seconds === 0 || among === 0) return new Map();
          return new Map([['', (increases.get('of') ?? 0) / among]]);
        },
        restart: () => counters.restart(),
      };
    }
    case 'quantile':
      return quantiles(query);
  }
}

function quantiles({ of, by, quantile, window }: Extract<Query, { kind: 'quantile' }>): Evaluator {
  const counters = new Counters(window);
  return {
    read(samples, time) {
      const keyed = new Map<string, number>();
      for (const sample of select(samples, of)) {
        const key = JSON.stringify([by === undefined ? '' : (sample.labels[by] ?? ''), sample.labels.le]);
        keyed.set(key, (keyed.get(key) ?? 0) + sample.value);
      }
      const { seconds, increases } = counters.read(keyed, time);
      if (seconds === 0) return new Map();
      const buckets = new Map<string, Bucket[]>();
      for (const [key, count] of increases) {
        const [line, le] = JSON.parse(key) as [string, string];
        const list = buckets.get(line) ?? [];
        buckets.set(line, list);
        list.push({ bound: le === '+Inf' ? Infinity : Number(le), count });
      }
      const known = [...buckets].flatMap(([line, list]) => {
        const value = quantileOf(quantile, list);
        return value === undefined ? [] : [[line, value] as const];
      });
      return new Map(known.slice(0, mostLines));
    },
    restart: () => counters.restart(),
  };
}

/** A bucket of a histogram: the number of values up to a bound. */
export interface Bucket {
  readonly bound: number;
  readonly count: number;
}

/**
 * The value below which a share of a histogram's values are, interpolated within a bucket as Prometheus does. Values above
 * the last bound count as this bound. Undefined for an empty histogram.
 */
export function quantileOf(quantile: number, buckets: readonly Bucket[]): number | undefined {
  const sorted = buckets.toSorted((a, b) => a.bound - b.bound);
  const total = sorted.at(-1)?.count ?? 0;
  if (total === 0) return undefined;
  const rank = quantile * total;
  const at = sorted.findIndex(({ count }) => count >= rank);
  const { bound, count } = sorted[at] as Bucket;
  const before = sorted[at - 1] ?? { bound: 0, count: 0 };
  if (bound === Infinity) return before.bound;
  const inside = count - before.count;
  return inside === 0 ? bound : before.bound + ((bound - before.bound) * (rank - before.count)) / inside;
}

/** Counters over a window of readings. A counter that falls began anew, since the gateway was restarted. */
class Counters {
  readonly #window: number;
  /** Totals without restarts, the oldest reading first. */
  readonly #readings: { readonly time: number; readonly totals: Values }[] = [];
  #last: Values | undefined;

  constructor(window: number) {
    this.#window = window;
  }

  /** How much each counter grew in the window, and the seconds between its first reading and this one. */
  read(values: Values, time: number): { readonly seconds: number; readonly increases: Values } {
    const before = this.#readings.at(-1);
    const last = this.#last ?? new Map<string, number>();
    const totals = before
      ? mapped(values, (value, key) => (before.totals.get(key) ?? 0) + growth(last.get(key) ?? 0, value))
      : mapped(values, () => 0);
    this.#last = values;
    this.#readings.push({ time, totals });
    while ((this.#readings[0]?.time ?? time) < time - this.#window) this.#readings.shift();
    const first = this.#readings[0];
    if (!first) return { seconds: 0, increases: totals };
    return {
      seconds: time - first.time,
      increases: mapped(totals, (total, key) => total - (first.totals.get(key) ?? 0)),
    };
  }

  restart(): void {
    this.#readings.length = 0;
    this.#last = undefined;
  }
}

const growth = (before: number, now: number): number => (now >= before ? now - before : now);

function mapped(values: Values, map: (value: number, key: string) => number): Map<string, number> {
  return new Map(Array.from(values, ([key, value]) => [key, map(value, key)]));
}

/** The samples that a selector means. */
export function select(samples: Samples, { metric, where }: Selector): readonly Sample[] {
  const list = samples.get(metric) ?? [];
  if (!where) return list;
  const wanted = Object.entries(where).map(([name, values]) => [name, values.split('|')] as const);
  return list.filter(({ labels }) => wanted.every(([name, values]) => values.some(isValue(labels[name] ?? ''))));
}

const isValue =
  (value: string) =>
  (wanted: string): boolean =>
    wanted.endsWith('.*') ? value.startsWith(wanted.slice(0, -2)) : value === wanted;

function sums(samples: readonly Sample[], by: string | undefined): Values {
  const values = new Map<string, number>();
  for (const { labels, value } of samples) {
    const wanted = by === undefined ? '' : (labels[by] ?? '');
    const key = values.has(wanted) || values.size < mostLines ? wanted : others;
    values.set(key, (values.get(key) ?? 0) + value);
  }
  return values;
}
