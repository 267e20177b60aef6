import type { Message, SendMessageRequest, StreamResponse } from '../model/a2a.ts';
import type { UpstreamTask } from '../model/agent.ts';
import { completeMessage } from '../model/agent-events.ts';
import type { LoggedEvent } from '../model/call.ts';
import { A2AError, type ErrorKind, isUndelivered } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isTerminal } from '../model/lifecycle.ts';
import { withTimeout } from '../model/timing.ts';
import { writeCallAnswer } from './idempotency-key.ts';
import type { LiveTask, RefusedTask } from './live-tasks.ts';
import { isTaskTooLarge, taskTooLarge } from './task-log.ts';
import { opensTask, type Turn, type TurnEvents } from './turn.ts';

/** How a turn creates its task. Each is called at most once. */
export interface TaskOpening {
  /** Creates a task that an agent works on. */
  create(): LiveTask;
  /** Stores a task that is over with its first event. Absent if the task must be live because it has a webhook. */
  readonly createEnded?: ((event: StreamResponse, upstream: UpstreamTask | undefined) => Promise<LoggedEvent>) | false;
  /** Reports that the caller was refused, but its task is still being written until the promise settles. */
  goesOn(until: Promise<unknown>): void;
  /** Reports that the caller was refused and the agent did not get the task, but that the task's row may be in the store. */
  refuse(refused: RefusedTask): void;
}

/** The result of a message: a direct answer, a task that its first event ended, or a live task. */
export type OpenedTurn = { readonly message: Message } | { readonly ended: LoggedEvent } | { readonly live: LiveTask };

/**
 * Time at which the task is written with the call's idempotency key: `first`, so that it is durable before the agent gets the
 * message; `beside`, unless the agent answers at once; `after` the agent's first event. If the agent then answers with a direct
 * Message, or fails at once, a task that was written is retracted unless it has been seen.
 */
export type Storing = 'first' | 'beside' | 'after';

/** Kinds of errors after which it is unknown whether the agent has acted. */
const inconclusive: ReadonlySet<ErrorKind> = new Set([
  ...(['canceled', 'deadlineExceeded', 'unavailable'] as const),
  ...(['upstreamUnreachable', 'upstreamTimeout'] as const),
]);

/** Largest ratio of the length of a message's JSON to the length of the request body that contained it. */
const longestOfBody = 6;
/** Bytes of an opening event in addition to its message. */
const openingSize = 4_096;

/**
 * Milliseconds in which the row of a new task must be durable; otherwise its call fails. The store may need a new connection, and
 * a second attempt if the first one is not answered.
 */
const openingTimeout = 10_000;
/** Milliseconds for which the row of a new task is written after its keyed call has failed. */
const lateOpeningTimeout = 60_000;

/** A message that opens a task, and the results of the steps so far. */
interface Opening {
  readonly turn: Turn;
  readonly request: SendMessageRequest;
  readonly tasks: TaskOpening;
  /** Milliseconds to wait for the agent's first event. */
  readonly timeout: number;
  readonly storing: Storing;
  /** The task, once its row is durable or is being written. */
  stored: LiveTask | undefined;
  readonly events: AsyncIterator<StreamResponse>;
  /** The agent's first event. */
  readonly pending: Promise<IteratorResult<StreamResponse>>;
  /** The agent's first event. Undefined if the agent has not answered in time. */
  first: StreamResponse | undefined;
  /** Whether that event opens the task itself. */
  opensItself: boolean;
  /** The first event of the task's log. */
  event: ReturnType<TurnEvents['opening']> | undefined;
}

/** One step. Returns the outcome of the message if the step decides it. */
type Step = (opening: Opening) => Promise<OpenedTurn | undefined> | OpenedTurn | undefined;

/** The steps after the agent has received the message, in order, for each time of writing. */
const steps: Readonly<Record<Storing, readonly Step[]>> = {
  first: [awaitEvent, answerDirectly, followStored],
  beside: [storeUnlessAnswered, awaitEvent, answerDirectly, followStored, storeEnded, createTask],
  after: [awaitEvent, answerDirectly, followStored, storeEnded, createTask],
};

/**
 * Runs the agent for a message that names no task of the store. Resolves with the agent's direct Message; with a task that the
 * agent's first event ends, once that is stored; otherwise with the task as soon as there is one: when the agent's first event
 * belongs to a task, or after `timeout` milliseconds, so that the caller can follow the task. With a timeout of 0, as soon as the
 * agent waits for anything.
 */
export async function openTurn(
  turn: Turn,
  request: SendMessageRequest,
  tasks: TaskOpening,
  timeout: number,
  storing: Storing,
): Promise<OpenedTurn> {
  turn.messageId = request.message.messageId;
  requireRoom(turn, request.message);
  if (storing !== 'first') return askAgent(turn, request, tasks, timeout, storing, undefined);
  const live = create(turn, tasks, turn.events.opening(request.message), request);
  const ask = (): Promise<OpenedTurn> => askAgent(turn, request, tasks, timeout, storing, live);
  try {
    await untilOpened(live);
  } catch (thrown) {
    const { call } = turn.deps;
    if (call && !live.journal.failure) tasks.goesOn(askLate(turn, live, tasks, call, ask));
    else {
      abandon(live, tasks, {});
      turn.over();
    }
    throw thrown;
  }
  if (!turn.aborted) return ask();
  turn.over();
  return { live };
}

