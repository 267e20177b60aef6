import type { TaskPushNotificationConfig } from '../model/a2a.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import type { HandlerInput, SendOperation } from './handler.ts';
import { pushPath, requireCapability, requireFewWebhooks, requireWebhook } from './rules.ts';

/** The webhook that comes with a message, checked. Undefined also where it is optional and the agent has no push. */
export function messageWebhookOf({
  request,
  agent,
  context,
  deps,
}: HandlerInput<SendOperation>): TaskPushNotificationConfig | undefined {
  const webhook = request.configuration?.taskPushNotificationConfig;
  if (!webhook) return undefined;
  if (context.semantics.pushIfAble && !agent.card.capabilities.pushNotifications) {
    context.notes.losses.add(pushPath);
    return undefined;
  }
  requireCapability(agent, 'pushNotifications');
  requireWebhook(webhook, deps.judgeWebhook, `${pushPath}.`);
  return webhook;
}

/** Refuses a webhook over the limits before the agent gets the message. */
export async function requireRoomForWebhook(
  { request, owner, deps, tasks }: HandlerInput<SendOperation>,
  webhook: TaskPushNotificationConfig,
): Promise<void> {
  const { limits, store } = deps;
  if (!limits.webhooks) return;
  const { taskId } = request.message;
  const task = taskId ? (tasks.peek(owner, taskId) ?? (await store.lastUse(owner, taskId))) : undefined;
  const existing = task && { key: task.key, id: webhook.id || taskId || '' };
  requireFewWebhooks(await store.webhookExcess(owner.principal, existing, limits.webhooks), `${pushPath}.`);
}

/** Stores a message's webhook, which gets every event of the turn. */
export async function putMessageWebhook(
  { context, deps }: HandlerInput<SendOperation>,
  webhook: TaskPushNotificationConfig,
  { live, after, isRepeated }: { readonly live: LiveTask; readonly after: number; readonly isRepeated?: true },
): Promise<void> {
  await live.settled();
  const taskId = live.record.id;
  const config = { ...webhook, id: webhook.id || taskId, taskId };
  // The first call with the key may have failed after its turn began and before its webhook was stored.
  if (isRepeated && (await deps.store.getPushConfig(live.key, config.id))) return;
  const { dialect, hops } = context;
  const origin = { after, hops, bounds: deps.limits.webhooks };
  // Other webhooks may have been added since the limits were checked.
  requireFewWebhooks(await deps.store.putPushConfig(live.key, config, dialect, origin), `${pushPath}.`);
}
