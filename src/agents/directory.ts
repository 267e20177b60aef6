import type { Agent } from '../core/model/agent.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';

const none: ReadonlyMap<string, string> = new Map();

/**
 * The agents by name, in the order given.
 *
 * @param defaultName the agent that also answers at the root
 * @param hosts names of the agents that have hosts of their own, by host in lower case: with a port for that port only
 */
export function createDirectory(
  agents: ReadonlyMap<string, Agent>,
  defaultName: string | undefined,
  hosts: ReadonlyMap<string, string> = none,
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
