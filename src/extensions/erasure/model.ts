import type { Erased } from '../host.ts';

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
  /** Numbers of deleted things, by kind. */
  readonly erased: Readonly<Record<string, number>>;
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

/** The progress after a change. Undefined: the last step is over. */
export function progressAfter(progress: Progress, change: Change): Progress | undefined {
  const { step, erased, remaining } = progress;
  const following = change.next ?? stepNames[stepNames.indexOf(step) + 1];
  const goesOn = change.cursor !== undefined || change.waits;
  const next = goesOn ? step : following;
  if (next === undefined) return undefined;
  return {
    step: next,
    cursor: change.cursor ?? '',
    erased: sumOf(erased, change.erased),
    remaining: joined(remaining, change.remaining),
    missing: change.missing ?? [],
  };
}

/** The results after the last change. */
export const resultAfter = ({ erased, remaining, ...progress }: Progress, change: Change): Progress => ({
  ...progress,
  erased: sumOf(erased, change.erased),
  remaining: joined(remaining, change.remaining),
  missing: [],
});

function sumOf(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>> = {},
): Record<string, number> {
  const sum = new Map(Object.entries(one));
  for (const [kind, count] of Object.entries(other)) if (count > 0) sum.set(kind, (sum.get(kind) ?? 0) + count);
  return Object.fromEntries(sum);
}

function joined(
  known: Progress['remaining'],
  found: Readonly<Record<string, readonly string[]>> = {},
): Record<string, Remains> {
  const all = new Map(Object.entries(known));
  for (const [kind, ids] of Object.entries(found)) {
    const before = all.get(kind) ?? { count: 0, ids: [] };
    const fresh = [...new Set(ids)].filter((id) => !before.ids.includes(id));
    const shown = [...before.ids, ...fresh].slice(0, mostIds);
    if (fresh.length > 0) all.set(kind, { count: before.count + fresh.length, ids: shown });
  }
  return Object.fromEntries(all);
}
