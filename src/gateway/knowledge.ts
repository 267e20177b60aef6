import type { Config } from '../config/config.ts';
import type { AgentDirectory, Logger, Store } from '../core/ports.ts';
import type { StreamLimit } from '../core/stream-limit.ts';
import type { Knowledge } from '../knowledge/ports.ts';
import { createKnowledgeService, type KnowledgeService } from '../knowledge/service.ts';

export interface GatewayKnowledgeOptions {
  readonly config: Pick<Config, 'agents' | 'limits'>;
  readonly agents: AgentDirectory;
  /** Open already. */
  readonly store: Pick<Store, 'knowledge'>;
  readonly streams?: StreamLimit | undefined;
  readonly logger: Logger;
}

/** What the agents of a gateway know. */
export interface GatewayKnowledge extends Omit<KnowledgeService, 'close'> {
  /** The query languages that an agent understands; undefined for one without knowledge. */
  languagesOf(agent: string): readonly string[] | undefined;
  close(): Promise<void>;
}

/**
 * Makes what each agent knows, as the configuration says.
 *
 * @throws A2AError that says what is wrong with shapes or rules
 */
export async function createKnowledge(options: GatewayKnowledgeOptions): Promise<GatewayKnowledge> {
  const { config, agents, store, streams, logger } = options;
  const configured = [...config.agents].flatMap(([name, { knowledge }]) =>
    knowledge ? [[name, knowledge] as const] : [],
  );
  const known = new Map<string, Knowledge>();
  if (configured.length > 0) {
    // Parsers and engines are large, so those alone pay for them who have knowledge.
    const make = await import('./knowledge-parts.ts');
    const engines = make.queryEngines();
    await Promise.all(
      configured.map(async ([name, settings]) =>
        known.set(name, await make.knowledgeOf(name, settings, { store: store.knowledge, engines, logger })),
      ),
    );
  }
  // What is configured here comes before what an agent answers for itself.
  const knowledgeOf = (agent: string): Knowledge | undefined => known.get(agent) ?? agents.get(agent)?.knowledge;
  const service = createKnowledgeService({
    agents,
    knowledgeOf,
    streams,
    answer: config.limits.answer,
  });
  return {
    invoke: service.invoke,
    languagesOf: (agent) => knowledgeOf(agent)?.languages,
    async close() {
      service.close();
      await Promise.all(known.values().map((knowledge) => knowledge.close?.()));
    },
  };
}
