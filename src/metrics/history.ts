import { A2AError } from '../core/model/errors.ts';
import type { Family, KeptLabels, Labels } from './family.ts';
import { getOrCreate, Histogram } from './series.ts';

/** Milliseconds of one point, and number of points of one block: an hour. */
const pointMs = 10_000;
const blockPoints = 360;
/** Number of hours that are stored besides the current one. */
const keptHours = 24;
/** Bytes of all values. Above them, the oldest hours of agents are deleted. */
const maxBytes = 4 * 1024 * 1024;
/** Largest number of values of one answer. */
const maxValues = 200_000;
/** Largest number of series. Further ones, which belong to further agents, are not stored. */
const maxSeries = 4_000;

/** The gateway's own families in the history. Modules declare theirs (`Family.history`). Of agents in a normal state none is kept. */
const storedFamilies: Readonly<Record<string, KeptLabels>> = {
  a2a_gateway_requests_total: { labels: ['agent', 'result'] },
  a2a_gateway_request_duration_seconds: { labels: ['agent'] },
  a2a_gateway_requests_refused_total: { labels: ['kind'] },
  a2a_gateway_requests_in_flight: { labels: [] },
  a2a_gateway_losses_total: { labels: ['agent'] },
  a2a_gateway_streams_open: { labels: [] },
  a2a_gateway_stream_events_total: { labels: [] },
  a2a_gateway_slow_readers_total: { labels: [] },
  a2a_gateway_reloads_total: { labels: ['result'] },
  a2a_gateway_tasks_live: { labels: [] },
  a2a_gateway_events_total: { labels: [] },
  a2a_gateway_tasks_started_total: { labels: ['agent'] },
  a2a_gateway_tasks_ended_total: { labels: ['agent', 'state'] },
  a2a_gateway_tasks_taken_over_total: { labels: [] },
  a2a_gateway_store_access_duration_seconds: { labels: [] },
  a2a_gateway_store_batch_duration_seconds: { labels: [] },
  a2a_gateway_store_errors_total: { labels: ['kind'] },
  a2a_gateway_store_up: { labels: [] },
  a2a_gateway_store_connections: { labels: ['state'] },
  a2a_gateway_store_connections_awaited: { labels: [] },
  a2a_gateway_gateways: { labels: [] },
  a2a_gateway_agent_state: { labels: ['agent', 'state'], without: ['ok'] },
  a2a_gateway_upstream_breaker_state: { labels: ['agent', 'state'], without: ['closed'] },
  a2a_gateway_upstream_requests_total: { labels: ['agent', 'result'] },
  a2a_gateway_upstream_request_duration_seconds: { labels: ['agent'] },
  a2a_gateway_upstream_retries_total: { labels: ['agent'] },
  a2a_gateway_push_deliveries_total: { labels: ['result'] },
  a2a_gateway_push_dead_total: { labels: [] },
  a2a_gateway_push_queue: { labels: ['state'] },
  a2a_gateway_push_oldest_seconds: { labels: [] },
  a2a_gateway_security_events_total: { labels: ['event'] },
  process_cpu_seconds_total: { labels: [] },
  process_resident_memory_bytes: { labels: [] },
  nodejs_eventloop_lag_p99_seconds: { labels: [] },
  nodejs_heap_size_used_bytes: { labels: [] },
};

/** Names of the gateway's own families that have a history. */
export const keptFamilies: readonly string[] = Object.keys(storedFamilies);

/** Rule for joining values of one time, also those of several replicas: increases are added. */
type SeriesJoin = 'increase' | NonNullable<Family['join']> | 'sum';

type Block = Uint8Array | Uint16Array | Float32Array;

const zeros = new Uint8Array(blockPoints);

/** The values of one series. A block that was never needed has zeros. */
class Series {
  readonly name: string;
  readonly labels: Labels;
  readonly join: SeriesJoin;
  readonly blocks = new Map<number, Block>();
  /** The counter's value at the last reading. */
  read = 0;
  /** Hours before this one are unknown: the series began there, or was deleted. */
  knownFrom: number;

  constructor(name: string, labels: Labels, join: SeriesJoin, knownFrom: number) {
    this.name = name;
    this.labels = labels;
    this.join = join;
    this.knownFrom = knownFrom;
  }

  /**
   * Adds the increase of a point, or sets its value. NaN: unknown. Returns the number of bytes that it needs in
   * addition.
   */
  put(point: number, value: number): number {
    const hour = Math.floor(point / blockPoints);
    const before = this.blocks.get(hour);
    if (!before && value === 0) return 0;
    const at = point % blockPoints;
    const old = before?.[at] ?? 0;
    let next = value;
    if (this.join === 'increase') next = old + value;
    else if (this.join === 'highest' && old > value) next = old;
    const block = fitting(before, next);
    block[at] = next;
    this.blocks.set(hour, block);
    return block.byteLength - (before?.byteLength ?? 0);
  }
}

