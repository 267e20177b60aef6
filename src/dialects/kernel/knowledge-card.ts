import type { AgentExtension } from '../../core/model/a2a.ts';
import { sameJson } from '../../core/model/json.ts';
import { knowledgeExtension, queryLanguagesOf } from '../../core/model/knowledge.ts';

/** Members of cards before A2A 1.0 for agents with a knowledge graph (knowledge graph extension, section 1). */
export interface KnowledgeFlags {
  knowledgeGraph?: boolean | null;
  knowledgeGraphQueryLanguages?: string[] | null;
}

const extensionFor = ({ knowledgeGraphQueryLanguages }: KnowledgeFlags): AgentExtension => ({
  uri: knowledgeExtension,
  params: { queryLanguages: knowledgeGraphQueryLanguages ?? [] },
});

/**
 * Reads the flags of a card.
 *
 * @param listed the extensions that the card lists
 * @returns further extensions of the v1 card, and the flags as they were, where `writeKnowledgeFlags` needs them
 */
export function readKnowledgeFlags(
  { knowledgeGraph, knowledgeGraphQueryLanguages }: KnowledgeFlags,
  listed: readonly Pick<AgentExtension, 'uri'>[],
): { readonly extensions: readonly AgentExtension[]; readonly preserved?: KnowledgeFlags } {
  const flags: KnowledgeFlags = {
    ...(knowledgeGraph !== undefined && { knowledgeGraph }),
    ...(knowledgeGraphQueryLanguages !== undefined && { knowledgeGraphQueryLanguages }),
  };
  if (Object.keys(flags).length === 0 || listed.some(({ uri }) => uri === knowledgeExtension))
    return { extensions: [] };
  return { extensions: knowledgeGraph === true ? [extensionFor(flags)] : [], preserved: flags };
}

/**
 * The flags for a v1 card, and the extensions that a card with these flags lists.
 *
 * @param preserved the flags of the card that was read
 */
export function writeKnowledgeFlags(
  extensions: readonly AgentExtension[],
  preserved: KnowledgeFlags | undefined,
): { readonly flags: KnowledgeFlags; readonly listed: readonly AgentExtension[] } {
  const ours = extensions.find(({ uri }) => uri === knowledgeExtension);
  if (!ours) return { flags: preserved && preserved.knowledgeGraph !== true ? preserved : {}, listed: extensions };
  if (preserved?.knowledgeGraph && sameJson(ours, extensionFor(preserved))) {
    return { flags: preserved, listed: extensions.filter((extension) => extension !== ours) };
  }
  const languages = queryLanguagesOf([ours]) ?? [];
  return {
    flags: { knowledgeGraph: true, knowledgeGraphQueryLanguages: [...languages] },
    listed: extensions,
  };
}
