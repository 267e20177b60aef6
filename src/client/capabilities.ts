import type { AgentCapabilities, AgentCard } from '../core/model/a2a.ts';
import { type Invoke, isStream } from '../core/model/call.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import type { OperationName } from '../gen/services.ts';

/** Capabilities that are true or false on a card. */
type Flag = 'streaming' | 'pushNotifications' | 'extendedAgentCard';

/** The error for an operation whose capability is false on the card (A2A 1.0 section 3.3.4). */
const refusals: Readonly<Record<Flag, readonly [kind: ErrorKind, says: string]>> = {
  streaming: ['unsupportedOperation', 'does not stream'],
  pushNotifications: ['pushNotificationNotSupported', 'sends no push notifications'],
  extendedAgentCard: ['unsupportedOperation', 'has no extended card'],
};

/** The capability that an operation needs. */
const needed = new Map<OperationName, Flag>([
  ['SendStreamingMessage', 'streaming'],
  ['SubscribeToTask', 'streaming'],
  ['CreateTaskPushNotificationConfig', 'pushNotifications'],
  ['GetTaskPushNotificationConfig', 'pushNotifications'],
  ['ListTaskPushNotificationConfigs', 'pushNotifications'],
  ['DeleteTaskPushNotificationConfig', 'pushNotifications'],
  ['GetExtendedAgentCard', 'extendedAgentCard'],
]);

/**
 * Middleware: refuses calls that the agent's card rules out, without sending them. A capability that the card does not
 * list may exist, so such calls are sent. Once the extended card has been fetched, its capabilities replace those of
 * the card.
 */
export function withinCard({ name, capabilities: declared }: AgentCard, invoke: Invoke): Invoke {
  let capabilities: AgentCapabilities = declared;
  return async (call) => {
    const flag = needed.get(call.operation);
    if (flag !== undefined && capabilities[flag] === false) {
      const [kind, says] = refusals[flag];
      throw new A2AError(kind, `The card of ${name} says that it ${says}`);
    }
    const reply = await invoke(call);
    if (flag === 'extendedAgentCard' && !isStream(reply)) {
      const extended = isObject(reply.value) ? reply.value.capabilities : undefined;
      if (isObject(extended)) capabilities = extended as AgentCapabilities;
    }
    return reply;
  };
}
