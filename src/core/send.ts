import type { Message, Task, TaskPushNotificationConfig } from '../gen/a2a-v1/types.ts';
import type { CallContext, LoggedEvent, StreamReply } from './call.ts';
import { A2AError } from './errors.ts';
import { fold, withHistory } from './fold.ts';
import type { Handlers, Handling } from './handling.ts';
import { newId } from './ids.ts';
import { isTerminal, stateWord } from './lifecycle.ts';
import type { LiveTask } from './live-task.ts';
import { taskAt } from './past.ts';
import { keptPush, pushWith } from './push-with-message.ts';
import { type Asked, whereWorkedOn } from './relay.ts';
import { requireCapability, requireExtensions, requireMessage, requireSameContext, requireWebhook } from './rules.ts';
import { withPlace } from './stream-place.ts';
import { Subscription } from './subscription.ts';
import { taskKey } from './task-key.ts';
import { originOf, Turn } from './turn.ts';

type Sending = Handling<'SendMessage' | 'SendStreamingMessage'>;

/** Events read at once in search of a message. */
const page = 500;

const pushPath = 'configuration.taskPushNotificationConfig';

/** Milliseconds that a caller who will not wait waits for an agent that may yet answer with a direct Message. */
const immediately = 250;

/**
 * Milliseconds until a task is made for an agent that says nothing. A caller who gets a task in any case waits for none
 * when it will not wait; else only so long that a first event which comes at once makes the task, as it does for others.
 */
function patienceFor({ request, context, deps }: Sending): number {
  const { returnImmediately } = request.configuration ?? {};
  if (context.implied.tasksOnly || (context.implied.namesTask && request.message.taskId)) {
    return returnImmediately ? 0 : Math.min(immediately, deps.limits.answer);
  }
  return returnImmediately ? immediately : deps.limits.answer;
}

/** What sending a message came to. */
type Begun =
  | { readonly message: Message }
  | {
      /** Kept, for whoever goes on with it to let go. */
      readonly live: LiveTask;
      /** Position before the turn's first event. */
      readonly after: number;
      /** The task with the turn's message, where it was there before. */
      readonly continued?: Task;
    };

/** Refuses a task that is to be continued, before its message is taken. */
type Check = (live: LiveTask) => void;

const anyTask: Check = () => {};

/** What is to be known of a turn before it begins. */
interface How {
  /** Judges the task that a message continues. */
  readonly check?: Check;
  /** Whether the caller is told of a task that is continued as it is with the message. */
  readonly leads?: boolean;
  /** Whether the caller hears nothing of the task before it rests. */
  readonly awaited?: boolean;
}

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
  const begun = await beginTurn(sending, request.message.taskId, { check, leads, awaited: awaited && !push });
  if ('message' in begun) return use(begun);
  try {
    if (push) await putPush(sending, push, begun);
    return await use(begun);
  } finally {
    begun.live.letGo();
  }
}

/** Whoever asks for notifications with its message is told of all that comes of it. */
async function putPush(
  { context, deps }: Sending,
  push: TaskPushNotificationConfig,
  { live, after }: Exclude<Begun, { message: Message }>,
): Promise<void> {
  await live.settled();
  const { dialect, hops } = context;
  await deps.store.putPushConfig(live.key, keptPush(push, live.record.id), dialect, { after, hops });
}

/** The push configuration that comes with the message, if it is to be kept. */
function pushOf({ request, agent, context, deps }: Sending): TaskPushNotificationConfig | undefined {
  const push = pushWith(request, agent, context);
  if (!push) {
    if (request.configuration?.taskPushNotificationConfig) context.notes.losses.add(pushPath);
    return undefined;
  }
  requireCapability(agent, 'pushNotifications');
  requireWebhook(push, deps.judgeWebhook, `${pushPath}.url`);
  return push;
}

function beginTurn(sending: Sending, taskId: string | undefined, how: Required<How>): Promise<Begun> {
  const { context, owner, tasks } = sending;
  if (!taskId) return openTask(sending, undefined, how.awaited);
  if (!context.implied.namesTask)
    return tasks.use(owner, taskId, (live) => continueTask(sending, live, how), context.reservation);
  // Of two messages that open a task under the same id, the second is to find the first one's.
  return tasks.alone(taskKey(owner, taskId, true), async () => {
    const live = await tasks.find(owner, taskId, context.reservation);
    if (!live) return openTask(sending, taskId, how.awaited);
    return live.hold(() => continueTask(sending, live, how));
  });
}

