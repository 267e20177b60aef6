import { endStoppedTask } from '../cluster/takeover.ts';
import { operations } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { Call } from '../model/call.ts';
import { type ActiveStops, stopError } from '../ports/stops.ts';
import { isConflict } from '../ports/store-errors.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import type { ServiceDeps } from './handler.ts';

/** Operations on tasks that only read. */
const reading: ReadonlySet<string> = new Set(operations.flatMap((one) => ('reads' in one ? [one.name] : [])));

/** Throws for a call of a stopped caller or agent. The tasks of a stopped agent can be read, where the gateway has them. */
export function requireNotStopped(active: ActiveStops, { operation, context }: Call, agent: Agent | undefined): void {
  const stop = active.of({ agent: context.agent, principal: context.principal.id });
  if (!stop || (stop.kind === 'agent' && reading.has(operation) && !agent?.invoke)) return;
  throw stopError(stop);
}

/**
 * Ends those of the tasks that an operator has stopped. A task that another live replica works on is left to that one. Resolves
 * with the number of tasks that have ended.
 *
 * @param keys of tasks in the store. Absent: those in memory
 */
export async function endStopped(deps: ServiceDeps, tasks: LiveTasks, keys?: readonly string[]): Promise<number> {
  const { active } = deps.stops ?? {};
  if (!active) return 0;
  const endOne = async (live: LiveTask | undefined): Promise<boolean> => {
    const stop = live && !live.log.isTerminal && active.of(live.record);
    if (!stop) return false;
    return live.retainWhile(async () => {
      if (!live.isOwnedHere) {
        if (await deps.store.peers.leaseHolderOf(live.key)) return false;
        await live.catchUp();
        if (live.log.isTerminal) return false;
      }
      await endStoppedTask(deps, live, stop);
      return true;
    });
  };
  const found = keys ? keys.map((key) => tasks.findByKey(key)) : [...tasks.inMemory.values()];
  const outcomes = await Promise.allSettled(found.map(async (one) => endOne(await one)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isConflict(outcome.reason))
      deps.logger.debug({ err: outcome.reason }, 'a stopped task could not be ended yet');
  }
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
}
