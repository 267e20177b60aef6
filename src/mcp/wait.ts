import { setTimeout as delay } from 'node:timers/promises';
import type { Message, SendMessageRequest, StreamResponse, Task } from '../core/model/a2a.ts';
import { isStream, type LoggedEvent, type Reply } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { fold } from '../core/model/fold.ts';
import { isResting, isTerminal, stateOf } from '../core/model/lifecycle.ts';
import type { ExposedAgent, InvokeContext } from './exposed-agent.ts';

/** How long somebody waits for a task, and who is told what happens meanwhile. */
export interface WaitOptions extends InvokeContext {
  /** Milliseconds from now. */
  readonly time: number;
  /** Ends the wait as if the time were up. */
  readonly stopping: AbortSignal;
  readonly onEvent: (event: StreamResponse) => void;
}

/** What a message came to: a direct answer, or a task as it stands. */
export type SendResult = { readonly message: Message } | { readonly task: Task };

/** Kinds of errors after which a task may be looked for again. */
const passing: ReadonlySet<string> = new Set([
  'upstreamUnreachable',
  'upstreamTimeout',
  'unavailable',
  'tooManyRequests',
]);
/** Kinds of errors of a subscription after which the task is asked for instead. */
const asksInstead: ReadonlySet<string> = new Set(['unsupportedOperation', 'tooManyRequests']);
/** Attempts that may fail one after the other. */
const mostFailures = 5;
/** Milliseconds that a task is waited for that goes on, so that its former question is not taken for its answer. */
const shortest = 250;

/** Milliseconds that an agent may take to say that it has a message, also where nobody waits for what comes of it. */
const firstAnswer = 10_000;

const streams = ({ card }: ExposedAgent): boolean => card.capabilities.streaming === true;

/**
 * Sends a message and waits for what comes of it: until the task is over or waits for its caller, or the time is up.
 *
 * @throws A2AError also `canceled` when nobody waits any longer
 */
export async function sendAndWait(agent: ExposedAgent, message: Message, wait: WaitOptions): Promise<SendResult> {
  const { taskId } = message;
  const time = taskId === undefined ? wait.time : Math.max(wait.time, shortest);
  return within({ ...wait, time }, async (facts, over) => {
    if (taskId !== undefined) return continueTask(agent, { message }, taskId, wait, facts, over);
    // Whoever does not wait learns the task's id in any case, however long the agent takes for its first word.
    const request = { message, configuration: { returnImmediately: true } };
    // Not all agents answer at once, and one that is cut off has not said which task is its.
    const cut = AbortSignal.any([wait.signal, AbortSignal.timeout(Math.max(time, firstAnswer))]);
    const answer = answerOf(await agent.invoke('SendMessage', request, { ...wait, signal: cut }));
    if (answer.message) return { message: answer.message };
    if (!answer.task) throw new A2AError('invalidAgentResponse');
    wait.onEvent({ task: answer.task });
    return { task: await waitUntilIdle(agent, answer.task, wait, facts, over) };
  });
}

/** A task, once it is over or waits for its caller, or as it stands when the time is up. */
export async function waitForTask(agent: ExposedAgent, id: string, wait: WaitOptions): Promise<Task> {
  return within(wait, async (facts, over) => {
    const task = await getTask(agent, id, wait);
    if (wait.time === 0) return task;
    wait.onEvent({ task });
    return waitUntilIdle(agent, task, wait, facts, over);
  });
}

const answerOf = (reply: Reply): { readonly message?: Message; readonly task?: Task } => {
  if (isStream(reply)) throw new A2AError('invalidAgentResponse', 'The agent answered with a stream');
  return reply.value as { message?: Message; task?: Task };
};

async function getTask(agent: ExposedAgent, id: string, facts: InvokeContext): Promise<Task> {
  const reply = await agent.invoke('GetTask', { id, historyLength: 1 }, facts);
  if (isStream(reply)) throw new A2AError('invalidAgentResponse', 'The agent answered with a stream');
  return reply.value as Task;
}

