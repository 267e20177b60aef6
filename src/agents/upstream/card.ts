import { ownUris } from '../../client/dialects.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import { type AgentDescription, idempotencyExtension } from '../../core/model/agent.ts';
import { newId } from '../../core/model/ids.ts';
import { upstreamValue } from './calls.ts';
import type { UpstreamConnection } from './connection/connection.ts';
import type { Keep } from './describe-unread.ts';

/**
 * An agent's card as the gateway advertises the agent. Interfaces, security and signatures are left out, because the
 * gateway has its own; what the agent lacks the gateway supplies, if it keeps the agent's tasks.
 *
 * @param extended whether there is an extended card that callers may see
 * @param keep whether the gateway keeps the agent's tasks
 */
export function describeUpstream(card: AgentCard, extended: boolean, keep: Keep): AgentDescription {
  const { supportedInterfaces: _, securitySchemes: __, securityRequirements: ___, signatures: ____, ...rest } = card;
  // Without those in which the gateway preserves parts of cards of older dialects.
  // Nor that the agent honours idempotency keys: the card says so of the gateway, which may translate only.
  const isKept = ({ uri = '' }) => !uri.startsWith(ownUris) && (uri !== idempotencyExtension || keep === 'none');
  const extensions = (card.capabilities.extensions ?? []).filter(isKept);
  return {
    ...rest,
    capabilities: {
      streaming: keep === 'tasks' || card.capabilities.streaming === true,
      pushNotifications: keep === 'tasks' || card.capabilities.pushNotifications === true,
      // A card that says that there is none keeps saying so.
      ...((extended || card.capabilities.extendedAgentCard === false) && { extendedAgentCard: extended }),
      ...(extensions.length > 0 && { extensions }),
    },
    skills: card.skills.map(({ securityRequirements: _, ...skill }) => skill),
  };
}

/** Reads the agent's extended card. Undefined when the agent has none, or refuses. */
export async function readExtendedCard(
  connection: UpstreamConnection,
  timeout: number,
  keep: Keep,
): Promise<AgentDescription | undefined> {
  if (connection.card?.capabilities.extendedAgentCard !== true) return undefined;
  const origin = { requestId: newId(), extensions: [], hops: 0 };
  const signal = AbortSignal.timeout(timeout);
  try {
    const card = await upstreamValue(connection, origin, 'GetExtendedAgentCard', {}, { signal, timeout });
    return describeUpstream(await connection.verifiedCard(card, signal), true, keep);
  } catch {
    return undefined;
  }
}
