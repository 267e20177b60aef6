import { operations } from '../../core/model/a2a.ts';
import type { Invoke } from '../../core/model/call.ts';
import { parentOf, rootOf } from '../../core/model/lineage.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Judge } from '../../core/ports/judge.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import { type ActiveStops, stopError } from './model.ts';

/** Operations on tasks that only read. */
const reading: ReadonlySet<string> = new Set(operations.flatMap((one) => ('reads' in one ? [one.name] : [])));

/**
 * Returns the judge that refuses calls of stopped callers, to stopped agents, and by agents in a stopped tree, and that ends
 * their tasks. Tasks of a stopped agent can still be read from the gateway's store.
 */
export const judgeOf = (active: ActiveStops): Judge => ({
  needsRoot: active.hasRoots,
  call({ operation, context }, agent) {
    const parent = active.hasRoots ? parentOf(context.semantics.taskMetadata) : undefined;
    const stop = active.of({ agent: context.agent, principal: context.principal.id }, parent && rootOf(parent, ''));
    if (!stop || (stop.kind === 'agent' && reading.has(operation) && !agent?.invoke)) return undefined;
    return stopError(stop);
  },
  task(task, root) {
    const stop = active.of(task, root);
    return stop && stopError(stop);
  },
});

/** Middleware: refuses calls of stopped callers and to stopped agents. */
export const refuseStopped =
  (judge: Judge, agents: Pick<AgentDirectory, 'get'>) =>
  (next: Invoke): Invoke =>
  async (call) => {
    const refusal = judge.call(call, agents.get(call.context.agent));
    if (refusal) {
      call.context.notes.refusedBy = 'stop';
      throw refusal;
    }
    return next(call);
  };

/** Refuses calls that open tasks in stopped trees. The path of another gateway's call names its tree. */
export const refuseStoppedRoots = (judge: Judge): RunHook => ({
  begin: ({ parent, opens, owner, root }) => {
    const refusal = opens && parent ? judge.task(owner, root) : undefined;
    if (refusal) throw refusal;
    return undefined;
  },
});
