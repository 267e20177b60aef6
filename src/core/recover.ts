import type { Agent } from './agent.ts';
import { statusEvent } from './agent-events.ts';
import type { ServiceDeps } from './handling.ts';
import type { LiveTask } from './live-task.ts';
import type { LiveTasks } from './live-tasks.ts';
import { taskAt } from './past.ts';
import type { StoredTask } from './ports.ts';
import { Turn } from './turn.ts';

/** Tasks taken up at once. */
const batch = 100;

/**
 * Takes up the tasks that were under way in a gateway that is dead: an agent that can resume does, one that may be
 * restarted gets the last message again; another's task fails, so that nobody waits for ever. Resolves with their number.
 */
export async function recoverTasks(deps: ServiceDeps, tasks: LiveTasks): Promise<number> {
  let count = 0;
  for (;;) {
    const orphans = await deps.store.claimOrphans(batch);
    await Promise.all(orphans.map((orphan) => takeUp(deps, tasks, orphan)));
    count += orphans.length;
    if (orphans.length < batch) return count;
  }
}

async function takeUp(deps: ServiceDeps, tasks: LiveTasks, orphan: StoredTask): Promise<void> {
  const live = tasks.adopt(orphan);
  // Its caller chose its id and has long sent the next message, since the store did not say that the task was made.
  if (live.running) return;
  await live.hold(async () => {
    try {
      // Whoever listens here has it in memory as it was, perhaps, before that gateway's last words.
      await live.upToDate();
      if (live.running) return;
      if (await goOn(deps, live, deps.agents.get(orphan.agent))) return;
      live.emit(statusEvent('TASK_STATE_FAILED', idsOf(live), failure));
      await live.settled();
    } catch (err) {
      const { id: task, agent, principal } = orphan;
      deps.logger.error({ task, agent, principal, err }, 'a task that was left behind could not be taken up');
    }
  });
}

const failure = 'The gateway stopped while the agent was working on this task.';

/** Whether the agent goes on with the task. */
async function goOn(deps: ServiceDeps, live: LiveTask, agent: Agent | undefined): Promise<boolean> {
  if (!agent?.resume && !agent?.restart) return false;
  const { key, record } = live;
  const task = await live.snapshot();
  const ids = idsOf(live);
  const turn = new Turn(
    { agent, ids, key, logger: deps.logger, traces: deps.traces, create: () => live },
    originOf(live),
  );
  const resume = agent.resume?.bind(agent);
  if (resume) {
    turn.resume(live, task, (context) => resume(task, context));
    return true;
  }
  const begun = await deps.store.latestTurn(key);
  const [first] = await deps.store.events(key, begun - 1, 1);
  const message = first?.event.message ?? first?.event.task?.history?.findLast(({ role }) => role === 'ROLE_USER');
  if (!message) return false;
  const before = begun > 1 ? await taskAt(deps.store, key, begun - 1) : undefined;
  turn.restart(live, { message, ...(record.tenant && { tenant: record.tenant }) }, before);
  return true;
}

const idsOf = ({ record }: LiveTask): { taskId: string; contextId: string } => ({
  taskId: record.id,
  contextId: record.contextId,
});

const originOf = ({ record }: LiveTask): ConstructorParameters<typeof Turn>[1] => ({
  principal: { id: record.principal, anonymous: false },
  tenant: record.tenant,
  requestId: `recovered-${record.id}`,
  extensions: [],
  hops: 0,
  activate: () => undefined,
  drop: () => undefined,
});
