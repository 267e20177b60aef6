import * as guards from '../../gen/a2a-0.1/guards.ts';
import type * as wire from '../../gen/a2a-0.1/types.ts';
import { validators } from '../../gen/a2a-0.1/validators.ts';
import { parseWith } from '../../wire/validate.ts';

/** The shapes that arrive on their own, with the guards that say quickly that a value is one. */
const shapes = {
  Message: guards.isMessage,
  Task: guards.isTask,
  TaskStatusUpdateEvent: guards.isTaskStatusUpdateEvent,
  TaskArtifactUpdateEvent: guards.isTaskArtifactUpdateEvent,
  TaskSendParams: guards.isTaskSendParams,
  TaskQueryParams: guards.isTaskQueryParams,
  TaskIdParams: guards.isTaskIdParams,
  TaskPushNotificationConfig: guards.isTaskPushNotificationConfig,
  AgentCard: guards.isAgentCard,
} as const;

interface Shapes {
  Message: wire.Message;
  Task: wire.Task;
  TaskStatusUpdateEvent: wire.TaskStatusUpdateEvent;
  TaskArtifactUpdateEvent: wire.TaskArtifactUpdateEvent;
  TaskSendParams: wire.TaskSendParams;
  TaskQueryParams: wire.TaskQueryParams;
  TaskIdParams: wire.TaskIdParams;
  TaskPushNotificationConfig: wire.TaskPushNotificationConfig;
  AgentCard: wire.AgentCard;
}

/**
 * A value that arrived, as what it is to be. Keys that the shape does not know are still there.
 *
 * @throws A2AError `invalidParams` naming the faulty fields
 */
export function read<K extends keyof Shapes>(name: K, value: unknown): Shapes[K] {
  return shapes[name](value) ? (value as Shapes[K]) : parseWith<Shapes[K]>(validators[name], value);
}
