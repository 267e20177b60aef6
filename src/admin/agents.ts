import type { AgentModes } from '../core/middleware/agent-modes.ts';
import { A2AError } from '../core/model/errors.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { AgentMode } from '../core/ports/agent-modes.ts';
import type { AgentStatus, AgentMode as ModeName } from '../gen/admin-v1/types.ts';
import type { AdminHandlers } from './service.ts';
import { timestamp } from './times.ts';

export interface AgentHandlersDeps {
  readonly agents: AgentDirectory;
  readonly modes: AgentModes;
}

/** The modes as the service names them. */
const modeNames: Readonly<Record<AgentMode, ModeName>> = {
  enabled: 'AGENT_MODE_ENABLED',
  draining: 'AGENT_MODE_DRAINING',
  disabled: 'AGENT_MODE_DISABLED',
};

/** The operations about agents. */
export function agentHandlers(deps: AgentHandlersDeps): AdminHandlers<'ListAgents' | 'SetAgentMode'> {
  const { agents, modes } = deps;
  return {
    async ListAgents() {
      return { value: { agents: agents.names.map((name) => statusOf(name, deps)) } };
    },

    async SetAgentMode({ name, mode }, { principal }) {
      if (!agents.get(name)) throw new A2AError('agentNotFound', `No such agent: ${name}`);
      const wanted = (Object.keys(modeNames) as AgentMode[]).find((each) => modeNames[each] === mode);
      if (!wanted) {
        const violations = [{ field: 'mode', description: `must be one of ${Object.values(modeNames).join(', ')}` }];
        throw new A2AError('invalidParams', 'The mode is missing or unknown', { violations });
      }
      await modes.set(name, wanted, principal.id);
      return { value: statusOf(name, deps) };
    },
  };
}

function statusOf(name: string, { agents, modes }: AgentHandlersDeps): AgentStatus {
  const agent = agents.get(name);
  const { state, url, reason, breaker, dialect, transport } = agent?.health?.() ?? { state: 'ok' };
  const set = modes.of(name);
  return {
    ...{ name, isDefault: name === agents.defaultName, state, mode: modeNames[set?.mode ?? 'enabled'] },
    ...(set && { modeChangedAt: timestamp(set.changedAt), modeChangedBy: set.changedBy }),
    ...(agent && { title: agent.card.name, description: agent.card.description }),
    ...(url !== undefined && { url }),
    ...(reason !== undefined && { reason }),
    ...(breaker !== undefined && { breaker }),
    ...(dialect !== undefined && { dialect }),
    ...(transport !== undefined && { binding: transport }),
  };
}
