import type { TaskStatus } from '../../core/model/a2a.ts';
import type { AgentContext } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isTerminal, stateWord } from '../../core/model/lifecycle.ts';
import { isNetworkFailure } from '../../net/network-errors.ts';
import { retry } from '../../net/retry.ts';
import { UpstreamCalls } from './calls.ts';
import type { UpstreamConnection } from './connection.ts';
import { errorForCaller } from './error-mapping.ts';
import { type IdMapping, messageWithIds } from './id-mapping.ts';
import type { UpstreamTurn } from './turn.ts';

export interface Cancellation {
  readonly link: UpstreamConnection;
  readonly names: IdMapping;
  readonly context: AgentContext;
  /** Milliseconds for the agent's answer. */
  readonly timeout: number;
  /** Whoever follows the task. */
  readonly run: UpstreamTurn | undefined;
}

/** Milliseconds that whoever follows the task may take to tell of its end in the agent's own order. */
const grace = { agreed: 1_000, pending: 8_000, unnamed: 5_000 };

/**
 * Asks the agent to cancel a task. Resolves with the agent's word of it where it gave one, and when it has agreed.
 *
 * Rejects with `taskNotCancelable` when the agent refuses or cannot cancel, and with `upstreamUnreachable` or
 * `upstreamTimeout` when nobody knows: the task goes on.
 */
export async function cancelUpstream(cancellation: Cancellation): Promise<TaskStatus | undefined> {
  const { link, names, context, timeout, run } = cancellation;
  if (run && !run.there) await Promise.race([run.idKnown, pause(grace.unnamed, context.signal)]);
  const there = run?.there ?? (await names.task(context.key));
  if (!there) {
    // Nobody works on it, or nobody can say which of its tasks the agent shall cancel.
    if (!run) return undefined;
    throw new A2AError('taskNotCancelable', 'The upstream agent has not said yet which task it works on');
  }
  const calls = new UpstreamCalls(link, context);
  const ask = () => calls.value('CancelTask', { id: there.id }, { signal: context.signal, timeout });
  try {
    const { signal } = context;
    const policy = { repeatable: isNetworkFailure, attempts: 2, signal, onRetry: link.onRetry };
    const { status } = await retry(ask, policy);
    const tasks = await names.toOurs(status.message?.referenceTaskIds ?? []);
    const { taskId, contextId } = context;
    const said = status.message && { message: messageWithIds(status.message, { taskId, contextId }, tasks) };
    const isOver = isTerminal(status.state);
    run?.pollNow();
    if (run) await Promise.race([run.ended, pause(isOver ? grace.agreed : grace.pending, context.signal)]);
    if (isOver && status.state !== 'TASK_STATE_CANCELED') {
      throw new A2AError('taskNotCancelable', `The task is over: ${stateWord(status.state)}`);
    }
    return { ...status, ...said };
  } catch (thrown) {
    const error = errorForCaller(thrown, {
      upstreamTask: there,
      taskId: context.taskId,
      ...link.errorMappingOf(context),
    });
    // What the agent does not know, it does not work on.
    if (error.kind === 'taskNotFound') return undefined;
    if (!refusals.has(A2AError.from(thrown).kind)) throw error;
    throw new A2AError('taskNotCancelable', error.message, { metadata: error.metadata, cause: error });
  }
}

/** Ways of an agent to say that it cannot cancel at all. */
const refusals: ReadonlySet<string> = new Set(['unsupportedOperation', 'methodNotFound', 'routeNotFound']);

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
