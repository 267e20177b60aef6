import { isDeepStrictEqual } from 'node:util';
import type { AgentExtension } from '../../core/model/a2a.ts';
import { knowledgeExtension, queryLanguagesOf } from '../../core/model/knowledge.ts';

/** How cards before A2A 1.0 say that an agent has a knowledge graph (knowledge graph extension, section 1). */
export interface KnowledgeFlags {
  knowledgeGraph?: boolean | null;
  knowledgeGraphQueryLanguages?: string[] | null;
}

/** What such flags are among the extensions of a v1 card. */
const extensionFor = ({ knowledgeGraphQueryLanguages }: KnowledgeFlags): AgentExtension => ({
  uri: knowledgeExtension,
  params: { queryLanguages: knowledgeGraphQueryLanguages ?? [] },
});

/**
 * The flags of a card, for v1.
 *
 * @param listed the extensions that the card lists
 * @returns the extensions that v1 has besides, and the flags as they stood where they do not come back by themselves
 */
export function readKnowledgeFlags(
  { knowledgeGraph, knowledgeGraphQueryLanguages }: KnowledgeFlags,
  listed: readonly AgentExtension[],
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
 * The flags of a v1 card, and those of its extensions that a card with the flags lists.
 *
 * @param kept of a card that was read
 */
export function writeKnowledgeFlags(
  extensions: readonly AgentExtension[],
  preserved: KnowledgeFlags | undefined,
): { readonly flags: KnowledgeFlags; readonly listed: readonly AgentExtension[] } {
  const ours = extensions.find(({ uri }) => uri === knowledgeExtension);
  if (!ours) return { flags: preserved && preserved.knowledgeGraph !== true ? preserved : {}, listed: extensions };
  if (preserved?.knowledgeGraph && isDeepStrictEqual(ours, extensionFor(preserved))) {
    return { flags: preserved, listed: extensions.filter((extension) => extension !== ours) };
  }
  const languages = queryLanguagesOf([ours]) ?? [];
  return {
    flags: { knowledgeGraph: true, knowledgeGraphQueryLanguages: [...languages] },
    listed: extensions,
  };
}
