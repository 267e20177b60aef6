import type { Histogram } from './histogram.ts';

/** One line: the labels' names and values, what is added to the family's name, and the value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly value: number;
}

/** Everything of one name, as it stands. */
export interface Family {
  /** Of a counter: with `_total`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The gateway's own names begin with it. */
const prefix = 'a2a_gateway_';

type Labels = Readonly<Record<string, string>>;

/** A family with one sample for each pair of labels and value. */
const simple =
  (type: 'counter' | 'gauge', suffix: string) =>
  (name: string, help: string, values: Iterable<readonly [Labels, number]>): Family => ({
    name: `${prefix}${name}${suffix}`,
    type,
    help,
    samples: Array.from(values, ([labels, value]) => ({ labels, value })),
  });

/** What only grows; `_total` is added to its name. */
export const counter: (name: string, help: string, values: Iterable<readonly [Labels, number]>) => Family = simple(
  'counter',
  '_total',
);

/** What goes up and down. */
export const gauge: (name: string, help: string, values: Iterable<readonly [Labels, number]>) => Family = simple(
  'gauge',
  '',
);

/** A value without labels. */
export const unlabeled = (value: number): readonly [readonly [Labels, number]] => [[{}, value]];

/** Histograms, each with its labels. */
export function histogram(name: string, help: string, values: Iterable<readonly [Labels, Histogram]>): Family {
  const samples: Sample[] = [];
  for (const [labels, { bounds, counts, sum }] of values) {
    let count = 0;
    for (let i = 0; i < counts.length; i++) {
      count += counts[i] as number;
      samples.push({ labels: { ...labels, le: leOf(bounds[i]) }, suffix: '_bucket', value: count });
    }
    samples.push({ labels, suffix: '_sum', value: sum }, { labels, suffix: '_count', value: count });
  }
  return { name: `${prefix}${name}`, type: 'histogram', help, samples };
}

/** OpenMetrics 1.0 wants bounds written as floats; whoever reads the older format does not mind. */
const leOf = (bound: number | undefined): string =>
  bound === undefined ? '+Inf' : Number.isInteger(bound) ? `${bound}.0` : String(bound);
