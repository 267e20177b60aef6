import type { OngoingStreams } from '../../auth/ending.ts';
import type { Config } from '../../config/index.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import { changesOf, openAgents, replacedAgents } from '../compose/agents.ts';
import { readTls } from '../compose/listener.ts';
import type { ConfiguredLogger } from '../compose/logger.ts';
import type { GatewayHttpServer } from '../http/server.ts';
import { replacedKnowledge } from '../knowledge/services.ts';
import type { ActiveConfig, ConfigSnapshot } from './active-config.ts';
import { asConfigError, atConfigPath } from './config-error-path.ts';
import { discardSnapshot } from './config-snapshot.ts';
import type { Draining } from './draining.ts';
import { reloadable } from './reloadable.ts';

/** What a reload came to. */
export interface ReloadReport {
  /** Names of agents that are new, made anew, or gone. */
  readonly agents: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  /** How many streams were ended, whose callers are not let in any more. */
  readonly ended: number;
  /** Paths of what was changed in the configuration and does not count before a restart. */
  readonly restart: readonly string[];
}

export interface ReloadDeps {
  readonly active: ActiveConfig;
  readonly server: Pick<GatewayHttpServer, 'applyConfig'>;
  /** Makes what a configuration says, and takes over what is the same in the generation before. */
  readonly create: (config: Config, former: ConfigSnapshot) => Promise<ConfigSnapshot>;
  readonly ongoing: OngoingStreams;
  readonly draining: Draining;
  readonly logger: Logger | ConfiguredLogger;
  readonly meters: Pick<Meters, 'reloads'>;
  /** Why nothing can be reloaded any more. */
  readonly stopping: () => A2AError | undefined;
}

/** Lets another configuration count. Rejects with a ConfigError that says why not; then nothing has changed. */
export type Reload = (config: Config) => Promise<ReloadReport>;

/**
 * Makes what replaces one configuration by another, without a connection being closed. All that can go wrong goes wrong
 * before anything changes, and then everything changes at once. One at a time, in the order in which they are asked for.
 */
export function createReload(deps: ReloadDeps): Reload {
  const { logger, meters } = deps;
  let last: Promise<unknown> = Promise.resolve();

  const reload = async (wanted: Config): Promise<ReloadReport> => {
    const stopping = deps.stopping();
    if (stopping) throw stopping;
    // Whatever is said of it from now on is not to show its secrets.
    if ('learn' in logger) logger.learn(wanted);
    try {
      const report = await replace(wanted, deps);
      meters.reloads.done += 1;
      return report;
    } catch (thrown) {
      meters.reloads.refused += 1;
      const error = thrown instanceof A2AError && deps.stopping() ? thrown : await asConfigError(thrown, wanted);
      logger.error({ problem: error.message, file: wanted.file }, 'the configuration is refused; the one before stays');
      throw error;
    }
  };
  return (config) => {
    const turn = last.then(() => reload(config));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function replace(wanted: Config, deps: ReloadDeps): Promise<ReloadReport> {
  const { active: current, server: front, ongoing, draining: retired, logger } = deps;
  const former = current.snapshot;
  const { config, restart } = await atConfigPath(['listen'], () => reloadable(wanted, former.config));
  const tls = await atConfigPath(['listen', 'tls'], () => readTls(config));
  const next = await deps.create(config, former);
  const stopping = deps.stopping();
  if (stopping) {
    await discardSnapshot(next, former);
    throw stopping;
  }

  try {
    openAgents(next.agents, former.agents);
  } catch (thrown) {
    await discardSnapshot(next, former);
    throw thrown;
  }
  current.replace(next);
  front.applyConfig(tls);
  if ('follow' in logger) logger.follow(config);
  const ended = endStreams(next, former, ongoing);

  for (const replaced of replacedAgents(next.agents, former.agents)) retired.add(replaced);
  for (const replaced of replacedKnowledge(former.knowledge, next.knowledge)) retired.add(replaced);
  former.access.close(next.access);

  const report: ReloadReport = { agents: changesOf(next.agents, former.agents), ended, restart };
  logger.info({ ...report, file: config.file }, 'the configuration was reloaded');
  if (restart.length > 0) logger.warn({ restart }, 'some of what was changed needs a restart');
  return report;
}

/** Ends what goes on for those who are not let in any more, and what is told of knowledge by rules that do not count. */
function endStreams(next: ConfigSnapshot, former: ConfigSnapshot, ongoing: OngoingStreams): number {
  const known = new Set(replacedKnowledge(former.knowledge, next.knowledge).map(({ agent }) => agent));
  return ongoing.review(({ principal, agent, operation }) => {
    const objection = next.access.review(principal, agent, operation);
    if (objection || operation !== 'Subscribe' || !known.has(agent)) return objection;
    const message = 'What the agent knows was configured anew; subscribe again';
    return new A2AError('unavailable', message, { retryAfter: 1 });
  });
}
