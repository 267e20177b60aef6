import type { AgentCapabilities, SendMessageRequest, Task, TaskPushNotificationConfig } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { CallContext } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { RuledField } from '../model/request-fields.ts';
import type { WebhookExcess } from '../ports/push-store.ts';

/** What must hold before an operation is carried out. Each throws the error that A2A 1.0.1 gives it. */

const fault = (field: RuledField, description: string, metadata?: Readonly<Record<string, string>>): A2AError =>
  A2AError.invalidParams(undefined, [{ field, description }], metadata);

type Flag = 'streaming' | 'pushNotifications' | 'extendedAgentCard';

const refusals = {
  streaming: ['unsupportedOperation', 'The agent does not support streaming'],
  pushNotifications: ['pushNotificationNotSupported', 'The agent does not support push notifications'],
  extendedAgentCard: ['unsupportedOperation', 'The agent has no extended card'],
} as const satisfies Record<Flag, readonly [string, string]>;

/** Capability gates (section 3.3.4). */
export function requireCapability(agent: Agent, flag: Flag): void {
  const capabilities: AgentCapabilities = agent.card.capabilities;
  if (capabilities[flag] === true) return;
  const [kind, message] = refusals[flag];
  throw new A2AError(kind, message);
}

/** Required extensions must be declared by the caller; those are activated (sections 3.3.4 and 4.6). */
export function requireExtensions(agent: Agent, context: CallContext): void {
  for (const extension of agent.card.capabilities.extensions ?? []) {
    if (!extension.required || !extension.uri) continue;
    if (!context.extensions.includes(extension.uri)) {
      throw new A2AError('extensionSupportRequired', `The agent requires the extension ${extension.uri}`, {
        metadata: { extension: extension.uri },
      });
    }
    context.notes.extensions.add(extension.uri);
  }
}

/** Only for callers who have shown who they are. */
export function requireIdentity({ principal }: CallContext): void {
  if (principal.anonymous) throw new A2AError('unauthenticated');
}

/** A whole number from `min` to `max`, where it is given. */
export function requireRange(
  field: RuledField,
  value: number | undefined,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  const description = max === Number.MAX_SAFE_INTEGER ? `must be at least ${min}` : `must be from ${min} to ${max}`;
  throw fault(field, description);
}

/** What the schema does not say of a message. */
export function requireMessage(request: SendMessageRequest): void {
  requireText('message.messageId', request.message.messageId);
  if (request.message.parts.length === 0) throw fault('message.parts', 'must have at least one part');
  requireRange('configuration.historyLength', request.configuration?.historyLength, 0);
}

export function requireText(field: RuledField, value: string | undefined): asserts value is string {
  if (!value) throw fault(field, 'must not be empty');
}

/** A message to a task names the task's own context, or none (section 3.4.3). */
export function requireSameContext(request: SendMessageRequest, task: Task): void {
  const named = request.message.contextId;
  if (!named || named === task.contextId) return;
  throw fault('message.contextId', 'is not the context of this task', { taskId: task.id });
}

/**
 * What speaks against calling a webhook, by its text alone, as a sentence; undefined: nothing. What its host resolves to
 * is judged when it is called.
 */
export type JudgeWebhook = (url: string) => string | undefined;

/** Where a message has its push configuration. */
export const pushPath = 'configuration.taskPushNotificationConfig';

/** Bytes of a webhook's URL, of its token and of its credentials: each of them goes with every notification. */
const longestSecret = 8 * 1_024;

function requireShort(field: RuledField, text: string): void {
  if (Buffer.byteLength(text) > longestSecret) throw fault(field, 'must have at most 8 KiB');
}

const excesses: Readonly<Record<WebhookExcess, string>> = {
  perTask: 'is one webhook more than a task may have; delete another one first (limits.webhooks.perTask)',
  perPrincipal:
    'is one webhook more than a caller may have that still waits for events; delete others, or wait for their tasks to end (limits.webhooks.perPrincipal)',
};

/** Refuses a webhook that would exceed a bound, where one is given. */
export function requireFewWebhooks(excess: WebhookExcess | undefined, prefix: '' | `${typeof pushPath}.` = ''): void {
  if (excess !== undefined) throw fault(`${prefix}url`, excesses[excess]);
}

/** A webhook is an absolute http or https URL that may be called. */
export function requireWebhook(
  { url: text, token = '', authentication }: TaskPushNotificationConfig,
  judge: JudgeWebhook | undefined,
  prefix: '' | `${typeof pushPath}.` = '',
): void {
  const field = `${prefix}url` as const;
  requireShort(`${prefix}token`, token);
  requireShort(`${prefix}authentication.credentials`, authentication?.credentials ?? '');
  requireShort(field, text);
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw fault(field, 'must be an http or https URL');
  }
  const objection = judge?.(text);
  if (objection !== undefined) throw fault(field, objection);
}
