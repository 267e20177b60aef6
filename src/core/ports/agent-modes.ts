/** Calls that an agent accepts: every call, only calls about tasks that exist, or none. */
export type AgentMode = 'enabled' | 'draining' | 'disabled';

export interface AgentModeSetting {
  /** Name of the agent. It need not be configured any more. */
  readonly agent: string;
  readonly mode: AgentMode;
  /** Milliseconds, by the store's clock. */
  readonly changedAt: number;
  /** Id of the principal. */
  readonly changedBy: string;
}

export interface AgentModeStore {
  /** Returns the agents whose mode was ever set, by name. */
  agentModes(): Promise<AgentModeSetting[]>;
  /** Stores a mode; it is durable when the promise resolves. */
  setAgentMode(agent: string, mode: AgentMode, changedBy: string): Promise<AgentModeSetting>;
}
