import type { ScopedOperations } from '../../auth/authorize.ts';
import type { Config } from '../../config/types.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { type Access, createAccess } from '../compose/access.ts';
import type { AdminKeys } from '../compose/admin-key.ts';
import { type AgentDeps, type AgentSet, closeAdded, createAgents } from '../compose/agents.ts';
import { closeKnowledge, createKnowledgeSet } from '../knowledge/services.ts';
import type { ConfigSnapshot } from './active-config.ts';

export interface SnapshotDeps {
  readonly store: Store;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly services: readonly ScopedOperations[];
  readonly adminKeys: Pick<AdminKeys, 'keyFor'>;
  /** Creates spans for queries to graph databases. Absent: none. */
  readonly tracing?: Tracing | undefined;
  readonly agents: Omit<AgentDeps, 'ids' | 'logger'>;
}

/**
 * Creates everything of a configuration that a reload replaces. When one part fails, the others are closed again.
 *
 * Rejects with the reason.
 *
 * @param opened resolves when the store is open
 * @param former parts that are the same in this snapshot are carried over
 */
export async function createSnapshot(
  config: Config,
  deps: SnapshotDeps,
  opened: Promise<void>,
  former?: ConfigSnapshot,
): Promise<ConfigSnapshot> {
  const { store, logger, audit, services, adminKeys, tracing } = deps;
  const creating = createAgents(config, { ...deps.agents, ids: store, logger }, former?.agents);
  const undo = (created: AgentSet): Promise<void> => closeAdded(created, former?.agents);
  let agents: AgentSet | undefined;
  let access: Access | undefined;
  try {
    [agents] = await Promise.all([creating, opened]);
    access = await createAccess({
      ...{ config, services, store, audit, logger, adminKeys },
      agents: agents.directory,
      former: former?.access,
    });
    // Last, since it writes the files that a knowledge graph begins with to the store.
    const knowledge = await createKnowledgeSet(config, { store, logger, tracing }, former?.knowledge);
    return { config, agents, access, knowledge };
  } catch (thrown) {
    access?.close(former?.access);
    if (agents) await undo(agents);
    // The store failed first, and agents may still be starting.
    else creating.then(undo).catch(() => {});
    throw thrown;
  }
}

/** Closes what was created for a snapshot that is not used, except what it shares with the active one. */
export async function discardSnapshot(snapshot: ConfigSnapshot, active: ConfigSnapshot): Promise<void> {
  snapshot.access.close(active.access);
  await Promise.all([closeAdded(snapshot.agents, active.agents), closeKnowledge(snapshot.knowledge, active.knowledge)]);
}
