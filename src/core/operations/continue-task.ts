import { type ForwardableCall, runAtOwner } from '../cluster/forward.ts';
import type { Message, SendMessageRequest, StreamResponse, Task } from '../model/a2a.ts';
import { heldMessage, openAskOf } from '../model/ask.ts';
import type { Call, CallContext } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { copyTask, fold } from '../model/fold.ts';
import type { JsonObject } from '../model/json.ts';
import { isInterrupted, mayContinueWithoutClient } from '../model/lifecycle.ts';
import { parentOf } from '../model/lineage.ts';
import { answererOf, answerKey, answerOf, isOverdue, type Question, questionOf } from '../model/question.ts';
import { continueTurn } from '../tasks/continued-turn.ts';
import { heldFor, isForAgent, readReleased } from '../tasks/held-call.ts';
import type { TurnDeps } from '../tasks/hooked-run.ts';
import { firstCallRunning } from '../tasks/idempotency-key.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import { findEvent, taskAt } from '../tasks/replay.ts';
import { originOf } from '../tasks/run-context.ts';
import type { CurrentTask } from '../tasks/task-journal.ts';
import { Turn } from '../tasks/turn.ts';
import type { WaitingTurn } from '../tasks/turn-queue.ts';
import { notWaiting, readWaiting, restoreTurns } from '../tasks/waiting-turns.ts';
import type { ServiceDeps } from './handler.ts';
import {
  answerTimeout,
  expectedGenerationOf,
  isStreaming,
  requireNotOver,
  requireSameContext,
  withoutCondition,
} from './rules.ts';
import type { SendInput, StartedTurn } from './send-input.ts';

/** Begins the turn of a message to a task, at the replica that works on the task. */
export async function continueTask(input: SendInput, live: LiveTask): Promise<StartedTurn> {
  const { request, context, deps, dialects } = input;
  dialects.used(live, context.dialect);
  const { task } = await live.journal.current(context);
  // Callers who choose task ids send a context with every message, which may change: the task's context counts.
  if (!context.semantics.namesTask) requireSameContext(request, task);
  if (isStreaming(input) && !live.log.isTerminal) deps.streams?.checkTask(live.journal.listeners.readerCount);
  const message = { ...request.message, taskId: task.id, contextId: task.contextId ?? live.record.contextId };
  return runAtOwner(input, live.journal, () => forwardableMessage(input, live, message), {
    local: () => continueHere(input, live, message, task),
    forwarded: async ({ after }) => {
      const leading = isStreaming(input) ? await taskAt(deps.store, live.key, after + 1) : undefined;
      live.retain();
      return { live, after, ...(leading && { leading }) };
    },
  });
}

/**
 * The task that a message continues. If the message expects a generation, the task has it, and its log ends with
 * `seq` when this function returns. The caller appends the message only if the log still does: the store then refuses
 * it where another replica has appended first.
 *
 * A message does not change the generation. Of two messages that expect the same one, the second waits for at most
 * `timeout` milliseconds until the agent has answered the first, and is then refused: its sender did not know of the
 * first. Throws `taskGenerationMismatch`.
 */
async function currentTask(
  request: SendMessageRequest,
  live: LiveTask,
  context: CallContext,
  timeout: number,
): Promise<CurrentTask> {
  const expected = expectedGenerationOf(request);
  for (let hasWaited = false; ; ) {
    const current = await live.journal.current(context);
    if (expected === undefined) return current;
    const { generation } = current.facts;
    const isAnswered = current.seq < live.log.head || !live.log.endsWithMessage;
    if (BigInt(generation) !== expected) throw mismatch(live, expected, generation);
    if (!isAnswered && hasWaited)
      throw mismatch(live, expected, generation, ', and another message waits for its answer');
    if (current.seq < live.log.head) await live.journal.settledOrCaughtUp();
    else if (isAnswered) return current;
    else {
      await live.journal.listeners.untilGeneration(generation, context.signal, timeout);
      hasWaited = true;
    }
  }
}

