import { setTimeout as delay } from 'node:timers/promises';
import type { Message, StreamResponse, Task } from '../../../core/model/a2a.ts';
import { isStream, type LoggedEvent } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { fold } from '../../../core/model/fold.ts';
import { isInterrupted, isResting, isTerminal, stateOf } from '../../../core/model/lifecycle.ts';
import { unlessAborted } from '../../../core/model/timing.ts';
import { type ExposedAgent, type InvokeContext, unaryValue } from './exposed-agent.ts';

/** Options of a call that waits for a task. */
export interface WaitOptions extends InvokeContext {
  /** Maximum milliseconds to wait. */
  readonly time: number;
  /** Ends the wait as if the time had passed. */
  readonly stopping: AbortSignal;
  /** Called with the events of the task during the wait. */
  readonly onEvent: (event: StreamResponse) => void;
}

/** The result of a message: a direct response, or a task in its current state. */
export type SendResult = { readonly message: Message } | { readonly task: Task };

interface Wait extends WaitOptions {
  /** Aborts when the time has passed or the caller has disconnected; `signal` aborts only for the latter. */
  readonly over: AbortSignal;
}

/** Kinds of errors after which reading a task may be retried. */
const passing: ReadonlySet<string> = new Set([
  'upstreamUnreachable',
  'upstreamTimeout',
  'unavailable',
  'tooManyRequests',
]);
/** Kinds of errors of a subscription after which the task is polled instead. */
const pollsAfter: ReadonlySet<string> = new Set(['unsupportedOperation', 'tooManyRequests']);
/** Maximum number of consecutive failed attempts. */
const mostFailures = 5;
/**
 * Minimum wait in milliseconds after a message to a task, so that its previous question is not mistaken for its
 * response.
 */
const shortest = 250;

/** Milliseconds that an agent may take to accept a message, even if the call does not wait for the result. */
const firstAnswer = 10_000;

const streams = ({ card }: ExposedAgent): boolean => card.capabilities.streaming === true;

/** Returns the context of a call that ends with the wait. */
const during = (wait: Wait): InvokeContext => ({ ...wait, signal: wait.over });

/**
 * Sends a message and waits for the result: until the task has ended or waits for its caller, or the time has passed.
 *
 * @param generation generation of the task; the message is rejected if the task has another one
 * @throws A2AError, including `canceled` if the caller has disconnected
 */
export function sendAndWait(
  agent: ExposedAgent,
  message: Message,
  options: WaitOptions,
  generation?: string,
): Promise<SendResult> {
  const { taskId } = message;
  const time = taskId === undefined ? options.time : Math.max(options.time, shortest);
  return within({ ...options, time }, async (wait) => {
    if (taskId !== undefined) return continueTask(agent, { message, taskId, generation }, wait);
    // Even a caller that does not wait must learn the task's id, however long the agent takes to respond.
    const request = { message, configuration: { returnImmediately: true } };
    // Some agents take long to respond, and a request that is aborted returns no task id.
    const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(Math.max(time, firstAnswer))]);
    const answer = unaryValue<StreamResponse>(await agent.invoke('SendMessage', request, { ...wait, signal }));
    if (answer.message) return { message: answer.message };
    if (!answer.task) throw new A2AError('invalidAgentResponse');
    wait.onEvent({ task: answer.task });
    return { task: await waitUntilIdle(agent, answer.task, wait) };
  });
}

/**
 * Returns a task once it has ended or waits for its caller, or in its current state when the time has passed.
 *
 * @param answered time of a status whose question has been answered: the wait continues while the task has this status
 */
export function waitForTask(agent: ExposedAgent, id: string, options: WaitOptions, answered?: string): Promise<Task> {
  return within(options, async (wait) => {
    let task = await getTask(agent, id, wait);
    if (wait.time !== 0) {
      wait.onEvent({ task });
      task = await waitUntilIdle(agent, task, wait, answered);
    }
    return isStale(task, answered) ? goesOn(task) : task;
  });
}

/** Whether the task's question has been answered although the agent has not changed the state yet. */
const isStale = ({ status: { state, timestamp, message } }: Task, answered: string | undefined): boolean =>
  answered !== undefined && timestamp === answered && !message && isInterrupted(state);

const goesOn = (task: Task): Task => ({ ...task, status: { state: 'TASK_STATE_WORKING' } });

const getTask = async (agent: ExposedAgent, id: string, context: InvokeContext): Promise<Task> =>
  unaryValue(await agent.invoke('GetTask', { id, historyLength: 1 }, context));

