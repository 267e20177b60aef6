import type { Agent } from '../core/agent.ts';
import type { AgentDirectory } from '../core/ports.ts';

/**
 * The agents by name, in the order given.
 *
 * @param defaultName the agent that also answers at the root.
 */
export function createDirectory(agents: ReadonlyMap<string, Agent>, defaultName: string | undefined): AgentDirectory {
  return { defaultName, names: [...agents.keys()], get: (name) => agents.get(name), forHost: () => undefined };
}
