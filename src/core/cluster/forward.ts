import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationName, RequestOf } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { Call, CallContext, Reply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isResting } from '../model/lifecycle.ts';
import type { Logger } from '../ports/logger.ts';
import type { ForwardedRequest } from '../ports/peers.ts';
import { LogConflict } from '../ports/store-errors.ts';
import type { SharedTaskStore } from '../ports/task-store.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import { callFields } from '../telemetry/call-fields.ts';
import {
  deserializeError,
  type ForwardedReply,
  type ForwardOutcome,
  readForwardedCall,
  serializeError,
  writeForwardedCall,
} from './forwarded-call.ts';

/** What forwarding uses of a handler's input. */
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
export interface ForwardableCall<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly request: RequestOf<K>;
  /** The idempotency key that the other replica stores with the message. */
  readonly forwardedKey?: CallKey | undefined;
  /** Looks in the log for what the call did, after the owner died without an answer. */
  readonly findOutcome: () => Promise<ForwardOutcome | undefined>;
  /** Whether an agent that gets the caller's credentials needs them for this call. They are never forwarded. */
  readonly needsCredentials?: boolean;
}

/** Milliseconds in which a replica that died is declared dead and another has taken over its tasks. */
const takeoverTimeout = 20_000;
/** Milliseconds between two attempts to find and reach the owner. */
const retryDelay = 200;
/** Attempts to work on a task while other replicas append first. */
const maxAttempts = 5;

/**
 * Runs `local` where this replica may work on the task; else forwards the call to the replica that owns the task, and runs
 * `forwarded` with what the call did. Where the owner dies meanwhile, waits until its tasks are taken over.
 *
 * @throws A2AError the owner's error, or `unavailable` when no replica has taken the task over in time
 */
export async function runAtOwner<T, K extends OperationName>(
  input: ForwardInput,
  live: LiveTask,
  call: () => ForwardableCall<K>,
  { local, forwarded }: { local: () => Promise<T>; forwarded: (outcome: ForwardOutcome) => Promise<T> },
): Promise<T> {
  if (!input.deps.store.peers.shared) return local();
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await forwardToOwner(input, live, call(), attempt > 1);
    if (outcome) {
      const { extensions, losses } = input.context.notes;
      for (const extension of outcome.extensions) extensions.add(extension);
      for (const path of outcome.losses) losses.add(path);
      await live.readLog();
      return forwarded(outcome);
    }
    try {
      return await local();
    } catch (thrown) {
      const isConflict = thrown instanceof A2AError && thrown.cause instanceof LogConflict;
      if (!isConflict || attempt === maxAttempts) throw thrown;
      await live.readLog();
    }
  }
}

/**
 * @param wasRefused whether a write of this replica was refused because another replica owns the task
 * @returns undefined where this replica may work on the task
 */
async function forwardToOwner<K extends OperationName>(
  input: ForwardInput,
  live: LiveTask,
  call: ForwardableCall<K>,
  wasRefused: boolean,
): Promise<ForwardOutcome | undefined> {
  const { agent, context, deps, takeOver, isForwarded } = input;
  const { peers } = deps.store;
  const until = Date.now() + takeoverTimeout;
  let isUnconfirmed = false;
  for (let hasTakenOver = false; ; ) {
    const reading = live.catchUp();
    if (reading) await reading;
    const outcome = isUnconfirmed ? await call.findOutcome() : undefined;
    if (outcome) return outcome;
    if (live.isOwnedHere || live.log.isTerminal) return undefined;
    const owner = await peers.leaseHolderOf(live.key);
    if (owner === undefined) {
      // A task without a live owner is at rest, or orphaned: then it is taken over now rather than with the next check.
      if (hasTakenOver || (isResting(live.log.state) && !wasRefused)) return undefined;
      hasTakenOver = true;
      await takeOver();
      continue;
    }
    if (agent.forwards && call.needsCredentials) throw credentialsNotForwarded(live.record.id);
    if (agent.forwards) return undefined;
    if (isForwarded) throw new NotOwnedHere();
    try {
      const reply = await send(owner, input, live, call);
      if ('error' in reply) throw deserializeError(reply.error);
      if ('done' in reply) return reply.done;
    } catch (thrown) {
      // The owner died, is stopping, or has lost its database. The log tells what it did until then.
      const error = A2AError.from(thrown);
      if (error.kind !== 'unavailable' || Date.now() > until) throw error;
      isUnconfirmed = true;
      await takeOver();
    }
    if (Date.now() > until) throw ownerUnreachable(live.record.id);
    await sleep(retryDelay, undefined, { signal: context.signal }).catch(() => {
      throw A2AError.from(context.signal.reason);
    });
  }
}

async function send<K extends OperationName>(
  owner: string,
  { context, deps }: ForwardInput,
  { key }: LiveTask,
  { operation, request, forwardedKey }: ForwardableCall<K>,
): Promise<ForwardedReply> {
  const remaining = (context.deadline ?? Number.POSITIVE_INFINITY) - Date.now();
  const within = Math.max(1, Math.min(deps.limits.answer, remaining));
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(within)]);
  const body = writeForwardedCall({ operation, request, context }, within, forwardedKey);
  return JSON.parse(await deps.store.peers.forward(owner, { key, body }, signal));
}

/** Thrown when another replica forwarded a call to this one, and this one does not own the task either. */
class NotOwnedHere extends Error {}

/**
 * Carries out the calls that other replicas forward. Those replicas have checked already whether the caller may make them.
 *
 * @param invoke carries out a call without forwarding it
 */
export function handleForwarded(
  invoke: (call: Call) => Promise<Reply>,
  { logger }: { readonly logger: Logger },
): (request: ForwardedRequest) => Promise<string> {
  const carryOut = async (body: string): Promise<ForwardedReply> => {
    let call: Call | undefined;
    try {
      call = readForwardedCall(body);
      const { notes } = call.context;
      await invoke(call);
      const { turnAfter: after = 0, extensions, losses } = notes;
      return { done: { after, extensions: [...extensions], losses: [...losses] } };
    } catch (thrown) {
      if (thrown instanceof NotOwnedHere) return { elsewhere: true };
      const error = A2AError.from(thrown);
      if (error.kind === 'internal') {
        logger.error({ ...(call && callFields(call)), err: thrown }, 'a call forwarded by another replica failed');
      }
      return { error: serializeError(error) };
    }
  };
  return async ({ body }) => JSON.stringify(await carryOut(body));
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
