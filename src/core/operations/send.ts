import type { Message, Task } from '../model/a2a.ts';
import type { CallContext, LoggedEvent, StreamReply } from '../model/call.ts';
import { withHistory } from '../model/fold.ts';
import { idempotencyKeyOf } from '../tasks/idempotency-key.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import { findEvent, taskAt } from '../tasks/replay.ts';
import { Subscription } from '../tasks/subscription.ts';
import { isRest } from '../tasks/task-log.ts';
import type { HandlerInput, Handlers } from './handler.ts';
import { messageWebhookOf, putMessageWebhook } from './message-webhook.ts';
import { requireCapability, requireExtensions, requireMessage } from './rules.ts';
import { anyTask, type SendInput, type StartedTurn, type TaskCheck, type TurnOptions } from './sending.ts';
import { isTaskNotFound, startTurn } from './start-turn.ts';
import { startTurnOnce } from './start-turn-once.ts';
import { withStreamSlot } from './stream-place.ts';

/** Begins a turn, of a new conversation or of the task that the message names, and goes on with what it came to. */
async function withTurn<T>(
  sending: SendInput,
  { check = anyTask, needsLeadingTask = false, awaited = false }: TurnOptions,
  use: (begun: StartedTurn) => Promise<T>,
): Promise<T> {
  const { request, agent, context } = sending;
  requireMessage(request);
  requireExtensions(agent, context);
  const push = messageWebhookOf(sending);
  const how = { check, needsLeadingTask, awaited: awaited && !push, push };
  for (;;) {
    const begun = sending.call
      ? await startTurnOnce(sending, sending.call, how)
      : await startTurn(sending, request.message.taskId, how);
    if ('message' in begun) return use(begun);
    context.notes.onTurn?.(begun.after);
    try {
      if (push) await putMessageWebhook(sending, push, begun);
      return await use(begun);
    } catch (thrown) {
      // The first call, at another gateway, was answered by no task after all: its key has the answer.
      if (!begun.known || !isTaskNotFound(thrown)) throw thrown;
    } finally {
      begun.live.release();
    }
  }
}

/** Waits for the turn's end, but no longer than one answer may take and its caller listens. */
async function waitForRest(live: LiveTask, after: number, context: CallContext, limit: number): Promise<void> {
  await live.settled();
  if (live.log.hasDurablyRested(after)) return;
  const late = AbortSignal.timeout(limit);
  await live.untilRest(after, AbortSignal.any([context.signal, late])).catch((thrown: unknown) => {
    // The limit bounds the answer, never the task: the caller gets the task as it stands.
    if (!late.aborted) throw thrown;
  });
}

/** The task as it came to rest after a position, also where later messages have gone on with it. */
async function leftBy({ deps: { store } }: SendInput, live: LiveTask, after: number): Promise<Task> {
  const hasGoneOn = (await store.latestTurn(live.key)) > after + 1;
  const rest = hasGoneOn && (await findEvent(store, live.key, { after, until: live.log.committed }, isRest));
  if (rest) return (await taskAt(store, live.key, rest.seq)) ?? live.snapshot();
  return live.snapshot();
}

/** A stream of one event that belongs to no task. */
async function* single(message: Message): AsyncGenerator<LoggedEvent> {
  const event = { message };
  yield { seq: 1, at: Date.now(), event, json: JSON.stringify(event) };
}

const withKey = (handling: HandlerInput<'SendMessage' | 'SendStreamingMessage'>): SendInput => {
  if (handling.context.idempotencyKey === undefined && !handling.context.forwardedKey) return handling;
  return { ...handling, call: idempotencyKeyOf(handling) };
};

/** SendMessage and SendStreamingMessage (A2A 1.0.1 sections 3.1.1 and 3.1.2). */
export const sendHandlers: Pick<Handlers, 'SendMessage' | 'SendStreamingMessage'> = {
  SendMessage: (handling) => {
    const sending = withKey(handling);
    const { request, context, deps } = sending;
    const { returnImmediately, historyLength } = request.configuration ?? {};
    const began = Date.now();
    return withTurn(sending, { awaited: !returnImmediately }, async (begun) => {
      if ('message' in begun) return { value: { message: begun.message } };
      const { live, after } = begun;
      const left = Math.max(1, deps.limits.answer - (Date.now() - began));
      if (returnImmediately) await live.settled();
      else await waitForRest(live, after, context, left);
      const task = begun.known && !returnImmediately ? await leftBy(sending, live, after) : await live.snapshot();
      // The message was taken, so that a caller who is refused now would send it once more: it waits for room instead.
      await context.reservation?.reserve(live.log.bytes, began + deps.limits.answer);
      return { value: { task: withHistory(task, historyLength) }, facts: live.facts };
    });
  },

  SendStreamingMessage: (handling) => {
    const sending = withKey(handling);
    requireCapability(sending.agent, 'streaming');
    const { streams } = sending.deps;
    const check: TaskCheck = streams ? ({ readerCount }) => streams.checkTask(readerCount) : anyTask;
    return withStreamSlot(sending, () =>
      withTurn(sending, { check, needsLeadingTask: true }, (begun) => streamOf(sending, begun)),
    );
  },
};

async function streamOf(sending: SendInput, begun: StartedTurn): Promise<StreamReply> {
  if ('message' in begun) return { events: single(begun.message) };
  const { live, after, leadingTask } = begun;
  const historyLength = sending.request.configuration?.historyLength;
  const { reservation } = sending.context;
  const reading = { end: 'resting', reservation, isPatient: true } as const;
  if (!leadingTask) return { events: new Subscription(live, after, reading), facts: live.facts };
  await reservation?.reserve(live.log.bytes, Date.now() + sending.deps.limits.answer);
  const event = { task: withHistory(leadingTask, historyLength) };
  const leading = { seq: after + 1, at: Date.now(), event, json: JSON.stringify(event) };
  const events = new Subscription(live, after + 1, { ...reading, first: leading });
  try {
    await live.settled();
  } catch (thrown) {
    await events.return();
    throw thrown;
  }
  return { events, facts: live.facts };
}