/** Returns the block, or a wider copy of it that can hold a value. */
function fitting(block: Block | undefined, value: number): Block {
  const isSmall = Number.isInteger(value) && value >= 0;
  if (isSmall && value <= 0xff) return block ?? new Uint8Array(blockPoints);
  if (block instanceof Float32Array) return block;
  if (isSmall && value <= 0xffff) return block instanceof Uint16Array ? block : Uint16Array.from(block ?? zeros);
  return Float32Array.from(block ?? zeros);
}

/** Some series over a time, at points of equal length. */
export interface HistoryRange {
  /** Names of families. Absent: all. */
  readonly names?: readonly string[] | undefined;
  /** Selects the series of this agent, and those of no agent. */
  readonly agent?: string | undefined;
  /** Milliseconds since the epoch, multiples of `step`. */
  readonly from: number;
  readonly until: number;
  /** Milliseconds, a multiple of ten seconds. */
  readonly step: number;
}

/** The values of a series. Of a counter: the increase in each step; of a gauge: its value there. Null: unknown. */
export interface SeriesValues {
  readonly name: string;
  readonly labels: Labels;
  readonly join: SeriesJoin;
  readonly values: (number | null)[];
}

/** The metrics of one process at each ten seconds of the last day. */
export class MetricHistory {
  /** Milliseconds of one point. */
  static readonly pointMs: number = pointMs;
  readonly #series = new Map<string, Series>();
  /** Points that were read, by the hour. */
  readonly #sampled = new Map<number, Uint8Array>();
  #bytes = 0;
  #latest = -1;

