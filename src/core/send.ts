import type { Message, Task } from '../gen/a2a-v1/types.ts';
import type { CallContext, LoggedEvent } from './call.ts';
import { A2AError } from './errors.ts';
import { fold, withHistory } from './fold.ts';
import type { Handlers, Handling } from './handling.ts';
import { newId } from './ids.ts';
import { isTerminal } from './lifecycle.ts';
import type { LiveTask } from './live-task.ts';
import { requireCapability, requireExtensions, requireMessage, requireSameContext, requireWebhook } from './rules.ts';
import { Subscription } from './subscription.ts';
import { originOf, Turn } from './turn.ts';

type Sending = Handling<'SendMessage' | 'SendStreamingMessage'>;

/** Milliseconds that a caller who will not wait waits for an agent that may yet answer with a direct Message. */
const immediately = 250;

/** What sending a message came to. */
type Begun =
  | { readonly message: Message }
  | {
      readonly live: LiveTask;
      /** Position before the turn's first event. */
      readonly after: number;
      /** The task with the turn's message, where it was there before. */
      readonly continued?: Task;
    };

/** Begins a turn: of a new conversation, or of the task that the message names. */
async function begin(sending: Sending, patience: number): Promise<Begun> {
  const { request, agent, context } = sending;
  requireMessage(request);
  requireExtensions(agent, context);
  const push = request.configuration?.taskPushNotificationConfig;
  if (push) {
    requireCapability(agent, 'pushNotifications');
    requireWebhook(push, 'configuration.taskPushNotificationConfig.');
  }
  const begun = request.message.taskId
    ? await continueTask(sending, request.message.taskId)
    : await openTask(sending, patience);
  if (push && 'live' in begun) {
    await begun.live.settled();
    const config = { ...push, id: push.id || newId(), taskId: begun.live.record.id };
    await sending.deps.store.putPushConfig(begun.live.record.key, config, context.dialect);
  }
  return begun;
}

async function openTask({ request, context, agent, owner, deps, tasks }: Sending, patience: number): Promise<Begun> {
  const ids = { taskId: newId(), contextId: request.message.contextId || newId() };
  await context.notes.onTask?.({ key: ids.taskId, seq: 0 });
  const create = (): LiveTask =>
    tasks.create({
      ...owner,
      key: ids.taskId,
      id: ids.taskId,
      contextId: ids.contextId,
      createdAt: Date.now(),
      dialect: context.dialect,
    });
  const turn = new Turn({ agent, ids, logger: deps.logger, create }, originOf(context));
  const message = await turn.open({ ...request, message: { ...request.message, ...ids } }, patience);
  if (message) return { message };
  if (!turn.live) throw new A2AError('internal');
  return { live: turn.live, after: 0 };
}

function continueTask({ request, context, agent, owner, deps, tasks }: Sending, id: string): Promise<Begun> {
  return tasks.use(owner, id, async (live) => {
    const task = await live.snapshot();
    requireSameContext(request, task);
    if (isTerminal(live.state)) {
      throw new A2AError('unsupportedOperation', `The task is over and takes no more messages: ${live.state}`, {
        metadata: { taskId: id },
      });
    }
    await context.notes.onTask?.({ key: live.record.key, seq: live.head });
    const ids = { taskId: task.id, contextId: task.contextId ?? live.record.contextId };
    const message = { ...request.message, ...ids };
    const turn = new Turn({ agent, ids, logger: deps.logger, create: () => live }, originOf(context));
    const continued = fold(structuredClone(task), { message });
    turn.proceed(live, { ...request, message }, task);
    return { live, after: turn.after, continued };
  });
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

/** A stream of one event that belongs to no task. */
async function* single(message: Message): AsyncGenerator<LoggedEvent> {
  const event = { message };
  yield { seq: 1, at: Date.now(), event, json: JSON.stringify(event) };
}

/** SendMessage and SendStreamingMessage (A2A 1.0.1 sections 3.1.1 and 3.1.2). */
export const sendHandlers: Pick<Handlers, 'SendMessage' | 'SendStreamingMessage'> = {
  async SendMessage(sending) {
    const { request, context, deps } = sending;
    const { returnImmediately, historyLength } = request.configuration ?? {};
    const began = Date.now();
    const begun = await begin(sending, returnImmediately ? immediately : deps.limits.answer);
    if ('message' in begun) return { value: { message: begun.message } };
    const { live, after } = begun;
    const left = Math.max(1, deps.limits.answer - (Date.now() - began));
    return live.hold(async () => {
      if (returnImmediately) await live.settled();
      else await waitForRest(live, after, context, left);
      return { value: { task: withHistory(await live.snapshot(), historyLength) }, facts: live.facts };
    });
  },

  async SendStreamingMessage(sending) {
    requireCapability(sending.agent, 'streaming');
    const begun = await begin(sending, sending.deps.limits.answer);
    if ('message' in begun) return { events: single(begun.message) };
    const { live, after, continued } = begun;
    const historyLength = sending.request.configuration?.historyLength;
    if (!continued) return { events: new Subscription(live, after, 'resting'), facts: live.facts };
    const event = { task: withHistory(continued, historyLength) };
    const leading = { seq: after + 1, at: Date.now(), event, json: JSON.stringify(event) };
    const events = new Subscription(live, after + 1, 'resting', leading);
    await live.settled();
    return { events, facts: live.facts };
  },
};
