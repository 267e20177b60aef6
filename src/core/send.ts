import type { Message, StreamResponse, Task, TaskPushNotificationConfig } from '../gen/a2a-v1/types.ts';
import type { CallContext, CallKey, LoggedEvent, StreamReply } from './call.ts';
import { readCallAnswer } from './call-answer.ts';
import { keyOf, requireSameRequest, underWay } from './call-key.ts';
import { A2AError } from './errors.ts';
import { copyOf, fold, withHistory } from './fold.ts';
import type { Handlers, Handling } from './handling.ts';
import { newId } from './ids.ts';
import { isResting, isTerminal, stateOf, stateWord } from './lifecycle.ts';
import type { LiveTask } from './live-task.ts';
import { isKeyTaken } from './log-conflict.ts';
import { taskAt } from './past.ts';
import type { KnownCall } from './ports.ts';
import { keptPush, pushWith } from './push-with-message.ts';
import { type Asked, whereWorkedOn } from './relay.ts';
import {
  pushPath,
  requireCapability,
  requireExtensions,
  requireFewWebhooks,
  requireMessage,
  requireSameContext,
  requireWebhook,
} from './rules.ts';
import { withPlace } from './stream-place.ts';
import { Subscription } from './subscription.ts';
import { taskKey } from './task-key.ts';
import { originOf, Turn } from './turn.ts';

type Sending = Handling<'SendMessage' | 'SendStreamingMessage'> & {
  /** The idempotency key that the call brings. */
  readonly call?: CallKey | undefined;
};

/** Events read at once in search of a message. */
const page = 500;

/** Times that a key is looked for while others take it and free it. */
const attempts = 5;

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
      /** Whether another call with the same key began the turn. */
      readonly known?: true;
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
  /** The webhook that comes with the message. */
  readonly push?: TaskPushNotificationConfig | undefined;
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

/** A webhook that is registered with a message receives everything that comes of the message. */
async function putPush(
  { context, deps }: Sending,
  push: TaskPushNotificationConfig,
  { live, after, known }: Exclude<Begun, { message: Message }>,
): Promise<void> {
  await live.settled();
  const { dialect, hops } = context;
  const config = keptPush(push, live.record.id);
  // The first call may have ended between its turn and its webhook.
  if (known && (await deps.store.getPushConfig(live.key, config.id))) return;
  const origin = { after, hops, bounds: deps.limits.webhooks };
  // Others may have come between.
  requireFewWebhooks(await deps.store.putPushConfig(live.key, config, dialect, origin), `${pushPath}.`);
}

/** Before the message becomes work: one whose webhook is refused must not be carried out. */
async function requireRoom({ request, owner, deps, tasks }: Sending, push: TaskPushNotificationConfig): Promise<void> {
  const { limits, store } = deps;
  if (!limits.webhooks) return;
  const { taskId } = request.message;
  const used = taskId ? (tasks.peek(owner, taskId) ?? (await store.lastUse(owner, taskId))) : undefined;
  const place = used && { key: used.key, id: push.id || taskId || '' };
  requireFewWebhooks(await store.webhookExcess(owner.principal, place, limits.webhooks), `${pushPath}.`);
}

/** The push configuration that comes with the message, if it is to be kept. */
function pushOf({ request, agent, context, deps }: Sending): TaskPushNotificationConfig | undefined {
  const push = pushWith(request, agent, context);
  if (!push) {
    if (request.configuration?.taskPushNotificationConfig) context.notes.losses.add(pushPath);
    return undefined;
  }
  requireCapability(agent, 'pushNotifications');
  requireWebhook(push, deps.judgeWebhook, `${pushPath}.`);
  return push;
}

/** Begins the turn of a call with an idempotency key, or finds the one that the first call with this key began. */
function beginOnce(sending: Sending, call: CallKey, how: Required<How>): Promise<Begun> {
  const { request, owner, deps, tasks } = sending;
  const { store } = deps;
  // Of two calls in this gateway, the second finds what the first has written. Elsewhere, the store refuses the later.
  const name = JSON.stringify(['key', owner.agent, owner.tenant, owner.principal, call.key]);
  return tasks.alone(name, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const known = await store.findCall(owner, call.key);
      try {
        const begun = known && (await begunBefore(sending, known, call, how));
        if (begun) return begun;
        // The task was taken back a moment ago, or has expired.
        if (known && attempt === attempts) throw A2AError.taskNotFound(known.turn?.key ?? '');
        if (!known) return await beginTurn(sending, request.message.taskId, how);
      } catch (thrown) {
        const isTaken = isKeyTaken(thrown);
        if (!isTaken && !(known && isGone(thrown) && attempt < attempts)) throw thrown;
        if (attempt === attempts) throw underWay();
      }
    }
  });
}

