import type { Message, StreamResponse, Task } from '../model/a2a.ts';
import type { CallContext, LoggedEvent, StreamReply } from '../model/call.ts';
import { withHistory } from '../model/fold.ts';
import { isResting, stateOf } from '../model/lifecycle.ts';
import { keyOf } from '../tasks/call-key.ts';
import type { Handlers, Handling } from '../tasks/handling.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import { taskAt } from '../tasks/replay.ts';
import { Subscription } from '../tasks/subscription.ts';
import { beginOnce } from './begin-once.ts';
import { beginTurn, isGone } from './begin-turn.ts';
import { pushOf, putPush } from './push-with-message.ts';
import { requireCapability, requireExtensions, requireMessage } from './rules.ts';
import { anyTask, type Begun, type Check, type How, type Sending } from './sending.ts';
import { withPlace } from './stream-place.ts';

/** Events read at once in search of one. */
const page = 500;

/** Begins a turn, of a new conversation or of the task that the message names, and goes on with what it came to. */
async function withTurn<T>(
  sending: Sending,
  { check = anyTask, leads = false, awaited = false }: How,
  use: (begun: Begun) => Promise<T>,
): Promise<T> {
  const { request, agent, context } = sending;
  requireMessage(request);
  requireExtensions(agent, context);
  const push = pushOf(sending);
  const how = { check, leads, awaited: awaited && !push, push };
  for (;;) {
    const begun = sending.call
      ? await beginOnce(sending, sending.call, how)
      : await beginTurn(sending, request.message.taskId, how);
    if ('message' in begun) return use(begun);
    context.notes.onTurn?.(begun.after);
    try {
      if (push) await putPush(sending, push, begun);
      return await use(begun);
    } catch (thrown) {
      // The first call, at another gateway, was answered by no task after all: its key has the answer.
      if (!begun.known || !isGone(thrown)) throw thrown;
    } finally {
      begun.live.letGo();
    }
  }
}

/** Waits for the turn's end, but no longer than one answer may take and its caller listens. */
async function waitForRest(live: LiveTask, after: number, context: CallContext, limit: number): Promise<void> {
  await live.settled();
  if (live.restedSince(after)) return;
  const late = AbortSignal.timeout(limit);
  await live.rest(after, AbortSignal.any([context.signal, late])).catch((thrown: unknown) => {
    // The limit bounds the answer, never the task: the caller gets the task as it stands.
    if (!late.aborted) throw thrown;
  });
}

/** The task as it came to rest after a position, also where later messages have gone on with it. */
async function leftBy({ deps: { store } }: Sending, live: LiveTask, after: number): Promise<Task> {
  const hasGoneOn = (await store.latestTurn(live.key)) > after + 1;
  for (let from = after; hasGoneOn && from < live.committed; ) {
    const events = await live.read(from, page);
    const rest = events.find(({ event }) => isRest(event));
    if (rest) return (await taskAt(store, live.key, rest.seq)) ?? live.snapshot();
    from = events.at(-1)?.seq ?? live.committed;
  }
  return live.snapshot();
}

function isRest(event: StreamResponse): boolean {
  const state = stateOf(event);
  return state !== undefined && isResting(state);
}

/** A stream of one event that belongs to no task. */
async function* single(message: Message): AsyncGenerator<LoggedEvent> {
  const event = { message };
  yield { seq: 1, at: Date.now(), event, json: JSON.stringify(event) };
}

const withKey = (handling: Handling<'SendMessage' | 'SendStreamingMessage'>): Sending => {
  if (handling.context.idempotencyKey === undefined && !handling.context.forwardedKey) return handling;
  return { ...handling, call: keyOf(handling) };
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
      await context.reservation?.reserve(live.bytes, began + deps.limits.answer);
      return { value: { task: withHistory(task, historyLength) }, facts: live.facts };
    });
  },

  SendStreamingMessage: (handling) => {
    const sending = withKey(handling);
    requireCapability(sending.agent, 'streaming');
    const { streams } = sending.deps;
    const check: Check = streams ? ({ listeners }) => streams.checkTask(listeners) : anyTask;
    return withPlace(sending, () => withTurn(sending, { check, leads: true }, (begun) => streamOf(sending, begun)));
  },
};

async function streamOf(sending: Sending, begun: Begun): Promise<StreamReply> {
  if ('message' in begun) return { events: single(begun.message) };
  const { live, after, continued } = begun;
  const historyLength = sending.request.configuration?.historyLength;
  const { reservation } = sending.context;
  const reading = { end: 'resting', reservation, isPatient: true } as const;
  if (!continued) return { events: new Subscription(live, after, reading), facts: live.facts };
  await reservation?.reserve(live.bytes, Date.now() + sending.deps.limits.answer);
  const event = { task: withHistory(continued, historyLength) };
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