/** @param chosenId the task's id, where its caller chose it; then there is a task in any case */
async function openTask(sending: Sending, chosenId: string | undefined, awaited: boolean): Promise<Begun> {
  const { request, context, agent, owner, deps, tasks } = sending;
  const opening = { newContext: !request.message.contextId, awaited };
  const ids = { taskId: chosenId ?? newId(), contextId: request.message.contextId || newId() };
  const key = taskKey(owner, ids.taskId, chosenId !== undefined);
  await context.notes.onTask?.({ key, seq: 0 });
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
  const turn = new Turn({ agent, ids, opening, key, logger: deps.logger, traces: deps.traces, create }, origin);
  const message = await turn.open({ ...request, message: { ...request.message, ...ids } }, patienceFor(sending));
  if (message) return { message };
  if (!turn.live) throw new A2AError('internal');
  turn.live.keep();
  return { live: turn.live, after: 0 };
}

async function continueTask(sending: Sending, live: LiveTask, how: Required<How>): Promise<Begun> {
  const { request, context, dialects } = sending;
  dialects.used(live, context.dialect);
  const task = await live.snapshot();
  // Callers who choose ids name a session with every message, and some make up another each time: the task's stands.
  if (!context.implied.namesTask) requireSameContext(request, task);
  if (!isTerminal(live.state)) how.check(live);
  const ids = { taskId: task.id, contextId: task.contextId ?? live.record.contextId };
  const message = { ...request.message, ...ids };
  return whereWorkedOn(sending, live, () => asMessage(sending, live, message), {
    here: () => proceed(sending, live, message, how),
    there: async ({ after }) => {
      await context.notes.onTask?.({ key: live.key, seq: after });
      const continued = how.leads ? await taskAt(sending.deps.store, live.key, after + 1) : undefined;
      live.keep();
      return { live, after, ...(continued && { continued }) };
    },
  });
}

/** Begins the turn in this gateway. */
async function proceed(sending: Sending, live: LiveTask, message: Message, how: Required<How>): Promise<Begun> {
  const { request, context, agent, deps } = sending;
  const task = await live.snapshot();
  if (isTerminal(live.state)) {
    throw new A2AError(
      'unsupportedOperation',
      `The task is over and takes no more messages: ${stateWord(live.state)}`,
      {
        metadata: { taskId: task.id },
      },
    );
  }
  const { onTask } = context.notes;
  const seq = live.head;
  if (onTask) await onTask({ key: live.key, seq });
  const ids = { taskId: live.record.id, contextId: message.contextId ?? live.record.contextId };
  const turn = new Turn(
    { agent, ids, key: live.key, logger: deps.logger, traces: deps.traces, create: () => live },
    originOf(context),
  );
  const continued = how.leads ? fold(structuredClone(task), { message }) : undefined;
  const { shared } = deps.store.peers;
  turn.proceed(live, { ...request, message }, task, shared);
  const { after } = turn;
  // Another gateway may have been quicker; and an agent may have said something while the caller was told.
  if (shared) await live.settled();
  if (onTask && after !== seq) await onTask({ key: live.key, seq: after });
  live.keep();
  return { live, after, ...(continued && { continued }) };
}

/** What the gateway that works on the task is asked: to take the message. Its caller follows the task here. */
function asMessage({ request, context }: Sending, live: LiveTask, message: Message): Asked<'SendMessage'> {
  const from = live.committed;
  const { taskPushNotificationConfig: _, ...configuration } = request.configuration ?? {};
  return {
    operation: 'SendMessage',
    request: { ...request, message, configuration: { ...configuration, returnImmediately: true, historyLength: 0 } },
    shows: true,
    // From here on, a retry with the same key must not send the message once more.
    begins: () => context.notes.onTask?.({ key: live.key, seq: from }),
    done: async () => {
      const after = await positionOf(live, from, message);
      return after === undefined ? undefined : { after, extensions: [], losses: [] };
    },
  };
}

/** Position before a message in the log, looked for from a position on. */
async function positionOf(live: LiveTask, from: number, message: Message): Promise<number | undefined> {
  const wanted = JSON.stringify(message);
  for (let after = from; after < live.committed; ) {
    const events = await live.read(after, page);
    const found = events.find(({ event }) => event.message && JSON.stringify(event.message) === wanted);
    if (found) return found.seq - 1;
    after = events.at(-1)?.seq ?? live.committed;
  }
  return undefined;
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
  SendMessage: (sending) => {
    const { request, context, deps } = sending;
    const { returnImmediately, historyLength } = request.configuration ?? {};
    const began = Date.now();
    return withTurn(sending, { awaited: !returnImmediately }, async (begun) => {
      if ('message' in begun) return { value: { message: begun.message } };
      const { live, after } = begun;
      const left = Math.max(1, deps.limits.answer - (Date.now() - began));
      if (returnImmediately) await live.settled();
      else await waitForRest(live, after, context, left);
      const task = await live.snapshot();
      // The message was taken, so that a caller who is refused now would send it once more: it waits for room instead.
      await context.reservation?.reserve(live.bytes, began + deps.limits.answer);
      return { value: { task: withHistory(task, historyLength) }, facts: live.facts };
    });
  },

  SendStreamingMessage: (sending) => {
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
