import { configuredPrincipals, principalIds } from '../../auth/principals.ts';
import { activeSettings } from '../../config/active-settings.ts';
import { ConfigError } from '../../config/report.ts';
import { api } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { stripper } from '../../dialects/kernel/metadata.ts';
import { agentHandlers } from '../../extensions/admin/agents.ts';
import { cardHandlers } from '../../extensions/admin/cards.ts';
import { gatewayHandlers, type ReloadOutcome, type ShownConfig } from '../../extensions/admin/gateway.ts';
import { questionHandlers } from '../../extensions/admin/questions.ts';
import { createAdminService } from '../../extensions/admin/service.ts';
import { partType, taskActions } from '../../extensions/admin/task-actions.ts';
import { taskHandlers } from '../../extensions/admin/tasks.ts';
import { TaskWatch, watchHandlers } from '../../extensions/admin/watch.ts';
import { createAgentCards, receivedCard } from '../cards/agent-cards.ts';
import type { ServiceHost } from '../compose/build.ts';
import type { ExtensionService } from '../compose/extension.ts';
import type { Opened } from '../compose/open.ts';
import { packageVersion } from '../compose/version.ts';
import { reloadRefused } from '../reload/config-error-path.ts';
import { knowledgeServiceOf, languagesOf } from './knowledge.ts';

/** The admin service over the parts of one gateway. */
export function createAdmin(host: ServiceHost): ExtensionService {
  const { active, audit, deps, metrics, modes, service, store, streams, traces } = host;
  const { agents } = active;
  const tasks = { store, agents, limits: active.select('limits'), traces: traces.turns };
  const ofAgents = {
    ...{ agents, modes },
    kindOf: (name: string) => active.snapshot.config.agents.get(name)?.kind,
    callsOf: (name: string) => metrics.callsOf(name),
    liveTasksOf: service.liveTasksOf,
    languagesOf: (name: string) => languagesOf(host, name),
  };
  const watch = new TaskWatch({ store });
  const actions = {
    ...{ ...tasks, invoke: service.invoke, anonymous: principalIds.anonymous },
    strip: stripper(api, partType),
  };
  const handlers = {
    ...agentHandlers(ofAgents),
    ...cardHandlers({
      ...ofAgents,
      cardsOf: createAgentCards(host),
      receivedOf: (name) => receivedCard(agents.get(name)?.upstreamCard),
      limits: tasks.limits,
    }),
    ...gatewayHandlers({
      ...{ store, callers: metrics.callers, losses: metrics.losses, version: packageVersion() },
      configured: () => configuredPrincipals(active.snapshot.config.auth),
      refusedUpdates: (agent) => knowledgeServiceOf(host)?.refused.list(agent) ?? [],
      active: () => shownConfig(host),
      reload: deps.rereadConfig && (() => reloadConfig(host)),
    }),
    ...taskHandlers({ ...tasks, follow: service.follow }),
    ...taskActions(actions),
    ...questionHandlers(actions),
    ...watchHandlers({ watch, streams }),
  };
  return { invoke: createAdminService({ handlers, audit }), close: () => watch.close() };
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
    logger.error({ problem: thrown.message, file }, reloadRefused(file));
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