/** What the first call with the key began, from the log; undefined when its task is not there. */
async function begunBefore(
  { request, deps, tasks }: Sending,
  known: KnownCall,
  call: CallKey,
  { leads }: Required<How>,
): Promise<Begun | undefined> {
  requireSameRequest(known, call);
  if (known.answer !== undefined) return readCallAnswer<{ message: Message }>(known.answer);
  // Of a gateway of an earlier version, which stores a call before its task.
  if (!known.turn) throw underWay();
  const { key, seq: after } = known.turn;
  const shows = leads || request.configuration?.returnImmediately === true;
  const live = await tasks.findByKey(key);
  if (!live) return undefined;
  return live.hold(async () => {
    await live.upToDate();
    // Its gateway may yet answer the first call without a task: not when another caller has been shown it.
    if (shows && live.committed === 1 && !(await deps.store.pin(key))) {
      live.gone();
      return undefined;
    }
    const continued = leads && after > 0 ? await taskAt(deps.store, key, after + 1) : undefined;
    live.keep();
    return { live, after, known: true, ...(continued && { continued }) };
  });
}

async function beginTurn(sending: Sending, taskId: string | undefined, how: Required<How>): Promise<Begun> {
  const { context, owner, tasks } = sending;
  if (how.push) await requireRoom(sending, how.push);
  if (!taskId) return openTask(sending, undefined, how.awaited);
  if (!context.implied.namesTask)
    return tasks.use(owner, taskId, (live) => continueTask(sending, live, how), context.reservation);
  // Of two messages that open a task under the same id, the second is to find the first one's.
  return tasks.alone(taskKey(owner, taskId, true), async () => {
    const live = await tasks.find(owner, taskId, context.reservation);
    const begun = live
      ?.hold(() => continueTask(sending, live, how))
      .catch((thrown: unknown) => {
        // The message that opened it was answered without a task, elsewhere.
        if (!isGone(thrown)) throw thrown;
      });
    return (await begun) ?? openTask(sending, taskId, how.awaited);
  });
}

const isGone = (thrown: unknown): boolean => A2AError.from(thrown).kind === 'taskNotFound';

/** @param chosenId the task's id, where its caller chose it; then there is a task in any case */
async function openTask(sending: Sending, chosenId: string | undefined, awaited: boolean): Promise<Begun> {
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
    sending.call || !store.dependable ? await turn.openDurably(named, patience) : await turn.open(named, patience);
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
  const ids = { taskId: live.record.id, contextId: message.contextId ?? live.record.contextId };
  const turn = new Turn(
    { agent, ids, key: live.key, logger: deps.logger, traces: deps.traces, create: () => live, call: sending.call },
    originOf(context),
  );
  const continued = how.leads ? fold(copyOf(task), { message }) : undefined;
  const first = sending.call !== undefined || !deps.store.dependable;
  turn.proceed(live, { ...request, message }, task, first);
  const { after } = turn;
  // Another gateway may have been quicker.
  if (first) await live.settled();
  live.keep();
  return { live, after, ...(continued && { continued }) };
}

/** What the gateway that works on the task is asked: to take the message. Its caller follows the task here. */
function asMessage({ request, owner, call, deps }: Sending, live: LiveTask, message: Message): Asked<'SendMessage'> {
  const from = live.committed;
  const { taskPushNotificationConfig: _, ...configuration } = request.configuration ?? {};
  return {
    operation: 'SendMessage',
    request: { ...request, message, configuration: { ...configuration, returnImmediately: true, historyLength: 0 } },
    shows: true,
    forwardedKey: call,
    done: async () => {
      const after = call
        ? (await deps.store.findCall(owner, call.key))?.turn?.seq
        : await positionOf(live, from, message);
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
