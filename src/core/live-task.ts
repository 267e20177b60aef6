import type { StreamResponse, Task, TaskState } from '../gen/a2a-v1/types.ts';
import type { LoggedEvent, TaskFacts } from './call.ts';
import { A2AError } from './errors.ts';
import type { EventBudget } from './event-budget.ts';
import { fold } from './fold.ts';
import { isResting, isTerminal, stateOf } from './lifecycle.ts';
import { conflictError, LogConflict } from './log-conflict.ts';
import type { Append, Logger, StoredTask, TaskRecord, TaskStore, UpstreamTask } from './ports.ts';
import type { Subscription } from './subscription.ts';

/** Events that a run may be ahead of the disk before it is held back. */
const maxBacklog = 128;
/** Milliseconds between two attempts at a store that does not answer: from, to. */
const retryDelay = [100, 2_000] as const;

export interface LiveTaskDeps {
  /** What waits for the readers of all tasks. */
  readonly waiting: EventBudget;
  readonly store: TaskStore;
  readonly logger: Logger;
  /** Called when nothing needs the task in memory any more. */
  readonly release: (live: LiveTask) => void;
}

/** Why runs are aborted at the end; made once, since every task has one and a stack costs more than an event. */
const over = new A2AError('canceled', 'The task is over.');

/** An agent at work on a task. */
export interface Run {
  /** Position before the first event of it. */
  readonly after: number;
  abort(reason: A2AError): void;
}

interface Waiter {
  readonly after: number;
  readonly resolve: () => void;
  readonly reject: (error: A2AError) => void;
}

/**
 * A task that somebody in this process works on or listens to. The one place where events get their position, become
 * durable, and only then visible: folded into `task`, published to subscriptions, told to those who wait.
 */
