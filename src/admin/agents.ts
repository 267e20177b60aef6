import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { AdminHandlers } from './service.ts';

export interface AgentHandlersDeps {
  readonly agents: AgentDirectory;
}

/** The operations about agents. */
export function agentHandlers({ agents }: AgentHandlersDeps): AdminHandlers<'ListAgents'> {
  return {
    async ListAgents() {
      const listed = agents.names.map((name) => {
        const agent = agents.get(name);
        const { state, url, reason, breaker, dialect, transport } = agent?.health?.() ?? { state: 'ok' };
        return {
          ...{ name, isDefault: name === agents.defaultName, state },
          ...(agent && { title: agent.card.name, description: agent.card.description }),
          ...(url !== undefined && { url }),
          ...(reason !== undefined && { reason }),
          ...(breaker !== undefined && { breaker }),
          ...(dialect !== undefined && { dialect }),
          ...(transport !== undefined && { binding: transport }),
        };
      });
      return { value: { agents: listed } };
    },
  };
}
