import { A2AError } from '../model/errors.ts';
import type { PushConfigPage } from '../ports/push-store.ts';
import type { HandlerInput, Handlers } from './handler.ts';
import { requireCapability, requireFewWebhooks, requireRange, requireText, requireWebhook } from './rules.ts';

type PushOperation =
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'DeleteTaskPushNotificationConfig';

const page = { size: 50, max: 100 };

/** Key of the task that the configuration hangs on. */
async function taskOf(handling: HandlerInput<PushOperation>): Promise<string> {
  const { request, context, agent, owner, deps, tasks, dialects } = handling;
  requireCapability(agent, 'pushNotifications');
  requireText('taskId', request.taskId);
  const live = tasks.peek(owner, request.taskId);
  await live?.created();
  const used = live ?? (await deps.store.lastUse(owner, request.taskId));
  if (!used) throw A2AError.taskNotFound(request.taskId);
  dialects.used(used, context.dialect);
  return used.key;
}

const noConfig = (taskId: string, id: string): A2AError =>
  new A2AError('taskNotFound', `The task has no push notification configuration ${id}`, {
    metadata: { taskId, pushNotificationConfigId: id },
  });

/** Push notification configurations of a task (A2A 1.0.1 sections 3.1.7 to 3.1.10). */
export const pushConfigHandlers: Pick<Handlers, PushOperation> = {
  async CreateTaskPushNotificationConfig(handling) {
    requireWebhook(handling.request, handling.deps.judgeWebhook);
    const key = await taskOf(handling);
    // The one without a name has its task's, as the official servers do it: older clients ask for it by that.
    const config = { ...handling.request, id: handling.request.id || handling.request.taskId || '' };
    const { dialect, hops } = handling.context;
    const { store, limits } = handling.deps;
    requireFewWebhooks(await store.putPushConfig(key, config, dialect, { hops, bounds: limits.webhooks }));
    return { value: config };
  },

  async GetTaskPushNotificationConfig(handling) {
    const { request, context, deps } = handling;
    const key = await taskOf(handling);
    const config =
      (await deps.store.getPushConfig(key, request.id)) ??
      (context.semantics.anyConfig && (await deps.store.listPushConfigs(key, { size: 1, token: '' })).configs[0]);
    if (!config) throw noConfig(request.taskId, request.id);
    return { value: config };
  },

  async ListTaskPushNotificationConfigs(handling) {
    const { request, context, agent, owner, deps } = handling;
    requireRange('pageSize', request.pageSize, 0, page.max);
    const { reservation } = context;
    const ofAll = context.semantics.everyTask && !request.taskId;
    if (ofAll) requireCapability(agent, 'pushNotifications');
    const key = ofAll ? undefined : await taskOf(handling);
    const size = request.pageSize || page.size;
    let reserved = 0;
    const read = (token: string): Promise<PushConfigPage> => {
      // What was read before stays in memory until all of it is answered.
      const reserve = (bytes: number): Promise<void> | undefined => {
        reserved += bytes;
        return reservation?.reserve(reserved);
      };
      const asked = { size, token, bytes: deps.limits.page };
      if (key === undefined) return deps.store.listOwnersPushConfigs(owner, asked, { reserve });
      return deps.store.listPushConfigs(key, asked, { reserve });
    };
    let { configs, nextPageToken } = await read(request.pageToken ?? '');
    const value = { configs: [...configs], nextPageToken };
    while (context.semantics.wholeList && nextPageToken !== '') {
      ({ configs, nextPageToken } = await read(nextPageToken));
      value.configs.push(...configs);
      value.nextPageToken = nextPageToken;
    }
    return { value };
  },

  /** Deleting what is not there succeeds, unless it must be there: deleting twice has the effect of deleting once. */
  async DeleteTaskPushNotificationConfig(handling) {
    const { request, context, deps } = handling;
    const key = await taskOf(handling);
    const deleted = await deps.store.deletePushConfig(key, request.id);
    if (!deleted && context.semantics.mustExist) throw noConfig(request.taskId, request.id);
    return { value: {} };
  },
};
