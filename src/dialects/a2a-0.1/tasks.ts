import { hash } from 'node:crypto';
import type { Task, TaskState, TaskStatus } from '../../core/model/a2a.ts';
import { newId } from '../../core/model/ids.ts';
import type {
  Message as LegacyMessage,
  TaskState as LegacyState,
  TaskStatus as LegacyStatus,
  Task as LegacyTask,
} from '../../gen/a2a-0.1/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { decodeTime } from '../kernel/reader.ts';
import { artifactPaths, decodeArtifacts, encodeArtifacts } from './artifacts.ts';
import { decodeMessage, encodeMessage, type MessagePaths, messagePaths } from './messages.ts';
import { decodeMetadata, encodeMetadata, type Facts, factsIn } from './metadata.ts';

/** Readers know seven states; any other makes them refuse the task. */
const states: Readonly<Record<TaskState, LegacyState>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'input-required',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_REJECTED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
};

const v1States: Readonly<Record<LegacyState, TaskState>> = {
  unknown: 'TASK_STATE_UNSPECIFIED',
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
};

/** What metadata must tell of a state for which A2A 0.1 has no word. */
export const stateFacts = (state: TaskState): Facts | undefined =>
  v1States[states[state]] === state ? undefined : { state };

/** The state that another gateway told of, where it is one that goes by this name. */
function decodeState(state: LegacyState, { state: original }: Facts): TaskState {
  const told = original as TaskState;
  return original !== undefined && Object.hasOwn(states, original) && states[told] === state ? told : v1States[state];
}

/** A status within a task or an update. */
export function encodeStatus(
  { state, message, timestamp }: TaskStatus,
  cx: CodecContext,
  paths: MessagePaths,
  taskId: string,
  contextId: string | undefined,
): LegacyStatus {
  const encoded: LegacyStatus = { state: states[state] };
  if (message) encoded.message = encodeMessage(message, cx, paths, taskId, contextId);
  if (timestamp !== undefined) encoded.timestamp = timestamp;
  return encoded;
}

/**
 * The inverse. Its message is called by what the status says and when, so that a stream and a poll call it the same.
 *
 * @param facts what the metadata beside the status tell
 */
export function decodeStatus(
  status: LegacyStatus,
  facts: Facts,
  taskId: string,
  contextId: string | undefined,
): TaskStatus {
  const { message, timestamp } = status;
  const decoded: TaskStatus = { state: decodeState(status.state, facts) };
  if (timestamp) decoded.timestamp = decodeTime(timestamp, 'status.timestamp');
  if (message) {
    decoded.message = decodeMessage(message, nameOf(status), 'status.message.', taskId, contextId);
  }
  return decoded;
}

/** The same for the same status, another for any other; one that does not say when it was is like no other. */
function nameOf({ state, timestamp, message }: LegacyStatus): string {
  if (!timestamp) return newId();
  return hash('sha256', JSON.stringify([timestamp, state, message]), 'base64url').slice(0, 22);
}

const historyPaths = messagePaths('history.');
const statusPaths = messagePaths('status.message.');
const paths = artifactPaths('artifacts.');

/** A task as results hold it: the history is a list in any case, as the Python server has it. */
export function encodeTask(task: Task, cx: CodecContext): LegacyTask {
  const { id, contextId, status, artifacts, history } = task;
  const encoded: LegacyTask = contextId
    ? { id, sessionId: contextId, status: encodeStatus(status, cx, statusPaths, id, contextId) }
    : { id, status: encodeStatus(status, cx, statusPaths, id, undefined) };
  if (artifacts && artifacts.length > 0) {
    encoded.artifacts = encodeArtifacts(artifacts, cx, paths);
  }
  encoded.history = [];
  for (const message of history ?? []) encoded.history.push(encodeMessage(message, cx, historyPaths, id, contextId));
  const metadata = encodeMetadata(task.metadata, stateFacts(status.state));
  if (metadata) encoded.metadata = metadata;
  return encoded;
}

/**
 * A task that was validated before. Messages are called by their position, so that reading the task twice gives the same
 * ids; a status message that is also the last of the history is called as it is there.
 */
export function decodeTask(task: LegacyTask): Task {
  const { id, artifacts, history } = task;
  const contextId = task.sessionId ?? undefined;
  const decoded: Task = { id, status: decodeStatus(task.status, factsIn(task.metadata), id, contextId) };
  if (contextId !== undefined) decoded.contextId = contextId;
  if (artifacts && artifacts.length > 0) decoded.artifacts = decodeArtifacts(artifacts);
  if (history && history.length > 0) {
    decoded.history = history.map((message, at) =>
      decodeMessage(message, `${id}/${at}`, `history[${at}].`, id, contextId),
    );
    const said = decoded.status.message;
    if (said && isSame(task.status.message, history.at(-1))) said.messageId = `${id}/${history.length - 1}`;
  }
  const metadata = decodeMetadata(task.metadata);
  if (metadata) decoded.metadata = metadata;
  return decoded;
}

const isSame = (one: LegacyMessage | null | undefined, other: LegacyMessage | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
