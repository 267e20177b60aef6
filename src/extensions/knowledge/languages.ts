import { RefCountedAgent } from '../../core/middleware/ref-count.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import { listedNames } from '../../dialects/kernel/card-flags.ts';
import { knowledgeGraph } from '../../dialects/kernel/extension-facts.ts';

/** Returns the query languages that a card lists. Undefined if it lists no knowledge graph, or there is no card. */
export const languagesOfCard = (card: AgentCard | undefined): readonly string[] | undefined =>
  listedNames(knowledgeGraph, card?.capabilities.extensions);

/** Returns the query languages of an agent's own knowledge. Undefined if it has none, or they are not known. */
export function ownLanguages(served: Agent | undefined): readonly string[] | undefined {
  const { agent } = served ? RefCountedAgent.behind(served) : {};
  return agent?.knowledge ? agent.knowledge.languages : languagesOfCard(agent?.remote?.card);
}
