/** What an agent accepts: every call, calls about tasks that exist, or no call. */
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
  /** The agents whose mode was ever set, by name. */
  agentModes(): Promise<AgentModeSetting[]>;
  /** Durable when it resolves. */
  setAgentMode(agent: string, mode: AgentMode, changedBy: string): Promise<AgentModeSetting>;
}
