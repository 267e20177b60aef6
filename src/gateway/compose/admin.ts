import { agentHandlers } from '../../admin/agents.ts';
import { backupHandlers } from '../../admin/backup.ts';
import { callerHandlers } from '../../admin/callers.ts';
import { cardHandlers } from '../../admin/cards.ts';
import { configHandlers, type ReloadOutcome, type ShownConfig } from '../../admin/config.ts';
import { deliveryHandlers } from '../../admin/deliveries.ts';
import { knowledgeHandlers } from '../../admin/knowledge.ts';
import { lossHandlers } from '../../admin/losses.ts';
import { replicaHandlers } from '../../admin/replicas.ts';
import { createAdminService } from '../../admin/service.ts';
import { partType, taskActions } from '../../admin/task-actions.ts';
import { taskHandlers } from '../../admin/tasks.ts';
import { type TaskWatch, watchHandlers } from '../../admin/watch.ts';
import { configuredPrincipals, principalIds } from '../../auth/principals.ts';
import { activeSettings } from '../../config/active-settings.ts';
import { ConfigError } from '../../config/report.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import { api } from '../../core/model/a2a.ts';
import type { Invoke } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Service } from '../../core/operations/service.ts';
import { stripper } from '../../dialects/kernel/metadata.ts';
import type { RefusedUpdates } from '../../knowledge/refused-updates.ts';
import { createAgentCards, receivedCard } from '../cards/agent-cards.ts';
import type { CardFactory } from '../cards/card-source.ts';
import type { GatewayKnowledge } from '../knowledge/services.ts';
import type { Opened } from './open.ts';
import { packageVersion } from './version.ts';

interface AdminParts {
  readonly service: Service;
  readonly knowledge: GatewayKnowledge;
  readonly cards: CardFactory;
  readonly streams: StreamLimit;
  readonly watch: TaskWatch;
  readonly refused: RefusedUpdates;
}

/** The admin service over the parts of one gateway. */
export function createAdmin(
  opened: Opened,
  { service, knowledge, cards, streams, watch, refused }: AdminParts,
): Invoke {
  const { active, audit, deps, metrics, modes, store, traces } = opened;
  const { agents } = active;
  const tasks = { store, agents, limits: active.select('limits'), traces: traces.turns };
  const ofAgents = {
    ...{ agents, modes },
    kindOf: (name: string) => active.snapshot.config.agents.get(name)?.kind,
    callsOf: (name: string) => metrics.callsOf(name),
    liveTasksOf: service.liveTasksOf,
    languagesOf: knowledge.languagesOf,
  };
  const handlers = {
    ...agentHandlers(ofAgents),
    ...cardHandlers({
      ...ofAgents,
      cardsOf: createAgentCards({ ...opened, cards }),
      receivedOf: (name) => receivedCard(agents.get(name)?.upstreamCard),
      limits: tasks.limits,
    }),
    ...callerHandlers({
      callers: metrics.callers,
      configured: () => configuredPrincipals(active.snapshot.config.auth),
    }),
    ...configHandlers({
      active: () => shownConfig(opened),
      reload: deps.rereadConfig && (() => reloadConfig(opened)),
    }),
    ...replicaHandlers({ store, version: packageVersion() }),
    ...backupHandlers(store),
    ...lossHandlers({ losses: metrics.losses }),
    ...taskHandlers({ ...tasks, follow: service.follow }),
    ...taskActions({
      ...{ ...tasks, invoke: service.invoke, anonymous: principalIds.anonymous },
      strip: stripper(api, partType),
    }),
    ...watchHandlers({ watch, streams }),
    ...deliveryHandlers({ store }),
    ...knowledgeHandlers({ refusedUpdates: (agent) => refused.list(agent) }),
  };
  return createAdminService({ handlers, audit });
}

function shownConfig({ active, deps }: Opened): ShownConfig {
  const { config } = active.snapshot;
  const { store, ...settings } = activeSettings(config);
  // A store of the program stands in for the configured one.
  return { settings: deps.store ? settings : { store, ...settings }, file: config.file, since: active.since };
}

/** Reads the configuration again and applies it. Rejects with an A2AError that names what is wrong in it. */
async function reloadConfig({ active, deps, logger, meters, state }: Opened): Promise<ReloadOutcome> {
  if (!deps.rereadConfig || !state.reload) throw new A2AError('unavailable', 'The gateway is starting');
  const reading = deps.rereadConfig().catch((thrown: Error) => {
    meters.reloads.refused += 1;
    const { file } = active.snapshot.config;
    logger.error({ problem: thrown.message, file }, 'configuration refused; the previous one stays active');
    throw thrown;
  });
  try {
    return await state.reload(await reading);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const violations = thrown.problems.map(({ where, path, message }) => ({
      field: path,
      description: where === undefined ? message : `${message} (${where})`,
    }));
    const message = `The configuration was refused, and the previous one stays active: ${thrown.message}`;
    throw new A2AError('invalidParams', message, { violations, cause: thrown });
  }
}
