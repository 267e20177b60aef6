import { endStoppedTask } from '../cluster/takeover.ts';
import { operations, type TaskState } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import { type Call, type Invoke, parentOf, rootOf } from '../model/call.ts';
import { isTerminal, lifecycle } from '../model/lifecycle.ts';
import type { TaskFilter, TaskOverview } from '../ports/admin-store.ts';
import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { RunHook } from '../ports/run-hook.ts';
import { type ActiveStops, type Stop, type Stops, stopError } from '../ports/stops.ts';
import { isConflict } from '../ports/store-errors.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import type { ServiceDeps } from './handler.ts';

/** Tasks that are ended at a time. */
const page = 200;
/** Milliseconds in which each replica ends what it works on: whether it is dead is asked later. */
const newFor = 1_000;

/** Operations on tasks that only read. */
const reading: ReadonlySet<string> = new Set(operations.flatMap((one) => ('reads' in one ? [one.name] : [])));

/** Throws for a call of a stopped caller or agent, or of an agent that works in a stopped tree. The tasks of a stopped agent can be read, where the gateway has them. */
export function requireNotStopped(active: ActiveStops, { operation, context }: Call, agent: Agent | undefined): void {
  const parent = active.hasRoots ? parentOf(context.semantics.taskMetadata) : undefined;
  const stop = active.of({ agent: context.agent, principal: context.principal.id }, parent && rootOf(parent, ''));
  if (!stop || (stop.kind === 'agent' && reading.has(operation) && !agent?.invoke)) return;
  throw stopError(stop);
}

/** Middleware: calls of stopped callers and agents are refused. */
export const refuseStopped =
  (stops: Pick<Stops, 'active'>, agents: Pick<AgentDirectory, 'get'>) =>
  (next: Invoke): Invoke =>
  async (call) => {
    if (stops.active) requireNotStopped(stops.active, call, agents.get(call.context.agent));
    return next(call);
  };

/** Refuses calls that open tasks of stopped trees: a call of another gateway says with its path which tree it belongs to. */
export const refuseStoppedTrees = (stops: Pick<Stops, 'active'>): RunHook => ({
  begin: ({ parent, opens, owner, root }) => {
    const stop = opens && parent ? stops.active?.of(owner, root) : undefined;
    if (stop) throw stopError(stop);
    return undefined;
  },
});

/** Ends the stopped tasks that this replica works on, without waiting for the store or an agent. Returns their number. */
export function endOwnStopped(deps: ServiceDeps, tasks: LiveTasks): number {
  const { active } = deps.stops ?? {};
  if (!active) return 0;
  let count = 0;
  for (const live of tasks.inMemory.values()) {
    const stop = active.of(live.record, live.root);
    if (!stop || live.log.isTerminal || !live.isOwnedHere || live.failure) continue;
    count += 1;
    endStoppedTask(deps, live, stop).catch((err: unknown) => {
      deps.logger.debug({ task: live.record.id, err }, 'the end of a stopped task is not stored yet');
    });
  }
  return count;
}

const unended = Object.keys(lifecycle).filter((state) => !isTerminal(state as TaskState)) as TaskState[];

const filters: Readonly<Record<Stop['kind'], (subject: string) => TaskFilter>> = {
  caller: (principal) => ({ principal }),
  agent: (agent) => ({ agent }),
  root: (root) => ({ root }),
};

/** Ends the tasks of a stop that no replica works on, which wait for their callers as a rule. Resolves with their number. */
export async function endStopped(deps: ServiceDeps, tasks: LiveTasks, stop: Stop): Promise<number> {
  const { store, logger } = deps;
  const isNew = store.now() - stop.stoppedAt < newFor;
  const endOne = async ({ key, replica }: TaskOverview): Promise<boolean> => {
    if (replica !== '' && (isNew || (await store.peers.leaseHolderOf(key)))) return false;
    const live = await tasks.findByKey(key);
    if (!live) return false;
    return live.retainWhile(async () => {
      await live.catchUp();
      if (live.log.isTerminal) return false;
      await endStoppedTask(deps, live, stop);
      return true;
    });
  };
  let count = 0;
  for (let token = ''; ; ) {
    const filter = { ...filters[stop.kind](stop.subject), states: unended };
    const { tasks: found, nextPageToken } = await store.searchTasks(filter, page, token);
    const outcomes = await Promise.allSettled(found.map(endOne));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') count += Number(outcome.value);
      else if (!isConflict(outcome.reason))
        logger.debug({ err: outcome.reason }, 'a stopped task could not be ended yet');
    }
    if (nextPageToken === '' || !deps.stops?.active?.all.includes(stop)) return count;
    token = nextPageToken;
  }
}