/**
 * Runs the agent after the caller was refused, once the row is durable: the caller may repeat the call here or elsewhere, and
 * then finds the row. Gives up after a minute.
 */
async function askLate(
  turn: Turn,
  live: LiveTask,
  tasks: TaskOpening,
  call: CallKey,
  ask: () => Promise<unknown>,
): Promise<void> {
  const timer = setTimeout(() => abandon(live, tasks, { call }), lateOpeningTimeout);
  try {
    await live.journal.written();
  } catch {
    live.removeRun(turn);
    return turn.over();
  } finally {
    clearTimeout(timer);
  }
  if (turn.aborted) turn.over();
  else await ask().catch(() => undefined);
}

/** Gives the agent the message, and takes the steps for its answer. */
async function askAgent(
  turn: Turn,
  request: SendMessageRequest,
  tasks: TaskOpening,
  timeout: number,
  storing: Storing,
  stored: LiveTask | undefined,
): Promise<OpenedTurn> {
  const events = turn.execute(request, undefined);
  const opening: Opening = {
    turn,
    request,
    tasks,
    timeout,
    storing,
    stored,
    events,
    pending: events.next(),
    first: undefined,
    opensItself: false,
    event: undefined,
  };
  try {
    for (const step of steps[storing]) {
      const opened = step(opening);
      const outcome = opened instanceof Promise ? await opened : opened;
      if (outcome) return outcome;
    }
    throw new A2AError('internal');
  } catch (thrown) {
    return failOpening(opening, thrown);
  }
}

/** Throws `payloadTooLarge` if a task cannot even hold the message that opens it, which happens only with very low limits. */
function requireRoom({ deps, events }: Turn, message: Message): void {
  const { task: limit, body = Number.POSITIVE_INFINITY } = deps.services.limits;
  if (limit === undefined || limit >= body * longestOfBody + openingSize) return;
  const bytes = Buffer.byteLength(JSON.stringify(events.opening(message)));
  if (bytes > limit) throw taskTooLarge('message', bytes, 0, limit);
}

/** Stores the task unless the agent has answered: other replicas must know the message if this one dies. */
async function storeUnlessAnswered(opening: Opening): Promise<undefined> {
  const { turn, tasks, request, pending } = opening;
  if (await atOnce(pending)) return;
  const live = create(turn, tasks, turn.events.opening(request.message), request);
  pending.catch(() => undefined);
  await openedBeside(live);
  opening.stored = live;
}

async function awaitEvent(opening: Opening): Promise<undefined> {
  const next = await withTimeout(opening.pending, opening.timeout);
  opening.first = next?.value;
  if (!next?.done) return;
  const text = 'The agent ended without an answer: it must yield or return at least one event or text.';
  throw new A2AError('invalidAgentResponse', text);
}

function answerDirectly(opening: Opening): Promise<OpenedTurn | undefined> | undefined {
  const { turn, first } = opening;
  return first?.message && !turn.deps.tasksOnly && !turn.aborted ? giveMessage(opening, first) : undefined;
}

async function giveMessage({ turn, stored, events }: Opening, first: StreamResponse): Promise<OpenedTurn | undefined> {
  const { ids, call, hooks } = turn.deps;
  const said = hooks?.event ? await turn.events.messageOf(first) : first.message;
  if (!said) return;
  const message = completeMessage(said, { contextId: ids.contextId });
  const answer = call && writeCallAnswer({ value: { message } });
  if (stored && !(await retract(stored, call, answer))) return;
  turn.outcome = 'answered';
  turn.endRun(events);
  return { message };
}

/** Goes on with a task that is being written, or whose agent has not answered in time. */
function followStored({ turn, tasks, request, stored, events, pending, first }: Opening): OpenedTurn | undefined {
  if (!stored && first) return;
  const live = stored ?? create(turn, tasks, turn.events.opening(request.message), request);
  void turn.drive(live, events, afterOpening(pending));
  return { live };
}

/**
 * Makes the first event of the task, and stores the task if this event ends it. The gateway opens the task itself if the agent's
 * first event does not.
 */
function storeEnded(opening: Opening): Promise<OpenedTurn | undefined> | OpenedTurn | undefined {
  const { turn, first, request } = opening;
  opening.opensItself = first !== undefined && opensTask(first);
  if (opening.opensItself && turn.deps.hooks?.event) return storeReplaced(opening);
  opening.event = turn.events.opening(request.message, opening.opensItself ? first : undefined);
  return isTerminal(opening.event.task.status.state) ? storeEndedBy(opening, opening.event) : undefined;
}

