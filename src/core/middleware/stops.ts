import type { Invoke } from '../model/call.ts';
import { requireNotStopped } from '../operations/stopped.ts';
import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { Stops } from '../ports/stops.ts';

/** Middleware: calls of stopped callers and agents are refused. */
export const refuseStopped =
  (stops: Pick<Stops, 'active'>, agents: Pick<AgentDirectory, 'get'>) =>
  (next: Invoke): Invoke =>
  async (call) => {
    if (stops.active) requireNotStopped(stops.active, call, agents.get(call.context.agent));
    return next(call);
  };
