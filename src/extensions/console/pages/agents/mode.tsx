import type { JSX } from 'preact';
import { type AgentMode, type AgentStatus, admin } from '../../gateway/admin.ts';
import { ActionButton, Badge } from '../../ui/index.ts';

/** Labels of the buttons for modes, and the meanings of the modes. */
const changes: readonly (readonly [mode: AgentMode, verb: string, means: string])[] = [
  ['AGENT_MODE_ENABLED', 'Enable', 'The agent accepts every call again, at every replica.'],
  [
    'AGENT_MODE_DRAINING',
    'Drain',
    'The agent takes no new tasks, at every replica and after restarts. Tasks that exist go on and can be continued.',
  ],
  [
    'AGENT_MODE_DISABLED',
    'Disable',
    'The gateway refuses every call of the agent, at every replica and after restarts. Running tasks go on.',
  ],
];

/** Whether the agent is not limited. */
export const isEnabled = ({ mode = 'AGENT_MODE_ENABLED' }: AgentStatus): boolean =>
  mode === 'AGENT_MODE_ENABLED' || mode === 'AGENT_MODE_UNSPECIFIED';

/** Shares of failures from which an agent counts as failing: as for the alert CallsFail, and most of them. */
const someFail = 0.05;
const mostFail = 0.5;

interface StatesProps {
  readonly agent: AgentStatus;
  /** Share of its calls or tasks that failed in the last hour: from 0 to 1. */
  readonly failing: number;
}

/** Whether the agent can be reached and works, and its limits. */
export function States({ agent, failing }: StatesProps): JSX.Element {
  const isFailing = failing > someFail;
  const { state = 'ok', mode = '', breaker = 'closed' } = agent;
  return (
    <span class="row">
      {!isEnabled(agent) && <Badge state={mode} />}
      {isFailing && state === 'ok' && <Badge state="failing" severity={failing < mostFail ? 'warning' : 'error'} />}
      {(isEnabled(agent) || state !== 'ok') && !(isFailing && state === 'ok') && <Badge state={state} />}
      {breaker !== 'closed' && <Badge state={breaker} />}
    </span>
  );
}

/** Buttons that enable, drain or disable an agent, each after a question. */
export function ModeButtons(props: { readonly agent: AgentStatus; readonly onChanged: () => void }): JSX.Element {
  const { agent, onChanged } = props;
  const { name } = agent;
  const current = isEnabled(agent) ? 'AGENT_MODE_ENABLED' : agent.mode;
  return (
    <>
      {changes
        .filter(([mode]) => mode !== current)
        .map(([mode, verb, means]) => (
          <ActionButton
            key={mode}
            operation="SetAgentMode"
            label={verb}
            title={`${verb} ${name}?`}
            danger={mode === 'AGENT_MODE_DISABLED'}
            act={() => admin.call('SetAgentMode', { name, mode }).then(onChanged)}
          >
            {means}
          </ActionButton>
        ))}
    </>
  );
}
