import { TransientMap } from '../collections/transient-map.ts';
import type { StreamResponse } from '../model/a2a.ts';
import type { UpstreamTask } from '../model/agent.ts';
import type { TaskIds } from '../model/agent-events.ts';
import type { LoggedEvent, Requester } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { type CallKey, looksGenerated, type TaskOwner, taskKey } from '../model/ids.ts';
import { stateOf } from '../model/lifecycle.ts';
import type { Logger } from '../ports/logger.ts';
import type { NewTaskRecord, SharedTaskStore, SizedRecord, StoredTask } from '../ports/task-store.ts';
import type { JournalDeps, JournalOwner } from './listeners.ts';
import { TaskJournal, taskEnded } from './task-journal.ts';
import { type TaskLogView, taskTooLarge, weightOf } from './task-log.ts';
import { type TaskBytes, TaskMemory } from './task-memory.ts';
import { type AgentRun, TurnQueue, type WaitingTurn } from './turn-queue.ts';
import type { TurnRequest } from './turn-request.ts';

/** Largest number of refused tasks that are remembered. Each becomes an orphan within a minute, if it is in the store at all. */
const mostRefused = 10_000;

const noRuns: readonly AgentRun[] = [];
/**
 * Bytes of a task, or of its events since the last count, that are too few to be counted. The objects of a live task take more,
 * and are not counted either.
 */
const uncounted = 2_048;

/** A new task whose call was refused before the agent got its message, because the store did not confirm the row in time. */
export interface RefusedTask {
  /** The call whose idempotency key is stored with the row. */
  readonly call?: CallKey | undefined;
}

interface LiveTaskDeps extends JournalDeps {
  /** Counts the bytes that tasks take in memory. */
  readonly memory: Pick<TaskMemory, 'count' | 'isCrowded'>;
  readonly limits: {
    /** Bytes that the events of a task may have. Default: any number. Read for each event. */
    readonly task?: number;
  };
  /** Called with the task's key when `wantsNotifications` has changed, if the store is shared. */
  readonly onFollowChanged: (key: string) => void;
  /** Called when nothing needs the task in memory any more. */
  readonly onUnused: (live: LiveTask) => void;
}

/**
 * A task with a run or a listener in this process. It holds the runs of its agent, the messages that wait for them, and the
 * number of bytes in memory. Its journal holds the events.
 */
export class LiveTask implements JournalOwner {
  readonly record: NewTaskRecord;
  readonly key: string;
  readonly journal: TaskJournal;
  /** The log of the journal. */
  readonly log: TaskLogView;
  /** Whether the caller who opened the task has received it before it came to rest. */
  isShown = false;
  /** The dialect in which the owner last used the task. */
  dialect: string;
  /** The calls of the agent's run, of which there may be several. Changed only by the methods below. */
  runs: readonly AgentRun[] = noRuns;
  /** The messages that the agent is not working on. Created with the first of them. */
  queue: TurnQueue | undefined;
  readonly bytesInMemory: TaskBytes = { folded: 0, held: 0 };
  readonly #deps: LiveTaskDeps;
  #retainCount = 0;
  #isFollowed = false;
  /** Bytes of the events when they were last counted. */
  #sizeAtCount = 0;

  /** @param stored the row, with or without the task. Absent: a new task, whose row is created by its first event */
  constructor(deps: LiveTaskDeps, record: NewTaskRecord, stored?: SizedRecord | StoredTask) {
    this.record = record;
    this.key = record.key;
    this.dialect = record.dialect;
    this.#deps = deps;
    this.journal = new TaskJournal(deps, record, this, stored);
    this.log = this.journal.log;
  }

  get ids(): TaskIds {
    return { taskId: this.record.id, contextId: this.record.contextId };
  }

  /** Whether a run here has not brought the task to rest. */
  get isWorking(): boolean {
    for (const { after } of this.runs) if (!this.log.hasRested(after)) return true;
    return false;
  }