async function within<T>(options: WaitOptions, work: (wait: Wait) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), options.time);
  try {
    return await work({ ...options, over: AbortSignal.any([options.signal, options.stopping, late.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a message to a task and waits for the end of the turn. */
async function continueTask(
  agent: ExposedAgent,
  { message, taskId: id, generation }: { message: Message; taskId: string; generation: string | undefined },
  wait: Wait,
): Promise<SendResult> {
  const { over } = wait;
  let seen: StreamResult = {};
  try {
    const operation = streams(agent) ? 'SendStreamingMessage' : 'SendMessage';
    const condition = generation !== undefined && { configuration: { ifGenerationMatch: generation } };
    const reply = await agent.invoke(operation, { message, ...condition }, during(wait));
    seen = isStream(reply) ? await read(reply.events, undefined, wait) : unaryValue(reply);
  } catch (thrown) {
    if (!over.aborted || wait.signal.aborted) throw thrown;
  }
  if (seen.message) return { message: seen.message };
  const rests = seen.rests === true || (seen.task !== undefined && !over.aborted && isResting(seen.task.status.state));
  if (rests && seen.task) return { task: seen.task };
  const now = await getTask(agent, id, wait);
  if (rests || isTerminal(now.status.state)) return { task: now };
  // The state still belongs to the question that the message answers.
  if (over.aborted) return { task: goesOn(now) };
  return { task: await waitUntilIdle(agent, now, wait) };
}

/** Follows a task with a subscription, which is renewed if it breaks, or by polling. */
async function waitUntilIdle(agent: ExposedAgent, begun: Task, wait: Wait, answered?: string): Promise<Task> {
  const { over } = wait;
  const rests = (now: Task): boolean => isResting(now.status.state) && !isStale(now, answered);
  let task = begun;
  let failures = 0;
  let subscribes = streams(agent);
  for (let pause = 0; !rests(task) && !over.aborted; pause = Math.min(2_000, 100 + pause * 1.5)) {
    try {
      if (subscribes) {
        const reply = await agent.invoke('SubscribeToTask', { id: task.id }, during(wait));
        if (isStream(reply)) task = (await read(reply.events, task, wait)).task ?? task;
        if (rests(task) || over.aborted) break;
      }
      await delay(pause, undefined, { signal: over });
      const now = await getTask(agent, task.id, during(wait));
      if (!subscribes && shown(now) !== shown(task)) wait.onEvent({ task: now });
      task = now;
      failures = 0;
    } catch (thrown) {
      if (over.aborted) break;
      const { kind } = A2AError.from(thrown);
      // A task that has ended cannot be subscribed to (A2A 1.0.1 section 3.1.6), and streams may be limited.
      if (subscribes && pollsAfter.has(kind)) subscribes = false;
      else if (!passing.has(kind)) throw thrown;
      // The task exists even if the agent is unreachable: the caller can ask for it later.
      else if (++failures > mostFailures) break;
    }
  }
  wait.signal.throwIfAborted();
  return task;
}

const shown = ({ status, artifacts }: Task): string => JSON.stringify([status, artifacts]);

interface StreamResult {
  readonly message?: Message;
  /** Absent if the stream did not begin with the task. */
  readonly task?: Task;
  /** Whether the task has ended or waits for its caller. */
  readonly rests?: boolean;
}

/**
 * Reads a stream until the task rests, the stream ends or the wait is over.
 *
 * @param known the task before the stream; absent if the stream belongs to a turn
 */
async function read(
  events: AsyncIterable<LoggedEvent>,
  known: Task | undefined,
  { onEvent, over }: Wait,
): Promise<StreamResult> {
  const iterator = events[Symbol.asyncIterator]();
  let task = known;
  const seen = (rests: boolean): StreamResult => ({ ...(task && { task }), rests });
  try {
    for (let first = true; ; first = false) {
      // Some streams do not end with the wait.
      const next = await unlessAborted(iterator.next(), over);
      if (next.done) return seen(false);
      const { event } = next.value;
      if (event.message) {
        if (first) return { message: event.message };
        continue;
      }
      if (task || event.task) task = fold(task, event);
      // A subscription begins with the task, which is already known.
      if (!(first && known && event.task)) onEvent(event);
      const state = stateOf(event);
      // A turn begins with the task before the message, which may still ask the question that the message answers.
      const stale = first && !known && event.task !== undefined;
      if (state && isResting(state) && !stale) return seen(true);
    }
  } catch (thrown) {
    if (!over.aborted) throw thrown;
    return seen(false);
  } finally {
    void iterator.return?.().catch(() => undefined);
  }
}
