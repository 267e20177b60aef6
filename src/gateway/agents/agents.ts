import { filesOf, isUnchanged, newLoad } from '../../agents/module-graph.ts';
import { createReferenceAgent } from '../../agents/reference.ts';
import { atConfigPath } from '../../config/error-path.ts';
import { fingerprint } from '../../config/fingerprint.ts';
import { splitSettings } from '../../config/module-sections.ts';
import type { AgentConfig } from '../../config/sections/agents.ts';
import type { Config } from '../../config/types.ts';
import type { AgentModes } from '../../core/middleware/agent-modes.ts';
import type { Replaced } from '../../core/middleware/ref-count.ts';
import { RefCountedAgent } from '../../core/middleware/ref-count.ts';
import type { Agent, AgentHealth } from '../../core/model/agent.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { AgentFactory, AgentFactoryDeps, AgentKinds } from '../../extensions/module.ts';
import { loadModule, requireValidCards } from './module-agents.ts';

export interface AgentDeps extends Omit<AgentFactoryDeps, 'name' | 'load'> {
  /** Returns an agent with a span of this kind for each run; without tracing, the agent itself. */
  readonly trace: (name: string, agent: Agent, kind: 'internal' | 'client') => Agent;
  readonly kinds: AgentKinds;
  /** Called with an agent of the store that cannot be created. The others are served nevertheless. */
  readonly leaveOut: (name: string, thrown: unknown) => void;
}

const ownKinds: AgentKinds = {
  code: ({ agent }, { name }) => {
    requireValidCards(agent, name);
    return agent;
  },
  reference: () => createReferenceAgent(),
  module: (config, { name, load }) => loadModule(name, config, load),
  upstream: async (config, deps) => (await import('./upstream-agents.ts')).createUpstream(config, deps),
};

export interface AgentSet {
  readonly directory: AgentDirectory;
  readonly configured: ReadonlyMap<string, ConfiguredAgent>;
}

interface ConfiguredAgent {
  readonly agent: RefCountedAgent;
  /** A text that is equal for equal settings. For an agent in code, the agent itself. */
  readonly fingerprint: string | Agent;
  /** The files of its module, with their states when they were loaded. */
  readonly files?: () => ReadonlyMap<string, string>;
}

/**
 * Whether an agent of a program, whose settings have no fingerprint, handles messages in the same way as before while it works.
 */
const hasSameMode = (config: AgentConfig, { whileRunning }: Agent): boolean =>
  config.kind !== 'code' || whileRunning === (config.whileRunning ?? config.agent.whileRunning);

/**
 * Creates the agents of the configuration, concurrently. Agents that have not changed since a former configuration are carried
 * over. If one fails, the others are closed again.
 */
export async function createAgents(
  config: Pick<Config, 'agents' | 'defaultAgent' | 'hosts'>,
  deps: AgentDeps,
  former?: AgentSet,
): Promise<AgentSet> {
  const load = former && newLoad();
  const create = async ([name, agent]: [string, AgentConfig]): Promise<[string, ConfiguredAgent]> => {
    const print = agent.kind === 'code' ? agent.agent : fingerprint(splitSettings(agent).others);
    const known = former?.configured.get(name);
    const isSame = known?.fingerprint === print && hasSameMode(agent, known.agent);
    if (isSame && isUnchanged(known.files?.() ?? new Map())) return [name, known];
    const kind = { ...ownKinds, ...deps.kinds }[agent.kind] as AgentFactory<AgentConfig>;
    const created = await atConfigPath(configPathOf(name, agent), () => kind(agent, { ...deps, name, load }));
    const files = agent.kind === 'module' && { files: filesOf(agent.path) };
    const traced = deps.trace(name, created, agent.kind === 'upstream' ? 'client' : 'internal');
    return [name, { agent: new RefCountedAgent(traced, agent.whileRunning), fingerprint: print, ...files }];
  };
  const createAny = async (entry: [string, AgentConfig]): Promise<[string, ConfiguredAgent] | undefined> => {
    const [name, agent] = entry;
    if (!('reviewed' in agent)) return create(entry);
    return create(entry).catch((thrown: unknown) => {
      deps.leaveOut(name, thrown);
      return undefined;
    });
  };
  const outcomes = await Promise.allSettled([...config.agents].map(createAny));
  const entries = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' && outcome.value ? [outcome.value] : [],
  );
  const configured = new Map(entries);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await closeAdded({ configured }, former);
    throw failed.reason;
  }
  const agents = new Map<string, Agent>(entries.map(([name, { agent }]) => [name, agent]));
  return { directory: createDirectory(agents, config.defaultAgent, config.hosts), configured };
}

