import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../model/agent.ts';
import type { Call, CallContext } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isResting } from '../model/lifecycle.ts';
import { steadyNow } from '../model/timing.ts';
import { LogConflict } from '../ports/store-errors.ts';
import type { SharedTaskStore } from '../ports/task-store.ts';
import type { TaskJournal } from '../tasks/task-journal.ts';
import { askOwner, type ForwardedReply, type ForwardOutcome, NotOwnedHere } from './replica-requests.ts';

/** The part of a handler's input that forwarding uses. */
export interface ForwardInput {
  readonly agent: Agent;
  readonly context: CallContext;
  readonly deps: { readonly store: SharedTaskStore; readonly limits: { readonly answer: number } };
  /** Whether another replica forwarded the call. This replica does not forward it again. */
  readonly isForwarded: boolean;
  /** Takes over the tasks of dead replicas. */
  readonly takeOver: () => Promise<unknown>;
}

/** A call about one task, for the replica that owns the task. */
export interface ForwardableCall extends Pick<Call, 'operation' | 'request'> {
  /** The idempotency key that the other replica stores with the message. */
  readonly forwardedKey?: CallKey | undefined;
  /** Finds out from the log what the call did, after the owner died without an answer. */
  readonly findOutcome: () => Promise<ForwardOutcome | undefined>;
  /** Whether an agent that receives the caller's credentials needs them for this call. They are never forwarded. */
  readonly needsCredentials?: boolean;
  /** Whether the call must be refused unless the task has the generation that the message expects. */
  readonly hasCondition?: boolean;
}

/** Milliseconds until a replica that died is declared dead and another has taken over its tasks. */
const takeoverTimeout = 20_000;
/** Milliseconds between two attempts to find and reach the owner. */
const retryDelay = 200;
/** Attempts to work on a task while other replicas append first. */
const maxAttempts = 5;

/**
 * Runs `local` if this replica may work on the task. Otherwise forwards the call to the owner, and runs `forwarded` with its
 * outcome. If the owner dies, waits until its tasks are taken over, or throws `unavailable`.
 */
export async function runAtOwner<T>(
  input: ForwardInput,
  journal: TaskJournal,
  call: () => ForwardableCall,
  { local, forwarded }: { local: () => Promise<T>; forwarded: (outcome: ForwardOutcome) => Promise<T> },
): Promise<T> {
  if (!input.deps.store.peers.shared) return local();
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await forwardToOwner(input, journal, call(), attempt > 1);
    if (outcome) {
      const { extensions, losses } = input.context.notes;
      for (const extension of outcome.extensions) extensions.add(extension);
      for (const path of outcome.losses) losses.add(path);
      await journal.follower.read();
      return forwarded(outcome);
    }
    try {
      return await local();
    } catch (thrown) {
      const isConflict = thrown instanceof A2AError && thrown.cause instanceof LogConflict;
      if (!isConflict || attempt === maxAttempts) throw thrown;
      await journal.follower.read();
    }
  }
}

/** Returns undefined if this replica may work on the task. `wasRefused`: the store refused a write of this replica. */
async function forwardToOwner(input: ForwardInput, journal: TaskJournal, call: ForwardableCall, wasRefused: boolean) {
  const { agent, context, deps, takeOver, isForwarded } = input;
  const { peers } = deps.store;
  const until = steadyNow() + takeoverTimeout;
  let isUnconfirmed = false;
  for (let hasTakenOver = false; ; ) {
    const reading = journal.catchUp();
    if (reading) await reading;
    const outcome = isUnconfirmed ? await call.findOutcome() : undefined;
    if (outcome) return outcome;
    if (journal.isOwnedHere || journal.log.isTerminal) return undefined;
    const owner = await peers.leaseHolderOf(journal.record.key);
    if (owner === undefined) {
      // A task without a live owner is at rest, or orphaned: then it is taken over now rather than with the next check.
      if (hasTakenOver || (isResting(journal.log.state) && !wasRefused)) return undefined;
      hasTakenOver = true;
      await takeOver();
      continue;
    }
    if (agent.forwards && call.needsCredentials) throw credentialsNotForwarded(journal.record.id);
    if (agent.forwards) return undefined;
    if (isForwarded) throw new NotOwnedHere();
    if (call.hasCondition && peers.hasOlderReplica) throw conditionNotForwarded(journal.record.id);
    try {
      const reply = await send(owner, input, journal, call);
      if ('error' in reply) throw A2AError.revive(reply.error);
      if ('done' in reply) return reply.done;
    } catch (thrown) {
      // The owner died, is stopping, or has lost its database. The log shows the effects until then.
      const error = A2AError.from(thrown);
      if (error.kind !== 'unavailable' || steadyNow() > until) throw error;
      isUnconfirmed = true;
      await takeOver();
    }
    if (steadyNow() > until) throw ownerUnreachable(journal.record.id);
    await sleep(retryDelay, undefined, { signal: context.signal }).catch(() => {
      throw A2AError.from(context.signal.reason);
    });
  }
}

async function send(
  owner: string,
  { context, deps }: ForwardInput,
  { record: { key } }: TaskJournal,
  { operation, request, forwardedKey }: ForwardableCall,
): Promise<ForwardedReply> {
  const remaining = (context.deadline ?? Number.POSITIVE_INFINITY) - Date.now();
  const within = Math.max(1, Math.min(deps.limits.answer, remaining));
  const call = { operation, request, context };
  return askOwner(deps.store.peers, owner, { key, call, forwardedKey }, { within, signal: context.signal });
}

const ownerUnreachable = (taskId: string): A2AError =>
  new A2AError('unavailable', `The replica that owns the task ${taskId} does not answer; try again.`, {
    retryAfter: 5,
    metadata: { taskId },
  });

const credentialsNotForwarded = (taskId: string): A2AError =>
  new A2AError(
    'unsupportedOperation',
    'Another replica is working on the task, and your credentials are not forwarded to it; send again when the task waits for its next message.',
    { metadata: { taskId } },
  );

const conditionNotForwarded = (taskId: string): A2AError =>
  new A2AError(
    'unavailable',
    'A replica of an earlier version, which cannot check ifGenerationMatch, is running; send again when all are upgraded.',
    { retryAfter: 5, metadata: { taskId } },
  );
