import type { StreamResponse, Task, TaskState } from '../model/a2a.ts';
import type { UpstreamTask } from '../model/agent.ts';
import type { LoggedEvent, TaskFacts } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import type { Room } from '../model/memory.ts';
import type { Logger } from '../ports/logger.ts';
import { isConflict, isKeyTaken, takenOverError } from '../ports/store-errors.ts';
import type { Append, EventPage, KeyedTurn, NewTaskRecord, StoredTask, TaskStore } from '../ports/task-store.ts';
import { logSparsely } from '../telemetry/rate-limited-log.ts';
import { type AppendWatch, appendPatiently } from './append-retry.ts';
import { Listeners, type LogReader } from './listeners.ts';
import { LogFollower } from './log-follower.ts';
import { retryWhileUnavailable } from './outage.ts';
import { TaskLog } from './task-log.ts';

/** Events that a run may be ahead of the disk before it is held back. */
const maxBacklog = 128;

/** Milliseconds for which the removal of a row is tried again after its answer was lost. */
const withdrawPatience = 3_000;

export interface LiveTaskDeps {
  readonly store: TaskStore;
  /** Whether other gateways use the store, too: what is in memory may be behind the log. */
  readonly shared: boolean;
  readonly logger: Logger;
  /** Called with the task's key when `follows` has changed, where the store is shared. */
  readonly followed: (key: string) => void;
  /** Counts bytes more, or fewer, that tasks take in memory. */
  readonly count: (bytes: number) => void;
  /** Called when nothing needs the task in memory any more. */
  readonly release: (live: LiveTask) => void;
}

/** Why runs are aborted at the end; made once, since every task has one and a stack costs more than an event. */
const over = new A2AError('canceled', 'The task is over.');
/** The same where the task goes on: nothing that is at work on it elsewhere is to be stopped. */
const moved = new A2AError('canceled', 'Another gateway goes on with the task.');

/** An agent at work on a task. */
export interface Run {
  /** Position before the first event of it. */
  readonly after: number;
  abort(reason: A2AError): void;
}

/**
 * A task that somebody in this process works on or listens to. The one place where events get their position, become
 * durable, and only then visible: folded into `task`, published to subscriptions, told to those who wait. What other
 * gateways append is read from the log, and becomes visible in the same way.
 */
export class LiveTask {
  readonly record: NewTaskRecord;
  /** As in the record at first: the dialect in which the owner last used the task. */
  dialect: string;
  #queue: LoggedEvent[] = [];
  /** Bytes of events that are not durable. */
  #pending = 0;
  /** Bytes that are counted for it. */
  #counted = 0;
  /** Idempotency keys of the messages in the queue. */
  #keys: KeyedTurn[] = [];
  /** Those of the messages that are being written. */
  #writing: readonly KeyedTurn[] = [];
  /** What the task is called at its upstream agent, until that is written. */
  #upstream: UpstreamTask | undefined;
  #flushing: Promise<void> | undefined;
  #broken: A2AError | undefined;
  /** Why the last attempt to write failed, where the store was away. */
  #outage: A2AError | undefined;
  /** Whether nobody waits any more for the row of the new task. */
  #openingTimedOut = false;
  #retainCount = 0;
  #isFollowed = false;
  readonly #log: TaskLog;
  readonly #listeners = new Listeners(() => this.#releaseIfIdle());
  readonly #follower: LogFollower;
  readonly #runs = new Set<Run>();
  readonly #watch: AppendWatch;
  readonly #deps: LiveTaskDeps;

  /** A task that does not exist yet: its first event makes the row. */
  static create(record: LiveTask['record'], deps: LiveTaskDeps): LiveTask {
    return new LiveTask(record, undefined, deps);
  }

  /** A task that the store knows. */
  static from(stored: StoredTask, deps: LiveTaskDeps): LiveTask {
    return new LiveTask(stored, stored, deps);
  }

