import { timestamp } from '../../core/model/agent-events.ts';
import type { CallGap } from '../../gen/admin-v1/types.ts';
import { minuteOf, type TimeRange } from './model.ts';
import type { CallStore, Instance, LeftOut } from './store/store.ts';

/** Most gaps in one answer. A replica that is killed again and again leaves one gap each time. */
export const mostGaps = 500;

/** Range of time in which a replica may have had calls that are missing from the store. Milliseconds, by the store's clock. */
export interface Gap extends TimeRange {
  readonly replica: string;
}

/** Range of time for which the store has calls, and its gaps. */
export interface Kept {
  /** Earliest time for which calls are kept. */
  readonly since: number;
  /** The latest gaps, at most `mostGaps`. The latest comes first. */
  readonly gaps: readonly Gap[];
  /** All replicas that have stored calls, by the ids of their runs. */
  readonly instances: ReadonlyMap<string, Instance>;
}

export interface KeptOptions {
  /** Milliseconds for which calls are kept. */
  readonly keep: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly now: number;
  /** The runs of replicas that have just stored everything, or have it in memory. */
  readonly answered: ReadonlySet<string>;
  readonly range: TimeRange;
}

/** Reads the time since which the store keeps calls and numbers, and the gaps in a range of time. */
export async function readKept(store: CallStore, { keep, now, answered, range }: KeptOptions): Promise<Kept> {
  const all = await store.instances();
  const since = Math.max(now - keep, Math.min(now, ...all.map(({ beganAt }) => beganAt)));
  const gaps = all
    .filter(({ instance }) => !answered.has(instance))
    .map(({ replica, storedAt, endedAt = now }): Gap => ({ replica, from: storedAt, until: endedAt }))
    .filter(({ from, until }) => from < until && until > since && from < range.until && until > range.from)
    .sort((one, other) => other.until - one.until)
    .slice(0, mostGaps);
  return { since, gaps, instances: new Map(all.map((one) => [one.instance, one])) };
}

/** Returns the time since which the store is complete: no replica ended without storing its calls, and no caller had too many. */
export const storedSince = ({ since, gaps }: Kept, leftOut: readonly LeftOut[] = []): number =>
  Math.max(since, ...gaps.map(({ until }) => until), ...leftOut.map(({ until }) => until));

/**
 * Returns the time since which the replicas that answered but store nothing, such as those of earlier versions, have all calls in
 * memory.
 */
export const unstoredSince = ({ instances }: Kept, answered: ReadonlyMap<string, number>): number =>
  Math.max(0, ...Array.from(answered, ([instance, since]) => (instances.has(instance) ? 0 : since)));

/**
 * The time since which the memory of the replicas that answered has everything.
 *
 * @param since since when each of them has
 * @param now what replicas have that neither answered nor have ended is not known
 */
export function remembered({ instances }: Kept, answered: ReadonlyMap<string, number>, now: number): number {
  const ends = [...instances.values()].flatMap(({ instance, endedAt }) =>
    answered.has(instance) ? [] : [endedAt ?? now],
  );
  return Math.max(...answered.values(), ...ends);
}

/** Returns the range of whole minutes that covers a range of time. */
export const minutesOf = ({ from, until }: TimeRange): TimeRange => ({ from: minuteOf(from), until });

export const gapShown = ({ replica, from, until }: Gap): CallGap => ({
  ...(replica !== '' && { replica }),
  from: timestamp(from),
  until: timestamp(until),
});
