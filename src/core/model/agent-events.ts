import type { Artifact, Message, StreamResponse, Task, TaskState, TaskStatus } from './a2a.ts';
import type { LoggedEvent } from './call.ts';
import { A2AError } from './errors.ts';
import { newId } from './ids.ts';
import { isKnownState } from './lifecycle.ts';
import { authorFrames, sourceLocationOf } from './stack.ts';

/** The ids that every event of a task carries. */
export interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

let latest = { at: Number.NaN, text: '' };

/**
 * A time in RFC 3339, in UTC with milliseconds (A2A 1.0.1 section 5.6.1). The text of the latest time is cached.
 *
 * @param at milliseconds since the epoch. Default: now
 */
export function timestamp(at: number = Date.now()): string {
  if (at !== latest.at) latest = { at, text: new Date(at).toISOString() };
  return latest.text;
}

/** A message of the agent with one text, which belongs to a task. */
export function agentMessage(text: string, ids: TaskIds): Message {
  return { messageId: newId(), role: 'ROLE_AGENT', parts: [{ text }], ...ids };
}

/** A status made by the gateway itself. @param at milliseconds since the epoch, by the store's clock; default: now */
export function statusWith(state: TaskState, ids: TaskIds, text?: string, at?: number): TaskStatus {
  const status: TaskStatus = { state, timestamp: timestamp(at) };
  if (text !== undefined) status.message = agentMessage(text, ids);
  return status;
}

/** A status update made by the gateway itself. @param at milliseconds since the epoch, by the store's clock. Default: now */
export const statusEvent = (state: TaskState, ids: TaskIds, text?: string, at?: number): StreamResponse => ({
  statusUpdate: { ...ids, status: statusWith(state, ids, text, at) },
});

/**
 * Removes the agent's generation from a copy of a task or an update, and returns the copy: the gateway counts the generations of
 * its tasks itself.
 */
export function uncounted<T extends { generation?: string }>(copy: T): T {
  if (copy.generation !== undefined) delete copy.generation;
  return copy;
}

/**
 * Fills in the ids and timestamps that an agent's event lacks, and removes its generation. Throws `invalidAgentResponse` for a
 * malformed event.
 *
 * @param at milliseconds since the epoch, by the store's clock; default: now
 */
export function completeEvent(event: StreamResponse, ids: TaskIds, at?: number): StreamResponse {
  if (typeof event !== 'object' || event === null) {
    throw malformed(`an event is an object, as artifact(…) and say(…) return, not a ${typeof event}`);
  }
  if (event.statusUpdate) {
    const update = event.statusUpdate;
    return { statusUpdate: uncounted({ ...update, ...ids, status: completeStatus(update.status, ids, at) }) };
  }
  if (event.artifactUpdate) {
    const update = event.artifactUpdate;
    return { artifactUpdate: uncounted({ ...update, ...ids, artifact: completeArtifact(update.artifact) }) };
  }
  if (event.message) return { message: completeMessage(event.message, ids) };
  if (event.task) return { task: completeTask(event.task, ids, at) };
  throw malformed('an event has one of task, message, statusUpdate, artifactUpdate');
}

/** Fills in what an agent left out of a message. */
export function completeMessage(message: Message, ids: Partial<TaskIds>): Message {
  if (!Array.isArray(message.parts) || message.parts.length === 0) throw malformed('a message has at least one part');
  return { ...message, messageId: message.messageId || newId(), role: message.role || 'ROLE_AGENT', ...ids };
}

function completeTask(task: Task, ids: TaskIds, at?: number): Task {
  const { taskId, contextId } = ids;
  const complete: Task = { ...task, id: taskId, contextId, status: completeStatus(task.status, ids, at) };
  if (task.artifacts) complete.artifacts = task.artifacts.map(completeArtifact);
  return uncounted(complete);
}

function completeStatus(status: TaskStatus | undefined, ids: TaskIds, at?: number): TaskStatus {
  if (!status || !isKnownState(status.state)) {
    throw malformed(`no such task state: ${String(status?.state)}${likeState(status?.state)}`);
  }
  const complete: TaskStatus = { ...status, timestamp: status.timestamp ?? timestamp(at) };
  if (status.message) complete.message = completeMessage(status.message, ids);
  return complete;
}

/** Name of a state without its prefix, case and separators, so that spellings of one state are equal. */
function likeState(state: unknown): string {
  const meant = `TASK_STATE_${String(state).toUpperCase().replace(/[ -]/g, '_')}`;
  return isKnownState(meant as TaskState) ? `; did you mean ${meant}?` : '';
}

function completeArtifact(artifact: Artifact | undefined): Artifact {
  if (!artifact || !Array.isArray(artifact.parts) || artifact.parts.length === 0) {
    throw malformed('an artifact has at least one part');
  }
  return artifact.artifactId ? artifact : { ...artifact, artifactId: newId() };
}

const malformed = (what: string): A2AError =>
  new A2AError('invalidAgentResponse', `The agent's response is not valid A2A: ${what}.`);

/** An event that is sent but is not part of the log: a leading Task with its generation, or a direct Message without one. */
export const unloggedEvent = (event: StreamResponse, seq: number, at: number, generation = 0): LoggedEvent => ({
  seq,
  at,
  generation,
  event,
  json: JSON.stringify(event),
});

export async function* singleEvent(event: LoggedEvent): AsyncGenerator<LoggedEvent> {
  yield event;
}

/** Characters of an exception's message that a caller sees. */
const maxMessageLength = 500;

/** Describes an agent's exception. Its text may hold secrets, so only callers on this machine and the log get it. */
export function describeAgentFailure(thrown: unknown, local: boolean): string {
  if (!local) return 'The agent failed.';
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const calls = thrown instanceof Error ? authorFrames(thrown.stack) : [];
  const place = sourceLocationOf(thrown);
  const where = place === undefined ? '' : ` (${place})`;
  const stack = calls.length > 1 ? `\n    ${calls.join('\n    ')}` : '';
  return `The agent failed: ${text.slice(0, maxMessageLength)}${where}${stack}`;
}

/** The events that an agent's method returned. Throws `invalidAgentResponse` when it returned something else. */
export function requireEvents(
  returned: AsyncIterable<StreamResponse> | undefined,
  method = 'execute',
): AsyncIterable<StreamResponse> {
  const value: unknown = returned;
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value)
    return value as AsyncIterable<StreamResponse>;
  const isPromise = value instanceof Promise;
  // Rejections of the promise are ignored: an unhandled rejection would end the process.
  if (isPromise) value.catch(() => undefined);
  throw new A2AError(
    'invalidAgentResponse',
    `The agent's ${method} returned ${isPromise ? 'a promise' : typeof value} instead of events. ${generatorHint(method)}`,
  );
}

/** Advice for an agent's method that is not a generator. */
export const generatorHint = (method: string): string =>
  `Write \`async *${method}(…)\`, with the asterisk, and yield events.`;
