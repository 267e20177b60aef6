import type { MemoryBudget } from '../limits/memory-budget.ts';
import type { Task } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import { statusEvent } from '../model/agent-events.ts';
import { A2AError } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';
import { parentOf } from '../model/lineage.ts';
import { isOutage, isUnreadable } from '../model/stored-form.ts';
import { shared, steadyNow } from '../model/timing.ts';
import type { AdminStore } from '../ports/admin-store.ts';
import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { AgentStates } from '../ports/agent-state.ts';
import type { ActiveJudge } from '../ports/judge.ts';
import { LogConflict } from '../ports/store-errors.ts';
import type { SharedTaskStore, SizedRecord } from '../ports/task-store.ts';
import type { LiveTask, RefusedTask } from '../tasks/live-task.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import { taskAt } from '../tasks/replay.ts';
import { cancelAtAgent, type RunServices, type TurnOrigin } from '../tasks/run-context.ts';
import { taskOverLimit } from '../tasks/task-log.ts';
import { Turn } from '../tasks/turn.ts';
import { readTurnRequest } from '../tasks/turn-request.ts';
import type { TaskTraces } from '../telemetry/trace-context.ts';

export interface TakeoverDeps extends RunServices {
  readonly store: SharedTaskStore & AgentStates & Pick<AdminStore, 'overviewOf'>;
  readonly agents: AgentDirectory;
  /** Decides which calls and tasks may not go on. Absent: nothing is refused. */
  readonly judge?: ActiveJudge | undefined;
  /** Records which trace each turn belongs to. */
  readonly traces?: TaskTraces;
  /** Checks whether there is memory for a number of bytes of continued tasks. Default: always. */
  readonly budget?: Pick<MemoryBudget, 'fitsTask'>;
}

/** Tasks claimed at once. */
const batchSize = 100;
/** Bytes up to which tasks are taken over at the same time. Larger ones are taken over one by one. */
const smallTask = 65_536;
/** Milliseconds for which orphaned tasks of agents that are not served here are left to replicas that serve them. */
const unservedTimeout = 10 * 60_000;
/** Milliseconds between two checks for such tasks. */
const unservedInterval = 30_000;

/**
 * Takes over the tasks that a dead replica was working on. An agent that can resume does; an agent that may be
 * restarted gets the last message again; other tasks fail, so that no caller waits for ever: of those, only the rows
 * are read. Tasks that are continued but do not fit into memory yet wait for the next call. The returned function
 * resolves with the number of tasks; calls during a run share that run.
 */
export function createTakeover(deps: TakeoverDeps, tasks: LiveTasks): () => Promise<number> {
  const { store, agents, logger } = deps;
  /**
   * Claimed tasks, by their keys, that could not be taken over yet because of an outage of the store or other tasks in
   * memory.
   */
  const pending = new Map<string, SizedRecord>();
  /**
   * Agents with orphaned tasks that no replica has claimed, each with the time of the first check that found them, by
   * `steadyNow`.
   */
  let unserved = new Map<string, number>();
  let unservedCheckedAt = 0;

  const run = async (): Promise<number> => {
    for (const task of [...pending.values()]) {
      // Rejects if the outage goes on: the task must not be forgotten.
      const holder = await store.peers.leaseHolderOf(task.key);
      pending.delete(task.key);
      if (!holder) await takeOver(task);
    }
    // Without other replicas, the tasks of all agents are claimed, also of those that are not served any more.
    if (!store.peers.shared) return claim(undefined);
    const count = agents.names.length > 0 ? await claim(agents.names) : 0;
    const names = await unservedAgents();
    return names.length > 0 ? count + (await claim(names)) : count;
  };

  const claim = async (names: readonly string[] | undefined): Promise<number> => {
    for (let count = 0; ; ) {
      const orphans = await store.claimOrphans(batchSize, names);
      const isSmall = ({ bytes }: SizedRecord): boolean => bytes <= smallTask;
      const taken = await Promise.all(orphans.filter(isSmall).map(takeOver));
      for (const orphan of orphans) if (!isSmall(orphan)) taken.push(await takeOver(orphan));
      count += taken.filter(Boolean).length;
      if (orphans.length < batchSize) return count;
    }
  };

  /** Returns agents whose orphaned tasks no replica has claimed for long. */
  const unservedAgents = async (): Promise<string[]> => {
    const now = steadyNow();
    if (now - unservedCheckedAt < unservedInterval) return [];
    unservedCheckedAt = now;
    const names = await store.orphanedAgents();
    unserved = new Map(names.map((name) => [name, unserved.get(name) ?? now]));
    return names.filter((name) => now - (unserved.get(name) ?? now) >= unservedTimeout);
  };

  /**
   * Takes over one task. False: there was nothing to take over, since this replica may have been working on it all the
   * time.
   */
  const takeOver = async (orphan: SizedRecord): Promise<boolean> =>
    tasks.adopt(orphan).retainWhile(async (live) => {
      try {
        // A task with listeners here was in memory before, perhaps without the dead replica's last events.
        await live.catchUp();
        const refused = tasks.refused.get(orphan.key);
        if (refused && !live.hasRuns) {
          await removeRefused(live, refused);
          return true;
        }
        // Its caller has sent the next message, or another replica has continued it.
        if (live.hasRuns || live.log.isTerminal) return false;
        // A run in this replica ended while the task was being claimed.
        if (live.log.hasRested(await store.latestTurn(live.key))) return false;
        const agent = agents.get(orphan.agent);
        let reason = agent ? interrupted : agentGone(orphan.agent);
        const judge = deps.judge?.active;
        const refusal = judge?.task(orphan, judge.needsRoot ? (await store.overviewOf(orphan.key))?.root : undefined);
        if (refusal) {
          await endTask(deps, live, refusal);
          return true;
        }
        if (agent?.resume || agent?.restart) {
          await live.counted();
          const { task: limit = Number.POSITIVE_INFINITY } = deps.limits;
          if (live.log.size > limit) reason = taskOverLimit(live.log.size, limit);
          else if (deps.budget?.fitsTask(live.log.bytes) === false) {
            pending.set(orphan.key, orphan);
            return true;
          } else {
            const continued = await continueRun(deps, live, agent).catch((thrown: unknown) => {
              if (!isUnreadable(thrown)) throw thrown;
              reason = A2AError.from(thrown).message;
              return false;
            });
            if (continued) return true;
          }
        }
        live.end(statusEvent('TASK_STATE_FAILED', live.ids, reason, store.now()));
        await live.settled();
      } catch (err) {
        const { id: task, agent, principal } = orphan;
        logger.error({ task, agent, principal, err }, 'a task of a dead replica could not be taken over');
        if (isOutage(err) && !(A2AError.from(err).cause instanceof LogConflict)) pending.set(orphan.key, orphan);
      }
      return true;
    });

  /**
   * Removes the row of a call that was refused here. If it cannot be removed, since callers have seen it, ends the
   * task.
   */
  const removeRefused = async (live: LiveTask, { call }: RefusedTask): Promise<void> => {
    if (await store.retract(live.key, call, undefined)) live.markDeleted();
    else if (!live.log.isTerminal) {
      live.end(statusEvent('TASK_STATE_FAILED', live.ids, notBegun, store.now()));
      await live.settled();
    }
    tasks.refused.delete(live.key);
  };

  return shared(run);
}

