import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { steadyNow, withTimeout } from '../../../core/model/timing.ts';
import { shortened, ToolFailure } from './failures.ts';
import type { NamedServer } from './route.ts';
import type { ToolCall, ToolTaskRequest } from './tool-server.ts';

// A tool call may become a task at its server. The task is polled until it ends or asks (tasks extension of MCP,
// SEP-2663). The extension's notifications are optional, and not used.

/** A task at a tool server, as stored in the state of the task to which it belongs. */
export interface PolledTask {
  readonly id: string;
  /** Deadline for ending or asking, in milliseconds since the epoch. */
  readonly until: number;
  /** Names of requests that have been answered. The server may still list them for a while. */
  readonly answered: readonly string[];
}

/** The properties of a server that polling needs. */
export type PolledServer = Pick<NamedServer, 'server' | 'timeout' | 'taskTimeout'>;

export interface PollStart {
  /** The task in the server's result. It is first polled after its own interval. */
  readonly seed?: JsonObject | undefined;
  /** Answers to the task's requests, by request name. */
  readonly responses?: JsonObject;
  /** Called when the server has accepted the answers. */
  readonly onAnswered?: (task: PolledTask) => Promise<void>;
}

/** Minimum milliseconds between two polls, whatever the server says. */
const minInterval = 100;
/** Maximum milliseconds between two polls, whatever the server says. */
const maxInterval = 60_000;
/** Milliseconds of the first pause if the server states no interval. */
const firstPause = 500;
/** Maximum milliseconds to which that pause grows. */
const longestPause = 10_000;
/** Maximum number of changed status messages that are passed on. */
const maxReports = 1_000;
/** Time-out of a cancellation in milliseconds. */
const cancelTimeout = 2_000;

/**
 * Returns the task that a result with `resultType: 'task'` names.
 *
 * @throws ToolFailure if the result names no task
 */
export function newPolledTask({ taskId }: JsonObject, { taskTimeout }: PolledServer): PolledTask {
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > 1_024)
    throw new ToolFailure('invalidResponse', 'The server created a task for the tool, but did not return its id');
  return { id: taskId, until: Date.now() + taskTimeout, answered: [] };
}

/**
 * Polls a task until it ends or asks. Resolves with the tool's result, or with a result that asks for input. While the
 * server is unreachable, requests are repeated until its time-out has passed. Aborting does not cancel the task.
 *
 * @throws ToolFailure
 */
export async function pollTask(
  to: PolledServer,
  begun: PolledTask,
  call: Pick<ToolCall, 'signal' | 'onProgress' | 'onAsk' | 'hops' | 'caller' | 'credentials'>,
  { seed, responses = {}, onAnswered }: PollStart,
): Promise<JsonObject> {
  const { signal, onProgress, ...facts } = call;
  const send = (method: ToolTaskRequest['method'], more: object = {}): Promise<JsonObject> =>
    request(to, { ...facts, signal, method, taskId: begun.id, ...more });
  let polled = begun;
  if (Object.keys(responses).length > 0) {
    await send('tasks/update', { inputResponses: responses });
    const answered = [...polled.answered, ...Object.keys(responses)];
    polled = { ...polled, until: Date.now() + to.taskTimeout, answered };
    await onAnswered?.(polled);
  }
  let said: unknown;
  let reports = 0;
  let pause = firstPause;
  // Only `tasks/get` returns the outcome of a task that has ended or asks.
  for (let task = seed?.status === 'working' ? seed : undefined; ; task = undefined) {
    task ??= await send('tasks/get');
    const result = outcomeOf(task, polled);
    if (result) return result;
    const { statusMessage: message, pollIntervalMs: interval } = task;
    if (typeof message === 'string' && message !== said && reports < maxReports) {
      said = message;
      reports += 1;
      onProgress({ message });
    }
    if (Date.now() >= polled.until) {
      await cancelPolled(to, polled, call);
      throw new ToolFailure('timeout', `The tool's task did not end within ${to.taskTimeout} ms`);
    }
    const wait = typeof interval === 'number' ? Math.min(Math.max(interval, minInterval), maxInterval) : pause;
    pause = Math.min(pause * 2, longestPause);
    await sleep(Math.min(wait, Math.max(polled.until - Date.now(), 0)), undefined, { signal });
  }
}

/** Requests the cancellation of a task; the server may refuse. Resolves even if the server is unreachable. */
export async function cancelPolled(
  { server }: Pick<PolledServer, 'server'>,
  { id: taskId }: PolledTask,
  call: Pick<ToolTaskRequest, 'signal' | 'hops' | 'caller' | 'credentials'>,
): Promise<void> {
  const canceling = server.task?.({ ...call, method: 'tasks/cancel', taskId });
  if (canceling) await withTimeout(canceling, cancelTimeout).catch(() => undefined);
}

/** Sends a request until the server answers it. All task requests may be repeated. */
async function request({ server, timeout }: PolledServer, asked: ToolTaskRequest): Promise<JsonObject> {
  if (!server.task) throw new ToolFailure('invalidResponse', 'The server has no tasks');
  const { signal } = asked;
  const last = steadyNow() + timeout;
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    try {
      return await server.task(asked);
    } catch (thrown) {
      signal.throwIfAborted();
      const failed = ToolFailure.from(thrown);
      if (failed.code === '-32602') {
        const why = 'The server no longer knows the task that it created for the call. The tool was not called again';
        throw new ToolFailure('taskLost', `${why}: ${failed.message}`, { details: failed.details ?? {} });
      }
      if (!isTemporary(failed) || steadyNow() + pause > last) throw failed;
    }
    await sleep(pause, undefined, { signal });
  }
}

/** Whether the server may answer later: it is starting, overloaded, or has an internal error (-32603). */
const isTemporary = ({ condition, code }: ToolFailure): boolean =>
  condition === 'connection' || condition === 'sessionLost' || code === '-32603';

/**
 * Returns the outcome of a task; undefined while the server is working on it.
 *
 * @throws ToolFailure if the task has failed or was canceled
 */
function outcomeOf(task: JsonObject, { answered }: PolledTask): JsonObject | undefined {
  const { status, statusMessage, result, error, inputRequests } = task;
  const said = typeof statusMessage === 'string' && statusMessage !== '' ? `: ${shortened(statusMessage)}` : '';
  switch (status) {
    case 'working':
      return undefined;
    case 'input_required': {
      const requests = Object.entries(isObject(inputRequests) ? inputRequests : {});
      const open = requests.filter(([name]) => !answered.includes(name));
      return open.length > 0 ? { resultType: 'input_required', inputRequests: Object.fromEntries(open) } : undefined;
    }
    case 'completed': {
      if (!isObject(result)) throw new ToolFailure('invalidResult', "The tool's task ended without a result");
      const { resultType = 'complete', ...plain } = result;
      if (resultType !== 'complete') throw new ToolFailure('invalidResult', "The tool's task ended without its result");
      return plain;
    }
    case 'failed': {
      const { code, message, data } = isObject(error) ? error : {};
      throw new ToolFailure('protocolError', typeof message === 'string' ? message : `The tool's task failed${said}`, {
        ...(typeof code === 'number' && { code: String(code) }),
        ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
      });
    }
    case 'cancelled':
      throw new ToolFailure('canceled', `The tool's task was canceled at its server${said}`);
    default:
      throw new ToolFailure(
        'invalidResponse',
        `The tool's task has an unknown status: ${shortened(String(status), 100)}`,
      );
  }
}
