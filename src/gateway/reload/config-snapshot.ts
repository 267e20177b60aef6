import type { ScopedOperations } from '../../auth/authorize.ts';
import type { Config } from '../../config/types.ts';
import type { Agent } from '../../core/model/agent.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { type Access, createAccess } from '../compose/access.ts';
import { type AgentDeps, type AgentSet, closeAdded, createAgents } from '../compose/agents.ts';
import { closeKnowledge, createKnowledgeSet } from '../knowledge/services.ts';
import type { ConfigSnapshot } from './active-config.ts';

export interface SnapshotDeps {
  readonly store: Store;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly services: readonly ScopedOperations[];
  /** Makes spans of what graph databases are asked for. Absent: none. */
  readonly tracing?: Tracing | undefined;
  readonly agents: Omit<AgentDeps, 'ids' | 'logger'>;
  /** Agents of the program itself, which are in every generation. */
  readonly own?: Readonly<Record<string, Agent>> | undefined;
}

/**
 * Makes everything of a configuration that a reload replaces. When one part cannot be made, no other is left behind.
 *
 * Rejects with what says why.
 *
 * @param opened resolves when the store can be used
 * @param former what is the same in it is taken over
 */
export async function createSnapshot(
  config: Config,
  deps: SnapshotDeps,
  opened: Promise<void>,
  former?: ConfigSnapshot,
): Promise<ConfigSnapshot> {
  const { store, logger, audit, services, tracing, own } = deps;
  const agents = await together(
    createAgents(config, { ...deps.agents, ids: store, logger }, own, former?.agents),
    opened,
    (made) => closeAdded(made, former?.agents),
  );
  let access: Access | undefined;
  try {
    access = await createAccess({ config, services, store, audit, former: former?.access });
    // The last, since files that a graph begins with are written to the store.
    const knowledge = await createKnowledgeSet(config, { store, logger, tracing }, former?.knowledge);
    return { config, agents, access, knowledge };
  } catch (thrown) {
    access?.close(former?.access);
    await closeAdded(agents, former?.agents);
    throw thrown;
  }
}

/** Closes what was made of a configuration that is not used, but for what the one before has too. */
export async function discardSnapshot(
  { agents, access, knowledge }: ConfigSnapshot,
  former: ConfigSnapshot,
): Promise<void> {
  access.close(former.access);
  await Promise.all([closeAdded(agents, former.agents), closeKnowledge(knowledge, former.knowledge)]);
}

async function together(
  agents: Promise<AgentSet>,
  opened: Promise<void>,
  undo: (made: AgentSet) => Promise<void>,
): Promise<AgentSet> {
  try {
    const [made] = await Promise.all([agents, opened]);
    return made;
  } catch (thrown) {
    agents.then(undo, () => {});
    throw thrown;
  }
}
