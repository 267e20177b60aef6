import { A2AError } from '../../core/errors.ts';
import * as guards from '../../gen/a2a-php-0.3/guards.ts';
import { validators } from '../../gen/a2a-php-0.3/validators.ts';
import type { Struct } from '../../gen/a2a-v1/types.ts';
import { parseWith } from '../../wire/validate.ts';
import { isObject } from '../errors.ts';

/** The definitions that are read as a whole. */
const checks = {
  Message: guards.isMessage,
  Task: guards.isTask,
  TaskStatusUpdateEvent: guards.isTaskStatusUpdateEvent,
  TaskArtifactUpdateEvent: guards.isTaskArtifactUpdateEvent,
  TaskPushNotificationConfig: guards.isTaskPushNotificationConfig,
  TaskPushNotificationConfigs: guards.isTaskPushNotificationConfigs,
  MessageSendParams: guards.isMessageSendParams,
  TaskSendParams: guards.isTaskSendParams,
  TaskQueryParams: guards.isTaskQueryParams,
  TaskIdParams: guards.isTaskIdParams,
  SetPushNotificationConfigParams: guards.isSetPushNotificationConfigParams,
} as const;

type Checks = typeof checks;
type Shape<K extends keyof Checks> = Checks[K] extends (value: unknown) => value is infer T ? T : never;

/**
 * What arrived, as a shape of the PHP SDK. It is the value itself, with members that the shape does not know.
 *
 * @throws A2AError of kind `invalidParams`, naming the faulty fields
 */
export function read<K extends keyof Checks>(name: K, value: unknown): Shape<K> {
  if (checks[name](value)) return value as Shape<K>;
  return parseWith<Shape<K>>(validators[name], value);
}

/**
 * An object that PHP may have written as an empty list; undefined when it is that, or there is none.
 *
 * @param field path of the value, for the error
 * @throws A2AError `invalidParams` when it is a list with items
 */
export function objectOf(value: Struct | readonly unknown[] | null | undefined, field: string): Struct | undefined {
  if (isObject(value)) return value as Struct;
  if (!value || (value as readonly unknown[]).length === 0) return undefined;
  throw A2AError.invalidParams(undefined, [{ field, description: 'must be an object' }]);
}
