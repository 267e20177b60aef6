import type { CallRecord } from '../../core/telemetry/call-log.ts';
import { Histogram } from '../../metrics/series.ts';

/** Milliseconds of a minute. */
export const minuteMs = 60_000;

/** Returns the begin of the minute of a time: milliseconds since the epoch. */
export const minuteOf = (at: number): number => Math.floor(at / minuteMs) * minuteMs;

/** Factors between the bounds of durations within one power of ten. */
const steps = [1, 1.6, 2.5, 4, 6.3] as const;

/**
 * Upper bounds of the buckets of durations: five to each power of ten, in milliseconds. They never change, so that buckets of all
 * minutes and replicas can be added up.
 */
export const bounds: readonly number[] = [
  ...[1, 10, 100, 1_000, 10_000, 100_000].flatMap((power) => steps.map((step) => Math.round(step * power * 10) / 10)),
  1_000_000,
];

/** Names of the counts in a set of numbers, in the order of `values`. */
export const countNames = ['calls', 'failed', 'refused', 'tasksEnded', 'tasksFailed', 'leftOut'] as const;

export type CountName = (typeof countNames)[number];

/** Counts and durations of a group of calls. Two sets of numbers can be added up. */
export class Numbers {
  /** Counts, in the order of their names, then the buckets of durations. */
  readonly values = new Float64Array(countNames.length + bounds.length + 1);

  count(name: CountName): number {
    return this.values[countNames.indexOf(name)] as number;
  }

  add(name: CountName, count = 1): void {
    const at = countNames.indexOf(name);
    this.values[at] = (this.values[at] as number) + count;
  }

  /** Counts the duration of a call. @param ms milliseconds */
  observe(ms: number): void {
    let bucket = 0;
    while (bucket < bounds.length && ms > (bounds[bucket] as number)) bucket += 1;
    const at = countNames.length + bucket;
    this.values[at] = (this.values[at] as number) + 1;
  }

  /** Adds other numbers, in the order of `values`. */
  addAll(values: ArrayLike<number>): void {
    for (const at of this.values.keys()) this.values[at] = (this.values[at] as number) + (values[at] ?? 0);
  }

  get buckets(): number[] {
    return [...this.values.subarray(countNames.length)];
  }

  /** The milliseconds that a share of the calls did not exceed. Undefined: there are no calls. @param share from 0 to 1 */
  quantile(share: number): number | undefined {
    const histogram = new Histogram(bounds);
    histogram.counts.set(this.values.subarray(countNames.length));
    return histogram.quantile(share);
  }
}

/** Facts that all calls of a group of numbers share. */
export interface NumberKey {
  /** Minute in which the calls arrived: milliseconds since the epoch. */
  readonly minute: number;
  /** Name of the agent. '': the call names no agent, or one that does not exist. */
  readonly agent: string;
  /** Id of the principal. '': the caller was not authenticated. */
  readonly principal: string;
  /** Name of the dialect. '': unknown. */
  readonly dialect: string;
}

/** Principal that stands for all callers of a minute beyond the limit. */
export const others = '(others)';

/** Selection of calls. '' selects all. */
export type NumberFilter = Pick<NumberKey, 'agent' | 'principal' | 'dialect'>;

/** A range of time: milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** A kept call: a row of the store. */
export interface KeptCall {
  readonly id: string;
  readonly record: CallRecord;
}

/** Whether a rule has decided about a call, if only in shadow. */
export const isDecided = ({ decisions = [] }: CallRecord): boolean => decisions.length > 0;

/** Whether the answer was a stream, which lasts as long as its reader wants. */
const isStreamed = ({ events }: CallRecord): boolean => events > 0;

/** Whether a request was refused before it became a call, or a call by a policy, a guard or a stop. */
export const isRefused = ({ ms, refusedBy }: CallRecord): boolean => ms === undefined || refusedBy !== undefined;

/** Whether a call succeeded, but took long. @param slow milliseconds */
export const isSlow = (record: CallRecord, slow: number): boolean =>
  record.error === undefined && record.ms !== undefined && record.ms >= slow && !isStreamed(record);