/**
 * The agents by name, in the order given.
 *
 * @param defaultName the agent that also answers at the root
 * @param hosts names of the agents that have hosts of their own, by host in lower case. A host with a port applies to that port
 *   only
 */
export function createDirectory(
  agents: ReadonlyMap<string, Agent>,
  defaultName: string | undefined,
  hosts: ReadonlyMap<string, string> = new Map(),
): AgentDirectory {
  return {
    defaultName,
    names: [...agents.keys()],
    get: (name) => agents.get(name),
    forHost(host) {
      if (hosts.size === 0) return undefined;
      const lower = host.toLowerCase();
      const colon = lower.lastIndexOf(':');
      // In an IPv6 address without a port, the last colon is within the brackets.
      const port = colon > lower.lastIndexOf(']') ? lower.slice(colon) : '';
      const name = lower.slice(0, lower.length - port.length).replace(/\.$/, '');
      return hosts.get(name + port) ?? hosts.get(name);
    },
  };
}

/** The path in the configuration to which an agent's errors refer. */
const configPathOf = (name: string, { kind }: AgentConfig): readonly string[] =>
  kind === 'module' ? ['agents', name, 'path'] : ['agents', name];

/** The configured agents of a set that the former set does not contain. */
const addedTo = (
  { configured }: Pick<AgentSet, 'configured'>,
  former: Pick<AgentSet, 'configured'> | undefined,
): [string, RefCountedAgent][] =>
  [...configured].flatMap(([name, { agent }]) =>
    former?.configured.get(name)?.agent === agent ? [] : [[name, agent]],
  );

/** Closes the agents that were created for a set which is not used. */
export async function closeAdded(set: Pick<AgentSet, 'configured'>, former?: AgentSet): Promise<void> {
  await Promise.all(addedTo(set, former).map(([, agent]) => agent.close()));
}

/** Opens the agents of a set, except those carried over from the former set. */
export function openAgents(set: AgentSet, former?: AgentSet): void {
  for (const [name, agent] of addedTo(set, former)) {
    const replaced = former?.configured.get(name)?.agent;
    if (replaced) agent.replaces(replaced);
    agent.open();
  }
}

/** The names of the agents that differ between two sets. */
export function changesOf(set: AgentSet, former: AgentSet): Record<'added' | 'changed' | 'removed', readonly string[]> {
  const created = addedTo(set, former).map(([name]) => name);
  return {
    added: created.filter((name) => !former.configured.has(name)),
    changed: created.filter((name) => former.configured.has(name)),
    removed: [...former.configured.keys()].filter((name) => !set.configured.has(name)),
  };
}

/** The agents of the former set that this one does not contain. */
export const replacedAgents = (set: AgentSet, former: AgentSet): readonly Replaced[] =>
  addedTo(former, set).map(([name, agent]) => ({
    name: `agent ${name}`,
    refs: agent.refs,
    close: () => agent.close(),
  }));

export async function closeAgents(set: AgentSet): Promise<void> {
  await Promise.all([...set.configured.values()].map(({ agent }) => agent.close()));
}

export const healthOf = (agents: AgentDirectory): Record<string, AgentHealth> =>
  Object.fromEntries(agents.names.map((name) => [name, agents.get(name)?.health?.() ?? { state: 'ok' }]));

export const healthAndModeOf = (agents: AgentDirectory, modes: AgentModes): Record<string, AgentHealth> =>
  Object.fromEntries(
    Object.entries(healthOf(agents)).map(([name, health]) => [
      name,
      { ...health, mode: modes.of(name)?.mode ?? 'enabled' },
    ]),
  );
