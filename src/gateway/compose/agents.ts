import { createDirectory } from '../../agents/directory.ts';
import { createReferenceAgent } from '../../agents/reference.ts';
import { createUpstreamAgent } from '../../agents/upstream/index.ts';
import type { AgentConfig, Config } from '../../config/types.ts';
import type { Agent, AgentHealth } from '../../core/model/agent.ts';
import type { Invoke } from '../../core/model/call.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { UpstreamIds } from '../../core/ports/upstream-ids.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { clientTls } from '../../net/client-tls.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { createTrust } from '../cards/signature-trust.ts';
import { atConfigPath } from '../reload/config-error-path.ts';
import type { Replaced } from '../reload/draining.ts';
import { fingerprint } from '../reload/fingerprint.ts';
import { RefCountedAgent } from '../reload/ref-counted-agent.ts';
import { loadModule } from './module-agents.ts';
import { packageVersion } from './version.ts';

/** What agents are made with. */
export interface AgentDeps {
  /** Remembers what the tasks of upstream agents are called there. */
  readonly ids: UpstreamIds;
  readonly logger: Logger;
  /** Makes spans of calls of other agents, and of tools. Absent: none. */
  readonly tracing?: Tracing | undefined;
  /** Judges where the cards of upstream agents lead. */
  readonly guard: UrlGuard;
  /** Around each attempt to call an upstream agent. Default: nothing. */
  readonly observe?: (agent: string) => (next: Invoke) => Invoke;
  /** Told that a call of an upstream agent is tried again. */
  readonly onRetry?: (agent: string) => void;
}

interface AgentFactoryDeps extends AgentDeps {
  readonly name: string;
  /** Whether others were there before, so that files must be read anew. */
  readonly anew: boolean;
}

type AgentFactory<C> = (config: C, deps: AgentFactoryDeps) => Agent | Promise<Agent>;

/** How an agent of each kind is made. */
const factories: { readonly [K in AgentConfig['kind']]: AgentFactory<Extract<AgentConfig, { kind: K }>> } = {
  reference: () => createReferenceAgent(),
  module: ({ path }, { anew }) => loadModule(path, anew),
  // The SDK and the checker of schemas behind it are large, so those alone pay for them who have such agents.
  mcp: async ({ servers }, deps) => {
    const { createMcpAgent } = await import('../../agents/mcp/index.ts');
    return createMcpAgent({ ...deps, servers, version: packageVersion() });
  },
  upstream: async (config, deps) =>
    createUpstreamAgent({ ...config, ...deps, tls: await clientTls(config.auth), trust: createTrust(config, deps) }),
};

/** The agents of one configuration. */
export interface AgentSet {
  readonly directory: AgentDirectory;
  /** Those of the configuration itself, by name. */
  readonly configured: ReadonlyMap<string, ConfiguredAgent>;
}

interface ConfiguredAgent {
  readonly agent: RefCountedAgent;
  /** Of all that it was made of. */
  readonly print: string;
}

/**
 * Makes every agent of the configuration, at the same time, and adds those that the program made itself. Agents that are
 * the same in a former configuration are taken over from there. When one cannot be made, none is left behind.
 */
export async function createAgents(
  config: Pick<Config, 'agents' | 'defaultAgent' | 'hosts'>,
  deps: AgentDeps,
  own: Readonly<Record<string, Agent>> = {},
  former?: AgentSet,
): Promise<AgentSet> {
  const make = async ([name, agent]: [string, AgentConfig]): Promise<[string, ConfiguredAgent]> => {
    const { knowledge: _, ...wanted } = agent;
    const print = await fingerprint(wanted);
    const known = former?.configured.get(name);
    if (known?.print === print) return [name, known];
    const kind = factories[agent.kind] as AgentFactory<AgentConfig>;
    const bare = await atConfigPath(configPathOf(name, agent), () =>
      kind(agent, { ...deps, name, anew: former !== undefined }),
    );
    return [name, { agent: new RefCountedAgent(bare), print }];
  };
  const outcomes = await Promise.allSettled([...config.agents].map(make));
  const entries = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const made = new Map(entries);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await closeAdded({ configured: made }, former);
    throw failed.reason;
  }
  const agents = new Map<string, Agent>(entries.map(([name, { agent }]) => [name, agent]));
  for (const [name, agent] of Object.entries(own)) agents.set(name, agent);
  return { directory: createDirectory(agents, config.defaultAgent, config.hosts), configured: made };
}

/** Where the configuration says what an agent is made of. */
const configPathOf = (name: string, { kind }: AgentConfig): readonly string[] =>
  kind === 'module' ? ['agents', name, 'path'] : ['agents', name];

/** Those that a former set does not have. */
const addedTo = (
  { configured: made }: Pick<AgentSet, 'configured'>,
  former: Pick<AgentSet, 'configured'> | undefined,
): [string, RefCountedAgent][] =>
  [...made].flatMap(([name, { agent }]) => (former?.configured.get(name)?.agent === agent ? [] : [[name, agent]]));

/** Closes those that were made for a set which is not used. */
export async function closeAdded(set: Pick<AgentSet, 'configured'>, former?: AgentSet): Promise<void> {
  await Promise.all(addedTo(set, former).map(([, agent]) => agent.close()));
}

/** Tells the agents that they are used from now on, those but for which a former set has too. */
export function openAgents(set: AgentSet, former?: AgentSet): void {
  for (const [name, agent] of addedTo(set, former)) {
    const before = former?.configured.get(name)?.agent;
    if (before) agent.replaces(before);
    agent.open();
  }
  if (former) return;
  for (const agent of programAgents(set)) agent.open?.();
}

/** What agents are by now in a set, as against a former one. */
export function changesOf(set: AgentSet, former: AgentSet): Record<'added' | 'changed' | 'removed', readonly string[]> {
  const made = addedTo(set, former).map(([name]) => name);
  return {
    added: made.filter((name) => !former.configured.has(name)),
    changed: made.filter((name) => former.configured.has(name)),
    removed: [...former.configured.keys()].filter((name) => !set.configured.has(name)),
  };
}

/** Those of a former set that are not in this one any more. */
export const replacedAgents = (set: AgentSet, former: AgentSet): readonly Replaced[] =>
  addedTo(former, set).map(([name, agent]) => ({
    name: `agent ${name}`,
    refs: agent.refs,
    close: () => agent.close(),
  }));

/** Those that the program made itself. */
const programAgents = ({ directory, configured: made }: AgentSet): Agent[] =>
  directory.names.flatMap((name) => {
    const agent = directory.get(name);
    return agent && agent !== made.get(name)?.agent ? [agent] : [];
  });

/** Lets the agents close what they hold. */
export async function closeAgents(set: AgentSet): Promise<void> {
  const configured = [...set.configured.values()].map(({ agent }) => agent.close());
  await Promise.all([...configured, ...programAgents(set).map((agent) => agent.close?.())]);
}

/** How each agent is, by name. */
export const healthOf = (agents: AgentDirectory): Record<string, AgentHealth> =>
  Object.fromEntries(agents.names.map((name) => [name, agents.get(name)?.health?.() ?? { state: 'ok' }]));
