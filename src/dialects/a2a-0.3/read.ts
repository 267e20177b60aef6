import * as guards from '../../gen/a2a-0.3/guards.ts';
import { validators } from '../../gen/a2a-0.3/validators.ts';
import { type Reader, readerOf } from '../kernel/reader.ts';

/** The definitions that are read as a whole. */
const shapes = {
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

export type Shape = keyof typeof shapes;

/** Reads shapes of A2A 0.3 over JSON-RPC. */
export const read: Reader<typeof shapes> = readerOf(shapes, validators);
