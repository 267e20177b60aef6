import type { SendMessageRequest, TaskPushNotificationConfig } from '../gen/a2a-v1/types.ts';
import type { Agent } from './agent.ts';
import type { CallContext } from './call.ts';

/** The push configuration that comes with a message; undefined also where it is a wish that the agent cannot fulfil. */
export function pushWith(
  { configuration }: SendMessageRequest,
  agent: Agent,
  { implied }: CallContext,
): TaskPushNotificationConfig | undefined {
  const push = configuration?.taskPushNotificationConfig;
  return implied.pushIfAble && !agent.card.capabilities.pushNotifications ? undefined : push;
}

/** The configuration as when it is made by itself: without a name it has its task's. */
export const keptPush = (
  push: TaskPushNotificationConfig,
  taskId: string,
): TaskPushNotificationConfig & { readonly id: string } => ({ ...push, id: push.id || taskId, taskId });
