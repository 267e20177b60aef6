import type { Artifact, Task, TaskState, TaskStatus } from '../../core/model/a2a.ts';
import type { Artifact as WireArtifact, TaskStatus as WireStatus, Task as WireTask } from '../../gen/a2a-0.3/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { decodeTime } from '../kernel/time.ts';
import { decodeMessage, encodeMessage } from './messages.ts';
import { decodeMetadata, encodeMetadata, keptIn } from './metadata.ts';
import { decodeParts, encodeParts } from './parts.ts';

/** The names of the states. */
const states: Readonly<Record<TaskState, string>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
};

const decodedStates = new Map(Object.entries(states).map(([state, name]) => [name, state as TaskState]));

/** The v1 state of a name; a name that is not A2A's is unspecified. */
export const decodeState = (name: string): TaskState => decodedStates.get(name) ?? 'TASK_STATE_UNSPECIFIED';

/**
 * The name of a v1 state.
 *
 * @param foreign the name that stood there, where it was not A2A's; it counts only for a state that is unspecified
 */
export const encodeState = (state: TaskState, foreign?: string): string =>
  foreign !== undefined && state === 'TASK_STATE_UNSPECIFIED' ? foreign : states[state];

/** A state's name, where it is not A2A's and has to be kept. */
export const foreignState = (name: string): string | undefined => (decodedStates.has(name) ? undefined : name);

/**
 * A status that was checked before.
 *
 * @param at path of the status, with its dot
 * @throws A2AError `invalidParams` naming a time or a part that does not fit
 */
export function decodeStatus(wire: WireStatus, at: string): TaskStatus {
  const status: TaskStatus = { state: decodeState(wire.state) };
  if (wire.message) status.message = decodeMessage(wire.message, `${at}message.`);
  if (wire.timestamp) status.timestamp = decodeTime(wire.timestamp, `${at}timestamp`);
  return status;
}

/**
 * A status as it is written.
 *
 * @param at path of the status for losses, with its dot
 * @param foreign as for `encodeState`
 */
export function encodeStatus(status: TaskStatus, cx: CodecContext, at: string, foreign?: string): WireStatus {
  const wire: WireStatus = { state: encodeState(status.state, foreign) };
  if (status.message) wire.message = encodeMessage(status.message, cx, `${at}message.`);
  if (status.timestamp !== undefined) wire.timestamp = status.timestamp;
  return wire;
}

/**
 * An artifact that was checked before.
 *
 * @param at path of the artifact, with its dot
 * @throws A2AError `invalidParams` naming a part that does not fit
 */
export function decodeArtifact(wire: WireArtifact, at: string): Artifact {
  const artifact: Artifact = { artifactId: wire.artifactId, parts: decodeParts(wire.parts, at) };
  const { name, description, extensions } = wire;
  if (name) artifact.name = name;
  if (description) artifact.description = description;
  if (extensions?.length) artifact.extensions = extensions;
  const metadata = decodeMetadata(wire.metadata);
  if (metadata) artifact.metadata = metadata;
  return artifact;
}

/**
 * An artifact as it is written.
 *
 * @param at path of the artifact for losses, with its dot
 */
export function encodeArtifact(artifact: Artifact, cx: CodecContext, at: string): WireArtifact {
  const wire: WireArtifact = { artifactId: artifact.artifactId, parts: encodeParts(artifact.parts, cx, at) };
  const { name, description, extensions } = artifact;
  if (name !== undefined) wire.name = name;
  if (description !== undefined) wire.description = description;
  if (extensions !== undefined) wire.extensions = extensions;
  const metadata = encodeMetadata(artifact.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}

/**
 * A task that was checked before.
 *
 * @param at path of the task, with its dot; '' at the root
 * @throws A2AError `invalidParams` naming a time or a part that does not fit
 */
export function decodeTask(wire: WireTask, at = ''): Task {
  const task: Task = { id: wire.id, status: decodeStatus(wire.status, `${at}status.`) };
  const { contextId, artifacts, history } = wire;
  if (contextId) task.contextId = contextId;
  if (artifacts?.length)
    task.artifacts = artifacts.map((artifact, i) => decodeArtifact(artifact, `${at}artifacts[${i}].`));
  if (history?.length) task.history = history.map((message, i) => decodeMessage(message, `${at}history[${i}].`));
  const state = foreignState(wire.status.state);
  const metadata = decodeMetadata(wire.metadata, state === undefined ? undefined : { state });
  if (metadata) task.metadata = metadata;
  return task;
}

/**
 * A task as it is written.
 *
 * @param at path of the task for losses, with its dot; '' at the root
 */
export function encodeTask(task: Task, cx: CodecContext, at = ''): WireTask {
  const foreign = keptIn(task.metadata).state;
  const wire: WireTask = {
    kind: 'task',
    id: task.id,
    contextId: task.contextId ?? '',
    status: encodeStatus(task.status, cx, `${at}status.`, foreign),
  };
  const { artifacts, history } = task;
  if (artifacts !== undefined)
    wire.artifacts = artifacts.map((artifact) => encodeArtifact(artifact, cx, `${at}artifacts.`));
  if (history !== undefined) wire.history = history.map((message) => encodeMessage(message, cx, `${at}history.`));
  const metadata = encodeMetadata(task.metadata);
  if (metadata) wire.metadata = metadata;
  return wire;
}
