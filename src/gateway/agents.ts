import { createDirectory } from '../agents/directory.ts';
import { loadModuleAgent } from '../agents/module.ts';
import { createReferenceAgent } from '../agents/reference.ts';
import type { AgentConfig, Config } from '../config/config.ts';
import type { Agent } from '../core/agent.ts';
import { A2AError } from '../core/errors.ts';
import type { AgentDirectory } from '../core/ports.ts';

/** How an agent of each kind is made. */
const kinds: {
  readonly [K in AgentConfig['kind']]: (config: Extract<AgentConfig, { kind: K }>) => Agent | Promise<Agent>;
} = {
  reference: createReferenceAgent,
  module: ({ path }) => loadModuleAgent(path),
  upstream: () => Promise.reject(new A2AError('unsupportedOperation', 'kind: upstream is not served by this version')),
};

/** Makes every agent of the configuration, at the same time, and adds those that the program made itself. */
export async function makeAgents(
  config: Pick<Config, 'agents' | 'defaultAgent' | 'hosts'>,
  own: Readonly<Record<string, Agent>> = {},
): Promise<AgentDirectory> {
  const make = async ([name, agent]: [string, AgentConfig]): Promise<[string, Agent]> => [
    name,
    await (kinds[agent.kind] as (agent: AgentConfig) => Agent | Promise<Agent>)(agent),
  ];
  const made = await Promise.all([...config.agents].map(make));
  return createDirectory(new Map([...made, ...Object.entries(own)]), config.defaultAgent, config.hosts);
}
