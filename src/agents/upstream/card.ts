import { ownUris } from '../../client/dialects.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { AgentDescription } from '../../core/model/agent.ts';
import { newId } from '../../core/model/ids.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { UpstreamCalls } from './calls.ts';
import type { UpstreamConnection } from './connection.ts';

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

/** The extended card of an agent that has one and gives it to the gateway, as it was when the agent's card was last read. */
export class ExtendedCard {
  readonly #link: UpstreamConnection;
  readonly #timeout: number;
  readonly #isAsked: boolean;
  #description: AgentDescription | undefined;

  /** @param auth what the gateway shows of itself: what callers show is not used for what others read */
  constructor(link: UpstreamConnection, auth: OutboundAuthSettings | undefined, timeout: number) {
    this.#link = link;
    this.#timeout = timeout;
    this.#isAsked = auth?.type !== 'forward';
  }

  /** Undefined when there is none that can be given out. */
  get description(): AgentDescription | undefined {
    return this.#description;
  }

  /** Fetches it anew. An agent that refuses has none. */
  async fetch(): Promise<void> {
    const offered = this.#link.card?.capabilities.extendedAgentCard === true;
    this.#description = offered && this.#isAsked ? await this.#ask() : undefined;
  }

  async #ask(): Promise<AgentDescription | undefined> {
    const calls = new UpstreamCalls(this.#link, { requestId: newId(), extensions: [], hops: 0 });
    const bounds = { signal: AbortSignal.timeout(this.#timeout), timeout: this.#timeout };
    try {
      const card = await calls.value('GetExtendedAgentCard', {}, bounds);
      return describeUpstream(await this.#link.verifiedCard(card, bounds.signal), true);
    } catch {
      return undefined;
    }
  }
}
