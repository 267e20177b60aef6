import type { Config } from '../../config/types.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import type { Knowledge } from '../../knowledge/ports.ts';
import { createKnowledgeService, type KnowledgeService } from '../../knowledge/service.ts';
import { atConfigPath } from '../reload/config-error-path.ts';
import type { Replaced } from '../reload/draining.ts';
import { fingerprint } from '../reload/fingerprint.ts';
import { RefCount } from '../reload/ref-count.ts';
import { refCountedKnowledge } from '../reload/ref-counted-agent.ts';

/** What the agents of one configuration know, by their names. */
export type KnowledgeSet = ReadonlyMap<string, ConfiguredKnowledge>;

interface ConfiguredKnowledge {
  readonly knowledge: Knowledge;
  readonly uses: RefCount;
  /** Of all that it was made of. */
  readonly print: string;
}

export interface KnowledgeDeps {
  /** Open already. */
  readonly store: Pick<Store, 'knowledge'>;
  readonly logger: Logger;
  /** Makes spans of what graph databases are asked for. Absent: none. */
  readonly tracing?: Tracing | undefined;
}

/**
 * Makes what each agent knows, as the configuration says; what is the same in a former set is taken over. When something
 * cannot be made, nothing is left behind.
 *
 * @throws A2AError that says what is wrong with shapes or rules
 */
export async function createKnowledgeSet(
  { agents, retention }: Pick<Config, 'agents' | 'retention'>,
  { store, logger, tracing }: KnowledgeDeps,
  former?: KnowledgeSet,
): Promise<KnowledgeSet> {
  const configured = [...agents].flatMap(([name, { knowledge }]) => (knowledge ? [[name, knowledge] as const] : []));
  if (configured.length === 0) return new Map();
  // Parsers and engines are large, so those alone pay for them who have knowledge.
  const parts = await import('./engines.ts');
  const engines = parts.queryEngines();
  const make = async ([name, settings]: (typeof configured)[number]): Promise<[string, ConfiguredKnowledge]> => {
    // Of graph databases alone, the gateway's own log being looked after with its store.
    const keepChanges = settings.sparql && retention.changes;
    const print = await fingerprint({ ...settings, keepChanges });
    const known = former?.get(name);
    if (known?.print === print) return [name, known];
    const deps = { store: store.knowledge, engines, logger, tracing, keepChanges };
    const made = await atConfigPath(['agents', name, 'knowledge'], () => parts.openKnowledge(name, settings, deps));
    const uses = new RefCount();
    return [name, { knowledge: refCountedKnowledge(made, uses), uses, print }];
  };
  const outcomes = await Promise.allSettled(configured.map(make));
  const made = new Map(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failed) return made;
  await closeKnowledge(made, former);
  throw failed.reason;
}

/** Closes what is known, but for what another set knows too. */
export async function closeKnowledge(set: KnowledgeSet, other?: KnowledgeSet): Promise<void> {
  await Promise.all(replacedKnowledge(set, other).map(({ close }) => close()));
}

/** What of a set is not in another one. */
export const replacedKnowledge = (
  set: KnowledgeSet,
  other: KnowledgeSet = new Map(),
): (Replaced & { agent: string })[] =>
  [...set].flatMap(([agent, { knowledge, uses, print }]) =>
    other.get(agent)?.print === print
      ? []
      : [{ agent, name: `knowledge of ${agent}`, refs: uses, close: async () => knowledge.close?.() }],
  );

export interface GatewayKnowledgeOptions {
  /** Those of the moment. */
  readonly agents: AgentDirectory;
  readonly known: () => KnowledgeSet;
  readonly streams?: StreamLimit | undefined;
  /** Read for every call. */
  readonly limits: { readonly answer: number };
}

/** What the agents of a gateway know. */
export interface GatewayKnowledge extends KnowledgeService {
  /** The query languages that an agent understands; undefined for one without knowledge. */
  languagesOf(agent: string): readonly string[] | undefined;
}

/** Answers for what the agents know at the moment. */
export function createGatewayKnowledge({ agents, known, streams, limits }: GatewayKnowledgeOptions): GatewayKnowledge {
  // What is configured here comes before what an agent answers for itself.
  const knowledgeOf = (agent: string): Knowledge | undefined =>
    known().get(agent)?.knowledge ?? agents.get(agent)?.knowledge;
  const service = createKnowledgeService({
    agents,
    knowledgeOf,
    streams,
    get answer() {
      return limits.answer;
    },
  });
  return { ...service, languagesOf: (agent) => knowledgeOf(agent)?.languages };
}
