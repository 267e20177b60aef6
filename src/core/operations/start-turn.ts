import { type ForwardableCall, runAtOwner } from '../cluster/forward.ts';
import { overLimitError } from '../limits/memory-budget.ts';
import type { Message, SendMessageRequest, StreamResponse, Task, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { LoggedEvent, ReadBudget } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { copyTask, fold } from '../model/fold.ts';
import { type CallKey, newId, type TaskOwner, taskKey } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { parentOf } from '../model/lineage.ts';
import { answererOf, answerOf, isOverdue, type Question, questionOf } from '../model/question.ts';
import { isConflict, isKeyTaken } from '../ports/store-errors.ts';
import type { KnownCall, NewTaskRecord } from '../ports/task-store.ts';
import { firstCallRunning, outcomeUnknown, readCallAnswer, requireSameRequest } from '../tasks/idempotency-key.ts';
import type { CurrentTask, LiveTask } from '../tasks/live-task.ts';
import { findEvent, type PastTask, taskAt } from '../tasks/replay.ts';
import { originOf } from '../tasks/run-context.ts';
import { type TaskOpening, Turn } from '../tasks/turn.ts';
import type { HandlerInput, SendOperation, ServiceDeps } from './handler.ts';
import { requireRoomForWebhook } from './push-configs.ts';
import { expectedGenerationOf, requireNotOver, requireSameContext } from './rules.ts';

export type SendInput = HandlerInput<SendOperation> & {
  readonly call?: CallKey | undefined;
  /** The webhook that comes with the message. */
  readonly webhook?: TaskPushNotificationConfig | undefined;
};

/** What a message began: a turn that goes on, or one that is over. */
export type StartedTurn =
  | { readonly message: Message }
  /** The answer that an earlier version stored under the call's key. */
  | { readonly task: Task }
  /** The task was over with its first event, which is durable. */
  | { readonly ended: LoggedEvent }
  | {
      /** Retained: to be released by the caller. */
      readonly live: LiveTask;
      /** Position before the turn's first event. */
      readonly after: number;
      /** For streams: the task with the turn's message, where the message continued a task. Its events follow. */
      readonly leading?: PastTask;
      /** Whether an earlier call with the same key began the turn. */
      readonly isRepeated?: true;
    };

/** Milliseconds that a caller who does not wait for the task waits for a possible direct Message. */
const immediateTimeout = 250;
/** Milliseconds that a caller who gets the id of a task alone waits for a possible refusal. */
const refusalTimeout = 1_000;

/** Milliseconds after which an agent that has not answered gets a task. */
function answerTimeout({ request, context, deps }: SendInput): number {
  const { returnImmediately } = request.configuration ?? {};
  if (context.semantics.answersWithId) return Math.min(refusalTimeout, deps.limits.answer);
  if (context.semantics.tasksOnly || (context.semantics.namesTask && request.message.taskId)) {
    // The answer is a task in any case. A short wait lets an agent that answers at once open the task itself.
    return returnImmediately ? 0 : Math.min(immediateTimeout, deps.limits.answer);
  }
  return returnImmediately ? immediateTimeout : deps.limits.answer;
}

/** Begins the turn of a message: with a new task, or with the task that the message names. */
export const startTurn = (input: SendInput): Promise<StartedTurn> =>
  input.call ? startTurnOnce(input, input.call) : startNewTurn(input);

async function startNewTurn(input: SendInput): Promise<StartedTurn> {
  const { request, context, owner, tasks, webhook } = input;
  const { taskId } = request.message;
  if (webhook) await requireRoomForWebhook(input, webhook);
  if (!taskId) return openTask(input, undefined);
  if (!context.semantics.namesTask) {
    return tasks.use(owner, taskId, (live) => continueTask(input, live), context.reservation);
  }
  // Of two messages that open a task with the same id, the second continues the task of the first.
  return tasks.withLock(taskKey(owner, taskId, true), async () => {
    const live = await tasks.find(owner, taskId, context.reservation);
    const continued = live
      ?.retainWhile(() => continueTask(input, live))
      .catch((thrown: unknown) => {
        // The task was retracted by another replica: its message was answered without a task.
        if (!isTaskNotFound(thrown)) throw thrown;
      });
    return (await continued) ?? openTask(input, taskId);
  });
}

export const isTaskNotFound = (thrown: unknown): boolean => A2AError.from(thrown).kind === 'taskNotFound';

const isStreaming = ({ operation }: SendInput): boolean => operation === 'SendStreamingMessage';

/** @param chosenId the task's id, where the caller chose it: then the answer is a task in any case */
async function openTask(input: SendInput, chosenId: string | undefined): Promise<StartedTurn> {
  const { agent, request, context, owner, deps, tasks, call, webhook } = input;
  const { store } = deps;
  const { contextId } = request.message;
  const ids = { taskId: chosenId ?? newId(), contextId: contextId || newId() };
  const key = taskKey(owner, ids.taskId, chosenId !== undefined);
  const newRecord = (): NewTaskRecord => {
    const { agent, tenant, principal } = owner;
    const { taskId: id, contextId } = ids;
    const { dialect, binding = 'local', traceparent: trace } = context;
    const record = { agent, tenant, principal, key, id, contextId, createdAt: store.now(), dialect, binding };
    return trace === undefined ? record : { ...record, trace };
  };
  // A webhook gets every event, so its caller does not only see the task at rest.
  const awaited = !isStreaming(input) && !request.configuration?.returnImmediately && !webhook;
  const opening = { newContext: !contextId, awaited };
  const tasksOnly = chosenId !== undefined || context.semantics.tasksOnly;
  const own = turnDeps(input);
  const turn = new Turn({ ...own, ids, key, opening, tasksOnly }, originOf(context, owner));
  const isWantedFirst = own.hooks?.begins === true && (await turn.begin(context));
  const withIds = {
    ...withoutCondition(request),
    message: { ...request.message, taskId: ids.taskId, contextId: ids.contextId },
  };
  const { shared } = store.peers;
  const taskOpening: TaskOpening = {
    create: () => tasks.create(newRecord()),
    goesOn: (until) => call && tasks.goesOn(nameOf(owner, call), until),
    // Where the store's answer is lost, a live task finds out whether it was written.
    createEnded: !webhook && !shared && ((event, upstream) => tasks.createEnded(newRecord(), event, upstream)),
  };
  // Beside it, a message may be executed and in no log, where this replica dies: only agents that may be started again allow that.
  // Other replicas may open a task with a chosen id, too.
  const isFirst =
    isWantedFirst || call !== undefined || !store.crashSafe || (shared && (!agent.restart || chosenId !== undefined));
  const stored = isFirst ? 'first' : shared ? 'beside' : 'after';
  const opened = await turn.open(withIds, taskOpening, answerTimeout(input), stored);
  if ('ended' in opened) context.notes.taskKey = key;
  if (!('live' in opened)) return opened;
  opened.live.retain();
  return { live: opened.live, after: 0 };
}

const turnDeps = ({ agent, context, owner, deps, call }: SendInput) => {
  const { taskMetadata } = context.semantics;
  return { agent, owner, services: deps, hooks: deps.hooks?.active, traces: deps.traces, call, taskMetadata };
};

async function continueTask(input: SendInput, live: LiveTask): Promise<StartedTurn> {
  const { request, context, deps, dialects } = input;
  dialects.used(live, context.dialect);
  const task = await live.snapshot(context.reservation);
  // Callers who choose task ids send a context with every message, which may change: the task's context counts.
  if (!context.semantics.namesTask) requireSameContext(request, task);
  if (isStreaming(input) && !live.log.isTerminal) deps.streams?.checkTask(live.listeners.readerCount);
  const message = { ...request.message, taskId: task.id, contextId: task.contextId ?? live.record.contextId };
  return runAtOwner(input, live, () => forwardableMessage(input, live, message), {
    local: () => continueHere(input, live, message, task),
    forwarded: async ({ after }) => {
      const leading = isStreaming(input) ? await taskAt(deps.store, live.key, after + 1) : undefined;
      live.retain();
      return { live, after, ...(leading && { leading }) };
    },
  });
}

/** The request as agents get it: the generations of their own tasks are others. */
function withoutCondition(request: SendMessageRequest): SendMessageRequest {
  if (request.configuration?.ifGenerationMatch === undefined) return request;
  const { ifGenerationMatch: _, ...configuration } = request.configuration;
  return { ...request, configuration };
}

/**
 * The task that a message continues. Where the message expects a generation, the task has it, and its log ends with
 * `seq` when this function returns. The caller appends the message only if the log still does: the store then refuses
 * it where another replica has appended first.
 *
 * A message does not change the generation. Of two messages that expect the same one, the second waits for at most
 * `timeout` milliseconds until the agent has answered the first, and is then refused: its sender did not know of the
 * first. Throws `taskGenerationMismatch`.
 *
 * @param room for a task that must be read
 */
async function currentTask(
  request: SendMessageRequest,
  live: LiveTask,
  signal: AbortSignal,
  timeout: number,
  room?: ReadBudget,
): Promise<CurrentTask> {
  const expected = expectedGenerationOf(request);
  for (let hasWaited = false; ; ) {
    const current = await live.current(room);
    if (expected === undefined) return current;
    const { generation } = current.facts;
    const isAnswered = current.seq < live.log.head || !live.log.endsWithMessage;
    if (BigInt(generation) !== expected) throw mismatch(live, expected, generation);
    if (!isAnswered && hasWaited)
      throw mismatch(live, expected, generation, ', and another message waits for its answer');
    if (current.seq < live.log.head) await live.settledOrCaughtUp();
    else if (isAnswered) return current;
    else {
      await live.untilGeneration(generation, signal, timeout);
      hasWaited = true;
    }
  }
}

function mismatch({ record }: LiveTask, expected: bigint, current: number, more = ''): A2AError {
  const message = `The message expects generation ${expected} of the task, which has generation ${current}${more}`;
  const metadata = { taskId: record.id, expectedGeneration: `${expected}`, currentGeneration: `${current}` };
  return new A2AError('taskGenerationMismatch', message, { metadata });
}

/** Throws `invalidParams` for an answer that the question does not allow. */
async function requireAnswer(message: Message, asked: JsonObject, { checkAnswer }: ServiceDeps): Promise<void> {
  const answer = answerOf(message, asked);
  if (answer.action !== 'accept') return;
  const violations = await checkAnswer?.(answer.schema ?? asked, answer.value);
  if (violations?.length) throw A2AError.invalidParams(undefined, violations);
}

/** Throws `unsupportedOperation` for an answer that comes after the question's deadline. */
function requireInTime(message: Message, question: Question, now: number): void {
  if (!isOverdue(question, now) || answererOf(message)?.way === 'deadline') return;
  const { taskId = '' } = message;
  const text = `The question could be answered until ${question.until}; the task takes no answer any more`;
  throw new A2AError('unsupportedOperation', text, { metadata: { taskId } });
}

/** Begins the turn in this replica. @param known the task, perhaps not as it is now */
async function continueHere(input: SendInput, live: LiveTask, message: Message, known: Task): Promise<StartedTurn> {
  const { context, call } = input;
  // The first call gave up waiting for an unavailable store. Its message is still being written.
  if (call && live.writer.isWritingKey(call.key)) throw firstCallRunning();
  const parent = parentOf(known.metadata);
  const own = turnDeps(input);
  const turn = new Turn({ ...own, ids: live.ids, key: live.key, parent }, originOf(context, live.record));
  if (own.hooks?.begins) await turn.begin(context);
  try {
    return await continueWith(input, live, message, turn);
  } catch (thrown) {
    // Unless the turn is there: its message is appended, and may still be written.
    if (!turn.live) turn.discard();
    throw thrown;
  }
}

async function continueWith(input: SendInput, live: LiveTask, message: Message, turn: Turn): Promise<StartedTurn> {
  const { request, context, deps, call } = input;
  const hasCondition = expectedGenerationOf(request) !== undefined;
  await live.counted();
  let current: CurrentTask;
  let question: Question | undefined;
  let answered: JsonObject | undefined;
  for (;;) {
    current = await currentTask(request, live, context.signal, answerTimeout(input), context.reservation);
    if (hasCondition && current.seq !== live.log.head) continue;
    const asked = questionOf(current.task);
    // After its answer, only the schema still counts, until the agent says something.
    question = live.log.endsWithMessage ? undefined : asked;
    if (question) requireInTime(message, question, deps.store.now());
    const schema = deps.checkAnswer && asked?.schema;
    if (!schema || schema === answered) break;
    // The task may have gone on meanwhile.
    await requireAnswer(message, schema, deps);
    answered = schema;
  }
  requireNotOver(live, 'unsupportedOperation', 'The task is over and takes no more messages');
  const { task } = current;
  const { head, bytes } = live.log;
  if (deps.budget?.fitsTask(bytes) === false) throw overLimitError('tasks');
  const onAnswered = deps.hooks?.active?.answered;
  // An answer is stored before it is audited.
  const isAnswer = question !== undefined && onAnswered !== undefined;
  // Of several replicas that get a message for the task, one stores it.
  const isDurable = isAnswer || call !== undefined || !deps.store.crashSafe || deps.store.peers.shared;
  turn.continue(live, { ...withoutCondition(request), message }, task, isDurable);
  const { after } = turn;
  // Events before the message that are not in the task, since they are not durable yet, are events of the stream.
  const { seq, generation } =
    current.seq < head
      ? { seq: current.seq, generation: current.facts.generation }
      : { seq: after + 1, generation: live.log.headGeneration };
  const leading = isStreaming(input) && { task: fold(copyTask(task), { message }), seq, generation };
  // Another replica may have appended first.
  if (isDurable) await live.settled();
  if (question && onAnswered) {
    const { by, way } = answererOf(message) ?? { by: live.record.principal, way: 'message' as const };
    onAnswered(live.record, question, { by, way });
  }
  live.retain();
  return { live, after, ...(leading && { leading }) };
}

/** The message for the replica that owns the task. This replica serves the answer, from the log. */
function forwardableMessage(
  { request, owner, call, deps }: SendInput,
  live: LiveTask,
  message: Message,
): ForwardableCall {
  const from = live.log.committed;
  const { taskPushNotificationConfig: _, ...configuration } = request.configuration ?? {};
  const findMessage = async (): Promise<number | undefined> => {
    const json = JSON.stringify(message);
    const isMessage = (event: StreamResponse): boolean => JSON.stringify(event.message) === json;
    const found = await findEvent(deps.store, live.key, { after: from, until: live.log.committed }, isMessage);
    return found && found.seq - 1;
  };
  return {
    operation: 'SendMessage',
    request: { ...request, message, configuration: { ...configuration, returnImmediately: true, historyLength: 0 } },
    needsCredentials: true,
    hasCondition: expectedGenerationOf(request) !== undefined,
    forwardedKey: call,
    findOutcome: async () => {
      const after = call ? (await deps.store.findCall(owner, call.key))?.turn?.seq : await findMessage();
      return after === undefined ? undefined : { after, extensions: [], losses: [] };
    },
  };
}

/** Times that a key is looked up while other replicas take and release it. */
const maxAttempts = 5;

/** A keyed call in this replica. */
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
 * answered the question, ended the task, or removed it: any refusal may come of it.
 */
async function isTaken({ owner, deps: { store } }: SendInput, call: CallKey, thrown: unknown): Promise<boolean> {
  if (isKeyTaken(thrown)) return true;
  // Without the store, nothing can be looked up.
  if (!isConflict(thrown) && A2AError.from(thrown).kind === 'unavailable') return false;
  const known = await store.findCall(owner, call.key);
  // An answer of this very call is what was thrown.
  return known !== undefined && !(known.nonce === call.nonce && known.answer !== undefined);
}

/** The turn of the first call with the key, from the log; undefined when its task does not exist. */
async function findStartedTurn(input: SendInput, known: KnownCall, call: CallKey): Promise<StartedTurn | undefined> {
  const { request, deps, tasks } = input;
  requireSameRequest(known, call);
  if (known.answer !== undefined) return readCallAnswer<{ message: Message } | { task: Task }>(known.answer);
  // An earlier version stores a call before its task and message.
  const isEarlier = known.nonce === '';
  const missing = (): A2AError => (known.replica === 'dead' ? outcomeUnknown() : firstCallRunning());
  if (!known.turn) throw missing();
  const { key, seq } = known.turn;
  const live = await tasks.findByKey(key);
  if (!live && isEarlier) throw missing();
  if (!live) return undefined;
  return live.retainWhile(async () => {
    await live.catchUp();
    const after = isEarlier && seq > 0 ? await findMessage(input, live, seq) : seq;
    if (after === undefined) throw missing();
    // The owner may still answer the first call without a task, unless the task is pinned since this caller gets to see it.
    const showsTask = isStreaming(input) || request.configuration?.returnImmediately === true;
    if (showsTask && live.log.committed <= 1 && !(await deps.store.pin(key))) {
      live.markDeleted();
      return undefined;
    }
    const leading = isStreaming(input) && after > 0 ? await taskAt(deps.store, key, after + 1) : undefined;
    live.retain();
    return { live, after, isRepeated: true, ...(leading && { leading }) };
  });
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
