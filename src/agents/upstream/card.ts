import { ownUris } from '../../client/dialects.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { AgentDescription } from '../../core/model/agent.ts';

/**
 * An upstream's card as the gateway advertises the agent: what the agent is and can stays; how it is reached, who gets in
 * and who signed it is the gateway's own matter, and what the agent lacks the gateway supplies.
 *
 * @param extended whether there is an extended card that can be given out
 */
export function describeUpstream(card: AgentCard, extended: boolean): AgentDescription {
  const {
    supportedInterfaces: _,
    securitySchemes: __,
    securityRequirements: ___,
    signatures: ____,
    capabilities,
    skills,
    ...rest
  } = card;
  // What the gateway keeps there of a card of another generation, such as who signed it and where it leads.
  const extensions = (capabilities.extensions ?? []).filter(({ uri = '' }) => !uri.startsWith(ownUris));
  return {
    ...rest,
    capabilities: {
      streaming: true,
      pushNotifications: true,
      ...(extended && { extendedAgentCard: true }),
      ...(extensions.length > 0 && { extensions }),
    },
    skills: skills.map(({ securityRequirements: _, ...skill }) => skill),
  };
}

/**
 * What stands in for a card that could not be read yet; why, is for those who look after the gateway and not for
 * everybody who reads cards.
 *
 * @param hasNone whether the agent is known to have none
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
