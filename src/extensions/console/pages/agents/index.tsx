import type { JSX } from 'preact';
import { route } from '../../shell/router.ts';
import { Agent } from './agent.tsx';
import './agents.css';
import { Overview } from './overview.tsx';

/** `#/agents`: all agents and the gateway itself. `#/agents/NAME`: one agent. */
export default function AgentsPage(): JSX.Element {
  const [name] = route.value.path;
  return name === undefined ? <Overview /> : <Agent key={name} name={name} />;
}