const notBegun = 'The gateway could not store the message in time and refused it; the agent did not get it.';

const interrupted =
  'The gateway stopped, or lost its store, before the agent was done; it is not known what the agent did.';

const agentGone = (name: string): string =>
  `The gateway stopped while the agent was working on this task, and the agent ${name} is no longer configured.`;

/** Resumes or restarts the agent. False: it can do neither. */
async function continueRun(deps: TakeoverDeps, live: LiveTask, agent: Agent): Promise<boolean> {
  const { key, ids, record } = live;
  const position = await deps.store.latestTurn(key);
  const [first] = await deps.store.events(key, position - 1, 1);
  const message = first?.event.message ?? first?.event.task?.history?.findLast(({ role }) => role === 'ROLE_USER');
  const isUnanswered = agent.resume && message && live.log.head === position;
  const turnRequest = isUnanswered ? readTurnRequest(await deps.store.turnRequest(key), position) : undefined;
  const task = await live.snapshot();
  const parent = parentOf(task.metadata);
  const parts = {
    agent,
    ids,
    key,
    owner: record,
    services: deps,
    hooks: deps.hooks?.active,
    traces: deps.traces,
    parent,
  };
  const { trace } = (await deps.store.overviewOf(key)) ?? {};
  const turn = new Turn(parts, {
    ...originOfTask(record, task, turnRequest?.extensions),
    ...(trace && { traceparent: trace }),
  });
  const resume = agent.resume?.bind(agent);
  if (!resume && !message) return false;
  if (parts.hooks?.begins) await turn.begin(undefined);
  if (resume) {
    const sent = isUnanswered && first && { at: first.at, age: deps.store.now() - first.at };
    const unanswered = sent ? { request: { ...turnRequest?.parts, message }, ...sent } : undefined;
    turn.resume(live, task, position, (context) => resume(task, context, unanswered));
    return true;
  }
  if (!message) return false;
  const before = position > 1 ? await taskAt(deps.store, key, position - 1) : undefined;
  turn.restart(live, { message, ...(record.tenant && { tenant: record.tenant }) }, position, before?.task);
  return true;
}

/** Ends a task that may not go on, and asks its agent to cancel its part. Does not wait for the agent. */
export async function endTask(
  deps: Pick<TakeoverDeps, 'agents' | keyof RunServices>,
  live: LiveTask,
  reason: A2AError,
): Promise<void> {
  const { key, ids, record: owner } = live;
  live.end(statusEvent('TASK_STATE_CANCELED', ids, reason.message, deps.store.now()));
  const agent = deps.agents.get(owner.agent);
  if (agent) cancelAtAgent(deps, agent, originOfTask(owner), { key, ids, owner });
  await live.settled();
}

/** Returns the known origin of a task, without its caller. */
export const originOfTask = (
  record: TaskOwner & { readonly id: string },
  { metadata }: Pick<Task, 'metadata'> = {},
  extensions: readonly string[] = [],
): TurnOrigin => ({
  principal: { id: record.principal, anonymous: false, byId: true },
  tenant: record.tenant,
  requestId: `recovered-${record.id}`,
  extensions,
  hops: parentOf(metadata)?.hops ?? 0,
  activate: () => undefined,
  drop: () => undefined,
});
