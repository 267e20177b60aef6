import type { Task } from '../model/a2a.ts';
import { singleEvent, unloggedEvent } from '../model/agent-events.ts';
import type { CallContext, LoggedEvent, TaskFacts } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { withHistory } from '../model/fold.ts';
import { steadyNow } from '../model/timing.ts';
import { unansweredIn, unansweredKey } from '../model/turns.ts';
import { idempotencyKeyOf } from '../tasks/idempotency-key.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import { findEvent, taskAt } from '../tasks/replay.ts';
import { Subscription } from '../tasks/subscription.ts';
import { type CurrentTask, countTask } from '../tasks/task-journal.ts';
import { isRest } from '../tasks/task-log.ts';
import type { HandlerInput, Handlers, SendOperation } from './handler.ts';
import { messageWebhookOf, putMessageWebhook } from './push-configs.ts';
import { requireCapability, requireExtensions, requireMessage } from './rules.ts';
import type { StartedTurn } from './send-input.ts';
import { isTaskNotFound, startTurn } from './start-turn.ts';
import { withStreamSlot } from './subscribe.ts';

/** Begins the message's turn, stores its webhook, and answers with `use`. */
async function withTurn<T>(input: HandlerInput<SendOperation>, use: (started: StartedTurn) => Promise<T>): Promise<T> {
  const { request, agent, context } = input;
  requireMessage(request);
  requireExtensions(agent, context);
  const webhook = request.configuration?.taskPushNotificationConfig && messageWebhookOf(input);
  const call = context.forwardedKey ?? (context.idempotencyKey === undefined ? undefined : idempotencyKeyOf(input));
  const send = { ...input, call, webhook };
  for (;;) {
    const started = await startTurn(send);
    if (!('live' in started)) {
      if ('ended' in started) context.notes.turnAfter = 0;
      return use(started);
    }
    context.notes.turnAfter = started.after;
    context.notes.taskKey = started.live.key;
    try {
      if (webhook) await putMessageWebhook(send, webhook, started);
      return await use(started);
    } catch (thrown) {
      // The first call with the key was answered without a task, by another replica: its answer is stored by now.
      if (!started.isRepeated || !isTaskNotFound(thrown)) throw thrown;
    } finally {
      started.live.release();
    }
  }
}

/** Waits until the turn has brought the task to rest, or until a time by `steadyNow`. */
async function waitForRest({ journal }: LiveTask, after: number, context: CallContext, until: number): Promise<void> {
  await journal.settled();
  // The limit bounds the answer and not the task: the caller gets the task as it is. The signal is created when it is read.
  if (journal.log.hasDurablyRested(after)) return;
  await journal.listeners.untilRest(after, context.signal, Math.max(1, until - steadyNow()));
}

/** The task in the state in which the turn after a position left it, even if later messages have continued the task. */
async function taskAfterTurn(
  { context, deps: { store } }: HandlerInput,
  live: LiveTask,
  after: number,
): Promise<CurrentTask> {
  const hasLaterTurn = (await store.latestTurn(live.key)) > after + 1;
  const rest = hasLaterTurn && (await findEvent(store, live.key, { after, until: live.log.committed }, isRest));
  const past = rest && (await taskAt(store, live.key, rest.seq));
  if (!past) return live.journal.current(context);
  const { seq, at: updatedAt, generation } = rest;
  return { task: past.task, seq, facts: { createdAt: live.record.createdAt, updatedAt, generation } };
}

/** SendMessage and SendStreamingMessage (A2A 1.0.1 sections 3.1.1 and 3.1.2). */
export const sendHandlers: Pick<Handlers, SendOperation> = {
  SendMessage: (input) => {
    const { request, context, deps } = input;
    const { returnImmediately, historyLength } = request.configuration ?? {};
    const until = steadyNow() + deps.limits.answer;
    return withTurn(input, async (started) => {
      if ('message' in started || 'task' in started) return { value: started };
      if ('ended' in started) {
        const { event, json } = started.ended;
        await context.reservation?.reserve(json.length, until);
        const task = event.task as Task;
        const facts = factsOfEnded(started.ended);
        // The event as JSON is the answer as JSON.
        if (historyLength === undefined) return { value: { task }, json, facts };
        return { value: { task: withHistory(task, historyLength) }, facts };
      }
      const { live, after, isRepeated } = started;
      if (returnImmediately) await live.journal.settled();
      else await waitForRest(live, after, context, until);
      if (!live.log.hasDurablyRested(after)) live.isShown = true;
      const hasEarlierRest = isRepeated && !returnImmediately;
      // Waits for room in memory: a caller that is refused now would send the message again.
      await countTask(live.journal, context, until);
      const { task, facts } = await (hasEarlierRest ? taskAfterTurn(input, live, after) : live.journal.current());
      if (!returnImmediately && task.metadata?.[unansweredKey]) requireWorkedOn(task, request.message.messageId);
      const value = { task: withHistory(task, historyLength) };
      const json = live.log.jsonOf(value.task);
      return { value, ...(json !== undefined && { json: `{"task":${json}}` }), facts };
    });
  },

  SendStreamingMessage: (input) => {
    requireCapability(input.agent, 'streaming');
    return withStreamSlot(input, () => withTurn(input, (started) => streamOf(input, started)));
  },
};

/** Throws `unsupportedOperation` for a message that waited until its task was over. */
function requireWorkedOn(task: Task, messageId: string): void {
  if (!unansweredIn(task).includes(messageId)) return;
  const text = 'The task ended before the agent worked on the message';
  throw new A2AError('unsupportedOperation', text, { metadata: { taskId: task.id } });
}

/** The facts of a task that ended with its first event. */
const factsOfEnded = ({ at, generation }: LoggedEvent): TaskFacts => ({ createdAt: at, updatedAt: at, generation });

async function streamOf({ request, context, deps }: HandlerInput<SendOperation>, started: StartedTurn) {
  if ('ended' in started) {
    return { events: singleEvent(started.ended), facts: factsOfEnded(started.ended) };
  }
  if ('message' in started || 'task' in started) {
    return { events: singleEvent(unloggedEvent(started, 1, Date.now())) };
  }
  const { live, after, leading } = started;
  const end = context.semantics.heldAsWorking ? 'restingUnheld' : 'resting';
  const options = { end, context, waitsForRoom: true } as const;
  if (!leading) return { events: new Subscription(live.journal, after, options), facts: live.journal.facts };
  await countTask(live.journal, context, steadyNow() + deps.limits.answer);
  const task = withHistory(leading.task, request.configuration?.historyLength);
  const first = unloggedEvent({ task }, leading.seq, Date.now(), leading.generation);
  const events = new Subscription(live.journal, leading.seq, { ...options, endAfter: after, first });
  try {
    await live.journal.settled();
  } catch (thrown) {
    await events.return();
    throw thrown;
  }
  return { events, facts: live.journal.facts };
}