  /** Bytes of its values. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first hour that is kept: milliseconds since the epoch. */
  get since(): number {
    return Math.max(0, ...this.#sampled.keys().take(1)) * blockPoints * pointMs;
  }

  /** @param at milliseconds since the epoch */
  add(families: readonly Family[], at: number): void {
    const point = Math.max(this.#latest, Math.floor(at / pointMs));
    const hour = Math.floor(point / blockPoints);
    if (hour > Math.floor(this.#latest / blockPoints)) this.#forget(hour - keptHours);
    this.#latest = point;
    const sampled = this.#sampled.get(hour) ?? new Uint8Array(blockPoints);
    this.#sampled.set(hour, sampled);
    sampled[point % blockPoints] = 1;
    const unseen = new Set<Series>();
    for (const series of this.#series.values()) if (series.join !== 'increase') unseen.add(series);
    for (const family of families) {
      const row = family.history ?? storedFamilies[family.name];
      if (row) this.#addFamily(family, row, point, unseen);
    }
    for (const series of unseen) this.#put(series, point, Number.NaN);
    while (this.#bytes > maxBytes && this.#forgetOldest());
  }

  /**
   * Returns the series of this process in a range, without those that are always 0.
   *
   * @throws A2AError `invalidParams` if there are too many values
   */
  read({ names, agent, from, until, step }: HistoryRange): SeriesValues[] {
    const wanted = names && new Set(names);
    const found: SeriesValues[] = [];
    const steps = Math.ceil((until - from) / step);
    for (const series of this.#series.values()) {
      const { name, labels, join } = series;
      if (wanted && !wanted.has(name)) continue;
      if (agent && labels.agent !== undefined && labels.agent !== agent) continue;
      if ((found.length + 1) * steps > maxValues) throw tooManyValues();
      const values: (number | null)[] = [];
      for (let at = from; at < until; at += step)
        values.push(this.#valueOf(series, at / pointMs, (at + step) / pointMs));
      found.push({ name, labels, join, values });
    }
    return found;
  }

  /** Returns the value at the latest point of a series that has no labels. Undefined: unknown. */
  latest(name: string): number | undefined {
    const series = this.#series.get(keyOf(name, {}));
    return (series && this.#valueOf(series, this.#latest, this.#latest + 1)) ?? undefined;
  }

  /** Returns the value of a step, from its known points. */
  #valueOf({ blocks, join, knownFrom }: Series, from: number, until: number): number | null {
    let total: number | null = null;
    let count = 0;
    for (let point = from; point < until; ) {
      const hour = Math.floor(point / blockPoints);
      const end = Math.min(until, (hour + 1) * blockPoints);
      const sampled = hour < knownFrom ? undefined : this.#sampled.get(hour);
      const block = blocks.get(hour);
      for (; sampled && point < end; point += 1) {
        const at = point % blockPoints;
        const value = block?.[at] ?? 0;
        if (sampled[at] === 0 || Number.isNaN(value)) continue;
        total = total === null ? value : joins[join](total, value);
        count += 1;
      }
      point = end;
    }
    return join === 'sum' && total !== null ? total / count : total;
  }

  #addFamily(
    { name, type, join, samples }: Family,
    { labels: names, without }: KeptLabels,
    point: number,
    unseen: Set<Series>,
  ): void {
    const sums = new Map<string, { readonly labels: Labels; value: number }>();
    /** Buckets of histograms contain the ones before; the difference of each is smaller, and mostly 0. */
    let inside = 0;
    for (const { labels, suffix, value } of samples) {
      if (type === 'histogram' && suffix !== '_bucket') {
        inside = 0;
        continue;
      }
      const own = suffix === '_bucket' ? value - inside : value;
      if (suffix === '_bucket') inside = value;
      if (without?.includes(labels.state ?? '')) continue;
      const folded: Record<string, string> = {};
      for (const label of names) if (labels[label] !== undefined) folded[label] = labels[label];
      if (labels.le !== undefined) folded.le = labels.le;
      const key = keyOf(name, folded);
      const sum = sums.get(key);
      if (sum) sum.value += own;
      else sums.set(key, { labels: folded, value: own });
    }
    for (const [key, { labels, value }] of sums) {
      const series =
        this.#series.get(key) ??
        this.#create(key, name, labels, type === 'gauge' ? (join ?? 'sum') : 'increase', value);
      if (!series) continue;
      unseen.delete(series);
      this.#put(series, point, type === 'gauge' ? value : Math.max(0, value - series.read));
      series.read = value;
    }
  }

  #create(key: string, name: string, labels: Labels, join: SeriesJoin, value: number): Series | undefined {
    if (this.#series.size >= maxSeries || (value === 0 && labels.agent !== undefined && labels.le === undefined))
      return undefined;
    const series = new Series(name, labels, join, 0);
    this.#series.set(key, series);
    return series;
  }

  #put(series: Series, point: number, value: number): void {
    this.#bytes += series.put(point, value);
  }

  /** Deletes all hours before one. */
  #forget(hour: number): void {
    for (const each of this.#sampled.keys()) if (each < hour) this.#sampled.delete(each);
    for (const series of this.#series.values()) {
      for (const each of series.blocks.keys()) if (each < hour) this.#drop(series, each);
    }
  }

  /** Deletes the oldest hour of the series of agents. False: there is none but the current one. */
  #forgetOldest(): boolean {
    const ofAgents = [...this.#series.values()].filter(({ labels }) => labels.agent !== undefined);
    const current = Math.floor(this.#latest / blockPoints);
    const oldest = Math.min(...ofAgents.flatMap(({ blocks }) => [...blocks.keys()]), current);
    if (oldest >= current) return false;
    for (const series of ofAgents) {
      this.#drop(series, oldest);
      series.knownFrom = Math.max(series.knownFrom, oldest + 1);
    }
    return true;
  }

  #drop(series: Series, hour: number): void {
    this.#bytes -= series.blocks.get(hour)?.byteLength ?? 0;
    series.blocks.delete(hour);
  }
}

const keyOf = (name: string, labels: Labels): string => `${name} ${Object.values(labels).join('\n')}`;

const tooManyValues = (): A2AError =>
  A2AError.invalidParams(undefined, [
    { field: 'names', description: `must name fewer metrics: the answer would have more than ${maxValues} values` },
  ]);

/** Joins the series of several processes: a value that is unknown in all of them stays unknown. */
export function joinSeries(processes: readonly (readonly SeriesValues[])[]): SeriesValues[] {
  const joined = new Map<string, SeriesValues>();
  for (const { name, labels, join, values } of processes.flat()) {
    const key = keyOf(name, labels);
    const known = joined.get(key);
    if (!known) {
      joined.set(key, { name, labels, join, values: [...values] });
      continue;
    }
    for (const [at, value] of values.entries()) {
      const before = known.values[at] ?? null;
      if (value !== null) known.values[at] = before === null ? value : joins[join](before, value);
    }
  }
  return [...joined.values()];
}

const add = (one: number, other: number): number => one + other;
const joins = { increase: add, sum: add, highest: Math.max, lowest: Math.min } satisfies Record<SeriesJoin, unknown>;

const quantiles = [0.5, 0.95];

/** Replaces each histogram's buckets by two series of quantiles. */
export function withQuantiles(all: readonly SeriesValues[]): SeriesValues[] {
  const histograms = new Map<string, SeriesValues[]>();
  const others: SeriesValues[] = [];
  for (const series of all) {
    const { le, ...labels } = series.labels;
    if (le === undefined) others.push(series);
    else getOrCreate(histograms, keyOf(series.name, labels), () => []).push(series);
  }
  return [...others, ...[...histograms.values()].flatMap(quantilesOf)];
}

function quantilesOf(buckets: readonly SeriesValues[]): SeriesValues[] {
  const boundOf = ({ labels }: SeriesValues): number => Number(labels.le?.replace('+Inf', 'Infinity'));
  const ordered = buckets.toSorted((one, other) => boundOf(one) - boundOf(other));
  const [
    {
      name,
      labels: { le: _, ...labels },
      values,
    },
  ] = ordered as [SeriesValues];
  const histograms = values.map((_, at) => {
    const histogram = new Histogram(ordered.map(boundOf).filter(Number.isFinite));
    for (const [index, bucket] of ordered.entries()) histogram.counts[index] = bucket.values[at] ?? 0;
    return histogram;
  });
  return quantiles.map((share) => ({
    name,
    labels: { ...labels, quantile: `${share}` },
    join: 'highest',
    values: histograms.map((histogram) => histogram.quantile(share) ?? null),
  }));
}
