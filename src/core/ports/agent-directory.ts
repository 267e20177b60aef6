import type { Agent } from '../model/agent.ts';

export interface AgentDirectory {
  /** Name of the agent that also answers at the root. */
  readonly defaultName: string | undefined;
  readonly names: readonly string[];
  get(name: string): Agent | undefined;
  /** Returns the name of the agent that owns this Host or `:authority` (port included or not). */
  forHost(host: string): string | undefined;
}