export class LiveTask {
  readonly record: Omit<TaskRecord, 'seq' | 'state' | 'statusAt' | 'updatedAt'>;
  /** As in the record at first: the dialect in which the owner last used the task. */
  dialect: string;
  /** Folded from what is durable. Undefined until the first event is. */
  task: Task | undefined;
  /** Position of the last durable event. */
  committed: number;
  /** State after the last event that was emitted, durable or not. */
  state: TaskState;
  updatedAt: number;
  #statusAt: number;
  /** Position of the event that brought `state`; 0: it came from the store. */
  #statusHead = 0;
  /** Position of the last event that was emitted. */
  #head: number;
  #queue: LoggedEvent[] = [];
  /** What the task is called at its upstream agent, until that is written. */
  #there: UpstreamTask | undefined;
  #flushing: Promise<void> | undefined;
  #broken: A2AError | undefined;
  /** Position of the last durable event that left the task at rest. */
  #restedAt = 0;
  #holds = 0;
  readonly #subscriptions = new Set<Subscription>();
  readonly #waiters = new Set<Waiter>();
  /** Those who wait until what was emitted up to a position is durable. */
  readonly #settlers = new Set<Waiter>();
  readonly #runs = new Set<Run>();
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
    this.task = stored?.task;
    this.committed = stored?.seq ?? 0;
    this.#head = this.committed;
    this.state = stored?.state ?? 'TASK_STATE_UNSPECIFIED';
    this.updatedAt = stored?.updatedAt ?? record.createdAt;
    this.#statusAt = stored?.statusAt ?? record.createdAt;
    this.#deps = deps;
  }

  get key(): string {
    return this.record.key;
  }

  /** Whether the task is over and all of it durable. */
  get ended(): boolean {
    return isTerminal(this.state) && this.committed === this.#head;
  }

  /** Position of the last event that was emitted, durable or not. */
  get head(): number {
    return this.#head;
  }

  /** Whether the task is at rest, durable or not, and has come to it after `after`, by whoever's event. */
  restsSince(after: number): boolean {
    return isResting(this.state) && this.#statusHead > after;
  }

  /** Whether the last durable event after `after` that says so left the task at rest. */
  restedSince(after: number): boolean {
    return this.#restedAt > after;
  }

  get facts(): TaskFacts {
    return { createdAt: this.record.createdAt, updatedAt: this.updatedAt };
  }

  /** Appends an event; it becomes durable and visible with all others of this tick. Returns its position. */
  emit(event: StreamResponse): number {
    if (this.#broken) throw this.#broken;
    const at = Date.now();
    this.#head += 1;
    this.#queue.push({ seq: this.#head, at, event, json: JSON.stringify(event) });
    const status = event.statusUpdate?.status ?? event.task?.status;
    if (status) {
      this.state = status.state;
      this.#statusHead = this.#head;
      this.#statusAt = at;
      if (isTerminal(status.state)) this.abortRuns();
    }
    this.#flushing ??= this.#flush();
    return this.#head;
  }

  /** Remembers what the task is called at another agent: with the events of this tick, or by itself, before later ones. */
  bind(there: UpstreamTask): void {
    this.#there = there;
    this.#flushing ??= this.#flush();
  }

  /** Resolves when a run may go on: at once, or when the disk has caught up. */
  ready(): Promise<void> | undefined {
    return this.#queue.length >= maxBacklog ? this.#flushing : undefined;
  }

  /**
   * Resolves when everything that has been emitted by now is durable; what an agent goes on saying is not waited for.
   * Rejects when the task broke, or the store is away.
   */
  async settled(): Promise<void> {
    const head = this.#head;
    if (this.#flushing && this.committed < head) await this.#durable(head);
    if (this.#broken) throw this.#broken;
  }

  /** Resolves when the task is in the store. Rejects as `settled` does. */
  async made(): Promise<void> {
    if (this.committed === 0) await this.settled();
  }

  /** The write goes on being tried while the store is away; whoever waits for it is told. */
  #durable(position: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#settlers.add({ after: position - 1, resolve, reject });
    return promise;
  }

  /** The task as it is durable. */
  async snapshot(): Promise<Task> {
    // The last batch is folded before it is written, so that the end and its snapshot are one transaction.
    if (isTerminal(this.state) || !this.task) await this.settled();
    if (!this.task) throw this.#broken ?? new A2AError('internal');
    return this.task;
  }

  /** Resolves when a durable event after `after` leaves the task at rest. Rejects with the signal's reason. */
  async rest(after: number, signal: AbortSignal): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.#restedAt > after) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { after, resolve, reject };
    const abort = (): void => reject(A2AError.from(signal.reason));
    this.#waiters.add(waiter);
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) throw A2AError.from(signal.reason);
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#waiters.delete(waiter);
      this.#releaseIfIdle();
    }
  }

  /** Keeps the task in memory while `use` is under way. */
  async hold<T>(use: (live: this) => Promise<T>): Promise<T> {
    this.#holds += 1;
    try {
      return await use(this);
    } finally {
      this.#holds -= 1;
      this.#releaseIfIdle();
    }
  }

  /** Events after a position, from the log. */
  read(after: number, limit: number): Promise<LoggedEvent[]> {
    return this.#deps.store.events(this.key, after, limit);
  }

  /** What waits for readers, of this task and of all others. */
  get waiting(): EventBudget {
    return this.#deps.waiting;
  }

  /** How many listen to it. */
  get listeners(): number {
    return this.#subscriptions.size;
  }

  subscribe(subscription: Subscription): void {
    this.#subscriptions.add(subscription);
  }

  unsubscribe(subscription: Subscription): void {
    this.#subscriptions.delete(subscription);
    this.#releaseIfIdle();
  }

  addRun(run: Run): void {
    this.#runs.add(run);
  }

  removeRun(run: Run): void {
    this.#runs.delete(run);
    this.#releaseIfIdle();
  }

  abortRuns(): void {
    for (const run of this.#runs) run.abort(over);
    // An agent that does not heed its signal must not keep the task in memory.
    this.#runs.clear();
  }

  /** The gateway stops: nothing more is written; whoever listens is told to resume elsewhere. */
  close(): void {
    const { id } = this.record;
    const what = `The gateway is stopping; the task ${id} can be read, and subscribed to, when it is back.`;
    const reason = new A2AError('unavailable', what, { retryAfter: 5, metadata: { taskId: id } });
    this.#broken ??= reason;
    this.#tell(reason);
    this.abortRuns();
  }

  /** Whether an agent is at work on the task. */
  get running(): boolean {
    return this.#runs.size > 0;
  }

  /** Whether something is going on that ends by itself: a run that has not brought the task to rest, or a write. */
  get busy(): boolean {
    return this.#flushing !== undefined || [...this.#runs].some(({ after }) => !this.restsSince(after));
  }

  async #flush(): Promise<void> {
    // Everything that this turn of the loop emits, of all tasks, becomes one transaction.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while ((this.#queue.length > 0 || this.#there) && !this.#broken) {
      const events = this.#queue;
      const there = this.#there;
      this.#queue = [];
      this.#there = undefined;
      const ends = isTerminal(this.state);
      if (ends) this.#fold(events);
      const error = await this.#append(this.#batch(events, ends, there));
      if (error) {
        this.#break(error);
        break;
      }
      if (!ends) this.#fold(events);
      this.#publish(events);
    }
    this.#flushing = undefined;
    this.#releaseIfIdle();
  }

  #fold(events: readonly LoggedEvent[]): void {
    for (const { event } of events) this.task = fold(this.task, event);
  }

  #batch(events: readonly LoggedEvent[], ends: boolean, there: UpstreamTask | undefined): Append {
    return {
      key: this.key,
      events,
      status: { state: this.state, at: this.#statusAt },
      ...(this.committed === 0 && { create: this.record }),
      ...(ends && this.task && { snapshot: this.task }),
      ...(there && { bound: { task: this.record, there } }),
    };
  }

  /** Undefined when durable; else why it never will be. A store that is away is waited for once the task exists. */
  async #append(batch: Append): Promise<A2AError | undefined> {
    for (let delay: number = retryDelay[0]; ; delay = Math.min(delay * 2, retryDelay[1])) {
      try {
        await this.#deps.store.append(batch);
        return undefined;
      } catch (thrown) {
        const error = A2AError.from(thrown);
        if (error.cause instanceof LogConflict) return conflictError(this.record.id, batch, error.cause);
        if (error.kind !== 'unavailable' || batch.create || this.#broken) return error;
        this.#tell(error);
        await new Promise<void>((resolve) => setTimeout(resolve, delay).unref());
        if (this.#broken) return error;
      }
    }
  }

  #publish(events: readonly LoggedEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.committed = last.seq;
    this.updatedAt = last.at;
    const rested = events.findLast(({ event }) => {
      const state = stateOf(event);
      return state !== undefined && isResting(state);
    });
    if (rested) this.#restedAt = rested.seq;
    for (const subscription of this.#subscriptions) subscription.publish(events);
    for (const waiter of this.#waiters) if (this.#restedAt > waiter.after) waiter.resolve();
    for (const settler of this.#settlers) {
      if (this.committed <= settler.after) continue;
      this.#settlers.delete(settler);
      settler.resolve();
    }
  }

  #break(error: A2AError): void {
    this.#broken ??= error;
    const { logger } = this.#deps;
    const fields = { task: this.record.id, err: error.cause ?? error };
    if (error.cause instanceof LogConflict) logger.warn(fields, 'another gateway went on with the task');
    else logger.error(fields, 'events could not be stored');
    this.#tell(error);
    this.abortRuns();
  }

  #tell(error: A2AError): void {
    for (const settler of this.#settlers) settler.reject(error);
    this.#settlers.clear();
    for (const waiter of this.#waiters) waiter.reject(error);
    for (const subscription of this.#subscriptions) subscription.fail(error);
  }

  #releaseIfIdle(): void {
    const users = this.#holds + this.#subscriptions.size + this.#waiters.size + this.#runs.size;
    if (users === 0 && !this.#flushing) this.#deps.release(this);
  }
}
