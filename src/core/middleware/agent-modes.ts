import type { Operation } from '../../gen/operations.ts';
import type { Message } from '../model/a2a.ts';
import { type Call, type Invoke, ownerOf } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { AgentMode, AgentModeSetting, AgentModeStore } from '../ports/agent-modes.ts';
import type { Logger } from '../ports/logger.ts';
import type { TaskStore } from '../ports/task-store.ts';

/** Limit of an agent. `away`: its registration was not renewed in time. */
type Limit = AgentMode | 'away';

/** Limits that operators have set for agents. Read from the store at the start, and when another replica has changed them. */
export class AgentModes {
  readonly #store: AgentModeStore;
  readonly #logger: Logger;
  #settings: ReadonlyMap<string, AgentModeSetting> = new Map();
  #limited: ReadonlyMap<string, Limit> | undefined;
  #away: ReadonlySet<string> = new Set();
  /** Number of changes by this replica: a read that began before a change is out of date. */
  #changes = 0;
  /** Called when the first agent is limited, and when the last one no longer is. */
  onLimited: () => void = () => {};

  constructor(store: AgentModeStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** The agents that do not accept every call. Undefined if all accept every call. */
  get limited(): ReadonlyMap<string, Limit> | undefined {
    return this.#limited;
  }

  /** Sets the names of the agents whose registrations were not renewed in time: they get no messages that would open a task. */
  setAway(names: ReadonlySet<string>): void {
    this.#away = names;
    this.#limit();
  }

  /** Returns the latest change of an agent's mode. Undefined: it was never changed. */
  of(agent: string): AgentModeSetting | undefined {
    return this.#settings.get(agent);
  }

  /** Reads the modes set by other replicas. Rejects as the store does; the modes then stay unchanged. */
  async refresh(): Promise<void> {
    const changes = this.#changes;
    const settings = await this.#store.agentModes();
    if (changes === this.#changes) this.#use(settings);
  }

  /** Stores a mode, which takes effect at this replica immediately. */
  async set(agent: string, mode: AgentMode, changedBy: string): Promise<AgentModeSetting> {
    const setting = await this.#store.setAgentMode(agent, mode, changedBy);
    this.#changes += 1;
    this.#use([...[...this.#settings.values()].filter((each) => each.agent !== agent), setting]);
    return setting;
  }

  #use(settings: readonly AgentModeSetting[]): void {
    for (const { agent, mode, changedBy } of settings) {
      if (mode === (this.#settings.get(agent)?.mode ?? 'enabled')) continue;
      const level = mode === 'enabled' ? 'info' : 'warn';
      this.#logger[level]({ agent, mode, principal: changedBy }, 'the agent is in the mode that an operator has set');
    }
    this.#settings = new Map(settings.map((setting) => [setting.agent, setting]));
    this.#limit();
  }

  #limit(): void {
    const wasLimited = this.#limited !== undefined;
    const limited = new Map<string, Limit>([...this.#away].map((agent) => [agent, 'away']));
    for (const { agent, mode } of this.#settings.values()) if (mode !== 'enabled') limited.set(agent, mode);
    this.#limited = limited.size === 0 ? undefined : limited;
    if (wasLimited !== limited.size > 0) this.onLimited();
  }
}

export interface AgentModeDeps {
  readonly modes: AgentModes;
  readonly store: Pick<TaskStore, 'findCall' | 'lastUse'>;
  readonly operations: readonly Pick<Operation, 'name' | 'createsTask'>[];
  /** Whether the gateway stores nothing of an agent's tasks. */
  readonly keepsNothing: (agent: string) => boolean;
}

/**
 * Middleware: a disabled agent gets no call, and a draining one gets no message that would open a task. Running tasks
 * go on.
 */
export function refuseLimitedAgents(deps: AgentModeDeps): (next: Invoke) => Invoke {
  const { modes, store, operations, keepsNothing } = deps;
  const mayOpenTask = new Set(operations.flatMap(({ name, createsTask }) => (createsTask ? [name] : [])));

  /** Whether a message belongs to a task that exists: it names the task, or was sent before with its key. */
  const continues = async (call: Call): Promise<boolean> => {
    const { context, request } = call;
    const { taskId = '' } = (request as { readonly message?: Message }).message ?? {};
    const { agent, idempotencyKey: key, semantics } = context;
    // The agent alone knows its tasks.
    if (keepsNothing(agent)) return taskId !== '';
    // Unless the caller may choose the ids of new tasks, an unknown id is refused later: the task is not found.
    if (taskId !== '' && !semantics.namesTask) return true;
    if (taskId !== '' && (await store.lastUse(ownerOf(call), taskId))) return true;
    return key !== undefined && (await store.findCall(ownerOf(call), key)) !== undefined;
  };

  const judge = async (next: Invoke, call: Call, mode: Limit | undefined): ReturnType<Invoke> => {
    const { agent } = call.context;
    if (mode === 'disabled') throw new A2AError('unavailable', `An operator has disabled the agent ${agent}`);
    const isLimited = mode === 'draining' || mode === 'away';
    if (!isLimited || !mayOpenTask.has(call.operation) || (await continues(call))) return next(call);
    const why = mode === 'away' ? 'it has not renewed its registration' : 'an operator has drained it';
    throw new A2AError('unavailable', `The agent ${agent} accepts no new tasks: ${why}`);
  };

  return (next) => (call) => {
    const { limited } = modes;
    return limited?.has(call.context.agent) ? judge(next, call, limited.get(call.context.agent)) : next(call);
  };
}
