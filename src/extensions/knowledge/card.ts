import type { AgentDescription } from '../../core/model/agent.ts';
import { type KnowledgeExtensionParams, knowledgeExtension } from '../../core/model/knowledge.ts';

/**
 * The card with the knowledge extension where the agent has knowledge, and without it elsewhere: the gateway, not the agent,
 * decides.
 *
 * @param languages the query languages that the agent's knowledge understands; undefined for an agent without knowledge
 */
export function withKnowledge(card: AgentDescription, languages: readonly string[] | undefined): AgentDescription {
  const { extensions = [], ...capabilities } = card.capabilities;
  const others = extensions.filter(({ uri }) => uri !== knowledgeExtension);
  if (!languages && others.length === extensions.length) return card;
  const params: KnowledgeExtensionParams = { queryLanguages: languages ?? [] };
  const own = {
    uri: knowledgeExtension,
    description: 'Agents query, change and follow what this agent knows',
    params: { ...params },
  };
  const all = languages ? [...others, own] : others;
  return { ...card, capabilities: { ...capabilities, ...(all.length > 0 && { extensions: all }) } };
}
