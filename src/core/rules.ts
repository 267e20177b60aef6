import type { AgentCapabilities, SendMessageRequest, Task, TaskPushNotificationConfig } from '../gen/a2a-v1/types.ts';
import type { Agent } from './agent.ts';
import type { CallContext } from './call.ts';
import { A2AError } from './errors.ts';

/** What must hold before an operation is carried out. Each throws the error that A2A 1.0.1 gives it. */

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
  field: string,
  value: number | undefined,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  const description = max === Number.MAX_SAFE_INTEGER ? `must be at least ${min}` : `must be from ${min} to ${max}`;
  throw A2AError.invalidParams(undefined, [{ field, description }]);
}

/** What the schema does not say of a message. */
export function requireMessage(request: SendMessageRequest): void {
  requireText('message.messageId', request.message.messageId);
  if (request.message.parts.length === 0) {
    throw A2AError.invalidParams(undefined, [{ field: 'message.parts', description: 'must have at least one part' }]);
  }
  requireRange('configuration.historyLength', request.configuration?.historyLength, 0);
}

export function requireText(field: string, value: string | undefined): asserts value is string {
  if (value) return;
  throw A2AError.invalidParams(undefined, [{ field, description: 'must not be empty' }]);
}

/** A message to a task names the task's own context, or none (section 3.4.3). */
export function requireSameContext(request: SendMessageRequest, task: Task): void {
  const named = request.message.contextId;
  if (!named || named === task.contextId) return;
  const description = 'is not the context of this task';
  throw A2AError.invalidParams(undefined, [{ field: 'message.contextId', description }], { taskId: task.id });
}

/** A webhook is an absolute http or https URL; whether it may be called is judged when it is. */
export function requireWebhook(config: TaskPushNotificationConfig, path = ''): void {
  const url = URL.parse(config.url);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return;
  throw A2AError.invalidParams(undefined, [{ field: `${path}url`, description: 'must be an http or https URL' }]);
}
