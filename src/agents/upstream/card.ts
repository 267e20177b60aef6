import { ownUris } from '../../client/dialects.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { AgentDescription } from '../../core/model/agent.ts';
import { newId } from '../../core/model/ids.ts';
import { upstreamValue } from './calls.ts';
import type { UpstreamConnection } from './connection.ts';

/**
 * An agent's card as the gateway advertises the agent. Interfaces, security and signatures are left out, because the
 * gateway has its own; what the agent lacks the gateway supplies.
 *
 * @param extended whether there is an extended card that callers may see
 */
export function describeUpstream(card: AgentCard, extended: boolean): AgentDescription {
  const { supportedInterfaces: _, securitySchemes: __, securityRequirements: ___, signatures: ____, ...rest } = card;
  // Without those in which the gateway preserves parts of cards of older dialects.
  const extensions = (card.capabilities.extensions ?? []).filter(({ uri = '' }) => !uri.startsWith(ownUris));
  return {
    ...rest,
    capabilities: {
      streaming: true,
      pushNotifications: true,
      ...(extended && { extendedAgentCard: true }),
      ...(extensions.length > 0 && { extensions }),
    },
    skills: card.skills.map(({ securityRequirements: _, ...skill }) => skill),
  };
}

/**
 * The description of an agent whose card could not be read yet. The reason is in the log and not shown to callers.
 *
 * @param hasNone whether the agent is known to have no card
 */
export function describeUnread(name: string, hasNone: boolean): AgentDescription {
  const text = ['text/plain'];
  const description = hasNone
    ? 'An upstream agent without a card'
    : 'An upstream agent whose card has not been read yet';
  return {
    name,
    description,
    version: '0.0.0',
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: text,
    defaultOutputModes: text,
    skills: [{ id: 'default', name, description, tags: ['upstream'] }],
  };
}

/** Reads the agent's extended card. Undefined when the agent has none, or refuses. */
export async function readExtendedCard(
  connection: UpstreamConnection,
  timeout: number,
): Promise<AgentDescription | undefined> {
  if (connection.card?.capabilities.extendedAgentCard !== true) return undefined;
  const origin = { requestId: newId(), extensions: [], hops: 0 };
  const signal = AbortSignal.timeout(timeout);
  try {
    const card = await upstreamValue(connection, origin, 'GetExtendedAgentCard', {}, { signal, timeout });
    return describeUpstream(await connection.verifiedCard(card, signal), true);
  } catch {
    return undefined;
  }
}
