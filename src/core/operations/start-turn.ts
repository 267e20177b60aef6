import { type ForwardableCall, runAtOwner } from '../cluster/forward.ts';
import type { Message, StreamResponse } from '../model/a2a.ts';
import { A2AError } from '../model/errors.ts';
import { copyTask, fold } from '../model/fold.ts';
import { newId, taskKey } from '../model/ids.ts';
import { stateWord } from '../model/lifecycle.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { firstCallRunning } from '../tasks/idempotency-key.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import { findEvent, taskAt } from '../tasks/replay.ts';
import { originOf, Turn } from '../tasks/turn.ts';
import { requireRoomForWebhook } from './message-webhook.ts';
import { requireSameContext } from './rules.ts';
import type { SendInput, StartedTurn, TurnOptions } from './sending.ts';

/** Milliseconds that a caller who will not wait waits for an agent that may yet answer with a direct Message. */
const immediately = 250;

/**
 * Milliseconds until a task is made for an agent that says nothing. A caller who gets a task in any case waits for none
 * when it will not wait; else only so long that a first event which comes at once makes the task, as it does for others.
 */
function patienceFor({ request, context, deps }: SendInput): number {
  const { returnImmediately } = request.configuration ?? {};
  if (context.semantics.tasksOnly || (context.semantics.namesTask && request.message.taskId)) {
    return returnImmediately ? 0 : Math.min(immediately, deps.limits.answer);
  }
  return returnImmediately ? immediately : deps.limits.answer;
}

/** Begins the turn of a message: of a new task, or of the one that the message names. */
export async function startTurn(
  sending: SendInput,
  taskId: string | undefined,
  how: Required<TurnOptions>,
): Promise<StartedTurn> {
  const { context, owner, tasks } = sending;
  if (how.push) await requireRoomForWebhook(sending, how.push);
  if (!taskId) return openTask(sending, undefined, how.awaited);
  if (!context.semantics.namesTask)
    return tasks.use(owner, taskId, (live) => continueTask(sending, live, how), context.reservation);
  // Of two messages that open a task under the same id, the second is to find the first one's.
  return tasks.withLock(taskKey(owner, taskId, true), async () => {
    const live = await tasks.find(owner, taskId, context.reservation);
    const begun = live
      ?.retainWhile(() => continueTask(sending, live, how))
      .catch((thrown: unknown) => {
        // The message that opened it was answered without a task, elsewhere.
        if (!isTaskNotFound(thrown)) throw thrown;
      });
    return (await begun) ?? openTask(sending, taskId, how.awaited);
  });
}

export const isTaskNotFound = (thrown: unknown): boolean => A2AError.from(thrown).kind === 'taskNotFound';

/** @param chosenId the task's id, where its caller chose it; then there is a task in any case */
async function openTask(sending: SendInput, chosenId: string | undefined, awaited: boolean): Promise<StartedTurn> {
  const { request, context, agent, owner, deps, tasks } = sending;
  const opening = { newContext: !request.message.contextId, awaited };
  const ids = { taskId: chosenId ?? newId(), contextId: request.message.contextId || newId() };
  const key = taskKey(owner, ids.taskId, chosenId !== undefined);
  const create = (): LiveTask =>
    tasks.create({
      ...owner,
      key,
      id: ids.taskId,
      contextId: ids.contextId,
      createdAt: deps.store.now(),
      dialect: context.dialect,
    });
  const origin = originOf(context, chosenId !== undefined);
  const { logger, traces, store } = deps;
  const turn = new Turn({ agent, ids, opening, key, logger, traces, create, call: sending.call }, origin);
  const named = { ...request, message: { ...request.message, ...ids } };
  const patience = patienceFor(sending);
  const message =
    sending.call || !store.crashSafe ? await turn.openDurably(named, patience) : await turn.open(named, patience);
  if (message) return { message };
  if (!turn.live) throw new A2AError('internal');
  turn.live.retain();
  return { live: turn.live, after: 0 };
}

async function continueTask(sending: SendInput, live: LiveTask, how: Required<TurnOptions>): Promise<StartedTurn> {
  const { request, context, dialects } = sending;
  dialects.used(live, context.dialect);
  const task = await live.snapshot();
  // Callers who choose ids name a session with every message, and some make up another each time: the task's stands.
  if (!context.semantics.namesTask) requireSameContext(request, task);
  if (!live.log.isTerminal) how.check(live);
  const ids = { taskId: task.id, contextId: task.contextId ?? live.record.contextId };
  const message = { ...request.message, ...ids };
  return runAtOwner(sending, live, () => forwardableMessage(sending, live, message), {
    here: () => proceed(sending, live, message, how),
    there: async ({ after }) => {
      const leadingTask = how.needsLeadingTask ? await taskAt(sending.deps.store, live.key, after + 1) : undefined;
      live.retain();
      return { live, after, ...(leadingTask && { leadingTask }) };
    },
  });
}

/** Begins the turn in this gateway. */
async function proceed(
  sending: SendInput,
  live: LiveTask,
  message: Message,
  how: Required<TurnOptions>,
): Promise<StartedTurn> {
  const { request, context, agent, deps } = sending;
  // The first call could not wait for the store, which is away; its message goes on being written.
  if (sending.call && live.isWritingKey(sending.call.key)) throw firstCallRunning();
  const task = await live.snapshot();
  if (live.log.isTerminal) {
    throw new A2AError(
      'unsupportedOperation',
      `The task is over and takes no more messages: ${stateWord(live.log.state)}`,
      {
        metadata: { taskId: task.id },
      },
    );
  }
  const ids = { taskId: live.record.id, contextId: message.contextId ?? live.record.contextId };
  const turn = new Turn(
    { agent, ids, key: live.key, logger: deps.logger, traces: deps.traces, create: () => live, call: sending.call },
    originOf(context),
  );
  const leadingTask = how.needsLeadingTask ? fold(copyTask(task), { message }) : undefined;
  const first = sending.call !== undefined || !deps.store.crashSafe;
  turn.proceed(live, { ...request, message }, task, first);
  const { after } = turn;
  // Another gateway may have been quicker.
  if (first) await live.settled();
  live.retain();
  return { live, after, ...(leadingTask && { leadingTask }) };
}

/** What the gateway that works on the task is asked: to take the message. Its caller follows the task here. */
function forwardableMessage(
  { request, owner, call, deps }: SendInput,
  live: LiveTask,
  message: Message,
): ForwardableCall<'SendMessage'> {
  const from = live.log.committed;
  const { taskPushNotificationConfig: _, ...configuration } = request.configuration ?? {};
  return {
    operation: 'SendMessage',
    request: { ...request, message, configuration: { ...configuration, returnImmediately: true, historyLength: 0 } },
    shows: true,
    forwardedKey: call,
    done: async () => {
      const after = call
        ? (await deps.store.findCall(owner, call.key))?.turn?.seq
        : await positionOf(deps.store, live, from, message);
      return after === undefined ? undefined : { after, extensions: [], losses: [] };
    },
  };
}

/** Position before a message in the log, looked for from a position on. */
async function positionOf(
  store: TaskStore,
  live: LiveTask,
  from: number,
  message: Message,
): Promise<number | undefined> {
  const wanted = JSON.stringify(message);
  const isWanted = (event: StreamResponse): boolean => JSON.stringify(event.message) === wanted;
  const found = await findEvent(store, live.key, { after: from, until: live.log.committed }, isWanted);
  return found && found.seq - 1;
}
