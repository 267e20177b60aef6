import type { AgentDescription } from '../core/agent.ts';
import { completeCard } from '../core/card.ts';
import type { AgentDirectory } from '../core/ports.ts';
import type { AgentCard } from '../gen/a2a-v1/types.ts';
import type { CardRequest, CardSource } from '../transports/http/cards.ts';

export interface CardMakerOptions {
  readonly agents: AgentDirectory;
  /** What cards advertise; undefined where the gateway does not know, and the request says. */
  readonly publicUrl: () => string | undefined;
}

/** Makes the cards that are served: one v1 card is the truth, and every dialect derives its own from it. */
export function createCardMaker({ agents, publicUrl }: CardMakerOptions): {
  readonly source: CardSource;
  readonly extended: (agent: string) => AgentCard;
} {
  const describe = (name: string): AgentDescription => {
    const agent = agents.get(name);
    if (!agent) throw new TypeError(`no agent ${name}`);
    return agent.card;
  };
  const source: CardSource = ({ agent, dialects, pinned, origin, base }: CardRequest) => {
    // Clients of one dialect stay on its path, where no detection has to guess.
    const path = pinned ? `${base}/as/${pinned.name}` : base;
    const tenant = base.endsWith(`/${agent}`) ? agent : '';
    const card = completeCard(describe(agent), publicUrl() ?? origin, path, tenant);
    const documents = dialects.map((dialect) => dialect.card.encode(card, { losses: new Set() }) as object);
    return Object.assign({}, ...documents.toReversed());
  };
  const extended = (name: string): AgentCard => {
    const tenant = name === agents.defaultName ? '' : name;
    const description = agents.get(name)?.extendedCard ?? describe(name);
    return completeCard(description, publicUrl() ?? 'http://localhost', tenant && `/${tenant}`, tenant);
  };
  return { source, extended };
}
