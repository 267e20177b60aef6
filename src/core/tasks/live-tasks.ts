import { A2AError } from '../model/errors.ts';
import { looksMade, type TaskOwner, taskKey } from '../model/ids.ts';
import type { Room } from '../model/memory.ts';
import type { Logger } from '../ports/logger.ts';
import type { SharedTaskStore, StoredTask } from '../ports/task-store.ts';
import { LiveTask, type LiveTaskDeps } from './live-task.ts';

/** The tasks that somebody in this process works on or listens to, one LiveTask each. */
export class LiveTasks {
  readonly #store: SharedTaskStore;
  readonly #deps: LiveTaskDeps;
  readonly #live = new Map<string, LiveTask>();
  /** Tasks being loaded, so that two who ask at once share one LiveTask. */
  readonly #loading = new Map<string, Promise<LiveTask | undefined>>();
  /** Keys under which something is going on that nobody else may do at the same time. */
  readonly #locks = new Map<string, Promise<void>>();
  /** How many of the live tasks have an id that their caller chose and that looks like the gateway's. */
  #chosenUuids = 0;
  #closed: A2AError | undefined;
  /** Called with a task's key when `wantsNotifications` of that task has changed, where the store is shared. */
  onFollowChanged: (key: string) => void = () => {};

  /** @param count counts bytes more, or fewer, that tasks take in memory */
  constructor(store: SharedTaskStore, logger: Logger, count: (bytes: number) => void = () => {}) {
    this.#store = store;
    // One that was let go before may report again, when another has long taken its place.
    const release = (live: LiveTask): void => {
      if (this.#live.get(live.key) !== live) return;
      this.#live.delete(live.key);
      if (isChosenUuid(live)) this.#chosenUuids -= 1;
    };
    const { shared } = store.peers;
    const followed = (key: string): void => this.onFollowChanged(key);
    this.#deps = { store, shared, logger, release, followed, count };
  }

  get size(): number {
    return this.#live.size;
  }

  /** The task with this key, if it is in memory. */
  get(key: string): LiveTask | undefined {
    return this.#live.get(key);
  }

  /** All tasks in memory. */
  values(): Iterable<LiveTask> {
    return this.#live.values();
  }

  /** The task, if it is in memory already and belongs to this owner. */
  peek(owner: TaskOwner, id: string): LiveTask | undefined {
    const made = looksMade(id);
    const live = made ? this.#live.get(id) : undefined;
    if (live && belongsTo(live.record, owner)) return live;
    return made && this.#chosenUuids === 0 ? undefined : this.#live.get(taskKey(owner, id, true));
  }

  /** The task, brought into memory if it is not there yet; undefined when the owner has none with this id. */
  async find(owner: TaskOwner, id: string, room?: Room): Promise<LiveTask | undefined> {
    return this.peek(owner, id) ?? this.#load(owner, id, room);
  }

  /** The task with this key, brought into memory if it is not there yet; undefined when there is none. */
  async findByKey(key: string): Promise<LiveTask | undefined> {
    const live = this.#live.get(key);
    if (live) return live;
    const stored = await this.#store.load(key);
    return stored && this.adopt(stored);
  }

  /**
   * Runs `use` with the task in memory, as the log has it; throws `taskNotFound` when the owner has none with this id,
   * `unavailable` when the store is away, or `room` has none for it.
   */
  async use<T>(owner: TaskOwner, id: string, use: (live: LiveTask) => Promise<T>, room?: Room): Promise<T> {
    const known = this.peek(owner, id);
    const live = known ?? (await this.#load(owner, id, room));
    if (!live) throw A2AError.taskNotFound(id);
    return live.hold(async () => {
      const reading = known?.catchUp();
      if (reading) await reading;
      return use(live);
    });
  }

  /** Runs `use` while nobody else is in here with the same key. */
  async withLock<T>(key: string, use: () => Promise<T>): Promise<T> {
    for (let other = this.#locks.get(key); other; other = this.#locks.get(key)) await other;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#locks.set(key, promise);
    try {
      return await use();
    } finally {
      this.#locks.delete(key);
      resolve();
    }
  }

  /** A place for a task that does not exist yet. */
  create(record: LiveTask['record']): LiveTask {
    if (this.#closed) throw this.#closed;
    return this.#keep(LiveTask.create(record, this.#deps));
  }

  /** A place for a task that the store handed over. */
  adopt(stored: StoredTask): LiveTask {
    if (this.#closed) throw this.#closed;
    const known = this.#live.get(stored.key);
    if (known) return known;
    return this.#keep(LiveTask.from(stored, this.#deps));
  }

  /** Stops all runs without ending their tasks, and tells those who listen that they may resume elsewhere. */
  async close(): Promise<void> {
    this.#closed = new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
    for (const live of [...this.#live.values()]) live.close();
    this.#live.clear();
    this.#chosenUuids = 0;
  }

  /** Resolves when no agent is at work and nothing is being written; the caller bounds the wait. */
  async idle(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#live.values().some((live) => live.busy))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #keep(live: LiveTask): LiveTask {
    this.#live.set(live.key, live);
    if (isChosenUuid(live)) this.#chosenUuids += 1;
    return live;
  }

  #load(owner: TaskOwner, id: string, room: Room | undefined): Promise<LiveTask | undefined> {
    const name = JSON.stringify([owner.agent, owner.tenant, owner.principal, id]);
    const loading = this.#loading.get(name) ?? this.#find(owner, id, room).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  async #find(owner: TaskOwner, id: string, room: Room | undefined): Promise<LiveTask | undefined> {
    const stored = await this.#store.find(owner, id, room);
    return stored && this.adopt(stored);
  }
}

const isChosenUuid = ({ key, record: { id } }: LiveTask): boolean => key !== id && looksMade(id);

const belongsTo = (record: TaskOwner, owner: TaskOwner): boolean =>
  record.agent === owner.agent && record.tenant === owner.tenant && record.principal === owner.principal;
