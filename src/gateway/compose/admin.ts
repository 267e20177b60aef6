import { agentHandlers } from '../../admin/agents.ts';
import { callerHandlers } from '../../admin/callers.ts';
import { deliveryHandlers } from '../../admin/deliveries.ts';
import { knowledgeHandlers } from '../../admin/knowledge.ts';
import { lossHandlers } from '../../admin/losses.ts';
import { replicaHandlers } from '../../admin/replicas.ts';
import { createAdminService } from '../../admin/service.ts';
import { taskActions } from '../../admin/task-actions.ts';
import { taskHandlers } from '../../admin/tasks.ts';
import { type TaskWatch, watchHandlers } from '../../admin/watch.ts';
import { configuredPrincipals, principalIds } from '../../auth/principals.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import type { Invoke } from '../../core/model/call.ts';
import type { Service } from '../../core/operations/service.ts';
import type { RefusedUpdates } from '../../knowledge/refused-updates.ts';
import type { GatewayKnowledge } from '../knowledge/services.ts';
import type { Opened } from './open.ts';
import { packageVersion } from './version.ts';

interface AdminParts {
  readonly service: Service;
  readonly knowledge: GatewayKnowledge;
  readonly streams: StreamLimit;
  readonly watch: TaskWatch;
  readonly refused: RefusedUpdates;
}

/** The admin service over the parts of one gateway. */
export function createAdmin(opened: Opened, { service, knowledge, streams, watch, refused }: AdminParts): Invoke {
  const { active, audit, metrics, modes, store, traces } = opened;
  const { agents } = active;
  const tasks = { store, agents, limits: active.select('limits'), traces: traces.turns };
  const handlers = {
    ...agentHandlers({
      ...{ agents, modes },
      kindOf: (name) => active.snapshot.config.agents.get(name)?.kind,
      callsOf: (name) => metrics.callsOf(name),
      liveTasksOf: service.liveTasksOf,
      languagesOf: knowledge.languagesOf,
    }),
    ...callerHandlers({
      callers: metrics.callers,
      configured: () => configuredPrincipals(active.snapshot.config.auth),
    }),
    ...replicaHandlers({ store, version: packageVersion() }),
    ...lossHandlers({ losses: metrics.losses }),
    ...taskHandlers({ ...tasks, follow: service.follow }),
    ...taskActions({ ...tasks, invoke: service.invoke, anonymous: principalIds.anonymous }),
    ...watchHandlers({ watch, streams }),
    ...deliveryHandlers({ store }),
    ...knowledgeHandlers({ refusedUpdates: (agent) => refused.list(agent) }),
  };
  return createAdminService({ handlers, audit });
}