function mismatch({ record }: LiveTask, expected: bigint, current: number, more = ''): A2AError {
  const message = `The message expects generation ${expected} of the task, whose generation is ${current}${more}`;
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

/** A message to a task, and the results of the steps so far. */
interface Continuation {
  readonly input: SendInput;
  readonly live: LiveTask;
  readonly message: Message;
  readonly turn: Turn;
  /** The task when the message arrived. */
  readonly current: CurrentTask;
  /** Position of the last event before the message. */
  readonly head: number;
  /** Turns of messages that wait while the task waits for its client. */
  readonly earlier: readonly WaitingTurn[];
  /** The question that the message answers. */
  question: Question | undefined;
  /** Whether the message waits until the turns before it are over. */
  waits: boolean;
  /** Whether the agent gets the message only after the message has become durable. */
  isDurable: boolean;
}

/**
 * The checks before the message is appended, in this order. Nothing may be awaited in between: other messages, and events of the
 * agent, would come between the check and the message.
 */
const appending: readonly ((continuation: Continuation) => void)[] = [
  requireOpen,
  // The steps that refuse any message come first. A question that is over has no answers.
  findQuestion,
  requireRoom,
  // Refuses the message if the agent takes no messages while it works.
  chooseTurn,
  appendMessage,
  waitAgain,
];

/** Begins the turn in this replica. @param known the task, which may be out of date */
async function continueHere(input: SendInput, live: LiveTask, message: Message, known: Task): Promise<StartedTurn> {
  const { agent, context, call, deps, owner } = input;
  // The first call gave up waiting for an unavailable store. Its message is still being written.
  if (call && live.journal.writer.isWritingKey(call.key)) throw firstCallRunning();
  const hooks = deps.hooks?.active;
  const parts: TurnDeps = {
    agent,
    ids: live.ids,
    key: live.key,
    owner,
    services: deps,
    hooks,
    traces: deps.traces,
    call,
    taskMetadata: context.semantics.taskMetadata,
    parent: parentOf(known.metadata),
  };
  const turn = new Turn(parts, originOf(context, live.record));
  if (message.metadata?.[answerKey]) turn.released = await readReleased(deps.store, live.record, message);
  const begun = hooks?.begins ? await turn.run.begin(input as Call) : undefined;
  try {
    if (!turn.released) turn.held = heldFor(withoutCondition(input.request), context, begun?.asks);
    const replaced = begun?.parts ? { ...message, parts: begun.parts } : message;
    return await continueWith(input, live, turn.held ? heldMessage(replaced, turn.held) : replaced, turn);
  } catch (thrown) {
    // A turn with a task is over later: its message is appended, and may still be written.
    if (!turn.live) turn.over();
    throw thrown;
  }
}

async function continueWith(input: SendInput, live: LiveTask, message: Message, turn: Turn): Promise<StartedTurn> {
  await live.journal.counted();
  const { current, isDurable, head, ...found } = await appendToCurrent(input, live, message, turn);
  const after = turn.seq - 1;
  const leading = isStreaming(input) && leadingOf(live, current, head, after);
  // Another replica may have appended first.
  if (isDurable) await live.journal.settled();
  noteAnswer({ ...found, current, isDurable, head });
  live.retain();
  return { live, after, ...(leading && { leading: { task: fold(copyTask(current.task), { message }), ...leading } }) };
}

/**
 * Appends the message to the task in the state that the message expects, once an answer has been checked and the waiting messages
 * have been read. The task may change during each of these steps, and is then read again.
 */
async function appendToCurrent(input: SendInput, live: LiveTask, message: Message, turn: Turn): Promise<Continuation> {
  const { request, context, deps, agent } = input;
  const hasCondition = expectedGenerationOf(request) !== undefined;
  let checkedBy: JsonObject | undefined;
  let earlier: readonly WaitingTurn[] = [];
  let restoredAt: number | undefined;
  for (;;) {
    const current = await currentTask(request, live, context, answerTimeout(input));
    const { task, seq } = current;
    const { head } = live.log;
    if (hasCondition && seq !== head) continue;
    // Only the durable status shows whether the task waits for people.
    if (seq !== head && mayContinueWithoutClient(live.log.state)) {
      await live.journal.settledOrCaughtUp();
      continue;
    }
    const asked = questionOf(task);
    const schema = deps.checkAnswer && asked?.schema;
    if (schema && schema !== checkedBy) {
      // The message is refused if it answers a question that is over, or that only people may answer.
      if (!live.log.endsWithMessage) {
        requireAgreed(message, task);
        requireInTime(message, asked, deps.store.now());
      }
      await requireAnswer(message, schema, deps);
      checkedBy = schema;
    } else if (asked && !live.log.hasOneMessage && restoredAt !== seq) {
      earlier = await restoreTurns(deps, agent, live, task, notWaiting(live, await readWaiting(deps, live, task)));
      restoredAt = seq;
    } else {
      const found = { earlier, question: undefined, waits: false, isDurable: false };
      const continuation: Continuation = { input, live, message, turn, current, head, ...found };
      for (const step of appending) step(continuation);
      return continuation;
    }
  }
}

function requireOpen({ live }: Continuation): void {
  requireNotOver(live, 'unsupportedOperation', 'The task is over and accepts no more messages');
}

function findQuestion(continuation: Continuation): void {
  const { live, current, message, input } = continuation;
  const { log } = live;
  // After an answer, no question is open until the agent reports something.
  continuation.question = log.endsWithMessage || !isInterrupted(log.state) ? undefined : questionOf(current.task);
  if (!continuation.question) return;
  requireAgreed(message, current.task);
  requireInTime(message, continuation.question, input.deps.store.now());
}

/** Throws `unsupportedOperation` for a message to a task that waits until people agree, unless it releases what waits. */
function requireAgreed(message: Message, task: Task): void {
  const ask = openAskOf(task);
  const { releases } = answererOf(message) ?? {};
  if (ask?.seq === releases) return;
  const text = ask
    ? 'The task waits until people agree to the message before; it takes no other one. Cancel it to withdraw that message'
    : 'The task does not wait for an agreement';
  throw new A2AError('unsupportedOperation', text, { metadata: { taskId: task.id } });
}

function requireRoom({ input, live }: Continuation): void {
  input.deps.budget?.requireFit(live.log.bytes);
}

function chooseTurn(continuation: Continuation): void {
  const { input, live, question, message } = continuation;
  const { agent, deps, call } = input;
  const { whileRunning } = agent;
  // A run that has asked a question ends by itself; otherwise the answer would have no effect.
  if (live.runs.length > 0 && whileRunning === 'refuse' && !question) throw isWorking(live);
  const isSentAtOnce = whileRunning === 'forward' && isForAgent({ message });
  continuation.waits = live.runs.length > 0 && !isSentAtOnce;
  // An answer is stored before it is audited.
  const isAudited = question !== undefined && deps.hooks?.active?.answered !== undefined;
  // Of several replicas that get a message for the task, one stores it.
  continuation.isDurable = isAudited || call !== undefined || !deps.store.crashSafe || deps.store.peers.shared;
}

const isWorking = ({ record }: LiveTask): A2AError =>
  new A2AError(
    'unsupportedOperation',
    'The agent is working on the task, and accepts no further message until it is done',
    {
      metadata: { taskId: record.id },
    },
  );

function appendMessage({ input, live, message, turn, current, isDurable, waits, question }: Continuation): void {
  const request = { ...withoutCondition(input.request), message };
  continueTurn(turn, live, request, current.task, { isDurable, waits, isAnswer: question !== undefined });
}

/** The messages that have waited with the question wait for the turn of its answer. */
function waitAgain({ live, earlier }: Continuation): void {
  for (const turn of notWaiting(live, earlier)) live.wait(turn);
}

/** The events before the message that the task does not contain because they are not durable yet. They belong to the stream. */
function leadingOf(live: LiveTask, current: CurrentTask, head: number, after: number) {
  return current.seq < head
    ? { seq: current.seq, generation: current.facts.generation }
    : { seq: after + 1, generation: live.log.headGeneration };
}

function noteAnswer({ input, live, message, question }: Continuation): void {
  const onAnswered = input.deps.hooks?.active?.answered;
  if (!question || !onAnswered) return;
  onAnswered(live.record, question, answererOf(message) ?? { by: live.record.principal, way: 'message' });
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
