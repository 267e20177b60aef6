import type { Message, SendMessageRequest, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { CallContext } from '../model/call.ts';
import { pushPath, requireCapability, requireFewWebhooks, requireWebhook } from './rules.ts';
import type { SendInput, StartedTurn } from './sending.ts';

/** A webhook that is registered with a message receives everything that comes of the message. */
export async function putMessageWebhook(
  { context, deps }: SendInput,
  push: TaskPushNotificationConfig,
  { live, after, known }: Exclude<StartedTurn, { message: Message }>,
): Promise<void> {
  await live.settled();
  const { dialect, hops } = context;
  const config = keptPush(push, live.record.id);
  // The first call may have ended between its turn and its webhook.
  if (known && (await deps.store.getPushConfig(live.key, config.id))) return;
  const origin = { after, hops, bounds: deps.limits.webhooks };
  // Others may have come between.
  requireFewWebhooks(await deps.store.putPushConfig(live.key, config, dialect, origin), `${pushPath}.`);
}

/** Before the message becomes work: one whose webhook is refused must not be carried out. */
export async function requireRoomForWebhook(
  { request, owner, deps, tasks }: SendInput,
  push: TaskPushNotificationConfig,
): Promise<void> {
  const { limits, store } = deps;
  if (!limits.webhooks) return;
  const { taskId } = request.message;
  const used = taskId ? (tasks.peek(owner, taskId) ?? (await store.lastUse(owner, taskId))) : undefined;
  const place = used && { key: used.key, id: push.id || taskId || '' };
  requireFewWebhooks(await store.webhookExcess(owner.principal, place, limits.webhooks), `${pushPath}.`);
}

/** The push configuration that comes with the message, if it is to be kept. */
export function messageWebhookOf({ request, agent, context, deps }: SendInput): TaskPushNotificationConfig | undefined {
  const push = pushWith(request, agent, context);
  if (!push) {
    if (request.configuration?.taskPushNotificationConfig) context.notes.losses.add(pushPath);
    return undefined;
  }
  requireCapability(agent, 'pushNotifications');
  requireWebhook(push, deps.judgeWebhook, `${pushPath}.`);
  return push;
}

/** The push configuration that comes with a message; undefined also where it is a wish that the agent cannot fulfil. */
function pushWith(
  { configuration }: SendMessageRequest,
  agent: Agent,
  { semantics }: CallContext,
): TaskPushNotificationConfig | undefined {
  const push = configuration?.taskPushNotificationConfig;
  return semantics.pushIfAble && !agent.card.capabilities.pushNotifications ? undefined : push;
}

/** The configuration as when it is made by itself: without a name it has its task's. */
const keptPush = (
  push: TaskPushNotificationConfig,
  taskId: string,
): TaskPushNotificationConfig & { readonly id: string } => ({ ...push, id: push.id || taskId, taskId });
