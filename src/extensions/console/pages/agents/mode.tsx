import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { AgentMode } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { messageOf } from '../../gateway/error.ts';
import type { AgentStatus } from '../../gateway/types.ts';
import { Button, Confirm, Notice } from '../../ui/index.ts';

interface Change {
  readonly mode: AgentMode;
  readonly verb: string;
  readonly means: string;
  readonly danger: boolean;
}

const changes: readonly Change[] = [
  {
    mode: 'AGENT_MODE_ENABLED',
    verb: 'Enable',
    means: 'The agent accepts every call again, at every replica.',
    danger: false,
  },
  {
    mode: 'AGENT_MODE_DRAINING',
    verb: 'Drain',
    means:
      'The agent takes no new tasks, at every replica and after restarts. Tasks that exist go on and can be continued.',
    danger: false,
  },
  {
    mode: 'AGENT_MODE_DISABLED',
    verb: 'Disable',
    means: 'The gateway refuses every call of the agent, at every replica and after restarts. Running tasks go on.',
    danger: true,
  },
];

/** Whether nothing limits the agent. */
export const isEnabled = ({ mode = 'AGENT_MODE_ENABLED' }: AgentStatus): boolean =>
  mode === 'AGENT_MODE_ENABLED' || mode === 'AGENT_MODE_UNSPECIFIED';

/** Buttons that enable, drain or disable an agent, each after a question. */
export function ModeButtons({
  agent,
  onChanged,
}: {
  readonly agent: AgentStatus;
  readonly onChanged: () => void;
}): JSX.Element {
  const asking = useSignal<Change | undefined>(undefined);
  const busy = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const current = isEnabled(agent) ? 'AGENT_MODE_ENABLED' : agent.mode;
  const apply = async ({ mode }: Change): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    try {
      await admin.call('SetAgentMode', { name: agent.name, mode });
      asking.value = undefined;
      onChanged();
    } catch (thrown) {
      error.value = thrown;
    }
    busy.value = false;
  };
  const change = asking.value;
  const close = (): void => {
    asking.value = undefined;
    error.value = undefined;
  };
  return (
    <>
      {changes
        .filter(({ mode }) => mode !== current)
        .map((one) => (
          <Button key={one.mode} kind={one.danger ? 'danger' : undefined} onClick={() => (asking.value = one)}>
            {one.verb}
          </Button>
        ))}
      <Confirm
        title={`${change?.verb} ${agent.name}?`}
        open={change !== undefined}
        onClose={close}
        action={change?.verb ?? ''}
        danger={change?.danger === true}
        busy={busy.value}
        onConfirm={() => change && void apply(change)}
      >
        <div class="stack">
          <p>{change?.means}</p>
          {error.value !== undefined && <Notice severity="error">{messageOf(error.value)}</Notice>}
        </div>
      </Confirm>
    </>
  );
}
