import type { Config } from '../../config/types.ts';
import type { AgentKnowledge } from '../../core/model/agent.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Store } from '../../core/ports/store.ts';
import { createKnowledgeService, type KnowledgeService, type KnowledgeServiceDeps } from '../../knowledge/service.ts';
import { atConfigPath } from '../reload/config-error-path.ts';
import type { Replaced } from '../reload/draining.ts';
import { fingerprint } from '../reload/fingerprint.ts';
import { RefCount, refCountedKnowledge } from '../reload/ref-count.ts';
import type { KnowledgeDeps } from './open.ts';

/** The knowledge of the agents of one configuration, by agent. */
export type KnowledgeSet = ReadonlyMap<string, ConfiguredKnowledge>;

interface ConfiguredKnowledge {
  readonly knowledge: AgentKnowledge;
  readonly refs: RefCount;
  readonly fingerprint: string;
}

/**
 * Opens the knowledge of each agent as configured. What is the same in a former set is carried over. When one fails, the
 * others are closed again.
 *
 * Rejects with an A2AError that names the problem in shapes or rules.
 */
export async function createKnowledgeSet(
  { agents, retention }: Pick<Config, 'agents' | 'retention'>,
  { store, logger, tracing }: Pick<KnowledgeDeps, 'logger' | 'tracing'> & { readonly store: Pick<Store, 'knowledge'> },
  former?: KnowledgeSet,
): Promise<KnowledgeSet> {
  const configured = [...agents].flatMap(([name, { knowledge }]) => (knowledge ? [[name, knowledge] as const] : []));
  if (configured.length === 0) return new Map();
  // Parsers and engines are large, so they are loaded for agents with knowledge alone.
  const { openKnowledge } = await import('./open.ts');
  const open = async ([name, settings]: (typeof configured)[number]): Promise<[string, ConfiguredKnowledge]> => {
    // For graph databases alone: maintenance of the store expires the changes in its own log.
    const keepChanges = settings.sparql && retention.changes;
    const print = fingerprint({ ...settings, keepChanges });
    const known = former?.get(name);
    if (known?.fingerprint === print) return [name, known];
    const deps = { store: store.knowledge, logger, tracing, keepChanges };
    const opened = await atConfigPath(['agents', name, 'knowledge'], () => openKnowledge(name, settings, deps));
    const refs = new RefCount();
    return [name, { knowledge: refCountedKnowledge(opened, refs), refs, fingerprint: print }];
  };
  const outcomes = await Promise.allSettled(configured.map(open));
  const set = new Map(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failed) return set;
  await closeKnowledge(set, former);
  throw failed.reason;
}

/** Closes a set, except what another set shares with it. */
export async function closeKnowledge(set: KnowledgeSet, other?: KnowledgeSet): Promise<void> {
  await Promise.all(replacedKnowledge(set, other).map(({ close }) => close()));
}

/** The knowledge of a set that is not in another one. */
export const replacedKnowledge = (
  set: KnowledgeSet,
  other: KnowledgeSet = new Map(),
): (Replaced & { agent: string })[] =>
  [...set].flatMap(([agent, { knowledge, refs, fingerprint: print }]) =>
    other.get(agent)?.fingerprint === print
      ? []
      : [{ agent, name: `knowledge of ${agent}`, refs, close: async () => knowledge.close?.() }],
  );

export interface GatewayKnowledge extends KnowledgeService {
  /** The query languages that an agent understands; undefined for one without knowledge. */
  languagesOf(agent: string): readonly string[] | undefined;
}

/** Creates the knowledge service over the active configuration. */
export function createGatewayKnowledge({
  known,
  ...deps
}: Omit<KnowledgeServiceDeps, 'knowledgeOf'> & {
  readonly agents: AgentDirectory;
  readonly known: () => KnowledgeSet;
}): GatewayKnowledge {
  // Knowledge of the configuration comes before that of the agent itself.
  const knowledgeOf = (agent: string): AgentKnowledge | undefined =>
    known().get(agent)?.knowledge ?? deps.agents.get(agent)?.knowledge;
  const service = createKnowledgeService({ ...deps, knowledgeOf });
  return { ...service, languagesOf: (agent) => knowledgeOf(agent)?.languages };
}
