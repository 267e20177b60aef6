import type { SendMessageRequest, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import { type CallContext, type CallSemantics, keepingAll } from '../model/call.ts';
import { sha256 } from '../model/crypto.ts';
import type { RuledField } from '../model/errors.ts';
import { A2AError } from '../model/errors.ts';
import { ownWebhookPrefix, type PushConfigPage, type WebhookExcess } from '../ports/push-store.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import type { HandlerInput, Handlers, SendOperation } from './handler.ts';
import { fault, requireCapability, requireRange, requireText } from './rules.ts';

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
  if (live?.log.committed === 0) await live.journal.settled();
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
    const { dialect, hops, semantics } = input.context;
    const { store, limits } = input.deps;
    const taskId = input.request.taskId ?? '';
    const config = { ...input.request, id: await idOf(input.request, { key, taskId }, store, semantics) };
    requireFewWebhooks(await store.putPushConfig(key, config, dialect, { hops, bounds: limits.webhooks }));
    return { value: config };
  },

  async GetTaskPushNotificationConfig(input) {
    const { request, context, deps } = input;
    const key = await taskOf(input);
    const config =
      (isOwn(request.id) ? undefined : await deps.store.getPushConfig(key, request.id)) ??
      (context.semantics.anyConfig && (await deps.store.listPushConfigs(key, { size: 1, token: '' })).configs[0]);
    if (!config) throw noConfig(request.taskId, request.id);
    return { value: config };
  },

  async ListTaskPushNotificationConfigs(input) {
    const { request, context, agent, owner, deps } = input;
    requireRange('pageSize', request.pageSize, 0, page.max);
    const ofAll = context.semantics.everyTask && !request.taskId;
    if (ofAll) requireCapability(agent, 'pushNotifications');
    const key = ofAll ? undefined : await taskOf(input);
    const size = request.pageSize || page.size;
    // All pages stay in memory until the answer is sent.
    const requester = keepingAll(context);
    const read = (token: string): Promise<PushConfigPage> => {
      const query = { size, token, bytes: deps.limits.page };
      if (key === undefined) return deps.store.listOwnersPushConfigs(owner, query, requester);
      return deps.store.listPushConfigs(key, query, requester);
    };
    const value: PushConfigPage = { configs: [], nextPageToken: request.pageToken ?? '' };
    do {
      const { configs, nextPageToken } = await read(value.nextPageToken);
      value.configs.push(...configs);
      value.nextPageToken = nextPageToken;
    } while (context.semantics.wholeList && value.nextPageToken !== '');
    return { value };
  },

  /** Deleting a configuration that does not exist succeeds, except for dialects that answer with an error. */
  async DeleteTaskPushNotificationConfig(input) {
    const { request, context, deps } = input;
    const key = await taskOf(input);
    const deleted = !isOwn(request.id) && (await deps.store.deletePushConfig(key, request.id));
    if (!deleted && context.semantics.mustExist) throw noConfig(request.taskId, request.id);
    return { value: {} };
  },
};

/**
 * The id of a configuration. Without one, the first of a task gets the id of the task, as in the official servers: older clients
 * look it up by that id. Another receiver is another configuration (A2A 1.0.1 section 3.1.7: they persist until they are
 * deleted); the same receiver replaces its own, since clients send the configuration with every message.
 */
async function idOf(
  webhook: TaskPushNotificationConfig,
  { key, taskId }: { readonly key: string; readonly taskId: string },
  store: HandlerInput['deps']['store'],
  { oneWebhook }: CallSemantics,
): Promise<string> {
  if (webhook.id) return webhook.id;
  if (oneWebhook) return taskId;
  const first = await store.getPushConfig(key, taskId);
  if (!first || receiverOf(first) === receiverOf(webhook)) return taskId;
  return sha256(receiverOf(webhook)).slice(0, 22);
}

/** URL and token of a receiver as one text, by which receivers are compared. */
const receiverOf = ({ url, token = '' }: TaskPushNotificationConfig): string => JSON.stringify([url, token]);

const pushPath = 'configuration.taskPushNotificationConfig';

/** Whether a webhook is one of the gateway's own. Callers do not see these. */
const isOwn = (id = ''): boolean => id.startsWith(ownWebhookPrefix);

type FieldPrefix = '' | `${typeof pushPath}.`;

/**
 * Largest number of bytes of a webhook's URL, of its token and of its credentials, each of which is sent with every notification.
 */
const maxFieldBytes = 8 * 1_024;

/** Whether a text can be sent in a header (RFC 9110 section 5.5). */
const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

const excesses: Readonly<Record<WebhookExcess, string>> = {
  perTask: 'exceeds the limit of webhooks per task (limits.webhooks.perTask); delete another webhook of the task first',
  perPrincipal:
    'exceeds the limit of active webhooks per caller (limits.webhooks.perPrincipal); delete others, or wait for their tasks to end',
};

