import type { KnowledgeConfig } from '../config/knowledge-schema.ts';
import type { KnowledgeStore } from '../core/knowledge.ts';
import { createAlignment } from '../knowledge/alignment/alignment.ts';
import { createGraphqlEngine } from '../knowledge/graphql/index.ts';
import { createLocalKnowledge } from '../knowledge/local.ts';
import type { Knowledge, QueryEngine } from '../knowledge/ports.ts';

/** The query languages that every agent with knowledge understands, by name. They are shared by all agents. */
export const queryEngines = (): ReadonlyMap<string, QueryEngine> => new Map([['graphql', createGraphqlEngine()]]);

/** What one agent knows. */
export async function knowledgeOf(
  { alignment }: KnowledgeConfig,
  store: KnowledgeStore,
  engines: ReadonlyMap<string, QueryEngine>,
): Promise<Knowledge> {
  return createLocalKnowledge({ store, engines, alignment: await createAlignment(alignment) });
}