  private constructor(record: LiveTask['record'], stored: StoredTask | undefined, deps: LiveTaskDeps) {
    this.record = record;
    this.dialect = record.dialect;
    this.#log = new TaskLog(record.createdAt, stored, () => deps.store.now());
    this.#deps = deps;
    this.#watch = {
      taskId: record.id,
      away: (error, isLong) => {
        this.#outage = error;
        this.#listeners.away(error, isLong);
      },
      isOver: () => this.#broken !== undefined,
    };
    this.#follower = new LogFollower({
      key: record.key,
      store: deps.store,
      log: this.#log,
      audience: this.#listeners,
      onTakenOver: () => this.abortRuns(moved),
      onDeleted: () => this.markDeleted(),
    });
  }

  get key(): string {
    return this.record.key;
  }

  /** Bytes of JSON that the task has, or a little fewer. */
  get bytes(): number {
    return this.#log.bytes;
  }

  /** State after the last event that was emitted, durable or not. */
  get state(): TaskState {
    return this.#log.state;
  }

  /** Position of the last durable event. */
  get committed(): number {
    return this.#log.committed;
  }

  /** Position of the last event that was emitted, durable or not. */
  get head(): number {
    return this.#log.head;
  }

  /** When the last durable event was emitted: milliseconds. */
  get updatedAt(): number {
    return this.#log.updatedAt;
  }

  /** Whether the task is over and all of it durable. */
  get ended(): boolean {
    return this.#log.isTerminal && this.committed === this.head && !this.#follower.conflict;
  }

  /** Whether the task is at rest, durable or not, and has come to it after `after`, by whoever's event. */
  hasRested(after: number): boolean {
    return this.#log.hasRested(after);
  }

  /** Whether the last durable event after `after` that says so left the task at rest. */
  hasDurablyRested(after: number): boolean {
    return this.#log.hasDurablyRested(after);
  }

  get facts(): TaskFacts {
    return { createdAt: this.record.createdAt, updatedAt: this.updatedAt };
  }

  /**
   * Appends an event; it becomes durable and visible with all others of this tick. Returns its position. Throws when
   * another gateway has gone on with the task, or nothing can be written any more.
   *
   * @param call the idempotency key of the call that the event is the message of
   */
  emit(event: StreamResponse, call?: CallKey): number {
    const failure = this.#broken ?? this.#follower.conflict;
    if (failure) throw failure;
    if (call) this.#keys.push({ call, seq: this.head });
    const logged = this.#log.emit(event);
    this.#queue.push(logged);
    this.#pending += logged.json.length;
    this.#count();
    if (this.#log.isTerminal) this.abortRuns();
    this.#flushing ??= this.#flush();
    return this.head;
  }

  /** Remembers what the task is called at another agent: with the events of this tick, or by itself, before later ones. */
  bind(there: UpstreamTask): void {
    this.#upstream = there;
    this.#flushing ??= this.#flush();
  }

  /** Whether a message of a call with this idempotency key has been emitted, and is not durable yet. */
  isWritingKey(key: string): boolean {
    return [...this.#keys, ...this.#writing].some(({ call }) => call.key === key);
  }

  /** Resolves when a run may go on: at once, or when the disk has caught up. */
  drained(): Promise<void> | undefined {
    return this.#queue.length >= maxBacklog ? this.#flushing : undefined;
  }

  /**
   * Resolves when everything that has been emitted by now is durable; what an agent goes on saying is not waited for.
   * Rejects when another gateway was quicker, when the task broke, or the store is away.
   */
  async settled(): Promise<void> {
    // The write goes on being tried while the store is away; whoever waits for it is told.
    if (this.#flushing && this.committed < this.head) await this.#listeners.settled(this.head);
    if (this.#broken) throw this.#broken;
    if (this.#follower.conflict) await this.follow();
  }

  /**
   * The same for a caller that has written nothing: where what others here have emitted came too late, it follows the
   * gateway that was quicker.
   */
  settledOrCaughtUp(): Promise<void> {
    return this.settled().catch((thrown: unknown) => {
      if (this.#broken || !isConflict(thrown)) throw thrown;
      return this.follow();
    });
  }

  /** Resolves when everything that has been emitted by now is durable. Rejects only when it never will be. */
  async written(): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.committed < this.head) await this.#listeners.written(this.head);
  }

  /**
   * Resolves when the row of a new task is durable. Rejects when it never will be, and with `unavailable` after
   * `patience` milliseconds: then nobody works on the task, and the row is removed if it is written all the same.
   */
  async opened(patience: number): Promise<void> {
    const late = setTimeout(() => {
      this.#openingTimedOut = true;
      this.#end(this.#outage ?? new A2AError('unavailable', 'The store does not answer', { retryAfter: 5 }));
    }, patience);
    try {
      await this.written();
    } finally {
      clearTimeout(late);
    }
  }

  /** Releases the key of a call whose message the agent never received. Never rejects: the log answers a key that stays. */
  async free(call: CallKey): Promise<void> {
    await this.#deps.store.releaseCall(call).catch((err: unknown) => {
      this.#deps.logger.debug({ task: this.record.id, err }, 'an idempotency key could not be freed');
    });
  }

  /**
   * Takes the task back whose call is answered by no task: the answer goes to the call's key, or the key is free where
   * there is no answer. False where the task stays: somebody follows it, or it has gone on, or the store is away.
   */
  async retract(call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    if (this.#broken || this.#listeners.size > 0 || this.head > 1 || this.#upstream) return false;
    const gone = await this.#withdraw(call, answer);
    if (gone) this.markDeleted();
    return gone;
  }

  /** Removes the row. Where the answer to that is lost, finds out whether it is gone. */
  async #withdraw(call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    const { store, logger } = this.#deps;
    const remove = (): Promise<boolean> => store.retract(this.key, call, answer);
    try {
      return await remove();
    } catch (err) {
      logger.debug({ task: this.record.id, err }, 'a task without events could not be removed');
    }
    const isGone = async (): Promise<boolean> => (await remove()) || (await store.load(this.key)) === undefined;
    return retryWhileUnavailable(isGone, AbortSignal.timeout(withdrawPatience)).catch(() => false);
  }

  /** Resolves when the task is in the store. Rejects as `settled` does. */
  async created(): Promise<void> {
    if (this.committed === 0) await this.settled();
  }

  /** The task as it is durable. It is never changed: what happens later is in later snapshots. */
  async snapshot(): Promise<Task> {
    if (this.#broken) throw this.#broken;
    if (this.#log.isTerminal || !this.#log.isFolded || this.#follower.conflict) await this.settled();
    const { task } = this.#log;
    if (!task) throw this.#broken ?? new A2AError('internal');
    return task;
  }

  /** Resolves when a durable event after `after` leaves the task at rest. Rejects with the signal's reason. */
  async rest(after: number, signal: AbortSignal): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.hasDurablyRested(after)) return;
    const rested = this.#listeners.rest(after, signal);
    this.#settleFollowing();
    await rested;
  }

  /** Keeps the task in memory while `use` is under way. */
  async hold<T>(use: (live: this) => Promise<T>): Promise<T> {
    this.retain();
    try {
      return await use(this);
    } finally {
      this.release();
    }
  }

  /** Keeps the task in memory until `letGo` is called as often. */
  retain(): void {
    this.#retainCount += 1;
  }

  release(): void {
    this.#retainCount -= 1;
    this.#releaseIfIdle();
  }

  /** Events after a position, from the log. */
  read(after: number, limit: number, room?: Room): Promise<EventPage> {
    return this.#deps.store.events(this.key, after, limit, room);
  }

  /** How many listen to it. */
  get listeners(): number {
    return this.#listeners.readers;
  }

  subscribe(reader: LogReader): void {
    this.#listeners.add(reader);
    this.#settleFollowing();
  }

  unsubscribe(reader: LogReader): void {
    this.#listeners.remove(reader);
  }

  /** Whether somebody here is to be told of what others append. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0 || this.#follower.conflict !== undefined;
  }

  /** Whether others are to tell this gateway when they append. */
  get wantsNotifications(): boolean {
    const { conflict: lost } = this.#follower;
    const mayGoOn = !this.#log.isTerminal || lost !== undefined;
    // A write that is under way finds out by itself whether others were quicker.
    return this.#listeners.size > 0 && mayGoOn && !this.isOwnedHere && !this.#flushing && !this.#broken;
  }

  /** Whether nobody else appends, as far as is known here: the task is being made, or an agent of ours works on it. */
  get isOwnedHere(): boolean {
    return this.committed === 0 || (this.#underWay && !this.#follower.conflict);
  }

  /** Brings the task up to the log where others may have appended. Rejects when the store is away. */
  catchUp(): Promise<void> | undefined {
    if (!this.#follower.conflict && (!this.#deps.shared || this.isOwnedHere)) return undefined;
    const follow = (): Promise<void> => this.follow();
    // What is being written may turn out to have come too late.
    return this.committed < this.head ? this.settled().then(follow, follow) : follow();
  }

  /** Reads what others appended before this was called. Rejects when the store is away. */
  follow(): Promise<void> {
    return this.#follower.follow();
  }

  /** The log has reached a position by the events of another gateway, or may have by now. */
  noteRemotePosition(seq: number): void {
    this.#follower.noteRemotePosition(seq);
    // A write that is under way finds out by itself whether others were quicker.
    if (!this.#flushing) this.#followOn();
  }

  /** The task is not in the store any more. */
  markDeleted(): void {
    this.#end(A2AError.taskNotFound(this.record.id));
  }

  /** Another gateway was found to have taken the task over. It may not have said anything yet. */
  markTakenOver(): void {
    if (this.#flushing || !this.isOwnedHere) return;
    this.#follower.reportConflict(takenOverError(this.record.id));
    this.#followOn();
  }

  /** Tells those who listen and wait that the store has been away for long. They may come again. */
  failListeners(error: A2AError): void {
    this.#listeners.away(error, true);
  }

  addRun(run: Run): void {
    this.#runs.add(run);
  }

  removeRun(run: Run): void {
    this.#runs.delete(run);
    this.#releaseIfIdle();
  }

  abortRuns(reason: A2AError = over): void {
    for (const run of this.#runs) run.abort(reason);
    // An agent that does not heed its signal must not keep the task in memory.
    this.#runs.clear();
    this.#settleFollowing();
  }

  /** The gateway stops: nothing more is written; whoever listens is told to resume elsewhere. */
  close(): void {
    const { id } = this.record;
    const what = `The gateway is stopping; the task ${id} can be read, and subscribed to, when it is back.`;
    this.#end(new A2AError('unavailable', what, { retryAfter: 5, metadata: { taskId: id } }));
  }

  /** Whether an agent is at work on the task. */
  get running(): boolean {
    return this.#runs.size > 0;
  }

  /** Whether something is going on that ends by itself: a run that has not brought the task to rest, or a write. */
  get busy(): boolean {
    return this.#flushing !== undefined || this.#underWay;
  }

  get #underWay(): boolean {
    for (const { after } of this.#runs) if (!this.hasRested(after)) return true;
    return false;
  }

  async #flush(): Promise<void> {
    // Everything that this turn of the loop emits, of all tasks, becomes one transaction.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while ((this.#queue.length > 0 || this.#upstream) && !this.#broken) {
      const events = this.#queue;
      const keys = this.#keys;
      this.#writing = keys;
      const there = this.#upstream;
      this.#queue = [];
      this.#keys = [];
      this.#upstream = undefined;
      // The end and its snapshot are one transaction.
      const ended = this.#log.isTerminal ? this.#log.foldedWith(events) : undefined;
      const batch = this.#batch(events, keys, ended, there);
      const error = await appendPatiently(this.#deps.store, batch, this.#watch);
      this.#writing = [];
      if (this.#openingTimedOut) await this.#withdraw(keys[0]?.call, undefined);
      if (error) {
        this.#refused(error);
        break;
      }
      this.#log.commit(events, ended);
      for (const { json } of events) this.#pending -= json.length;
      if (events.length > 0) this.#listeners.published(events, this.#log);
    }
    this.#flushing = undefined;
    this.#count();
    this.#followOn();
    this.#releaseIfIdle();
  }

  #batch(
    events: readonly LoggedEvent[],
    keys: readonly KeyedTurn[],
    snapshot: Task | undefined,
    there: UpstreamTask | undefined,
  ): Append {
    return {
      key: this.key,
      events,
      status: { state: this.state, at: this.#log.statusAt },
      ...(this.committed === 0 && { create: this.record }),
      ...(keys.length > 0 && { keyed: keys }),
      ...(snapshot && { snapshot }),
      ...(there && { bound: { task: this.record, there } }),
    };
  }

  /** What was to be appended never will be. */
  #refused(error: A2AError): void {
    const { logger } = this.#deps;
    const { id: task, agent, principal } = this.record;
    const fields = { task, agent, principal, err: error.cause ?? error };
    const isLate = isConflict(error);
    if (isKeyTaken(error)) logger.debug(fields, 'another call has the idempotency key');
    else if (isLate) logger.warn(fields, 'another gateway went on with the task');
    else if (error.kind === 'unavailable') logSparsely(logger, 'append', fields, 'events could not be stored');
    else logger.error(fields, 'events could not be stored');
    this.#queue = [];
    this.#pending = 0;
    this.#keys = [];
    this.#upstream = undefined;
    // A task that another made under the same id is none of those who wait here for theirs.
    if (isLate && this.committed > 0) this.#follower.reportConflict(error);
    else this.#end(error);
  }

  /** Nothing more can be told of the task here. */
  #end(error: A2AError): void {
    this.#broken ??= error;
    this.#follower.close();
    this.#listeners.end(error);
    this.abortRuns();
    this.#releaseIfIdle();
  }

  /** In the background: what fails is tried again with the next hint, or the next look at the store. */
  #followOn(): void {
    if (this.#broken || !this.#follower.isBehind) return;
    this.follow().catch((err: unknown) => {
      this.#deps.logger.debug({ task: this.record.id, err }, 'the log could not be read on');
    });
  }

  #settleFollowing(): void {
    if (!this.#deps.shared || this.wantsNotifications === this.#isFollowed) return;
    this.#isFollowed = !this.#isFollowed;
    this.#deps.followed(this.key);
  }

  #releaseIfIdle(): void {
    this.#settleFollowing();
    const users = this.#retainCount + this.#listeners.size + this.#runs.size;
    if (users > 0 || this.#flushing) return;
    this.#count(0);
    this.#deps.release(this);
  }

  #count(bytes = this.#log.bytes + this.#pending): void {
    this.#deps.count(bytes - this.#counted);
    this.#counted = bytes;
  }
}
