import type { StreamResponse, Task } from '../model/a2a.ts';
import type { TaskIds } from '../model/agent-events.ts';
import type { ReadBudget, TaskFacts } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { waitingAtRest } from '../model/turns.ts';
import type { Logger } from '../ports/logger.ts';
import { isConflict, takenOverError } from '../ports/store-errors.ts';
import type { EventPage, NewTaskRecord, SizedRecord, StoredTask, TaskStore } from '../ports/task-store.ts';
import { Listeners, type LogOwner, type TaskParts } from './listeners.ts';
import { LogFollower } from './log-follower.ts';
import { LogWriter } from './log-writer.ts';
import { TaskLog, type TaskLogView } from './task-log.ts';
import type { TaskBytes, TaskMemory } from './task-memory.ts';
import { type AgentRun, TurnQueue, type WaitingTurn } from './turn-queue.ts';
import type { TurnRequest } from './turn-request.ts';

export interface LiveTaskDeps {
  readonly store: TaskStore;
  /** Whether other replicas use the store too: then memory may be behind the log. */
  readonly shared: boolean;
  readonly logger: Logger;
  /** Called with the task's key when `wantsNotifications` has changed, where the store is shared. */
  readonly onFollowChanged: (key: string) => void;
  readonly limits: {
    /** Bytes that the events of a task may have. Default: any number. Read for each event. */
    readonly task?: number;
  };
  /** Counts the bytes that tasks take in memory. */
  readonly memory: Pick<TaskMemory, 'count' | 'isCrowded'>;
  /** Whether nothing of what the events say may be copied to a task's row. Default: it is. Called for each write. */
  readonly hidesWords?: (() => boolean) | undefined;
  /** Called when nothing needs the task in memory any more. */
  readonly onUnused: (live: LiveTask) => void;
  /** Remembers a new task whose call was refused, and whose row may be in the store all the same. */
  readonly onRefused: (key: string, refused: RefusedTask) => void;
}

/**
 * A new task whose call was refused before the agent got its message, since the store did not say in time whether it has the
 * row.
 */
export interface RefusedTask {
  /** The call that holds an idempotency key with the row. */
  readonly call?: CallKey | undefined;
}

/** Why runs are aborted at a task's end. Shared by all tasks, since creating an error costs more than an event. */
const taskEnded = new A2AError('canceled', 'The task is over.');
/** Why runs are aborted when another replica continues the task. The work of that replica must not be canceled. */
const takenOver = new A2AError('canceled', 'Another replica took over the task.');

const noRuns: readonly AgentRun[] = [];
/**
 * Bytes of a task, or of its events since the last count, that are not counted: the objects of a live task take more, and are
 * not counted either.
 */
const uncounted = 2_048;
/** Attempts to read a task whose log changes meanwhile. */
const readAttempts = 5;

/** A durable task as of its last event. */
export interface CurrentTask {
  /** Never changed: later events appear in later objects. */
  readonly task: Task;
  /** Position of that event. */
  readonly seq: number;
  readonly facts: TaskFacts;
}

/**
 * A task with a run or a listener in this process. The only place where an event becomes visible: it gets its position,
 * becomes durable, is folded, and is then published. Events of other replicas take the same path.
 */
export class LiveTask implements LogOwner {
  readonly record: NewTaskRecord;
  readonly key: string;
  readonly log: TaskLogView;
  /** Whether the caller who opened the task has been answered with it before it rested. */
  isShown = false;
  /** The dialect in which the owner last used the task. */
  dialect: string;
  readonly listeners: Listeners = new Listeners(this);
  /** Writes the log. Events are written by `emit` alone. */
  readonly writer: LogWriter;
  /** The messages that the agent does not work on. Created when there is one. */
  queue: TurnQueue | undefined;
  readonly #deps: LiveTaskDeps;
  readonly #log: TaskLog;
  readonly #parts: TaskParts;
  /** Created where another replica has, or may have, written to the log. */
  #follower: LogFollower | undefined;
  #runs: readonly AgentRun[] = noRuns;
  /** Why nothing more can be written, or learned of the task, in this process. */
  #failure: A2AError | undefined;
  #retainCount = 0;
  #isFollowed = false;
  #folding: Promise<CurrentTask> | undefined;
  readonly #counted: TaskBytes = { folded: 0, held: 0 };
  /** Bytes of the events when they were last counted. */
  #sizeAtCount = 0;