/** Stores the opening event, if hooks may replace the agent's event. */
async function storeReplaced(opening: Opening): Promise<OpenedTurn | undefined> {
  const { turn, first = {}, request } = opening;
  opening.event = turn.events.opening(request.message, await turn.events.openingOf(first));
  return isTerminal(opening.event.task.status.state) ? storeEndedBy(opening, opening.event) : undefined;
}

/** Stores a task that its first event ends. If it cannot be stored now, a live task writes the event and retries. */
async function storeEndedBy({ turn, tasks, events }: Opening, event: StreamResponse): Promise<OpenedTurn | undefined> {
  const ended = tasks.createEnded && (await tasks.createEnded(event, turn.upstream).catch(() => undefined));
  if (!ended) return undefined;
  turn.outcome = 'ended';
  turn.endRun(events);
  return { ended };
}

function createTask(opening: Opening): Promise<OpenedTurn> | OpenedTurn | undefined {
  const { turn, tasks, request, storing, event, opensItself, events, pending } = opening;
  if (!event) return undefined;
  let live: LiveTask;
  let following: Opening['pending'] | undefined = opensItself ? undefined : pending;
  try {
    live = create(turn, tasks, event);
  } catch (thrown) {
    if (!isTaskTooLarge(thrown)) throw thrown;
    // The agent's event is too large for the opening event: the task opens without it, and fails.
    live = create(turn, tasks, turn.events.opening(request.message));
    following = Promise.reject(thrown);
  }
  void turn.drive(live, events, following);
  return storing === 'beside' ? openedBeside(live).then(() => ({ live })) : { live };
}

/** Handles an exception of the agent, or an answer that cannot be stored. */
async function failOpening({ turn, stored, events }: Opening, thrown: unknown): Promise<OpenedTurn> {
  const error = turn.failureOf(thrown);
  if (!stored) {
    turn.endRun(events);
    throw error;
  }
  const { call } = turn.deps;
  const wasUndelivered = isUndelivered(error);
  const answer = wasUndelivered || !call ? undefined : writeCallAnswer({ error });
  const isConclusive = wasUndelivered || !inconclusive.has(error.kind);
  if (!turn.aborted && isConclusive && (await retract(stored, call, answer))) {
    turn.endRun(events);
    throw error;
  }
  void turn.drive(stored, events, Promise.reject(thrown));
  return { live: stored };
}

/** @param unanswered the request, if the agent has not answered it */
function create(turn: Turn, tasks: TaskOpening, event: StreamResponse, unanswered?: SendMessageRequest): LiveTask {
  const live = tasks.create();
  turn.attach(live);
  try {
    live.emit(event, turn.deps.call, unanswered && turn.requestFor(unanswered));
  } catch (thrown) {
    turn.live = undefined;
    live.removeRun(turn);
    throw thrown;
  }
  if (turn.upstream) live.journal.writer.bind(turn.upstream);
  return live;
}

async function openedBeside(live: LiveTask): Promise<void> {
  try {
    await untilOpened(live);
  } catch (thrown) {
    abandon(live);
    throw thrown;
  }
}

/**
 * Resolves when a new task's row is durable. Rejects after `openingTimeout`, or earlier when the store is unavailable for retries
 * too; the row is written nevertheless, unless the task is abandoned.
 */
async function untilOpened({ journal }: LiveTask): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(journal.writer.outage), openingTimeout);
  try {
    await Promise.race([journal.written(false), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Ends a new task whose call was refused, and removes its row.
 *
 * @param refused for a message that the agent did not get: a row that cannot be removed now is removed when it is found among the
 *   orphans
 */
function abandon({ journal }: LiveTask, tasks?: TaskOpening, refused?: RefusedTask): void {
  if (journal.failure) return;
  if (refused) tasks?.refuse(refused);
  journal.writer.isRowAbandoned = true;
  journal.fail(journal.writer.outage);
}

/**
 * Removes a task whose call is answered without a task, and stores the answer under the call's key or releases the key. Resolves
 * with false if the task stays, because it has listeners or further events, or the store is unavailable.
 */
async function retract({ journal }: LiveTask, call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
  // A row that is being written could come after its removal.
  await journal.written(false).catch(() => undefined);
  if (journal.listeners.size > 0) return false;
  return journal.removeOpening(A2AError.taskNotFound(journal.record.id), call, answer);
}

/** The value, if it is available before the next turn of the event loop: before any event that was queued now is written. */
async function atOnce<T>(pending: Promise<T>): Promise<T | undefined> {
  const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
  return Promise.race([pending, turn]);
}

/** An agent's first event, if the gateway has opened the task before. Undefined if the event contains nothing new. */
async function afterOpening(pending: Promise<IteratorResult<StreamResponse>>) {
  const first = await pending;
  return first.done || !first.value || !isOnlySubmitted(first.value) ? first : undefined;
}

function isOnlySubmitted({ statusUpdate }: StreamResponse): boolean {
  const { state, message } = statusUpdate?.status ?? {};
  return state === 'TASK_STATE_SUBMITTED' && !message && !statusUpdate?.metadata;
}
