import { type AgentDefinition, agentOf } from '../../agents/define.ts';
import type { AuthHooks } from '../../auth/hooks/hooks.ts';
import { configOfSettings } from '../../config/load.ts';
import { ConfigError, type ConfigProblem } from '../../config/report.ts';
import type { Config } from '../../config/types.ts';
import type { Agent } from '../../core/model/agent.ts';
import { isObject } from '../../core/model/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { AgentFileSettings, AuthFileSettings, CommonAgentSettings, FileSettings } from '../../gen/settings.ts';

/** An agent of the program, or its definition. `name` tells TypeScript which of the two an object is. */
export type CodeAgent = (Agent & { readonly name?: undefined }) | AgentDefinition;

/** An agent of the program, with the settings of every agent. */
export interface CodeAgentSettings extends CommonAgentSettings {
  readonly kind: 'code';
  readonly agent: CodeAgent;
}

/** An agent that a gateway serves: an agent or its definition, or its settings as in a configuration file. */
export type AgentInSettings = (CodeAgent & { readonly kind?: undefined }) | CodeAgentSettings | AgentFileSettings;

/**
 * The settings of a gateway in a program: the settings of a configuration file, with the same defaults and error messages. A
 * program may pass an object wherever a file can only name one. Without `agents` nothing is served.
 */
export interface GatewaySettings extends Omit<FileSettings, 'agents' | 'auth' | 'store' | 'workers' | 'watch'> {
  /** Authentication and permissions of callers: the built-in methods, and hooks. */
  readonly auth?: AuthFileSettings & AuthHooks;
  /** Agents by name. */
  readonly agents?: Readonly<Record<string, AgentInSettings>>;
  /**
   * `memory:`, `sqlite:PATH`, `postgres://USER:PASSWORD@HOST/DATABASE`, or a store, which the gateway opens and closes.
   * Default `sqlite:./data/gateway.db`.
   */
  readonly store?: string | Store;
  /** Logger of the gateway. Default: lines on stderr, according to `log`. */
  readonly logger?: Logger;
}

/** Result of reading settings. */
interface ReadSettings {
  readonly config: Config;
  /** The store, if the settings have one. */
  readonly store?: Store;
  readonly logger?: Logger;
}

/**
 * Reads settings, or passes on a configuration that was read.
 *
 * @param own further agents
 * @throws ConfigError that names every problem with its path
 */
export function readSettings(
  settings: GatewaySettings | Config,
  own: Readonly<Record<string, Agent>> = {},
): ReadSettings {
  const read = isConfig(settings) ? { config: settings } : readParts(settings);
  const agents = new Map(read.config.agents);
  for (const [name, agent] of Object.entries(own)) agents.set(name, { kind: 'code', agent });
  return { ...read, config: { ...read.config, agents } };
}

const isConfig = (settings: GatewaySettings | Config): settings is Config => settings.agents instanceof Map;

function readParts({ agents, store, logger, ...rest }: GatewaySettings): ReadSettings {
  const problems: ConfigProblem[] = [];
  const entries = Object.entries(agents ?? {}).map(([name, agent]) => {
    try {
      return [name, withCode(agent)];
    } catch (thrown) {
      problems.push({ where: undefined, path: `agents.${name}`, message: (thrown as Error).message });
      return [name, { kind: 'reference' }];
    }
  });
  const ownStore = typeof store === 'object' && store !== null ? store : undefined;
  if (ownStore && !hasMethods(ownStore, ['open', 'close', 'find'])) {
    problems.push({ where: undefined, path: 'store', message: 'expected a URL, or a store as createStore makes it' });
  }
  if (logger !== undefined && !hasMethods(logger, ['debug', 'info', 'warn', 'error'])) {
    const message = 'expected an object with the methods debug, info, warn and error';
    problems.push({ where: undefined, path: 'logger', message });
  }
  const inFile = ownStore ? 'memory:' : store;
  try {
    const config = configOfSettings({
      ...rest,
      ...(agents !== undefined && { agents: isObject(agents) ? Object.fromEntries(entries) : agents }),
      ...(inFile !== undefined && { store: inFile }),
    });
    if (problems.length > 0) throw new ConfigError([]);
    return { config, ...(ownStore && { store: ownStore }), ...(logger && { logger }) };
  } catch (thrown) {
    throw thrown instanceof ConfigError ? new ConfigError([...problems, ...thrown.problems]) : thrown;
  }
}

const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');

/**
 * The settings of one agent in the form of the schema, in which agents of the program have `kind: code`.
 *
 * @throws TypeError for a definition that is not valid
 */
function withCode(agent: AgentInSettings): unknown {
  if (typeof agent === 'function') return agentOf(agent);
  if (!isObject(agent)) return agent;
  if (agent.kind === 'code') return { ...agent, agent: agentOf((agent as CodeAgentSettings).agent) };
  return agent.kind === undefined && ('execute' in agent || 'card' in agent)
    ? { kind: 'code', agent: agentOf(agent) }
    : agent;
}