  /**
   * Appends an event to the journal, with the waiting messages if it brings the task to rest. Returns its position. `call` and
   * `request` belong to the message if the event is one. Throws as `TaskJournal.append` does.
   */
  emit(
    event: StreamResponse,
    call?: CallKey,
    request?: TurnRequest,
    limit: number | undefined = this.#deps.limits.task,
  ): number {
    const { journal, log } = this;
    const completed = this.queue ? this.queue.complete(event, this.runs.length > 0) : event;
    const position = journal.append(completed, limit, call, request);
    if (log.isTerminal) this.stopWork(taskEnded);
    else if (journal.writer.pendingBytes + log.bytes > this.#sizeAtCount + uncounted) this.bytesChanged();
    return position;
  }

  /** Appends an event of the gateway itself that ends the task, however large the task is. */
  end(event: StreamResponse): void {
    this.emit(event, undefined, undefined, Number.POSITIVE_INFINITY);
  }

  /** Retains the task while `use` runs. */
  async retainWhile<T>(use: (live: this) => Promise<T>): Promise<T> {
    this.retain();
    try {
      return await use(this);
    } finally {
      this.release();
    }
  }

  /** Keeps the task in memory until `release` has been called for each call of this method. */
  retain(): void {
    this.#retainCount += 1;
  }

  release(): void {
    this.#retainCount -= 1;
    this.useChanged();
  }

  openQueue(): TurnQueue {
    this.queue ??= new TurnQueue();
    return this.queue;
  }

  addRun(run: AgentRun): void {
    this.runs = [...this.runs, run];
    this.bytesChanged();
  }

  /** Removes a run that is over, unless the work on the task was stopped. */
  removeRun(run: AgentRun): void {
    if (!this.runs.includes(run)) return;
    this.runs = this.runs.filter((other) => other !== run);
    // Messages that wait while the task waits for its client are read from the log when the client answers.
    if (this.runs.length === 0) this.queue?.discard();
    this.bytesChanged();
    this.useChanged();
  }

  /** Replaces a run that is over by the next one, so that the task has an owner all the time. */
  replaceRun(run: AgentRun, next: AgentRun): void {
    this.runs = [...this.runs.filter((other) => other !== run), next];
    this.bytesChanged();
  }

  /** Adds a turn that waits until the earlier turns are over. @param isAnswer whether it comes before all turns that wait */
  wait(turn: WaitingTurn, isAnswer = false): void {
    this.openQueue().add(turn, isAnswer);
    this.bytesChanged();
    for (const run of this.runs) {
      if (isAnswer) run.answered?.();
      run.arrived?.();
    }
  }

  stopWork(reason: A2AError): void {
    for (const run of this.runs) run.abort(reason);
    // An agent that ignores its signal must not keep the task in memory.
    this.runs = noRuns;
    this.queue?.discard();
    this.bytesChanged();
    if (this.#deps.shared) this.useChanged();
  }

  /** Frees the memory of the folded task: it is read again when it is needed. */
  forget(): void {
    this.journal.forget();
    this.bytesChanged();
  }

  bytesChanged(): void {
    const { log, bytesInMemory } = this;
    const { pendingBytes } = this.journal.writer;
    this.#sizeAtCount = pendingBytes + log.bytes;
    let held = pendingBytes;
    for (const { bytes } of this.runs) held += bytes;
    if (this.queue) held += this.queue.bytes;
    if (log.bytes + held > uncounted) this.#deps.memory.count(this, log.isFolded ? log.bytes : 0, held);
    else if (bytesInMemory.folded + bytesInMemory.held > 0) this.#deps.memory.count(this, 0, 0);
  }

  useChanged(): void {
    const { journal, bytesInMemory } = this;
    if (this.#deps.shared && journal.wantsNotifications !== this.#isFollowed) {
      this.#isFollowed = !this.#isFollowed;
      this.#deps.onFollowChanged(this.key);
    }
    const isNeeded = this.#retainCount + this.runs.length > 0 || journal.writer.writing;
    if (isNeeded || journal.listeners.size > 0) return;
    if (bytesInMemory.folded + bytesInMemory.held > 0) this.#deps.memory.count(this, 0, 0);
    this.#deps.onUnused(this);
  }
}

/** The tasks that have a run or a listener in this process, one LiveTask each. */
export class LiveTasks {
  readonly #deps: LiveTaskDeps & { readonly store: SharedTaskStore };
  readonly #live = new TransientMap<LiveTask>();
  /** Whether other replicas use the store too. */
  readonly shared: boolean;
  /** The tasks in memory, by their keys. */
  readonly inMemory: Pick<TransientMap<LiveTask>, 'get' | 'values' | 'size'> = this.#live;
  /** Tasks being loaded, so that callers who ask at the same time share one LiveTask. */
  readonly #loading = new TransientMap<Promise<LiveTask | undefined>>();
  readonly #locks = new TransientMap<Promise<void>>();
  /** Number of live tasks with an id that their caller chose and that looks like one of the gateway's. */
  #chosenUuids = 0;
  #closed: A2AError | undefined;
  /** New tasks whose calls were refused, and whose rows may be in the store nevertheless, by their keys. */
  readonly refused = new Map<string, RefusedTask>();
  /** Names of the keyed calls whose new tasks are still being written, although their callers do not wait any more. */
  readonly #late = new Set<string>();
  /** Called with a task's key when `wantsNotifications` of that task has changed, if the store is shared. */
  onFollowChanged: (key: string) => void = () => {};

  /**
   * @param budget bounds the memory of all tasks together
   * @param hidesWords whether no text of the events may be copied to a task's row. Default: texts are copied
   */
  constructor(
    store: SharedTaskStore,
    logger: Logger,
    limits: LiveTaskDeps['limits'],
    budget?: ConstructorParameters<typeof TaskMemory>[0],
    hidesWords?: () => boolean,
  ) {
    const onUnused = (live: LiveTask): void => {
      // A task that was removed earlier may report again after another LiveTask has replaced it.
      if (this.#live.delete(live.key, live) && isChosenUuid(live)) this.#chosenUuids -= 1;
    };
    const onFollowChanged = (key: string): void => this.onFollowChanged(key);
    const memory = new TaskMemory(budget);
    const { shared } = store.peers;
    this.shared = shared;
    this.#deps = { store, shared, logger, limits, onUnused, onFollowChanged, memory, hidesWords };
  }

  /** The owner's task with this id, if it is in memory. */
  peek(owner: TaskOwner, id: string): LiveTask | undefined {
    const made = looksGenerated(id);
    const live = made ? this.#live.get(id) : undefined;
    if (live && belongsTo(live.record, owner)) return live;
    return made && this.#chosenUuids === 0 ? undefined : this.#live.get(taskKey(owner, id, true));
  }

  /**
   * Runs `use` with the task of this key, retained. Perhaps only its row is in memory. Resolves with undefined if there is no
   * such task.
   */
  async useByKey<T>(key: string, use: (live: LiveTask) => Promise<T>): Promise<T | undefined> {
    const find = async (): Promise<LiveTask | undefined> => {
      const record = await this.#deps.store.loadRecord(key);
      return record && this.adopt(record);
    };
    const live = this.#live.get(key) ?? (await find());
    return live && this.#inMap(live).retainWhile(use);
  }

  /**
   * Runs `use` with the owner's task, retained, in the state in which it was last read. Resolves with undefined if there is no
   * such task.
   */
  async useIfAny<T>(
    owner: TaskOwner,
    id: string,
    use: (live: LiveTask) => Promise<T>,
    requester?: Requester,
  ): Promise<T | undefined> {
    const live = this.peek(owner, id) ?? (await this.#load(owner, id, requester));
    return live && this.#inMap(live).retainWhile(use);
  }

  /** Runs `use` with the owner's task, retained and up to date with its log. Throws `taskNotFound`. */
  async use<T>(owner: TaskOwner, id: string, use: (live: LiveTask) => Promise<T>, requester?: Requester): Promise<T> {
    return this.#use(id, this.peek(owner, id), () => this.#load(owner, id, requester), use);
  }

  /** Like `use`, for a task of which perhaps only the row is in memory. `current` reads the task. */
  async useRecord<T>(owner: TaskOwner, id: string, use: (live: LiveTask) => Promise<T>): Promise<T> {
    const find = async (): Promise<LiveTask | undefined> => {
      const record = await this.#deps.store.findRecord(owner, id);
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
    return this.#inMap(live).retainWhile(async (retained) => {
      const reading = known?.journal.catchUp();
      if (reading) await reading;
      return use(retained);
    });
  }

  /**
   * The entry in memory of a task that was found before. Others may have released it since, and only the current entry is
   * notified of events from other replicas. It must be retained before anything is awaited.
   */
  #inMap(found: LiveTask): LiveTask {
    const live = this.#live.get(found.key);
    if (live) return live;
    return found.journal.failure ? found : this.#add(found);
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

  /** Remembers a new task whose call was refused, and whose row may be in the store nevertheless. */
  noteRefused(key: string, refused: RefusedTask): void {
    this.refused.set(key, refused);
    const [oldest] = this.refused.size > mostRefused ? this.refused.keys() : [];
    if (oldest !== undefined) this.refused.delete(oldest);
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
    await this.#deps.store.append({
      key: record.key,
      create: record,
      events: [logged],
      status: { state: stateOf(event) ?? 'TASK_STATE_UNSPECIFIED', at: logged.at },
      ...(this.#deps.hidesWords?.() && { hidesWords: true }),
      ...(upstream && { upstream }),
    });
    return logged;
  }

  /** Adds a task of the store, unless it is already in memory and has not failed. */
  adopt(stored: SizedRecord | StoredTask): LiveTask {
    if (this.#closed) throw this.#closed;
    const known = this.#live.get(stored.key);
    // A task that failed never writes its events in memory: the store has its current state.
    if (known?.journal.failure) this.#deps.onUnused(known);
    return this.#live.get(stored.key) ?? this.#add(new LiveTask(this.#deps, stored, stored));
  }

  /** Stops all runs without ending their tasks. Listeners may resume at another replica or after the restart. */
  close(): void {
    this.#closed = new A2AError('unavailable', 'The gateway is stopping', { retryAfter: 5 });
    for (const live of this.#live.values()) live.journal.fail(stopping(live.record.id));
    this.#live.clear();
    this.#chosenUuids = 0;
  }

  /** Resolves when no agent is working and nothing is being written, or the signal aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#live.values().some(isBusy)) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #add(live: LiveTask): LiveTask {
    this.#live.set(live.key, live);
    if (isChosenUuid(live)) this.#chosenUuids += 1;
    return live;
  }

  #load(owner: TaskOwner, id: string, requester: Requester | undefined): Promise<LiveTask | undefined> {
    const name = JSON.stringify([owner.agent, owner.tenant, owner.principal, id]);
    const find = async (): Promise<LiveTask | undefined> => {
      const stored = await this.#deps.store.find(owner, id, requester);
      return stored && this.adopt(stored);
    };
    const loading = this.#loading.get(name) ?? find().finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }
}

/** Whether the task has a write in progress, or a run that has not brought it to rest. Both end by themselves. */
const isBusy = ({ journal, isWorking }: LiveTask): boolean => journal.writer.writing !== undefined || isWorking;

/** The error of listeners when the gateway stops: they may resume at another replica or after the restart. */
function stopping(taskId: string): A2AError {
  const message = `The gateway is stopping; the task ${taskId} can be read, and subscribed to, when it is back.`;
  return new A2AError('unavailable', message, { retryAfter: 5, metadata: { taskId } });
}

const isChosenUuid = ({ key, record: { id } }: LiveTask): boolean => key !== id && looksGenerated(id);

const belongsTo = (record: TaskOwner, owner: TaskOwner): boolean =>
  record.agent === owner.agent && record.tenant === owner.tenant && record.principal === owner.principal;
