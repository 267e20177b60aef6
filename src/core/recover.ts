import { statusEvent } from './agent-events.ts';
import type { ServiceDeps } from './handling.ts';
import type { LiveTasks } from './live-tasks.ts';
import type { StoredTask } from './ports.ts';
import { Turn } from './turn.ts';

/** Tasks taken up at once. */
const batch = 100;

/**
 * Takes up the tasks that were under way in a gateway that is dead: an agent that can resume does; another's task
 * fails, so that nobody waits for ever. Resolves with their number.
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
  const ids = { taskId: orphan.id, contextId: orphan.contextId };
  const agent = deps.agents.get(orphan.agent);
  const live = tasks.adopt(orphan);
  // Its caller chose its id and has long sent the next message, since the store did not say that the task was made.
  if (live.running) return;
  await live.hold(async () => {
    const resume = agent?.resume?.bind(agent);
    if (agent && resume) {
      const turn = new Turn({ agent, ids, key: live.key, logger: deps.logger, create: () => live }, originOf(orphan));
      turn.resume(live, orphan.task, (context) => resume(orphan.task, context));
      return;
    }
    live.emit(statusEvent('TASK_STATE_FAILED', ids, 'The gateway stopped while the agent was working on this task.'));
    await live.settled().catch((err: unknown) => {
      deps.logger.error({ task: orphan.id, err }, 'a task that was left behind could not be closed');
    });
  });
}

const originOf = (orphan: StoredTask): ConstructorParameters<typeof Turn>[1] => ({
  principal: { id: orphan.principal, anonymous: false },
  tenant: orphan.tenant,
  requestId: `recovered-${orphan.id}`,
  extensions: [],
  hops: 0,
  activate: () => undefined,
  drop: () => undefined,
});
