import { TransientMap } from '../collections/transient-map.ts';
import type { StreamResponse } from '../model/a2a.ts';
import type { UpstreamTask } from '../model/agent.ts';
import type { LoggedEvent, ReadBudget } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { looksGenerated, type TaskOwner, taskKey } from '../model/ids.ts';
import { stateOf } from '../model/lifecycle.ts';
import type { Logger } from '../ports/logger.ts';
import type { NewTaskRecord, SharedTaskStore, SizedRecord, StoredTask } from '../ports/task-store.ts';
import { LiveTask, type LiveTaskDeps, type RefusedTask } from './live-task.ts';
import { taskTooLarge, weightOf } from './task-log.ts';
import { TaskMemory } from './task-memory.ts';

/** Refused tasks that are remembered. Each is among the orphans within a minute, unless it is not in the store. */
const mostRefused = 10_000;

/** The tasks that have a run or a listener in this process, one LiveTask each. */
export class LiveTasks {
  readonly #store: SharedTaskStore;
  readonly #deps: LiveTaskDeps;
  readonly #live = new TransientMap<LiveTask>();
  /** The tasks in memory, by their keys. */
  readonly inMemory: Pick<TransientMap<LiveTask>, 'get' | 'values' | 'size'> = this.#live;
  /** Tasks being loaded, so that callers who ask at the same time share one LiveTask. */
  readonly #loading = new TransientMap<Promise<LiveTask | undefined>>();
  readonly #locks = new TransientMap<Promise<void>>();
  /** Number of live tasks with an id that their caller chose and that looks like one of the gateway's. */
  #chosenUuids = 0;
  #closed: A2AError | undefined;
  /** New tasks whose calls were refused, and whose rows may be in the store all the same, by their keys. */
  readonly refused = new Map<string, RefusedTask>();
  /** Names of the keyed calls whose new tasks are still being written, although their callers do not wait any more. */
  readonly #late = new Set<string>();
  /** Called with a task's key when `wantsNotifications` of that task has changed, where the store is shared. */
  onFollowChanged: (key: string) => void = () => {};

  /**
   * @param budget bounds the memory of all tasks together
   * @param hidesWords whether nothing of what events say may be copied to a task's row. Default: it is
   */
  constructor(
    store: SharedTaskStore,
    logger: Logger,
    limits: LiveTaskDeps['limits'],
    budget?: ConstructorParameters<typeof TaskMemory>[0],
    hidesWords?: () => boolean,
  ) {
    this.#store = store;
    const onUnused = (live: LiveTask): void => {
      // A task that was removed earlier may report again after another LiveTask has replaced it.
      if (this.#live.get(live.key) !== live) return;
      this.#live.delete(live.key);
      if (isChosenUuid(live)) this.#chosenUuids -= 1;
    };
    const onFollowChanged = (key: string): void => this.onFollowChanged(key);
    const onRefused = (key: string, refused: RefusedTask): void => {
      this.refused.set(key, refused);
      const [oldest] = this.refused.size > mostRefused ? this.refused.keys() : [];
      if (oldest !== undefined) this.refused.delete(oldest);
    };
    const memory = new TaskMemory(budget);
    const { shared } = store.peers;
    this.#deps = { store, shared, logger, limits, onUnused, onRefused, onFollowChanged, memory, hidesWords };
  }

  /** The owner's task with this id, if it is in memory. */
  peek(owner: TaskOwner, id: string): LiveTask | undefined {
    const made = looksGenerated(id);
    const live = made ? this.#live.get(id) : undefined;
    if (live && belongsTo(live.record, owner)) return live;
    return made && this.#chosenUuids === 0 ? undefined : this.#live.get(taskKey(owner, id, true));
  }

  /** The owner's task with this id, loaded if necessary. */
  async find(owner: TaskOwner, id: string, room?: ReadBudget): Promise<LiveTask | undefined> {
    return this.peek(owner, id) ?? this.#load(owner, id, room);
  }

  /** The task with this key. Where it is not in memory, its row is read: `current` reads the task. */
  async findByKey(key: string): Promise<LiveTask | undefined> {
    const live = this.#live.get(key);
    if (live) return live;
    const record = await this.#store.loadRecord(key);
    return record && this.adopt(record);
  }

  /** Runs `use` with the owner's task, retained and up to date with its log. Throws `taskNotFound`. */
  async use<T>(owner: TaskOwner, id: string, use: (live: LiveTask) => Promise<T>, room?: ReadBudget): Promise<T> {
    return this.#use(id, this.peek(owner, id), () => this.#load(owner, id, room), use);
  }

  /** Like `use`, with a task of which perhaps only the row is in memory: `current` reads the task. */
  async useRecord<T>(owner: TaskOwner, id: string, use: (live: LiveTask) => Promise<T>): Promise<T> {
    const find = async (): Promise<LiveTask | undefined> => {
      const record = await this.#store.findRecord(owner, id);
      return record && this.adopt(record);
    };
    return this.#use(id, this.peek(owner, id), find, use);
  }

  async #use<T>(
    id: string,
    known: LiveTask | undefined,
    find: () => Promise<LiveTask | undefined>,
    use: (live: LiveTask) => Promise<T>,
  ): Promise<T> {
    const live = known ?? (await find());
    if (!live) throw A2AError.taskNotFound(id);
    return live.retainWhile(async () => {
      const reading = known?.catchUp();
      if (reading) await reading;
      return use(live);
    });
  }

