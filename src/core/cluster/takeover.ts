import type { Message } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import { statusEvent } from '../model/agent-events.ts';
import { A2AError } from '../model/errors.ts';
import { parentOf } from '../model/lineage.ts';
import { isOutage, isUnreadable } from '../model/stored-form.ts';
import { shared, steadyNow } from '../model/timing.ts';
import type { AdminStore } from '../ports/admin-store.ts';
import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { AgentStates } from '../ports/agent-state.ts';
import type { ActiveJudge } from '../ports/judge.ts';
import { LogConflict } from '../ports/store-errors.ts';
import type { SharedTaskStore, SizedRecord } from '../ports/task-store.ts';
import { restartTurn, resumeTurn } from '../tasks/continued-turn.ts';
import { readHold } from '../tasks/held-call.ts';
import type { LiveTask, LiveTasks, RefusedTask } from '../tasks/live-tasks.ts';
import { taskAt } from '../tasks/replay.ts';
import { cancelAtAgent, type RunServices } from '../tasks/run-context.ts';
import { taskOverLimit } from '../tasks/task-log.ts';
import type { TaskBudget } from '../tasks/task-memory.ts';
import { Turn } from '../tasks/turn.ts';
import { readTurnRequest } from '../tasks/turn-request.ts';
import { readTurns } from '../tasks/turns-in-log.ts';
import { knowWaiting, originOfTask, restoreTurns } from '../tasks/waiting-turns.ts';
import type { TaskTraces } from '../telemetry/trace-context.ts';

export interface TakeoverDeps extends RunServices {
  readonly store: SharedTaskStore & AgentStates & Pick<AdminStore, 'overviewOf'>;
  readonly agents: AgentDirectory;
  /** Decides which calls and tasks may not go on. Absent: nothing is refused. */
  readonly judge?: ActiveJudge | undefined;
  /** Records which trace each turn belongs to. */
  readonly traces?: TaskTraces;
  /** Counts the tasks in memory. Default: any number is taken. */
  readonly budget?: TaskBudget;
}

/** Tasks claimed at once. */
const batchSize = 100;
/** Bytes up to which tasks are taken over at the same time. Larger ones are taken over one by one. */
const smallTask = 65_536;
/** Milliseconds for which orphaned tasks of agents that are not served here are left to replicas that serve them. */
const unservedTimeout = 10 * 60_000;
/** Number of messages before the last one that are read from the log. */
const mostBefore = 50;
/** Milliseconds between two checks for orphaned tasks of agents that are not served here. */
const unservedInterval = 30_000;

/**
 * Takes over the tasks that a dead replica was working on. An agent that can resume resumes its task, and an agent that may be
 * restarted gets the last message again. Other tasks fail, so that no caller waits forever; of these, only the rows are read.
 * Tasks that are continued but do not fit into memory yet wait for the next call. The returned function resolves with the number
 * of tasks; calls during a run share that run.
 */
export function createTakeover(deps: TakeoverDeps, tasks: LiveTasks): () => Promise<number> {
  const takeover = new Takeover(deps, tasks);
  return shared(() => takeover.run());
}

class Takeover {
  readonly #deps: TakeoverDeps;
  readonly #tasks: LiveTasks;
  /**
   * Claimed tasks, by their keys, that could not be taken over yet because of an outage of the store or other tasks in
   * memory.
   */
  readonly #pending = new Map<string, SizedRecord>();
  /**
   * Agents with orphaned tasks that no replica has claimed, each with the time of the first check that found them, by
   * `steadyNow`.
   */
  #unserved = new Map<string, number>();
  #unservedCheckedAt = 0;

  constructor(deps: TakeoverDeps, tasks: LiveTasks) {
    this.#deps = deps;
    this.#tasks = tasks;
  }

