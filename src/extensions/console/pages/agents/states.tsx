import type { ComponentChildren, JSX } from 'preact';
import type { AgentStatus } from '../../gateway/types.ts';
import { Badge } from '../../ui/index.ts';
import { isEnabled } from './mode.tsx';

/** Whether the agent can be reached, and what limits it. */
export function States({ agent }: { readonly agent: AgentStatus }): JSX.Element {
  const { state = 'ok', mode = '', breaker = 'closed' } = agent;
  const parts: ComponentChildren[] = [];
  if (!isEnabled(agent)) parts.push(<Badge state={mode} />);
  if (isEnabled(agent) || state !== 'ok') parts.push(<Badge state={state} />);
  if (breaker !== 'closed') parts.push(<Badge state={breaker} />);
  return <span class="row">{parts}</span>;
}
