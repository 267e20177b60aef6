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

/** Key of the task that the configurations belong to. */
async function taskOf(input: HandlerInput<PushOperation>): Promise<string> {
  const { request, context, agent, owner, deps, tasks, dialects } = input;
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
  async CreateTaskPushNotificationConfig(input) {
    requireWebhook(input.request, input.deps.judgeWebhook);
    const key = await taskOf(input);
    // A configuration without an id gets the task's, as in the official servers: older clients look it up by that id.
    const config = { ...input.request, id: input.request.id || input.request.taskId || '' };
    const { dialect, hops } = input.context;
    const { store, limits } = input.deps;
    requireFewWebhooks(await store.putPushConfig(key, config, dialect, { hops, bounds: limits.webhooks }));
    return { value: config };
  },

  async GetTaskPushNotificationConfig(input) {
    const { request, context, deps } = input;
    const key = await taskOf(input);
    const config =
      (await deps.store.getPushConfig(key, request.id)) ??
      (context.semantics.anyConfig && (await deps.store.listPushConfigs(key, { size: 1, token: '' })).configs[0]);
    if (!config) throw noConfig(request.taskId, request.id);
    return { value: config };
  },

  async ListTaskPushNotificationConfigs(input) {
    const { request, context, agent, owner, deps } = input;
    requireRange('pageSize', request.pageSize, 0, page.max);
    const { reservation } = context;
    const ofAll = context.semantics.everyTask && !request.taskId;
    if (ofAll) requireCapability(agent, 'pushNotifications');
    const key = ofAll ? undefined : await taskOf(input);
    const size = request.pageSize || page.size;
    let reserved = 0;
    const read = (token: string): Promise<PushConfigPage> => {
      // All pages stay in memory until the answer is sent.
      const reserve = (bytes: number): Promise<void> | undefined => {
        reserved += bytes;
        return reservation?.reserve(reserved);
      };
      const query = { size, token, bytes: deps.limits.page };
      if (key === undefined) return deps.store.listOwnersPushConfigs(owner, query, { reserve });
      return deps.store.listPushConfigs(key, query, { reserve });
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

  /** Deleting a configuration that does not exist succeeds, except for dialects that answer with an error. */
  async DeleteTaskPushNotificationConfig(input) {
    const { request, context, deps } = input;
    const key = await taskOf(input);
    const deleted = await deps.store.deletePushConfig(key, request.id);
    if (!deleted && context.semantics.mustExist) throw noConfig(request.taskId, request.id);
    return { value: {} };
  },
};
