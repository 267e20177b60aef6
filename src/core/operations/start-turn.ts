import type { Message, Task } from '../model/a2a.ts';
import type { TaskIds } from '../model/agent-events.ts';
import { heldMessage } from '../model/ask.ts';
import type { Call } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { type CallKey, newId, type TaskOwner, taskKey } from '../model/ids.ts';
import { isConflict, isKeyTaken } from '../ports/store-errors.ts';
import type { KnownCall, NewTaskRecord } from '../ports/task-store.ts';
import { heldFor } from '../tasks/held-call.ts';
import type { TurnDeps } from '../tasks/hooked-run.ts';
import { firstCallRunning, outcomeUnknown, readCallAnswer, requireSameRequest } from '../tasks/idempotency-key.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import { openTurn, type Storing, type TaskOpening } from '../tasks/open-turn.ts';
import { findEvent, taskAt } from '../tasks/replay.ts';
import { originOf } from '../tasks/run-context.ts';
import { Turn } from '../tasks/turn.ts';
import { continueTask } from './continue-task.ts';
import { requireRoomForWebhook } from './push-configs.ts';
import { answerTimeout, isStreaming, withoutCondition } from './rules.ts';
import type { SendInput, StartedTurn } from './send-input.ts';

/** Begins the turn of a message: with a new task, or with the task that the message names. */
export const startTurn = (input: SendInput): Promise<StartedTurn> =>
  input.call ? startTurnOnce(input, input.call) : startNewTurn(input);

async function startNewTurn(input: SendInput): Promise<StartedTurn> {
  const { request, context, owner, tasks, webhook } = input;
  const { taskId } = request.message;
  if (webhook) await requireRoomForWebhook(input, webhook);
  if (!taskId) return openTask(input, undefined);
  if (!context.semantics.namesTask) {
    return tasks.use(owner, taskId, (live) => continueTask(input, live), context);
  }
  // Of two messages that open a task with the same id, the second continues the task of the first.
  return tasks.withLock(taskKey(owner, taskId, true), async () => {
    const continueIt = (live: LiveTask): Promise<StartedTurn | undefined> =>
      continueTask(input, live).catch((thrown: unknown) => {
        // The task was retracted by another replica: its message was answered without a task.
        if (!isTaskNotFound(thrown)) throw thrown;
        return undefined;
      });
    return (await tasks.useIfAny(owner, taskId, continueIt, context)) ?? openTask(input, taskId);
  });
}

export const isTaskNotFound = (thrown: unknown): boolean => A2AError.from(thrown).kind === 'taskNotFound';

/** @param chosenId the task's id if the caller chose it. The answer is then always a task */
async function openTask(input: SendInput, chosenId: string | undefined): Promise<StartedTurn> {
  const { agent, request, context, owner, deps, call, webhook } = input;
  const { contextId } = request.message;
  const ids = { taskId: chosenId ?? newId(), contextId: contextId || newId() };
  const key = taskKey(owner, ids.taskId, chosenId !== undefined);
  // A webhook gets every event, so its caller does not only see the task at rest.
  const awaited = input.operation === 'SendMessage' && !request.configuration?.returnImmediately && !webhook;
  const hooks = deps.hooks?.active;
  // A task with a new id has no trace to forget.
  const parts: TurnDeps = {
    agent,
    ids,
    opening: { newContext: !contextId, awaited },
    key,
    owner,
    services: deps,
    hooks,
    traces: chosenId === undefined && context.traceparent === undefined ? undefined : deps.traces,
    call,
    tasksOnly: chosenId !== undefined || context.semantics.tasksOnly,
    taskMetadata: context.semantics.taskMetadata,
  };
  const turn = new Turn(parts, originOf(context, owner));
  const begun = hooks?.begins ? await turn.run.begin(input as Call) : undefined;
  const message = { ...request.message, ...(begun?.parts && { parts: begun.parts }), ...ids };
  const isHeld = context.asks !== undefined || (begun !== undefined && begun.asks.length > 0);
  if (isHeld) turn.held = heldFor(withoutCondition(request), context, begun?.asks, !contextId);
  const withIds = { ...withoutCondition(request), message: turn.held ? heldMessage(message, turn.held) : message };
  // The agent does not get a message that waits for people, so the message is stored afterwards.
  const storing = isHeld ? 'after' : begun?.storedFirst ? 'first' : storingOf(input, chosenId !== undefined);
  const opened = await openTurn(turn, withIds, taskOpening(input, ids, key), answerTimeout(input), storing);
  if ('ended' in opened) context.notes.taskKey = key;
  if (!('live' in opened)) return opened;
  opened.live.retain();
  return { live: opened.live, after: 0 };
}

/** When the task of a message is written. */
function storingOf({ agent, call, tasks, deps: { store } }: SendInput, hasChosenId: boolean): Storing {
  if (call !== undefined || !store.crashSafe) return 'first';
  if (!tasks.shared) return 'after';
  // With `beside`, a message may be executed and in no log if this replica dies: only agents that may be started again allow that.
  // Other replicas may open a task with a chosen id, too.
  return agent.restart && !hasChosenId ? 'beside' : 'first';
}

