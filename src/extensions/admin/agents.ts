import type { AgentModes } from '../../core/middleware/agent-modes.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import { defined } from '../../core/model/json.ts';
import { shortened } from '../../core/model/text.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { AgentMode } from '../../core/ports/agent-modes.ts';
import type { AgentStatus, AgentMode as ModeName } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers, AgentFacts } from '../handlers.ts';
import { requireAgent } from '../subjects.ts';
import { activities, type MetricsHandlersDeps } from './metrics.ts';

interface AgentCalls {
  readonly calls: number;
  readonly failed: number;
  /** Returns the milliseconds within which this share of the calls (0 to 1) were answered. Undefined: there were no calls. */
  quantile(share: number): number | undefined;
}

export interface AgentHandlersDeps extends MetricsHandlersDeps {
  readonly agents: AgentDirectory;
  readonly modes: AgentModes;
  /** Returns the kind of a configured agent. */
  readonly kindOf: (name: string) => string | undefined;
  readonly callsOf: (name: string) => AgentCalls;
  /** Returns the number of an agent's tasks that are in memory. */
  readonly liveTasksOf: (name: string) => number;
  /** Returns the facts that modules add about an agent. */
  readonly addedFacts: (name: string) => AgentFacts;
}

/** Names of the modes in the admin service. */
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
      const { byName, missing, completeSince } = await activities(deps);
      const idle = { tasksEnded: 0, tasksFailed: 0, calls: 0, failedCalls: 0 };
      const all = agents.names.map((name) => ({ ...statusOf(name, deps), lastHour: byName.get(name) ?? idle }));
      return {
        value: { agents: all, missingReplicas: [...missing], completeSince: timestamp(completeSince) },
      };
    },

    async SetAgentMode({ name, mode }, { principal }) {
      requireAgent(agents, name);
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

/** The state of one agent. */
export function statusOf(name: string, deps: AgentHandlersDeps): AgentStatus {
  const agent = deps.agents.get(name);
  const { state, url, reason, breaker, dialect, transport } = agent?.health?.() ?? { state: 'ok' };
  const set = deps.modes.of(name);
  const kind = deps.kindOf(name);
  const { calls, failed, quantile } = deps.callsOf(name);
  const { readAt, document } = agent?.upstreamCard ?? {};
  return {
    name,
    isDefault: name === deps.agents.defaultName,
    state,
    mode: modeNames[set?.mode ?? 'enabled'],
    ...(set && { modeChangedAt: timestamp(set.changedAt), modeChangedBy: set.changedBy }),
    // Agents choose these texts, and lists have those of all agents.
    ...(agent && {
      title: shortened(agent.card.name ?? '', 200),
      description: shortened(agent.card.description ?? '', 1_000),
    }),
    ...defined({ kind, url, reason, breaker, dialect, binding: transport }),
    calls,
    failedCalls: failed,
    liveTasks: deps.liveTasksOf(name),
    ...defined({ latencyMedianMs: quantile(0.5), latencyP95Ms: quantile(0.95) }),
    ...(readAt !== undefined && document !== undefined && { cardReadAt: timestamp(readAt) }),
    ...deps.addedFacts(name),
  } as AgentStatus;
}