/** Runs `work` with a signal that aborts when the time is up or nobody waits, and lets nothing of it behind. */
async function within<T>(wait: WaitOptions, work: (facts: InvokeContext, over: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), wait.time);
  const over = AbortSignal.any([wait.signal, wait.stopping, late.signal]);
  try {
    return await work({ ...wait, signal: over }, over);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a message to a task, and waits for the end of the turn. */
async function continueTask(
  agent: ExposedAgent,
  request: SendMessageRequest,
  id: string,
  wait: WaitOptions,
  facts: InvokeContext,
  over: AbortSignal,
): Promise<SendResult> {
  let seen: StreamResult = {};
  try {
    const operation = streams(agent) ? 'SendStreamingMessage' : 'SendMessage';
    const reply = await agent.invoke(operation, request, facts);
    seen = isStream(reply) ? await read(reply.events, undefined, wait, over) : answerOf(reply);
  } catch (thrown) {
    if (!over.aborted || wait.signal.aborted) throw thrown;
  }
  if (seen.message) return { message: seen.message };
  const rests = seen.rests === true || (seen.task !== undefined && !over.aborted && isResting(seen.task.status.state));
  if (rests && seen.task) return { task: seen.task };
  const now = await getTask(agent, id, wait);
  if (rests || isTerminal(now.status.state)) return { task: now };
  // What it asked before the message is no longer asked, although the agent has not said so yet.
  if (over.aborted) return { task: { ...now, status: { state: 'TASK_STATE_WORKING' } } };
  return { task: await waitUntilIdle(agent, now, wait, facts, over) };
}

/** Follows a task by subscription, which is taken up again where it breaks, or by asking now and then. */
async function waitUntilIdle(
  agent: ExposedAgent,
  begun: Task,
  wait: WaitOptions,
  facts: InvokeContext,
  over: AbortSignal,
): Promise<Task> {
  let task = begun;
  let failures = 0;
  let subscribes = streams(agent);
  for (let pause = 0; !isResting(task.status.state) && !over.aborted; pause = Math.min(2_000, 100 + pause * 1.5)) {
    try {
      if (subscribes) {
        const reply = await agent.invoke('SubscribeToTask', { id: task.id }, facts);
        if (isStream(reply)) task = (await read(reply.events, task, wait, over)).task ?? task;
        if (isResting(task.status.state) || over.aborted) break;
      }
      await delay(pause, undefined, { signal: over });
      const now = await getTask(agent, task.id, facts);
      if (!subscribes) tellDifference(task, now, wait);
      task = now;
      failures = 0;
    } catch (thrown) {
      if (over.aborted) break;
      const { kind } = A2AError.from(thrown);
      // One that has ended meanwhile cannot be subscribed to (A2A 1.0.1 section 3.1.6), and there may be no place.
      if (subscribes && asksInstead.has(kind)) subscribes = false;
      else if (!passing.has(kind)) throw thrown;
      // The task is there, whatever has become of the way to it: it can be asked for later.
      else if (++failures > mostFailures) break;
    }
  }
  wait.signal.throwIfAborted();
  return task;
}

function tellDifference(before: Task, now: Task, wait: WaitOptions): void {
  const seen = (task: Task): string => JSON.stringify([task.status, task.artifacts]);
  if (seen(before) !== seen(now)) wait.onEvent({ task: now });
}

/** What a stream has told. */
interface StreamResult {
  readonly message?: Message;
  /** As far as it was told; absent where the stream did not begin with it. */
  readonly task?: Task;
  /** Whether it told that the task is over, or waits for its caller. */
  readonly rests?: boolean;
}

/**
 * Reads a stream until the task rests, the stream ends or nobody waits.
 *
 * @param known the task as it was told before: without it, the stream is that of a turn
 */
async function read(
  events: AsyncIterable<LoggedEvent>,
  known: Task | undefined,
  { onEvent }: WaitOptions,
  over: AbortSignal,
): Promise<StreamResult> {
  const iterator = events[Symbol.asyncIterator]();
  const stop = Promise.withResolvers<undefined>();
  const onAbort = (): void => stop.resolve(undefined);
  over.addEventListener('abort', onAbort, { once: true });
  if (over.aborted) onAbort();
  let task = known;
  const seen = (rests: boolean): StreamResult => ({ ...(task && { task }), rests });
  try {
    for (let first = true; ; first = false) {
      const next = await Promise.race([iterator.next(), stop.promise]);
      if (next === undefined || next.done) return seen(false);
      const { event } = next.value;
      if (event.message) {
        if (first) return { message: event.message };
        continue;
      }
      if (task || event.task) task = fold(task, event);
      // What a subscription begins with is known already.
      if (!(first && known && event.task)) onEvent(event);
      const state = stateOf(event);
      // A turn begins with the task as it was, which may still ask what the turn answers.
      const stale = first && !known && event.task !== undefined;
      if (state && isResting(state) && !stale) return seen(true);
    }
  } finally {
    over.removeEventListener('abort', onAbort);
    void iterator.return?.().catch(() => undefined);
  }
}