function taskOpening(
  { context, owner, deps, tasks, call, webhook }: SendInput,
  ids: TaskIds,
  key: string,
): TaskOpening {
  const { store } = deps;
  const newRecord = (): NewTaskRecord => {
    const { agent, tenant, principal } = owner;
    const { taskId: id, contextId } = ids;
    const { dialect, binding = 'local', traceparent: trace } = context;
    const record = { agent, tenant, principal, key, id, contextId, createdAt: store.now(), dialect, binding };
    return trace === undefined ? record : { ...record, trace };
  };
  return {
    create: () => tasks.create(newRecord()),
    goesOn: (until) => call && tasks.goesOn(nameOf(owner, call), until),
    refuse: (refused) => tasks.noteRefused(key, refused),
    // If the store's answer is lost, a live task finds out whether it was written.
    createEnded: !webhook && !tasks.shared && ((event, upstream) => tasks.createEnded(newRecord(), event, upstream)),
  };
}

/** Times that a key is looked up while other replicas take and release it. */
const maxAttempts = 5;

/** The name of a keyed call in this replica. */
const nameOf = (owner: TaskOwner, { key }: CallKey): string =>
  JSON.stringify(['key', owner.agent, owner.tenant, owner.principal, key]);

/** Begins the turn of a call with an idempotency key, or finds the turn that the first call with this key began. */
function startTurnOnce(input: SendInput, call: CallKey): Promise<StartedTurn> {
  const { owner, deps, tasks } = input;
  const { store } = deps;
  // Of two calls in this replica, the second finds what the first has written. The store refuses those of other replicas.
  const name = nameOf(owner, call);
  return tasks.withLock(name, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const known = await store.findCall(owner, call.key);
      try {
        const started = known && (await findStartedTurn(input, known, call));
        if (started) return started;
        // The task was retracted a moment ago, or has expired.
        if (known && attempt === maxAttempts) throw A2AError.taskNotFound(known.turn?.key ?? '');
        // Its first call was refused, since the store did not answer in time. The task is still being written.
        if (!known && tasks.isLate(name)) throw firstCallRunning();
        if (!known) return await startNewTurn(input);
      } catch (thrown) {
        const wasTaken = known ? isConflict(thrown) : await isTaken(input, call, thrown);
        if (!wasTaken && !(known && isTaskNotFound(thrown) && attempt < maxAttempts)) throw thrown;
        if (attempt === maxAttempts) throw firstCallRunning();
      }
    }
  });
}

/**
 * Whether a call was refused because another replica has begun the same call after its key was looked up. That call may have
 * answered the question, ended the task, or removed it, so that any kind of refusal is possible.
 */
async function isTaken({ owner, deps: { store } }: SendInput, call: CallKey, thrown: unknown): Promise<boolean> {
  if (isKeyTaken(thrown)) return true;
  // Without the store, nothing can be looked up.
  if (!isConflict(thrown) && A2AError.from(thrown).kind === 'unavailable') return false;
  const known = await store.findCall(owner, call.key);
  // The error may be the stored answer of this call itself.
  return known !== undefined && !(known.nonce === call.nonce && known.answer !== undefined);
}

/** The turn of the first call with the key, from the log; undefined if its task does not exist. */
async function findStartedTurn(input: SendInput, known: KnownCall, call: CallKey): Promise<StartedTurn | undefined> {
  const { request, deps, tasks } = input;
  requireSameRequest(known, call);
  if (known.answer !== undefined) return readCallAnswer<{ message: Message } | { task: Task }>(known.answer);
  // An earlier version stores a call before its task and message.
  const isEarlier = known.nonce === '';
  const missing = (): A2AError => (known.replica === 'dead' ? outcomeUnknown() : firstCallRunning());
  if (!known.turn) throw missing();
  const { key, seq } = known.turn;
  const readTurn = async (live: LiveTask): Promise<StartedTurn | undefined> => {
    await live.journal.catchUp();
    const after = isEarlier && seq > 0 ? await findMessage(input, live, seq) : seq;
    if (after === undefined) throw missing();
    // The owner may still answer the first call without a task, unless the task is pinned since this caller gets to see it.
    const showsTask = isStreaming(input) || request.configuration?.returnImmediately === true;
    if (showsTask && live.log.committed <= 1 && !(await deps.store.pin(key))) {
      live.journal.fail(A2AError.taskNotFound(live.record.id));
      return undefined;
    }
    const leading = isStreaming(input) && after > 0 ? await taskAt(deps.store, key, after + 1) : undefined;
    live.retain();
    return { live, after, isRepeated: true, ...(leading && { leading }) };
  };
  const found = await tasks.useByKey(key, async (live) => ({ turn: await readTurn(live) }));
  if (!found && isEarlier) throw missing();
  return found?.turn;
}

/** Position before the message of the call in the log, at or after `from`. */
async function findMessage(
  { request: { message }, context, deps }: SendInput,
  { key, log }: LiveTask,
  from: number,
): Promise<number | undefined> {
  const parts = JSON.stringify(message.parts);
  // Dialects that know only tasks have no message ids: the gateway generated one for each call.
  const isSame = (logged: Message): boolean =>
    (context.semantics.tasksOnly || logged.messageId === message.messageId) && JSON.stringify(logged.parts) === parts;
  const range = { after: from, until: log.committed };
  const found = await findEvent(
    deps.store,
    key,
    range,
    (event) => event.message !== undefined && isSame(event.message),
  );
  return found && found.seq - 1;
}
