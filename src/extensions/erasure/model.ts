import type { Erased, ErasedCounts } from '../host.ts';

/** Steps of an erasure, in their order. An interrupted step can be repeated. */
export const stepNames = [
  'webhooks',
  'running',
  'links',
  'references',
  'tasks',
  'tables',
  'memory',
  'modules',
  'words',
  'remains',
] as const;

export type StepName = (typeof stepNames)[number];

/** Items of one kind that an erasure leaves. */
export interface Remains {
  readonly count: number;
  /** Ids of the items, or of the first ones if there are many. */
  readonly ids: readonly string[];
}

/** Progress of an erasure. Stored as JSON. */
export interface Progress {
  readonly step: StepName;
  /** Position from which the step continues. '': from its beginning. */
  readonly cursor: string;
  readonly erased: ErasedCounts;
  /** Items that the erasure leaves, by kind. */
  readonly remaining: Readonly<Record<string, Remains>>;
  /** Ids of the replicas that have not answered yet. */
  readonly missing: readonly string[];
}

/** Deletion of all data of one caller. Times are milliseconds, by the store's clock. */
export interface Erasure {
  /** Digest of the principal, keyed with a secret of the store. */
  readonly id: string;
  /** Id of the caller. Undefined: the erasure is over. */
  readonly principal: string | undefined;
  /** Id of the operator. */
  readonly begunBy: string;
  /** Time at which the erasure began. Newer data stay. */
  readonly before: number;
  /** Undefined: the erasure is not over. */
  readonly endedAt: number | undefined;
  readonly progress: Progress;
  /** Random number that each change replaces. */
  readonly token: number;
}

/** Erasure that is not over. */
export interface OpenErasure extends Erasure {
  readonly principal: string;
}

/** Result of one part of a step. */
export interface Change extends Omit<Erased, 'more'> {
  /** Position from which the step continues. Absent: the step is over. */
  readonly cursor?: string | undefined;
  /** Next step. Absent: the one that follows in the order. */
  readonly next?: StepName | undefined;
  /** Whether the step continues only after a pause, since it waits for something else. */
  readonly waits?: boolean | undefined;
  readonly missing?: readonly string[] | undefined;
}

export const begun: Progress = { step: stepNames[0], cursor: '', erased: {}, remaining: {}, missing: [] };

/** Most ids of remaining items of each kind. */
const mostIds = 100;

/** Returns the progress after a change. `isOver`: the last step is over. */
export function progressAfter({ step, erased, remaining }: Progress, change: Change) {
  const goesOn = change.cursor !== undefined || change.waits === true;
  const next = goesOn ? step : (change.next ?? stepNames[stepNames.indexOf(step) + 1]);
  const progress: Progress = {
    step: next ?? step,
    cursor: change.cursor ?? '',
    erased: sumOf(erased, change.erased),
    remaining: joined(remaining, change.remaining),
    missing: change.missing ?? [],
  };
  return { progress, isOver: next === undefined };
}

/** Adds up numbers of deleted items, by kind. */
export function sumOf(one: ErasedCounts, other: ErasedCounts = {}): ErasedCounts {
  const sum: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) if (count > 0) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

function joined(known: Progress['remaining'], found: Erased['remaining'] = {}): Progress['remaining'] {
  const all: Record<string, Remains> = { ...known };
  for (const [kind, more] of Object.entries(found)) {
    const { count, ids } = all[kind] ?? { count: 0, ids: [] };
    const fresh = [...new Set(more)].filter((id) => !ids.includes(id));
    if (fresh.length > 0) all[kind] = { count: count + fresh.length, ids: [...ids, ...fresh].slice(0, mostIds) };
  }
  return all;
}

const listOf = (counts: Iterable<readonly [kind: string, count: number]>): string =>
  Array.from(counts, ([kind, count]) => `${kind} ${count}`).join(', ') || 'nothing';

/** Returns the numbers of deleted and of remaining items for the audit log, without ids. */
export const resultOf = ({ erased, remaining }: Progress): string => {
  const staying = Object.entries(remaining).map(([kind, { count }]) => [kind, count] as const);
  return `erased: ${listOf(Object.entries(erased))}; remaining: ${listOf(staying)}`;
};
