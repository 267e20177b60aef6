import * as guards from '../../gen/a2a-0.3/guards.ts';
import { validators } from '../../gen/a2a-0.3/validators.ts';
import { parseWith } from '../../wire/validate.ts';

/** The definitions that are read on the hot path. */
const checks = {
  Message: guards.isMessage,
  Task: guards.isTask,
  TaskStatusUpdateEvent: guards.isTaskStatusUpdateEvent,
  TaskArtifactUpdateEvent: guards.isTaskArtifactUpdateEvent,
  TaskPushNotificationConfig: guards.isTaskPushNotificationConfig,
  TaskPushNotificationConfigs: guards.isTaskPushNotificationConfigs,
  MessageSendParams: guards.isMessageSendParams,
  TaskQueryParams: guards.isTaskQueryParams,
  TaskIdParams: guards.isTaskIdParams,
  TaskPushNotificationConfigParams: guards.isTaskPushNotificationConfigParams,
} as const;

type Checks = typeof checks;
type Shape<K extends keyof Checks> = Checks[K] extends (value: unknown) => value is infer T ? T : never;

/**
 * What arrived, as a shape of A2A 0.3 over JSON-RPC. It is the value itself, with members that the shape does not know.
 *
 * @throws A2AError of kind `invalidParams`, naming the faulty fields
 */
export function read<K extends keyof Checks>(name: K, value: unknown): Shape<K> {
  if (checks[name](value)) return value as Shape<K>;
  return parseWith<Shape<K>>(validators[name], value);
}