  /** @param stored the row, perhaps with the task; absent: a new task, whose first event creates the row */
  constructor(deps: LiveTaskDeps, record: NewTaskRecord, stored?: SizedRecord | StoredTask) {
    this.record = record;
    this.key = record.key;
    this.dialect = record.dialect;
    this.#deps = deps;
    const { store, logger, memory, hidesWords } = deps;
    this.#log = new TaskLog(record.createdAt, stored, store);
    this.log = this.#log;
    this.#parts = { store, logger, memory, record, log: this.#log, listeners: this.listeners, owner: this, hidesWords };
    this.writer = new LogWriter(this.#parts);
  }

  get ids(): TaskIds {
    return { taskId: this.record.id, contextId: this.record.contextId };
  }

  get facts(): TaskFacts {
    const { updatedAt, generation } = this.#log;
    return { createdAt: this.record.createdAt, updatedAt, generation };
  }

  /** Why nothing more can be written, or learned of the task, by this object. */
  get failure(): A2AError | undefined {
    return this.#failure;
  }

  /** Whether the task is over and all of it durable. */
  get ended(): boolean {
    const { isTerminal, committed, head } = this.#log;
    return isTerminal && committed === head && !this.#conflict;
  }

  /**
   * Appends an event, which becomes durable and visible with the others of this turn of the event loop, and returns its
   * position. `call` and `request`: of the message that it is. Throws when nothing can be written any more, and
   * `payloadTooLarge` when the events would have more bytes than `limits.task`.
   */
  emit(
    event: StreamResponse,
    call?: CallKey,
    request?: TurnRequest,
    limit: number | undefined = this.#deps.limits.task,
  ): number {
    const failure = this.#failure ?? this.#follower?.conflict;
    if (failure) throw failure;
    const completed = this.queue ? this.queue.complete(event, this.#runs.length > 0) : event;
    this.writer.write(this.#log.emit(completed, limit), call, request);
    if (this.#log.isTerminal) this.#abortRuns();
    if (this.writer.pendingBytes + this.#log.bytes > this.#sizeAtCount + uncounted) this.#count();
    return this.#log.head;
  }

  /** Appends an event of the gateway itself that ends the task, however large the task is. */
  end(event: StreamResponse): void {
    this.emit(event, undefined, undefined, Number.POSITIVE_INFINITY);
  }

  /**
   * Resolves when all events emitted before this call are durable. Rejects when another replica appended first, when the
   * task failed, or when the store is unavailable; then the write is retried all the same.
   */
  async settled(): Promise<void> {
    const { committed, head } = this.#log;
    if (this.writer.isWriting && committed < head) await this.listeners.untilDurable(head, false);
    if (this.#failure) throw this.#failure;
    if (this.#conflict) await this.readLog();
  }

  /** The same for a caller that has written nothing: where another replica appended first, its events are read. */
  settledOrCaughtUp(): Promise<void> {
    return this.settled().catch((thrown: unknown) => {
      if (this.#failure || !isConflict(thrown)) throw thrown;
      return this.readLog();
    });
  }

  /** Resolves when all events emitted before this call are durable. Waits for the end of an outage. */
  written(): Promise<void> {
    return this.#durable(true);
  }

  async #durable(outlastsOutage: boolean): Promise<void> {
    if (this.#failure) throw this.#failure;
    const { committed, head } = this.#log;
    if (committed < head) await this.listeners.untilDurable(head, outlastsOutage);
  }

  /**
   * Resolves when a new task's row is durable. Rejects after `timeout` milliseconds, or earlier when the store is unavailable
   * for retries too; the row is written all the same, unless `abandon` is called.
   */
  async opened(timeout: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(this.#outage), timeout);
    try {
      await Promise.race([this.#durable(false), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  get #outage(): A2AError {
    return this.writer.lastOutage ?? new A2AError('unavailable', 'The store does not answer', { retryAfter: 5 });
  }

  /**
   * Ends a new task whose call was refused, and removes its row.
   *
   * @param refused of a message that the agent did not get: a row that cannot be removed now is removed when it is found among
   *   the orphans
   */
  abandon(refused?: RefusedTask): void {
    if (this.#failure) return;
    if (refused) this.#deps.onRefused(this.key, refused);
    this.writer.isRowAbandoned = true;
    this.#fail(this.#outage);
  }

  /**
   * Removes a task whose call is answered without a task, and stores the answer under the call's key or releases the
   * key. False where the task stays: it has listeners or further events, or the store is unavailable.
   */
  async retract(call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    // A row that is being written could come after its removal.
    await this.#durable(false).catch(() => undefined);
    if (this.listeners.size > 0 || !(await this.#removeOpening(call, answer))) return false;
    this.markDeleted();
    return true;
  }

  /**
   * Removes a task whose agent refused the message that opened it: callers who wait for the task to rest get the error, which is
   * stored under the call's key. False where the task stays: a caller has seen it, it has further events, or the store is
   * unavailable.
   */
  async refuse(error: A2AError, call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    await this.#durable(false).catch(() => undefined);
    // The task's ids at the agent are written beside its events.
    if (this.writer.isBinding) await this.writer.idle;
    const isSeen = this.isShown || this.listeners.readerCount > 0;
    if (isSeen || !(await this.#removeOpening(call, answer))) return false;
    this.#fail(error);
    return true;
  }

  /** Removes the row of a task that has only its opening event. False where it has more, or cannot be removed. */
  async #removeOpening(call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    const hasMore = this.#log.head > 1 || this.writer.isBinding;
    if (this.#failure || this.#log.committed === 0 || hasMore) return false;
    return this.writer.removeRow(call, answer);
  }

  /** Resolves when the task is in the store. Rejects as `settled` does. */
  async created(): Promise<void> {
    if (this.#log.committed === 0) await this.settled();
  }

  /** Resolves when the size of the task's events is known: before the first event that is bounded by it. */
  async counted(): Promise<void> {
    if (this.#log.isCounted) return;
    const { countedUntil } = this.#log;
    const bytes = await this.#deps.store.logBytes(this.key, countedUntil);
    if (this.#log.countedUntil === countedUntil) this.#log.count(bytes);
  }

  /**
   * The durable task with what is known of that moment: when the caller goes on, there may be further events.
   *
   * @param room where the task must be read: the memory for it
   */
  async current(room?: ReadBudget): Promise<CurrentTask> {
    if (this.#failure) throw this.#failure;
    if (this.#log.isTerminal || this.#log.committed === 0 || this.#conflict) await this.settled();
    if (!this.#log.isFolded) await room?.reserve(this.#log.bytes);
    if (this.#log.isFolded) return this.#folded();
    this.#folding ??= this.#readTask().finally(() => {
      this.#folding = undefined;
    });
    return this.#folding;
  }

  #folded(): CurrentTask {
    const { task, committed: seq } = this.#log;
    if (!task) throw this.#failure ?? new A2AError('internal');
    return { task, seq, facts: this.facts };
  }

  /** The task with all events that were emitted before this call, once they are durable. Waits for the end of an outage. */
  async latest(): Promise<Task> {
    const { head } = this.#log;
    await this.written();
    const { task, seq } = await this.current();
    return seq < head ? this.latest() : task;
  }

  /** The durable task alone. */
  async snapshot(room?: ReadBudget): Promise<Task> {
    return (await this.current(room)).task;
  }

  /** Reads a task of which only the row is in memory. */
  async #readTask(): Promise<CurrentTask> {
    for (let attempt = 0; attempt < readAttempts; attempt += 1) {
      this.#log.beginFold();
      const stored = await this.#deps.store.load(this.key);
      if (!stored) this.markDeleted();
      if (this.#failure || !stored) throw this.#failure ?? new A2AError('internal');
      if (this.#log.endFold(stored)) {
        const current = this.#folded();
        // There may be no room to keep it.
        this.#count();
        return current;
      }
      // The store has events that are not in memory yet: of a write that is under way, or of another replica.
      await (this.writer.isWriting ? this.settled() : this.readLog());
    }
    throw new A2AError('unavailable', 'The task changes too fast to be read; try again', { retryAfter: 1 });
  }

  /**
   * Resolves when a durable event after `after` leaves the task at rest, or after `timeout` milliseconds. Rejects with the
   * signal's reason.
   */
  async untilRest(after: number, signal: AbortSignal, timeout?: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#log.hasDurablyRested(after)) return;
    await this.listeners.untilRest(after, signal, timeout);
  }

  /**
   * Resolves when the durable task has a generation above `after`, or is over, or after `timeout` milliseconds. Rejects
   * with the signal's reason.
   */
  async untilGeneration(after: number, signal: AbortSignal, timeout: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#log.generation > after || this.#log.isTerminal) return;
    await this.listeners.untilGeneration(after, this.#log, signal, timeout);
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

  /** Keeps the task in memory until `release` has been called as often. */
  retain(): void {
    this.#retainCount += 1;
  }

  release(): void {
    this.#retainCount -= 1;
    this.#releaseIfUnused();
  }

  /** Frees the memory of the folded task: it is read again when it is needed. */
  forget(): void {
    this.#log.forget();
    this.#count();
  }

  get bytesInMemory(): Readonly<TaskBytes> {
    return this.#counted;
  }

  /** Fails the task because its runs hold too much. */
  failRuns(reason: A2AError): void {
    for (const run of this.#runs) run.fail(reason);
  }

  /** Events after a position, from the store. */
  read(after: number, limit: number, room?: ReadBudget): Promise<EventPage> {
    return this.#deps.store.events(this.key, after, limit, room);
  }

  /** Whether the events of other replicas are needed here. */
  get hasListeners(): boolean {
    return this.listeners.size > 0 || this.#conflict !== undefined;
  }

  /** Whether other replicas should notify this one when they append. */
  get wantsNotifications(): boolean {
    const mayContinue = !this.#log.isTerminal || this.#conflict !== undefined;
    // A running write finds out by itself whether another replica appended first.
    const isIdle = !this.isOwnedHere && !this.writer.isWriting;
    return this.listeners.size > 0 && mayContinue && isIdle && !this.#failure;
  }

  /** Whether no other replica appends, as far as is known: the task is being created, or a run here works on it. */
  get isOwnedHere(): boolean {
    return this.#log.committed === 0 || (this.#hasActiveRun && !this.#conflict);
  }

  /** Reads the log where other replicas may have appended. Undefined: there is nothing to read. */
  catchUp(): Promise<void> | undefined {
    if (!this.#conflict && (!this.#deps.shared || this.isOwnedHere)) return undefined;
    const read = (): Promise<void> => this.readLog();
    // The running write may turn out to be too late.
    return this.#log.committed < this.#log.head ? this.settled().then(read, read) : read();
  }

  /** Reads what other replicas appended before this call. Rejects when the store is unavailable. */
  readLog(): Promise<void> {
    return this.#followLog().read();
  }

  /** Another replica has appended up to this position. */
  noteRemotePosition(seq: number): void {
    this.#followLog().noteRemotePosition(seq);
    // A running write finds out by itself whether another replica appended first.
    if (!this.writer.isWriting) this.#readIfBehind();
  }

  /** The task is no longer in the store. */
  markDeleted(): void {
    this.#fail(A2AError.taskNotFound(this.record.id));
  }

  /** Another replica owns the task, perhaps without having appended yet. */
  markTakenOver(): void {
    if (this.writer.isWriting || !this.isOwnedHere) return;
    this.#followLog().reportConflict(takenOverError(this.record.id));
    this.#readIfBehind();
  }

  /** Resolves when it is known which messages wait: before an event of the gateway's own that ends a task without a run. */
  async knowWaiting(): Promise<void> {
    if (this.#log.hasOneMessage || this.#runs.length > 0) return;
    this.openQueue().remember(waitingAtRest(await this.snapshot()));
  }

  openQueue(): TurnQueue {
    this.queue ??= new TurnQueue();
    return this.queue;
  }

  get runs(): readonly AgentRun[] {
    return this.#runs;
  }

  addRun(run: AgentRun): void {
    this.#runs = [...this.#runs, run];
    this.#count();
  }

  removeRun(run: AgentRun): void {
    this.#runs = this.#runs.filter((other) => other !== run);
    // What waits while the task waits for its client is read from the log when the client answers.
    if (this.#runs.length === 0) this.queue?.discard();
    this.#count();
    this.#releaseIfUnused();
  }

  /** Replaces a run that is over by the next one: the task is never without an owner between the two. */
  replaceRun(run: AgentRun, next: AgentRun): void {
    this.#runs = [...this.#runs.filter((other) => other !== run), next];
    this.#count();
  }

  /** Lets a turn wait until those before it are over. @param isAnswer whether it comes before all that wait */
  wait(turn: WaitingTurn, isAnswer = false): void {
    this.openQueue().add(turn, isAnswer);
    this.#count();
    for (const run of this.#runs) {
      if (isAnswer) run.answered?.();
      run.arrived?.();
    }
  }

  #abortRuns(reason: A2AError = taskEnded): void {
    for (const run of this.#runs) run.abort(reason);
    // An agent that ignores its signal must not keep the task in memory.
    this.#runs = noRuns;
    this.queue?.discard();
    if (this.#deps.shared) this.#updateFollowing();
  }

  /** The gateway stops: nothing more is written, and listeners may resume at another replica or after the restart. */
  close(): void {
    const { id } = this.record;
    const message = `The gateway is stopping; the task ${id} can be read, and subscribed to, when it is back.`;
    this.#fail(new A2AError('unavailable', message, { retryAfter: 5, metadata: { taskId: id } }));
  }

  /** Key of the task that its tree began with. Undefined: no run here knows it. */
  get root(): string | undefined {
    return this.#runs[0]?.root;
  }

  get hasRuns(): boolean {
    return this.#runs.length > 0;
  }

  /** Whether something is under way that ends by itself: a write, or a run that has not brought the task to rest. */
  get isBusy(): boolean {
    return this.writer.isWriting || this.#hasActiveRun;
  }

  get #hasActiveRun(): boolean {
    for (const { after } of this.#runs) if (!this.#log.hasRested(after)) return true;
    return false;
  }

  writeRefused(error: A2AError): void {
    // With no row of its own yet, the task has lost its id to another task: there is nothing to read for its listeners.
    if (isConflict(error) && this.#log.committed > 0) this.#followLog().reportConflict(error);
    else this.#fail(error);
  }

  writesDone(): void {
    this.#count();
    this.#readIfBehind();
    this.#releaseIfUnused();
  }

  takenOver(): void {
    this.#abortRuns(takenOver);
  }

  listenersChanged(): void {
    this.#releaseIfUnused();
  }

  get #conflict(): A2AError | undefined {
    return this.#follower?.conflict;
  }

  #followLog(): LogFollower {
    if (!this.#follower) {
      this.#follower = new LogFollower(this.#parts);
      this.#follower.isClosed = this.#failure !== undefined;
    }
    return this.#follower;
  }

  /** Ends the task in this process: nothing more is written or read. */
  #fail(error: A2AError): void {
    this.#failure ??= error;
    this.writer.isStopped = true;
    if (this.#follower) this.#follower.isClosed = true;
    this.listeners.failAll(error);
    this.#abortRuns();
    this.#releaseIfUnused();
  }

  /** In the background. A failed read is repeated with the next notification, or when log sync next compares positions. */
  #readIfBehind(): void {
    if (this.#failure || !this.#follower?.isBehind) return;
    this.readLog().catch((err: unknown) => {
      this.#deps.logger.debug({ task: this.record.id, err }, 'events of other replicas could not be read');
    });
  }

  /** Where the store is shared. */
  #updateFollowing(): void {
    if (this.wantsNotifications === this.#isFollowed) return;
    this.#isFollowed = !this.#isFollowed;
    this.#deps.onFollowChanged(this.key);
  }

  #releaseIfUnused(): void {
    if (this.#deps.shared) this.#updateFollowing();
    if (this.#retainCount + this.#runs.length > 0 || this.writer.isWriting || this.listeners.size > 0) return;
    if (this.#counted.folded + this.#counted.held > 0) this.#setCounted(0, 0);
    this.#deps.onUnused(this);
  }

  #count(): void {
    const { pendingBytes } = this.writer;
    this.#sizeAtCount = pendingBytes + this.#log.bytes;
    let held = pendingBytes;
    for (const { bytes } of this.#runs) held += bytes;
    if (this.queue) held += this.queue.bytes;
    if (this.#log.bytes + held > uncounted) this.#setCounted(this.#log.isFolded ? this.#log.bytes : 0, held);
    else if (this.#counted.folded + this.#counted.held > 0) this.#setCounted(0, 0);
  }

  #setCounted(folded: number, held: number): void {
    const { folded: foldedBefore, held: heldBefore } = this.#counted;
    if (folded === foldedBefore && held === heldBefore) return;
    this.#counted.folded = folded;
    this.#counted.held = held;
    this.#deps.memory.count(this, folded - foldedBefore, held - heldBefore);
  }
}
