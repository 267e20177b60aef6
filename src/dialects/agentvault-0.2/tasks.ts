import type { Message, Task, TaskState } from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { TaskFacts } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskState as VaultState, Task as VaultTask } from '../../gen/agentvault-0.2/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { decodeTime as decodeIsoTime } from '../kernel/reader.ts';
import { decodeArtifact, encodeArtifact } from './artifacts.ts';
import { decodeMessage, decodeMetadata, encodeMessage, encodeMetadata, preserved, v1Facts } from './messages.ts';

/** The client's validator knows six states; any other makes it drop the event or the task. */
const states: Readonly<Record<TaskState, VaultState>> = {
  TASK_STATE_UNSPECIFIED: 'SUBMITTED',
  TASK_STATE_SUBMITTED: 'SUBMITTED',
  TASK_STATE_WORKING: 'WORKING',
  TASK_STATE_INPUT_REQUIRED: 'INPUT_REQUIRED',
  TASK_STATE_AUTH_REQUIRED: 'INPUT_REQUIRED',
  TASK_STATE_COMPLETED: 'COMPLETED',
  TASK_STATE_FAILED: 'FAILED',
  TASK_STATE_REJECTED: 'FAILED',
  TASK_STATE_CANCELED: 'CANCELED',
};

/** The name of a state in AgentVault. */
export const encodeState = (state: TaskState): VaultState => states[state];

/** The v1 state of an AgentVault one. */
export const decodeState = (state: VaultState): TaskState => `TASK_STATE_${state}`;

/** Whether AgentVault has no word for a state. */
export const isForeign = (state: TaskState): boolean => decodeState(states[state]) !== state;

/** ISO 8601 or seconds since the epoch, as UTC with milliseconds. */
export function decodeTime(time: string | number, field: string): string {
  if (typeof time === 'string') return decodeIsoTime(time, field);
  const date = new Date(time * 1_000);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw A2AError.invalidParams(undefined, [{ field, description: 'must be a time in seconds since the epoch' }]);
}

/**
 * A task as tasks/get answers it, with the nulls that real servers write.
 *
 * @param facts when it was made and changed; without them the task's own status says when
 */
export function encodeTask(task: Task, cx: CodecContext, facts?: TaskFacts): Required<VaultTask> {
  const { status } = task;
  const stated = status.timestamp ?? (facts ? undefined : timestamp());
  const updatedAt = facts ? timestamp(facts.updatedAt) : (stated as string);
  const createdAt = facts ? timestamp(facts.createdAt) : (preserved(task.metadata).createdAt ?? updatedAt);
  if (task.contextId !== task.id) cx.unreported?.add('contextId');
  if (status.timestamp !== undefined && status.timestamp !== updatedAt) cx.unreported?.add('status.timestamp');
  // Any other current message is told among the messages.
  if (status.message && isStatusText(status.message)) cx.unreported?.add('status.message');
  const foreign = isForeign(status.state) ? { state: status.state } : undefined;
  return {
    id: task.id,
    state: states[status.state],
    createdAt,
    updatedAt,
    messages: spoken(task).map((message) => encodeMessage(message, cx, 'history.', task.id, task.id)),
    artifacts: (task.artifacts ?? []).map((artifact) => encodeArtifact(artifact, cx, 'artifacts.', task.id)),
    metadata: encodeMetadata(task.metadata, foreign),
  };
}

/** The history and the current status message, without what an AgentVault agent said as a status text. */
function spoken({ history = [], status }: Task): readonly Message[] {
  const current = status.message;
  const isNew = current && !history.some(({ messageId }) => messageId === current.messageId);
  const messages = isNew ? [...history, current] : history;
  return messages.filter((message) => !isStatusText(message));
}

/** Whether a message was nothing but the text of a status. */
function isStatusText({ metadata }: Message): boolean {
  const { event, repeats } = preserved(metadata);
  return event === 'task_status' && repeats !== true;
}

/**
 * A task that was validated before. Its context is the task itself, since AgentVault knows none. Message ids are made
 * from the position, so that reading the task twice gives the same ones.
 */
export function decodeTask(task: VaultTask): { readonly value: Task; readonly facts: TaskFacts } {
  const { id, messages = [], artifacts = [] } = task;
  const createdAt = decodeTime(task.createdAt, 'createdAt');
  const updatedAt = decodeTime(task.updatedAt, 'updatedAt');
  const ids = { taskId: id, contextId: id };
  const value: Task = {
    id,
    contextId: id,
    status: { state: stateOf(task), timestamp: updatedAt },
    ...(artifacts.length > 0 && { artifacts: artifacts.map(decodeArtifact) }),
    ...(messages.length > 0 && {
      history: messages.map((message, at) => decodeMessage(message, { ...ids, messageId: `${id}/${at}` })),
    }),
    ...decodeMetadata(task.metadata, { createdAt }),
  };
  return { value, facts: { createdAt: Date.parse(createdAt), updatedAt: Date.parse(updatedAt) } };
}

/** The state that another gateway kept, where it is one that goes by this name. */
function stateOf({ state, metadata }: VaultTask): TaskState {
  const original = v1Facts(metadata).state;
  const known = typeof original === 'string' && Object.hasOwn(states, original) ? (original as TaskState) : undefined;
  return known !== undefined && states[known] === state ? known : decodeState(state);
}
