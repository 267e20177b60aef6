import { A2AError } from './errors.ts';
import type { Handlers, Handling } from './handling.ts';
import { newId } from './ids.ts';
import type { StoredTask } from './ports.ts';
import { requireCapability, requireRange, requireText, requireWebhook } from './rules.ts';

type PushOperation =
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'DeleteTaskPushNotificationConfig';

const page = { size: 50, max: 100 };

/** The task that the configuration hangs on. */
async function taskOf({ request, agent, owner, deps }: Handling<PushOperation>): Promise<StoredTask> {
  requireCapability(agent, 'pushNotifications');
  requireText('taskId', request.taskId);
  const stored = await deps.store.find(owner, request.taskId);
  if (!stored) throw A2AError.taskNotFound(request.taskId);
  return stored;
}

/** Push notification configurations of a task (A2A 1.0.1 sections 3.1.7 to 3.1.10). */
export const pushConfigHandlers: Pick<Handlers, PushOperation> = {
  async CreateTaskPushNotificationConfig(handling) {
    requireWebhook(handling.request);
    const { key } = await taskOf(handling);
    const config = { ...handling.request, id: handling.request.id || newId() };
    await handling.deps.store.putPushConfig(key, config, handling.context.dialect);
    return { value: config };
  },

  async GetTaskPushNotificationConfig(handling) {
    const { request, deps } = handling;
    const { key } = await taskOf(handling);
    const config = await deps.store.getPushConfig(key, request.id);
    if (config) return { value: config };
    throw new A2AError('taskNotFound', `The task has no push notification configuration ${request.id}`, {
      metadata: { taskId: request.taskId, pushNotificationConfigId: request.id },
    });
  },

  async ListTaskPushNotificationConfigs(handling) {
    const { request, deps } = handling;
    requireRange('pageSize', request.pageSize, 0, page.max);
    const { key } = await taskOf(handling);
    const { configs, nextPageToken } = await deps.store.listPushConfigs(key, {
      size: request.pageSize || page.size,
      token: request.pageToken ?? '',
    });
    return { value: { configs: [...configs], nextPageToken } };
  },

  /** Deleting what is not there succeeds: deleting twice has the effect of deleting once. */
  async DeleteTaskPushNotificationConfig(handling) {
    const { key } = await taskOf(handling);
    await handling.deps.store.deletePushConfig(key, handling.request.id);
    return { value: {} };
  },
};
