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
  type ForwardOutcome,
  readForwardedCall,
  readForwardedReply,
  serializeError,
  writeForwardedCall,
  writeForwardedReply,
} from './forwarded-call.ts';

/** What the gateway that works on a task is asked to do. */
export interface ForwardableCall<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly request: RequestOf<K>;
  /** The idempotency key that the other gateway stores with the message. */
  readonly forwardedKey?: CallKey | undefined;
  /** What has come of it, where it was done though nobody said so: the gateway that did it died. */
  readonly done?: () => Promise<ForwardOutcome | undefined>;
  /** Whether an agent that is shown what the caller showed has to be shown it for this, too. */
  readonly shows?: boolean;
}

/** What forwarding needs to know of the call that a handler carries out. */
export interface ForwardInput {
  readonly agent: Agent;
  readonly context: CallContext;
  readonly deps: { readonly store: SharedTaskStore; readonly limits: { readonly answer: number } };
  /** Whether another replica forwarded the call. This replica does not forward it again. */
  readonly isForwarded: boolean;
  /** Takes over the tasks of dead replicas. */
  readonly takeOver: () => Promise<unknown>;
}

/** Milliseconds in which a gateway that died is found to be dead, and another has its tasks. */
const takeover = 20_000;
/** Milliseconds between two questions about who works on a task. */
const pause = 200;
/** Times that a task is tried to be worked on while others are quicker. */
const attempts = 5;

/**
 * Does `here` where this gateway may work on the task, and has the gateway that works on it do what is `asked` where it
 * may not. Where that one dies meanwhile, the task is waited for and taken over.
 *
 * @throws A2AError what that gateway says, or `unavailable` when nobody took the task over
 */
export async function runAtOwner<T, K extends OperationName>(
  input: ForwardInput,
  live: LiveTask,
  asked: () => ForwardableCall<K>,
  ways: { readonly here: () => Promise<T>; readonly there: (outcome: ForwardOutcome) => Promise<T> },
): Promise<T> {
  if (!input.deps.store.peers.shared) return ways.here();
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await forwardToOwner(input, live, asked(), attempt > 1);
    if (outcome) {
      const { extensions, losses } = input.context.notes;
      for (const extension of outcome.extensions) extensions.add(extension);
      for (const path of outcome.losses) losses.add(path);
      await live.readLog();
      return ways.there(outcome);
    }
    try {
      return await ways.here();
    } catch (thrown) {
      const isConflict = thrown instanceof A2AError && thrown.cause instanceof LogConflict;
      if (!isConflict || attempt === attempts) throw thrown;
      await live.readLog();
    }
  }
}

/**
 * @param refused whether somebody else was found to work on the task
 * @returns undefined where this gateway may work on the task
 */
async function forwardToOwner<K extends OperationName>(
  input: ForwardInput,
  live: LiveTask,
  asked: ForwardableCall<K>,
  refused: boolean,
): Promise<ForwardOutcome | undefined> {
  const { agent, context, deps, takeOver, isForwarded } = input;
  const { peers } = deps.store;
  const until = Date.now() + takeover;
  let isUnclear = false;
  for (let looked = false; ; ) {
    const reading = live.catchUp();
    if (reading) await reading;
    const done = isUnclear ? await asked.done?.() : undefined;
    if (done) return done;
    if (live.isOwnedHere || live.log.isTerminal) return undefined;
    const worker = await peers.leaseHolderOf(live.key);
    if (worker === undefined) {
      // What nobody alive works on is either at rest, or to be taken up now rather than a little later.
      if (looked || (isResting(live.log.state) && !refused)) return undefined;
      looked = true;
      await takeOver();
      continue;
    }
    if (agent.forwards && asked.shows) throw needsCaller(live.record.id);
    if (agent.forwards) return undefined;
    if (isForwarded) throw new NotOwnedHere();
    try {
      const answer = readForwardedReply(await ask(worker, input, live, asked));
      if ('error' in answer) throw deserializeError(answer.error);
      if ('done' in answer) return answer.done;
    } catch (thrown) {
      // It died, or stops, or its database is away. What it has done until then, the log says.
      const error = A2AError.from(thrown);
      if (error.kind !== 'unavailable' || Date.now() > until) throw error;
      isUnclear = true;
      await takeOver();
    }
    if (Date.now() > until) throw notTaken(live.record.id);
    await sleep(pause, context.signal);
  }
}

function ask<K extends OperationName>(
  worker: string,
  { context, deps }: ForwardInput,
  { key }: LiveTask,
  { operation, request, forwardedKey }: ForwardableCall<K>,
): Promise<string> {
  const { answer } = deps.limits;
  const within = Math.max(1, Math.min(answer, (context.deadline ?? Number.POSITIVE_INFINITY) - Date.now()));
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(within)]);
  const body = writeForwardedCall({ operation, request, context }, within, forwardedKey);
  return deps.store.peers.forward(worker, { key, body }, signal);
}

/** Thrown where another gateway asks for what neither this one can do. */
class NotOwnedHere extends Error {}

/**
 * Answers what other gateways ask about tasks that are worked on here. They have judged already whether the caller may.
 *
 * @param invoke carries out a call without asking others
 */
export function handleForwarded(
  invoke: (call: Call) => Promise<Reply>,
  { logger }: { readonly logger: Logger },
): (question: ForwardedRequest) => Promise<string> {
  return async ({ body }) => {
    let asked: Call | undefined;
    try {
      const call = readForwardedCall(body);
      asked = call;
      const { notes } = call.context;
      let after = 0;
      notes.onTurn = (position) => {
        after = position;
      };
      await invoke(call);
      return writeForwardedReply({ done: { after, extensions: [...notes.extensions], losses: [...notes.losses] } });
    } catch (thrown) {
      if (thrown instanceof NotOwnedHere) return writeForwardedReply({ elsewhere: true });
      const error = A2AError.from(thrown);
      if (error.kind === 'internal')
        logger.error({ ...(asked && callFields(asked)), err: thrown }, 'what another gateway asked for failed');
      return writeForwardedReply({ error: serializeError(error) });
    }
  };
}

const notTaken = (taskId: string): A2AError =>
  new A2AError('unavailable', `The gateway that works on the task ${taskId} does not answer; try again.`, {
    retryAfter: 5,
    metadata: { taskId },
  });

const needsCaller = (taskId: string): A2AError =>
  new A2AError(
    'unsupportedOperation',
    'The task is under way at another gateway, to which what you showed of who you are is not passed on; send again when it waits for its next message.',
    { metadata: { taskId } },
  );

/** Rejects with the signal's reason. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw A2AError.from(signal.reason);
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (signal.aborted) throw A2AError.from(signal.reason);
}