function requireFewWebhooks(excess: WebhookExcess | undefined, prefix: FieldPrefix = ''): void {
  if (excess !== undefined) throw fault(`${prefix}url`, excesses[excess]);
}

/** Checks that a webhook is an absolute http or https URL which the gateway may call. */
function requireWebhook(
  { id, url: text, token = '', authentication }: TaskPushNotificationConfig,
  judge: HandlerInput['deps']['judgeWebhook'],
  prefix: FieldPrefix = '',
): void {
  const fields = { token, 'authentication.credentials': authentication?.credentials ?? '', url: text } as const;
  for (const [field, value] of Object.entries(fields)) {
    if (Buffer.byteLength(value) > maxFieldBytes)
      throw fault(`${prefix}${field}` as RuledField, 'must have at most 8 KiB');
  }
  const { scheme = '', credentials = '' } = authentication ?? {};
  const headers = { token, 'authentication.credentials': scheme + credentials } as const;
  for (const [field, value] of Object.entries(headers)) {
    if (isHeaderValue(value)) continue;
    const description = 'must not have line breaks or other characters that a header cannot carry';
    throw fault(`${prefix}${field}` as RuledField, description);
  }
  if (isOwn(id)) throw fault(`${prefix}id` as RuledField, `must not begin with ${ownWebhookPrefix}`);
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw fault(`${prefix}url`, 'must be an http or https URL');
  }
  const objection = judge?.(text);
  if (objection !== undefined) throw fault(`${prefix}url`, objection);
}

/**
 * The webhook that comes with a message. Also undefined if the webhook is optional and the agent supports no push notifications,
 * which is noted as a loss.
 */
function webhookOf({ configuration }: SendMessageRequest, agent: Agent, { semantics, notes }: CallContext) {
  const webhook = configuration?.taskPushNotificationConfig;
  if (!webhook) return undefined;
  if (semantics.pushIfAble && !agent.card.capabilities.pushNotifications) {
    notes.losses.add(pushPath);
    return undefined;
  }
  requireCapability(agent, 'pushNotifications');
  return webhook;
}

/** A request for an agent that has webhooks of its own or none. A webhook that is optional and would be refused is removed. */
export function withoutOptionalWebhook(request: SendMessageRequest, agent: Agent, context: CallContext) {
  if (!request.configuration?.taskPushNotificationConfig || webhookOf(request, agent, context)) return request;
  const { taskPushNotificationConfig: _, ...configuration } = request.configuration;
  return { ...request, configuration };
}

/** The webhook that comes with a message, checked. */
export function messageWebhookOf({ request, agent, context, deps }: HandlerInput<SendOperation>) {
  const webhook = webhookOf(request, agent, context);
  if (webhook) requireWebhook(webhook, deps.judgeWebhook, `${pushPath}.`);
  return webhook;
}

/** Refuses a webhook over the limits before the agent gets the message. */
export async function requireRoomForWebhook(
  { request, context, owner, deps, tasks }: HandlerInput<SendOperation>,
  webhook: TaskPushNotificationConfig,
): Promise<void> {
  const { limits, store } = deps;
  if (!limits.webhooks) return;
  const { taskId } = request.message;
  const task = taskId ? (tasks.peek(owner, taskId) ?? (await store.lastUse(owner, taskId))) : undefined;
  const of = task && { key: task.key, taskId: taskId ?? '' };
  const existing = of && { key: of.key, id: await idOf(webhook, of, store, context.semantics) };
  requireFewWebhooks(await store.webhookExcess(owner.principal, existing, limits.webhooks), `${pushPath}.`);
}

/** Stores a message's webhook, which gets every event of the turn. */
export async function putMessageWebhook(
  { context, deps }: HandlerInput<SendOperation>,
  webhook: TaskPushNotificationConfig,
  { live, after, isRepeated }: { readonly live: LiveTask; readonly after: number; readonly isRepeated?: true },
): Promise<void> {
  await live.journal.settled();
  const taskId = live.record.id;
  const id = await idOf(webhook, { key: live.key, taskId }, deps.store, context.semantics);
  const config = { ...webhook, id, taskId };
  // The first call with the key may have failed after its turn began and before its webhook was stored.
  if (isRepeated && (await deps.store.getPushConfig(live.key, config.id))) return;
  const { dialect, hops } = context;
  const origin = { after, hops, bounds: deps.limits.webhooks };
  // Other webhooks may have been added since the limits were checked.
  requireFewWebhooks(await deps.store.putPushConfig(live.key, config, dialect, origin), `${pushPath}.`);
}
