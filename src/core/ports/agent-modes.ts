/** What an agent accepts: every call, calls about tasks that exist, or no call. */
export type AgentMode = 'enabled' | 'draining' | 'disabled';

/** The mode that an operator gave an agent. */
export interface AgentModeSetting {
  /** Name of the agent. It need not be configured any more. */
  readonly agent: string;
  readonly mode: AgentMode;
  /** Milliseconds, by the store's clock. */
  readonly changedAt: number;
  /** Id of the principal. */
  readonly changedBy: string;
}

/** The modes of agents, the same for all replicas. */
export interface AgentModeStore {
  /** The agents whose mode was ever set, by name. */
  agentModes(): Promise<AgentModeSetting[]>;
  /** Durable when it resolves. */
  setAgentMode(agent: string, mode: AgentMode, changedBy: string): Promise<AgentModeSetting>;
}
