import { A2AError } from './errors.ts';
import { LiveTask, type LiveTaskDeps } from './live-task.ts';
import type { Logger, StoredTask, TaskOwner, TaskStore } from './ports.ts';

/** The tasks that somebody in this process works on or listens to, one LiveTask each. */
export class LiveTasks {
  readonly #store: TaskStore;
  readonly #deps: LiveTaskDeps;
  readonly #live = new Map<string, LiveTask>();
  /** Tasks being loaded, so that two who ask at once share one LiveTask. */
  readonly #loading = new Map<string, Promise<LiveTask | undefined>>();
  #closed: A2AError | undefined;

  constructor(store: TaskStore, logger: Logger) {
    this.#store = store;
    // One that was let go before may report again, when another has long taken its place.
    const release = (live: LiveTask): void => {
      if (this.#live.get(live.record.key) === live) this.#live.delete(live.record.key);
    };
    this.#deps = { store, logger, release };
  }

  get size(): number {
    return this.#live.size;
  }

  /** The task, if it is in memory already and belongs to this owner. */
  peek(owner: TaskOwner, id: string): LiveTask | undefined {
    // Only ids made by the gateway are their own key; a task with another id is found through the store.
    const live = this.#live.get(id);
    return live && belongsTo(live.record, owner) ? live : undefined;
  }

  /** Runs `use` with the task in memory; throws `taskNotFound` when the owner has none with this id. */
  async use<T>(owner: TaskOwner, id: string, use: (live: LiveTask) => Promise<T>): Promise<T> {
    const live = this.peek(owner, id) ?? (await this.#load(owner, id));
    if (!live) throw A2AError.taskNotFound(id);
    return live.hold(use);
  }

  /** A place for a task that does not exist yet. */
  create(record: LiveTask['record']): LiveTask {
    if (this.#closed) throw this.#closed;
    const live = LiveTask.create(record, this.#deps);
    this.#live.set(record.key, live);
    return live;
  }

  /** A place for a task that the store handed over. */
  adopt(stored: StoredTask): LiveTask {
    if (this.#closed) throw this.#closed;
    const known = this.#live.get(stored.key);
    if (known) return known;
    const live = LiveTask.from(stored, this.#deps);
    this.#live.set(stored.key, live);
    return live;
  }

  /** Stops all runs without ending their tasks, and tells those who listen that they may resume elsewhere. */
  async close(): Promise<void> {
    this.#closed = new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
    for (const live of [...this.#live.values()]) live.close();
    this.#live.clear();
  }

  /** Resolves when no agent is at work and nothing is being written; the caller bounds the wait. */
  async idle(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#live.values().some((live) => live.busy))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #load(owner: TaskOwner, id: string): Promise<LiveTask | undefined> {
    const name = JSON.stringify([owner.agent, owner.tenant, owner.principal, id]);
    const loading = this.#loading.get(name) ?? this.#find(owner, id).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  async #find(owner: TaskOwner, id: string): Promise<LiveTask | undefined> {
    const stored = await this.#store.find(owner, id);
    return stored && this.adopt(stored);
  }
}

const belongsTo = (record: TaskOwner, owner: TaskOwner): boolean =>
  record.agent === owner.agent && record.tenant === owner.tenant && record.principal === owner.principal;
