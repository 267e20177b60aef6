import { createDirectory } from '../agents/directory.ts';
import { loadModuleAgent } from '../agents/module.ts';
import { createReferenceAgent } from '../agents/reference.ts';
import { createUpstreamAgent } from '../agents/upstream.ts';
import type { AgentConfig, Config } from '../config/config.ts';
import type { Agent, AgentHealth } from '../core/agent.ts';
import type { Invoke } from '../core/call.ts';
import type { AgentDirectory, Logger, UpstreamIds } from '../core/ports.ts';
import { clientTls } from '../net/client-tls.ts';
import type { UrlGuard } from '../net/guard.ts';
import { trustOf } from './card-trust.ts';
import { packageVersion } from './version.ts';

/** What agents are made with. */
export interface AgentDeps {
  /** Remembers what the tasks of upstream agents are called there. */
  readonly ids: UpstreamIds;
  readonly logger: Logger;
  /** Judges where the cards of upstream agents lead. */
  readonly guard: UrlGuard;
  /** Around each attempt to call an upstream agent. Default: nothing. */
  readonly observe?: (agent: string) => (next: Invoke) => Invoke;
  /** Told that a call of an upstream agent is tried again. */
  readonly onRetry?: (agent: string) => void;
}

type MakeAgent<C> = (config: C, deps: AgentDeps & { readonly name: string }) => Agent | Promise<Agent>;

/** How an agent of each kind is made. */
const kinds: { readonly [K in AgentConfig['kind']]: MakeAgent<Extract<AgentConfig, { kind: K }>> } = {
  reference: () => createReferenceAgent(),
  module: ({ path }) => loadModuleAgent(path),
  // The SDK and the checker of schemas behind it are large, so those alone pay for them who have such agents.
  mcp: async ({ servers }, deps) => {
    const { createMcpAgent } = await import('../agents/mcp.ts');
    return createMcpAgent({ ...deps, servers, version: packageVersion() });
  },
  upstream: async (config, deps) =>
    createUpstreamAgent({ ...config, ...deps, tls: await clientTls(config.auth), trust: trustOf(config, deps) }),
};

/** Makes every agent of the configuration, at the same time, and adds those that the program made itself. */
export async function makeAgents(
  config: Pick<Config, 'agents' | 'defaultAgent' | 'hosts'>,
  deps: AgentDeps,
  own: Readonly<Record<string, Agent>> = {},
): Promise<AgentDirectory> {
  const make = async ([name, agent]: [string, AgentConfig]): Promise<[string, Agent]> => [
    name,
    await (kinds[agent.kind] as MakeAgent<AgentConfig>)(agent, { ...deps, name }),
  ];
  const made = await Promise.all([...config.agents].map(make));
  return createDirectory(new Map([...made, ...Object.entries(own)]), config.defaultAgent, config.hosts);
}

/** All agents of a directory. */
const all = (agents: AgentDirectory): Agent[] => agents.names.flatMap((name) => agents.get(name) ?? []);

/** Tells the agents that the gateway starts. */
export function openAgents(agents: AgentDirectory): void {
  for (const agent of all(agents)) agent.open?.();
}

/** Lets the agents close what they hold. */
export async function closeAgents(agents: AgentDirectory): Promise<void> {
  await Promise.all(all(agents).map((agent) => agent.close?.()));
}

/** How each agent is, by name. */
export const healthOf = (agents: AgentDirectory): Record<string, AgentHealth> =>
  Object.fromEntries(agents.names.map((name) => [name, agents.get(name)?.health?.() ?? { state: 'ok' }]));
