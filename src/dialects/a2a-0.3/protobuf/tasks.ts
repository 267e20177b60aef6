import type { Task, TaskState, TaskStatus } from '../../../core/model/a2a.ts';
import type {
  TaskState as WireState,
  TaskStatus as WireStatus,
  Task as WireTask,
} from '../../../gen/a2a-v0_3/types.ts';
import type { CodecContext } from '../../kernel/codec.ts';
import { decodeMetadata, encodeMetadata } from '../metadata.ts';
import { decodeArtifact, decodeMessage, encodeArtifact, encodeMessage, missing } from './messages.ts';

/** Tasks in the protobuf shape. The states are those of v1, but for the spelling of one. */

const decodeState = (state: WireState = 'TASK_STATE_UNSPECIFIED'): TaskState =>
  state === 'TASK_STATE_CANCELLED' ? 'TASK_STATE_CANCELED' : state;

/** Undefined for the state that is the proto's default. */
function encodeState(state: TaskState): WireState | undefined {
  if (state === 'TASK_STATE_CANCELED') return 'TASK_STATE_CANCELLED';
  return state === 'TASK_STATE_UNSPECIFIED' ? undefined : state;
}

/** A canonical status; one that is absent says nothing but that the state is unspecified. */
export function decodeStatus(wire: WireStatus | undefined, cx: CodecContext): TaskStatus {
  const status: TaskStatus = { state: decodeState(wire?.state) };
  if (wire?.message) status.message = decodeMessage(wire.message, cx);
  if (wire?.timestamp !== undefined) status.timestamp = wire.timestamp;
  return status;
}

/**
 * A status as it is written.
 *
 * @param at path of the status for losses, with its dot
 */
export function encodeStatus({ state, message, timestamp }: TaskStatus, cx: CodecContext, at: string): WireStatus {
  const encoded = encodeState(state);
  const wire: WireStatus = encoded === undefined ? {} : { state: encoded };
  if (message) wire.message = encodeMessage(message, cx, `${at}message.`);
  if (timestamp !== undefined) wire.timestamp = timestamp;
  return wire;
}

/**
 * A canonical task.
 *
 * @param at path of the task, with its dot; '' at the root
 * @throws A2AError `invalidParams` when the task, or an artifact of it, has no id
 */
export function decodeTask(wire: WireTask, cx: CodecContext, at: string): Task {
  const { id, contextId, artifacts, history } = wire;
  if (!id) throw missing(`${at}id`);
  const task: Task = { id, status: decodeStatus(wire.status, cx) };
  if (contextId) task.contextId = contextId;
  if (artifacts) task.artifacts = artifacts.map((artifact, i) => decodeArtifact(artifact, cx, `${at}artifacts[${i}].`));
  if (history) task.history = history.map((message) => decodeMessage(message, cx));
  const metadata = decodeMetadata(wire.metadata);
  if (metadata) task.metadata = metadata;
  return task;
}

/**
 * A task as it is written.
 *
 * @param at path of the task for losses, with its dot; '' at the root
 */
export function encodeTask(task: Task, cx: CodecContext, at: string): WireTask {
  const { id, contextId, artifacts, history } = task;
  const wire: WireTask = { id };
  if (contextId) wire.contextId = contextId;
  wire.status = encodeStatus(task.status, cx, `${at}status.`);
  if (artifacts?.length) wire.artifacts = artifacts.map((artifact) => encodeArtifact(artifact, cx, `${at}artifacts.`));
  if (history?.length) wire.history = history.map((message) => encodeMessage(message, cx, `${at}history.`));
  const metadata = encodeMetadata(task.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}
