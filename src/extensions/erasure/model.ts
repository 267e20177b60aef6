import type { Erased, ErasedCounts } from '../host.ts';

/** The steps of an erasure, in their order. Each can be repeated from where it was interrupted. */
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

/** Things of one kind that stay. */
export interface Remains {
  readonly count: number;
  /** Their ids, or the first of many. */
  readonly ids: readonly string[];
}

/** Progress of an erasure, which the store has as JSON. */
export interface Progress {
  readonly step: StepName;
  /** Position at which the step continues; '': it begins. */
  readonly cursor: string;
  readonly erased: ErasedCounts;
  /** Things that stay, by kind. */
  readonly remaining: Readonly<Record<string, Remains>>;
  /** Ids of the replicas that have not answered yet. */
  readonly missing: readonly string[];
}

/** The deletion of all that the gateway has of one caller. Times are milliseconds, by the store's clock. */
export interface Erasure {
  /** Digest of the principal with a secret of the store. */
  readonly id: string;
  /** Id of the caller; undefined once the erasure is over. */
  readonly principal: string | undefined;
  /** Id of the operator. */
  readonly begunBy: string;
  /** Time of its beginning: what is newer stays. */
  readonly before: number;
  /** Undefined: it goes on. */
  readonly endedAt: number | undefined;
  readonly progress: Progress;
  /** Random; another one after each change. */
  readonly token: number;
}

/** An erasure that goes on. */
export interface OpenErasure extends Erasure {
  readonly principal: string;
}

/** The outcome of a part of a step. */
export interface Change extends Omit<Erased, 'more'> {
  /** Position at which the step continues. Absent: it is over. */
  readonly cursor?: string | undefined;
  /** The step that follows. Absent: the next one. */
  readonly next?: StepName | undefined;
  /** Whether the step goes on only after a while: something else must happen first. */
  readonly waits?: boolean | undefined;
  readonly missing?: readonly string[] | undefined;
}

export const begun: Progress = { step: stepNames[0], cursor: '', erased: {}, remaining: {}, missing: [] };

/** Ids of things that stay that are kept of each kind. */
const mostIds = 100;

/** The progress after a change. `isOver`: the last step is over. */
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

/** The sums of numbers of deleted things, by kind. */
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

/** The numbers of what was deleted and of what stays, for the audit log: without ids. */
export const resultOf = ({ erased, remaining }: Progress): string => {
  const staying = Object.entries(remaining).map(([kind, { count }]) => [kind, count] as const);
  return `erased: ${listOf(Object.entries(erased))}; remaining: ${listOf(staying)}`;
};
