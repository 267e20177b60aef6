import type { AgentCapabilities, AgentCard } from '../core/model/a2a.ts';
import { type Invoke, isStream } from '../core/model/call.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import type { OperationName } from '../gen/services.ts';

/** Capabilities that are true or false on a card. */
type Flag = 'streaming' | 'pushNotifications' | 'extendedAgentCard';

/** The error for what a card rules out: A2A 1.0, section 3.3.4. */
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
 * The calls that the agent's card does not rule out; others are refused without being sent. A capability that the card leaves
 * out may be there. An extended card that was fetched takes the place of the card.
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