  /** Runs `use` while no other caller in this process holds the lock of this name. */
  async withLock<T>(name: string, use: () => Promise<T>): Promise<T> {
    for (let held = this.#locks.get(name); held; held = this.#locks.get(name)) await held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#locks.set(name, promise);
    try {
      return await use();
    } finally {
      this.#locks.delete(name);
      resolve();
    }
  }

  /** Remembers that a keyed call's new task is being written until a promise settles. */
  goesOn(name: string, until: Promise<unknown>): void {
    this.#late.add(name);
    const forget = (): boolean => this.#late.delete(name);
    until.then(forget, forget);
  }

  /** Whether the new task of an earlier call with this name is still being written. */
  isLate(name: string): boolean {
    return this.#late.has(name);
  }

  /** Adds a task that does not exist yet. */
  create(record: LiveTask['record']): LiveTask {
    if (this.#closed) throw this.#closed;
    return this.#add(new LiveTask(this.#deps, record));
  }

  /** Stores a task that is over with its first event: nothing needs it in memory. Rejects as `TaskStore.append` does. */
  async createEnded(
    record: NewTaskRecord,
    event: StreamResponse,
    upstream: UpstreamTask | undefined,
  ): Promise<LoggedEvent> {
    if (this.#closed) throw this.#closed;
    const json = JSON.stringify(event);
    const bytes = weightOf(json, 0);
    const { task: limit = Number.POSITIVE_INFINITY } = this.#deps.limits;
    if (bytes > limit) throw taskTooLarge('event', bytes, 0, limit);
    const logged = { seq: 1, at: record.createdAt, generation: 1, event, json };
    await this.#store.append({
      key: record.key,
      create: record,
      events: [logged],
      status: { state: stateOf(event) ?? 'TASK_STATE_UNSPECIFIED', at: logged.at },
      ...(this.#deps.hidesWords?.() && { hidesWords: true }),
      ...(upstream && { upstream }),
    });
    return logged;
  }

  /** Adds a task of the store, unless it is in memory already and can go on. */
  adopt(stored: SizedRecord | StoredTask): LiveTask {
    if (this.#closed) throw this.#closed;
    const known = this.#live.get(stored.key);
    // One that failed never writes what it has in memory: the store has the task as it is.
    if (known?.failure) this.#deps.onUnused(known);
    return this.#live.get(stored.key) ?? this.#add(new LiveTask(this.#deps, stored, stored));
  }

  /** Stops all runs without ending their tasks. Listeners may resume at another replica or after the restart. */
  close(): void {
    this.#closed = new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
    for (const live of this.#live.values()) live.close();
    this.#live.clear();
    this.#chosenUuids = 0;
  }

  /** Resolves when no agent is working and nothing is being written, or the signal aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#live.values().some((live) => live.isBusy))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #add(live: LiveTask): LiveTask {
    this.#live.set(live.key, live);
    if (isChosenUuid(live)) this.#chosenUuids += 1;
    return live;
  }

  #load(owner: TaskOwner, id: string, room: ReadBudget | undefined): Promise<LiveTask | undefined> {
    const name = JSON.stringify([owner.agent, owner.tenant, owner.principal, id]);
    const find = async (): Promise<LiveTask | undefined> => {
      const stored = await this.#store.find(owner, id, room);
      return stored && this.adopt(stored);
    };
    const loading = this.#loading.get(name) ?? find().finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }
}

const isChosenUuid = ({ key, record: { id } }: LiveTask): boolean => key !== id && looksGenerated(id);

const belongsTo = (record: TaskOwner, owner: TaskOwner): boolean =>
  record.agent === owner.agent && record.tenant === owner.tenant && record.principal === owner.principal;
