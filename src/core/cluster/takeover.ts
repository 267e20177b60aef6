import type { Agent } from '../model/agent.ts';
import { statusEvent } from '../model/agent-events.ts';
import { A2AError } from '../model/errors.ts';
import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { Logger } from '../ports/logger.ts';
import { LogConflict } from '../ports/store-errors.ts';
import type { SharedTaskStore, StoredTask } from '../ports/task-store.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import { taskAt } from '../tasks/replay.ts';
import { Turn } from '../tasks/turn.ts';
import type { TaskTraces } from '../telemetry/task-traces.ts';

export interface TakeoverDeps {
  readonly store: SharedTaskStore;
  readonly agents: AgentDirectory;
  readonly logger: Logger;
  /** Records which trace each turn belongs to. */
  readonly traces?: TaskTraces;
}

/** Tasks taken up at once. */
const batch = 100;
/** Milliseconds that a task is left to a gateway that serves its agent, where this one does not. */
const agentPatience = 10 * 60_000;
/** Milliseconds between two looks at whose tasks nobody takes up. */
const strayEvery = 30_000;

/**
 * Takes up the tasks that were under way in a gateway that is dead: an agent that can resume does, one that may be
 * restarted gets the last message again; another's task fails, so that nobody waits for ever. Tasks of agents that are
 * not served here are left to gateways that serve them, for a while.
 */
export class Takeover {
  readonly #deps: TakeoverDeps;
  readonly #tasks: LiveTasks;
  /** Tasks that are this gateway's and could not be taken up, by their keys. */
  readonly #left = new Map<string, StoredTask>();
  /** Agents whose tasks nobody has taken up, and since when: milliseconds since the epoch. */
  #strays = new Map<string, number>();
  #strayedAt = 0;
  #running: Promise<number> | undefined;

  constructor(deps: TakeoverDeps, tasks: LiveTasks) {
    this.#deps = deps;
    this.#tasks = tasks;
  }

  /** Resolves with the number of tasks. While one is under way, whoever asks for another gets that one. */
  run(): Promise<number> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<number> {
    const { store, agents } = this.#deps;
    const left = [...this.#left.values()];
    this.#left.clear();
    for (const task of left) if (!(await store.peers.leaseHolderOf(task.key))) await this.#takeUp(task);
    // Nobody else could, where the store is this gateway's alone.
    if (!store.peers.shared) return this.#claim(undefined);
    const count = agents.names.length > 0 ? await this.#claim(agents.names) : 0;
    const lost = await this.#lostAgents();
    return lost.length > 0 ? count + (await this.#claim(lost)) : count;
  }

  async #claim(agents: readonly string[] | undefined): Promise<number> {
    for (let count = 0; ; ) {
      const orphans = await this.#deps.store.claimOrphans(batch, agents);
      await Promise.all(orphans.map((orphan) => this.#takeUp(orphan)));
      count += orphans.length;
      if (orphans.length < batch) return count;
    }
  }

  /** Agents whose tasks nobody has taken up for long. */
  async #lostAgents(): Promise<string[]> {
    const now = Date.now();
    if (now - this.#strayedAt < strayEvery) return [];
    this.#strayedAt = now;
    const names = await this.#deps.store.orphanedAgents();
    this.#strays = new Map(names.map((name) => [name, this.#strays.get(name) ?? now]));
    return names.filter((name) => now - (this.#strays.get(name) ?? now) >= agentPatience);
  }

  async #takeUp(orphan: StoredTask): Promise<void> {
    const deps = this.#deps;
    const live = this.#tasks.adopt(orphan);
    await live.retainWhile(async () => {
      try {
        // Whoever listens here has it in memory as it was, perhaps, before that gateway's last words.
        await live.catchUp();
        // Its caller has long sent the next message, or somebody else went on with it.
        if (live.hasRuns || live.log.isTerminal) return;
        // Its run ended, here, while it was claimed: nothing is left to do.
        if (live.log.hasRested(await deps.store.latestTurn(live.key))) return;
        const agent = deps.agents.get(orphan.agent);
        if (await goOn(deps, live, agent)) return;
        live.emit(statusEvent('TASK_STATE_FAILED', idsOf(live), agent ? stopped : agentGone(orphan.agent)));
        await live.settled();
      } catch (err) {
        const { id: task, agent, principal } = orphan;
        deps.logger.error({ task, agent, principal, err }, 'a task that was left behind could not be taken up');
        const { kind, cause } = A2AError.from(err);
        if (kind === 'unavailable' && !(cause instanceof LogConflict)) this.#left.set(orphan.key, orphan);
      }
    });
  }
}

const stopped = 'The gateway stopped, or lost its store, before the agent was done; what the agent did is not known.';

const agentGone = (name: string): string =>
  `The gateway stopped while the agent was working on this task, and the agent ${name} is not served any more.`;

/** Whether the agent goes on with the task. */
async function goOn(deps: TakeoverDeps, live: LiveTask, agent: Agent | undefined): Promise<boolean> {
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
