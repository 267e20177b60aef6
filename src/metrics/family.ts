import type { Histogram } from './series.ts';

/** One line of a metric: its labels, the suffix of the family's name, and the value. */
export interface Sample {
  readonly labels: Labels;
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly value: number;
}

/** All samples of one name, with their current values. */
export interface Family {
  /** Name of the family; of a counter with `_total`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Rule for joining the values of several processes. Default: they are added. */
  readonly join?: Join | undefined;
  /** How the last day of it is kept. Absent: as the table of the gateway's own metrics says, or not at all. */
  readonly history?: KeptLabels | undefined;
  readonly samples: readonly Sample[];
}

/** The labels with which a family is kept: values that differ in others are added. */
export interface KeptLabels {
  readonly labels: readonly string[];
  /** States of which no series is kept. */
  readonly without?: readonly string[];
}

/** Rule for values that are equal in every process, or of which the worst is reported. */
export type Join = 'highest' | 'lowest';

export type Labels = Readonly<Record<string, string>>;

/** A value without labels, or values with them. Undefined: unknown, so there is no sample. */
export type Values = number | undefined | Iterable<readonly [Labels, number]>;

function samplesOf(values: Values): Sample[] {
  if (values === undefined) return [];
  if (typeof values === 'number') return [{ labels: {}, value: values }];
  return Array.from(values, ([labels, value]) => ({ labels, value }));
}

export const family = (type: 'counter' | 'gauge', name: string, help: string, values: Values, join?: Join): Family => ({
  name,
  type,
  help,
  join,
  samples: samplesOf(values),
});

/** Returns the family of a value that only grows; `_total` is added to its name. */
export const counter = (name: string, help: string, values: Values, join?: Join): Family =>
  family('counter', `a2a_gateway_${name}_total`, help, values, join);

/** Returns a family whose last day is kept, with some of its labels. */
export const withHistory = (kept: Family, ...labels: string[]): Family => ({ ...kept, history: { labels } });

/** Returns the family of a value that rises and falls. */
export const gauge = (name: string, help: string, values: Values, join?: Join): Family =>
  family('gauge', `a2a_gateway_${name}`, help, values, join);

/** Returns values with one label. */
export const by = (
  label: string,
  values: Iterable<readonly [string, number]> | Readonly<Record<string, number>>,
): [Labels, number][] =>
  Array.from(Symbol.iterator in values ? values : Object.entries(values), ([text, value]) => [
    { [label]: text },
    value,
  ]);

export function histogramFamily(name: string, help: string, values: Iterable<readonly [Labels, Histogram]>): Family {
  const samples: Sample[] = [];
  for (const [labels, { bounds, counts, sum }] of values) {
    let count = 0;
    for (let i = 0; i < counts.length; i++) {
      count += counts[i] as number;
      samples.push({ labels: { ...labels, le: leOf(bounds[i]) }, suffix: '_bucket', value: count });
    }
    samples.push({ labels, suffix: '_sum', value: sum }, { labels, suffix: '_count', value: count });
  }
  return { name, type: 'histogram', help, samples };
}

export const histogram = (name: string, help: string, values: Iterable<readonly [Labels, Histogram]>): Family =>
  histogramFamily(`a2a_gateway_${name}`, help, values);

/** OpenMetrics 1.0 requires floats for bounds; readers of the older format accept them. */
const leOf = (bound: number | undefined): string =>
  bound === undefined ? '+Inf' : Number.isInteger(bound) ? `${bound}.0` : String(bound);
