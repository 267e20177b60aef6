import type { Agent, AgentHealth, UpstreamCopy } from '../../../core/model/agent.ts';
import type { Invoke } from '../../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../../core/model/errors.ts';
import { atCopy, splitCopy, type TaskOwner } from '../../../core/model/ids.ts';
import { steadyNow } from '../../../core/model/timing.ts';
import type { UpstreamIds } from '../../../core/ports/upstream-ids.ts';

/** A copy as it is now. */
export interface Copy {
  /** Names it in stored ids: the same after a restart, at every replica, and wherever the copy stands in the list. */
  readonly mark: string;
  readonly url: string;
  readonly share: number | undefined;
  readonly agent: Agent;
  /** Runs and calls under way. */
  outstanding: number;
  /** Failures since the last answer. */
  failures: number;
  hasAnswered: boolean;
  /** Until when it is left out, unless all are: by `steadyNow`. */
  restsUntil: number;
  /** What it has not got yet of its share. */
  credit: number;
  /** Where it is called, as its card says. */
  calledAt?: string;
}

/** Milliseconds that a copy is left out after a failure, doubled with each further one: the first time and the longest. */
export const [firstRest, longestRest] = [2_000, 30_000];
/** What tells that a copy is not well, whatever it was asked. */
const failureKinds: ReadonlySet<ErrorKind> = new Set([
  ...(['upstreamUnreachable', 'upstreamTimeout', 'unavailable', 'tooManyRequests'] as const),
  ...(['internal', 'invalidAgentResponse'] as const),
]);
/** What tells nothing about it: this side gave up. */
const silentKinds: ReadonlySet<ErrorKind> = new Set(['canceled', 'deadlineExceeded']);

export const noCopy = 'No copy of the upstream agent takes new tasks';

export const isWell = ({ failures, hasAnswered, agent }: Copy): boolean =>
  failures === 0 && (hasAnswered || agent.health?.().state === 'ok');

export const describe = (copy: Copy): UpstreamCopy => {
  const { url, share, outstanding, agent } = copy;
  const { state, reason, breaker }: AgentHealth = agent.health?.() ?? { state: 'ok' };
  return { url, state, reason, breaker, outstanding, share, isWell: isWell(copy) };
};

/** Leaves a copy out until its next try, with which its failures count one more. */
export function rest(copy: Copy, least = 0): void {
  const pause = Math.min(longestRest, firstRest * 2 ** copy.failures);
  copy.failures += 1;
  copy.restsUntil = steadyNow() + Math.max(pause, Math.min(least, longestRest));
}

/** A copy has failed. Of the calls that fail together one counts. */
export function fail(copy: Copy, { retryAfter = 0 }: A2AError): void {
  if (copy.failures === 0) rest(copy, retryAfter * 1_000);
}

/** Middleware around the calls of a copy that learns from their results how it is. */
export const watch =
  (copy: Copy, next: Invoke): Invoke =>
  async (call) => {
    try {
      const reply = await next(call);
      answered(copy);
      return reply;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (failureKinds.has(error.kind)) fail(copy, error);
      else if (!silentKinds.has(error.kind)) answered(copy);
      throw thrown;
    }
  };

function answered(copy: Copy): void {
  copy.failures = 0;
  copy.hasAnswered = true;
}

/**
 * The copy whose turn it is by the shares, if it is that of one with a share. Each turn adds the shares to what the copies
 * have not got yet, so that of a hundred turns each gets exactly its share, evenly spread.
 */
export function dueBy(copies: readonly Copy[], unshared: { credit: number }): Copy | undefined {
  const shares = copies.filter(({ share }) => share !== undefined);
  if (shares.length === 0) return undefined;
  const sum = shares.reduce((total, { share = 0 }) => total + share, 0);
  unshared.credit += 100 - sum;
  let due: Copy | undefined;
  for (const copy of shares) {
    copy.credit += copy.share ?? 0;
    if (copy.credit > (due ?? unshared).credit) due = copy;
  }
  (due ?? unshared).credit -= 100;
  return due;
}

/** The copy with the least under way; of several, another one at each turn. */
export function leastBusy(copies: readonly Copy[], turn: number): Copy | undefined {
  const first = turn % Math.max(1, copies.length);
  const inTurn = [...copies.slice(first), ...copies.slice(0, first)];
  return inTurn.reduce<Copy | undefined>(
    (least, copy) => (least && least.outstanding <= copy.outstanding ? least : copy),
    undefined,
  );
}

/** A copy's ids in the store, which has them with the copy's mark. Those of other copies are unknown here. */
export function idsAt(ids: UpstreamIds, ownMark: string, isFirst: () => boolean): UpstreamIds {
  const own = (stored: string | undefined): string | undefined => {
    if (stored === undefined) return undefined;
    const { mark, id } = splitCopy(stored);
    return mark === ownMark || (mark === undefined && isFirst()) ? id : undefined;
  };
  return {
    async upstreamOf(key, owner) {
      const { id, contextId } = (await ids.upstreamOf(key, owner)) ?? {};
      const task = own(id);
      return task === undefined ? undefined : { id: task, contextId: own(contextId) ?? '' };
    },
    bindUpstreamContext: (owner, contextId, upstream) =>
      ids.bindUpstreamContext(owner, contextId, atCopy(ownMark, upstream)),
    upstreamContextOf: async (owner, contextId) => own(await ids.upstreamContextOf(owner, contextId)),
    async upstreamTasksOf(owner, wanted) {
      const found = [...(await ids.upstreamTasksOf(owner, wanted))].map(([id, stored]) => [id, own(stored)] as const);
      return new Map(found.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
    },
    async ownTasksOf(owner: TaskOwner, theirs) {
      const marked = theirs.map((id) => atCopy(ownMark, id));
      const found = await ids.ownTasksOf(owner, isFirst() ? [...theirs, ...marked] : marked);
      return new Map([...found].map(([stored, id]) => [splitCopy(stored).id, id]));
    },
    secret: (secret) => ids.secret(secret),
  };
}