  async run(): Promise<number> {
    const { agents, store } = this.#deps;
    for (const task of [...this.#pending.values()]) {
      // Rejects if the outage goes on: the task must not be forgotten.
      const holder = await store.peers.leaseHolderOf(task.key);
      this.#pending.delete(task.key);
      if (!holder) await this.#takeOver(task);
    }
    // Without other replicas, the tasks of all agents are claimed, also of those that are not served any more.
    if (!store.peers.shared) return this.#claim(undefined);
    const count = agents.names.length > 0 ? await this.#claim(agents.names) : 0;
    const names = await this.#unservedAgents();
    return names.length > 0 ? count + (await this.#claim(names)) : count;
  }

  async #claim(names: readonly string[] | undefined): Promise<number> {
    for (let count = 0; ; ) {
      const orphans = await this.#deps.store.claimOrphans(batchSize, names);
      const isSmall = ({ bytes }: SizedRecord): boolean => bytes <= smallTask;
      const taken = await Promise.all(orphans.filter(isSmall).map((orphan) => this.#takeOver(orphan)));
      for (const orphan of orphans) if (!isSmall(orphan)) taken.push(await this.#takeOver(orphan));
      count += taken.filter(Boolean).length;
      if (orphans.length < batchSize) return count;
    }
  }

  /** Returns agents whose orphaned tasks no replica has claimed for long. */
  async #unservedAgents(): Promise<string[]> {
    const now = steadyNow();
    if (now - this.#unservedCheckedAt < unservedInterval) return [];
    this.#unservedCheckedAt = now;
    const names = await this.#deps.store.orphanedAgents();
    this.#unserved = new Map(names.map((name) => [name, this.#unserved.get(name) ?? now]));
    return names.filter((name) => now - (this.#unserved.get(name) ?? now) >= unservedTimeout);
  }

  /**
   * Takes over one task. Resolves with false if there was nothing to take over: this replica may already be working on the task.
   */
  async #takeOver(orphan: SizedRecord): Promise<boolean> {
    return this.#tasks.adopt(orphan).retainWhile(async (live) => {
      try {
        return await this.#settle(orphan, live);
      } catch (err) {
        const { id: task, agent, principal } = orphan;
        this.#deps.logger.error({ task, agent, principal, err }, 'a task of a dead replica could not be taken over');
        if (isOutage(err) && !(A2AError.from(err).cause instanceof LogConflict)) this.#pending.set(orphan.key, orphan);
        return true;
      }
    });
  }

  /** Finds out whether the task is over here, then continues it or ends it. */
  async #settle(orphan: SizedRecord, live: LiveTask): Promise<boolean> {
    const { store, judge } = this.#deps;
    // A task with listeners here was in memory before, perhaps without the dead replica's last events.
    await live.journal.catchUp();
    const refused = this.#tasks.refused.get(orphan.key);
    if (refused && live.runs.length === 0) {
      await this.#removeRefused(live, refused);
      return true;
    }
    // Its caller has sent the next message, or another replica has continued it.
    if (live.runs.length > 0 || live.log.isTerminal) return false;
    // A run in this replica ended while the task was being claimed.
    if (live.log.hasRested(await store.latestTurn(live.key))) return false;
    const judging = judge?.active;
    const root = judging?.needsRoot ? (await store.overviewOf(orphan.key))?.root : undefined;
    const refusal = judging?.task(orphan, root);
    if (refusal) await endTask(this.#deps, live, refusal);
    else await this.#continueOrFail(orphan, live);
    return true;
  }

  /** Continues the task, keeps it for the next call if it does not fit into memory, or fails it. */
  async #continueOrFail(orphan: SizedRecord, live: LiveTask): Promise<void> {
    const outcome = await this.#continue(orphan, live);
    if (outcome === 'continued') return;
    if (outcome === 'no room') {
      this.#pending.set(orphan.key, orphan);
      return;
    }
    const turns = await turnsOf(this.#deps, live, this.#deps.agents.get(orphan.agent));
    if (turns) live.openQueue().remember(turns.waiting);
    live.end(statusEvent('TASK_STATE_FAILED', live.ids, outcome.reason, this.#deps.store.now()));
    await live.journal.settled();
  }

  async #continue(orphan: SizedRecord, live: LiveTask): Promise<'continued' | 'no room' | { readonly reason: string }> {
    const agent = this.#deps.agents.get(orphan.agent);
    if (!agent) return { reason: agentGone(orphan.agent) };
    // This also holds if the agent was not to get the message yet: only the task's events show that, and reading them takes
    // memory.
    if (!agent.resume && !agent.restart) return { reason: interrupted };
    await live.journal.counted();
    const { task: limit = Number.POSITIVE_INFINITY } = this.#deps.limits;
    if (live.log.size > limit) return { reason: taskOverLimit(live.log.size, limit) };
    if (this.#deps.budget?.fitsTask(live.log.bytes) === false) return 'no room';
    try {
      return (await continueRun(this.#deps, live, agent)) ? 'continued' : { reason: interrupted };
    } catch (thrown) {
      if (!isUnreadable(thrown)) throw thrown;
      return { reason: A2AError.from(thrown).message };
    }
  }

  /**
   * Removes the row of a call that was refused here. If it cannot be removed, since callers have seen it, ends the
   * task.
   */
  async #removeRefused(live: LiveTask, { call }: RefusedTask): Promise<void> {
    const { store } = this.#deps;
    if (await store.retract(live.key, call, undefined)) live.journal.fail(A2AError.taskNotFound(live.record.id));
    else if (!live.log.isTerminal) {
      live.end(statusEvent('TASK_STATE_FAILED', live.ids, notBegun, store.now()));
      await live.journal.settled();
    }
    this.#tasks.refused.delete(live.key);
  }
}

const notBegun = 'The gateway could not store the message in time and refused it; the agent did not get it.';

const interrupted =
  'The gateway stopped, or lost its store, before the agent was done; it is not known what the agent did.';

const agentGone = (name: string): string =>
  `The gateway stopped while the agent was working on this task, and the agent ${name} is no longer configured.`;

/** Resumes or restarts the agent. Resolves with false if the agent supports neither. */
async function continueRun(deps: TakeoverDeps, live: LiveTask, agent: Agent): Promise<boolean> {
  const { key, ids, record } = live;
  const { store } = deps;
  const turns = await turnsOf(deps, live, agent);
  const position = turns?.inHand ?? (await store.latestTurn(key));
  const [first] = await store.events(key, position - 1, 1);
  const message = first?.event.message ?? first?.event.task?.history?.findLast(({ role }) => role === 'ROLE_USER');
  const hold = message && (await readHold(store, record, message));
  const isHeld = hold?.held !== undefined;
  const isAnswered = turns ? !turns.isUnanswered : live.log.head !== position;
  const isUnanswered = agent.resume && message && !isHeld && !isAnswered;
  const turnRequest = isUnanswered ? readTurnRequest(await store.turnRequest(key), position) : undefined;
  const earlier = isUnanswered && !turns ? await countBefore(store, key, position) : 0;
  const { task } = await live.journal.current();
  const parent = parentOf(task.metadata);
  const hooks = deps.hooks?.active;
  const parts = { agent, ids, key, owner: record, services: deps, hooks, traces: deps.traces, parent };
  const { trace } = (await store.overviewOf(key)) ?? {};
  const turn = new Turn(parts, {
    ...originOfTask(record, task, turnRequest?.extensions),
    ...(trace && { traceparent: trace }),
  });
  turn.held = hold?.held;
  turn.released = hold?.released;
  // No people have been asked yet, so the agent must not get the message.
  const resume = isHeld ? undefined : agent.resume?.bind(agent);
  if (!resume && !message) return false;
  if (hooks?.begins) await turn.run.begin(undefined);
  const waiting = turns ? await restoreTurns(deps, agent, live, task, turns.waiting) : [];
  turn.messageId = message?.messageId ?? '';
  if (turns) turn.tookBefore(turns.taken);
  if (resume) {
    const sent = isUnanswered && first && { at: first.at, age: store.now() - first.at, earlier };
    const request = turn.released?.request ?? { ...turnRequest?.parts, message: message as Message };
    const unanswered = sent ? { request, ...sent } : undefined;
    resumeTurn(turn, live, task, position, (context) => resume(task, context, unanswered));
  } else if (message) {
    const handedAt = turns?.handedAt ?? position;
    const before = handedAt > 1 ? await taskAt(store, key, handedAt - (handedAt === position ? 1 : 0)) : undefined;
    restartTurn(turn, live, { message, position }, before?.task, waiting);
  }
  for (const one of waiting) live.wait(one);
  return true;
}

/** Number of messages that stand right before one in the log, as far as a page of it reaches. */
async function countBefore(store: TakeoverDeps['store'], key: string, position: number): Promise<number> {
  const after = Math.max(1, position - 1 - mostBefore);
  const before = position - 1 > after ? await store.events(key, after, position - 1 - after) : [];
  return before.length - 1 - before.findLastIndex(({ event }) => !event.message);
}

/**
 * The messages in hand and waiting of a task that has received several. Undefined if it has received one message, or if its agent
 * gets each message at once.
 */
const turnsOf = async ({ store }: TakeoverDeps, live: LiveTask, agent: Agent | undefined) =>
  live.log.hasOneMessage || agent?.whileRunning === 'forward' ? undefined : readTurns(store, live.key);

/** Ends a task that may not go on, and asks its agent to cancel its part. Does not wait for the agent. */
export async function endTask(
  deps: Pick<TakeoverDeps, 'agents' | keyof RunServices>,
  live: LiveTask,
  reason: A2AError,
): Promise<void> {
  const { key, ids, record: owner } = live;
  await knowWaiting(live);
  if (live.log.isTerminal) return;
  live.end(statusEvent('TASK_STATE_CANCELED', ids, reason.message, deps.store.now()));
  const agent = deps.agents.get(owner.agent);
  if (agent) cancelAtAgent(deps, agent, originOfTask(owner), { key, ids, owner });
  await live.journal.settled();
}
