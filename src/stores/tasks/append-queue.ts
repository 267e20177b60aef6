import { TransientMap } from '../../core/collections/transient-map.ts';
import type { Task, TaskState } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { hasReason, isResting, isTerminal, stateOf } from '../../core/model/lifecycle.ts';
import { openerOf, parentOf, rootOf } from '../../core/model/lineage.ts';
import { lineOfMessage } from '../../core/model/text.ts';
import { type StoreBatch, unconfirmedFor } from '../../core/ports/store.ts';
import { KeyTaken, LogConflict } from '../../core/ports/store-errors.ts';
import type { Append } from '../../core/ports/task-store.ts';
import { heartbeat, type Leases } from '../cluster/leases.ts';
import type { Database, TaskFlags, TaskWrite, WriteOutcome } from '../database.ts';
import { upstreamColumns } from '../migrations/0011-upstream-columns.ts';
import { escapeOwner, escapeText } from '../text.ts';
import { keyParameters } from './idempotency-keys.ts';
import type { TaskReader } from './reader.ts';
import { stateColumn } from './rows.ts';

/** Largest size of a transaction, so that it blocks neither the event loop nor the database for long. */
const batchLimits = { tasks: 256, bytes: 4 * 1024 * 1024 } as const;

/** Turns of the event loop for which a transaction waits for more appends: a single append costs as much as three in a batch. */
const maxTurns = 4;

export interface AppendQueueDeps {
  readonly database: Database;
  readonly leases: Leases;
  readonly reader: TaskReader;
  /** Called with a task that has new events for webhooks. */
  readonly onPushable: (key: string) => void;
  /** Called for a task that was written and that other replicas may wait for, with the position of its last event. */
  readonly onWritten: (key: string, seq: number, flags: TaskFlags) => void;
  /** Called after every transaction. */
  readonly onBatch?: ((batch: StoreBatch) => void) | undefined;
  /** The error that the store rejects with for an error of the database. */
  readonly failure: (error: unknown) => A2AError;
}

interface QueuedAppend {
  readonly append: Append;
  readonly settle: (error?: A2AError) => void;
}

type QueuedAppends = [QueuedAppend, ...QueuedAppend[]];

/** Consecutive appends of one task in one transaction. */
interface TaskGroup {
  /** All of these appends, joined into one. */
  readonly append: Append;
  readonly queued: readonly QueuedAppend[];
}

/**
 * Joins appends into one, in which later members replace earlier ones. A snapshot, or a request, that is followed by further
 * events is out of date.
 */
function joined([{ append: first }, ...others]: QueuedAppends): Append {
  const last = others.at(-1)?.append;
  if (!last) return first;
  const appends = [first, ...others.map(({ append }) => append)];
  const { snapshot: _, turnRequest: __, ...latest }: Append = Object.assign({}, ...appends);
  return {
    ...latest,
    ...(last.snapshot && { snapshot: last.snapshot }),
    ...(last.turnRequest !== undefined && { turnRequest: last.turnRequest }),
    events: appends.flatMap(({ events }) => events),
    keys: appends.flatMap(({ keys = none }) => keys),
  };
}

function settle({ queued }: TaskGroup, error?: A2AError): void {
  for (const append of queued) append.settle(error);
}

/**
 * Whether the task needs no owner after the append. It needs one while a message has no answer yet.
 *
 * @param isOwned whether the task has needed an owner until now
 */
function leavesAtRest({ status, events }: Append, isOwned: boolean): boolean {
  if (status === undefined || !isResting(status.state)) return false;
  if (isTerminal(status.state)) return true;
  const last = events.findLast(({ event }) => event.message || stateOf(event) !== undefined);
  // Neither asked nor answered: an agent has sent artifacts, and has not left the state that the task had before.
  if (!last) return !isOwned;
  return !last.event.message;
}

/**
 * Group commit. Appends of one turn of the event loop, of further turns while each brings more, and all that arrive while a
 * transaction is under way share the next transaction. Only one transaction runs at a time, so that the appends of a task keep
 * their order.
 */
export class AppendQueue {
  readonly #deps: AppendQueueDeps;
  #waiting: QueuedAppend[] = [];
  #draining: Promise<void> | undefined;
  /** Tasks that this gateway owns as far as is known. If another replica has taken one over, appending to it fails. */
  readonly #owned = new TransientMap<true>();
  /**
   * Tasks whose creation was interrupted, each with the time of it: they may exist with this gateway as the owner although it
   * does not work on them.
   */
  readonly #unconfirmed = new Map<string, number>();

  constructor(deps: AppendQueueDeps) {
    this.#deps = deps;
  }

  /** Appends events, which are durable when the promise resolves. */
  append(append: Append): Promise<void> {
    if (append.events.length === 0) return Promise.reject(new A2AError('internal', 'An append needs an event.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, settle: (error) => (error ? reject(error) : resolve()) });
      this.#draining ??= this.#drain();
    });
  }

  /** Forgets a deleted task. */
  forget(key: string): void {
    this.#owned.delete(key);
    this.#unconfirmed.delete(key);
  }

  /** Records that this gateway works on the task from now on. */
  own(key: string): void {
    this.#owned.set(key, true);
  }

  /** Whether this gateway owns the task, as far as it knows. */
  owns(key: string): boolean {
    return this.#owned.has(key);
  }

  /** Records tasks that this gateway owns in the database, if they exist, without working on them. */
  markUnconfirmed(keys: readonly string[]): void {
    const now = performance.now();
    for (const key of keys) if (!this.#unconfirmed.has(key)) this.#unconfirmed.set(key, now);
  }

  /** Marks the tasks that this gateway owns in the database without working on them. */
  markUnknownUnconfirmed(keys: readonly string[]): void {
    this.markUnconfirmed(keys.filter((key) => !this.#owned.has(key)));
  }

  /** Returns at most `limit` tasks that this gateway may own without knowing it. */
  unconfirmed(limit: number): string[] {
    return this.#unconfirmed.keys().take(limit).toArray();
  }

  /**
   * Records tasks that a claim did not find. They stay unconfirmed for a while, after the others: the statement that creates a
   * task may still be running, and an interrupted transaction may hold its row.
   */
  notFound(keys: readonly string[]): void {
    const before = performance.now() - unconfirmedFor;
    for (const key of keys) {
      const since = this.#unconfirmed.get(key) ?? 0;
      this.#unconfirmed.delete(key);
      if (since > before) this.#unconfirmed.set(key, since);
    }
  }

  /** Records that the state of these tasks is known again. */
  confirm(keys: readonly string[]): void {
    for (const key of keys) this.#unconfirmed.delete(key);
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#commit(this.#take());
    }
    this.#draining = undefined;
  }

  /** Waits for further appends in this turn of the event loop, and longer while each turn brings more. */
  async #gather(): Promise<void> {
    for (let turns = 0, before = 0; turns < maxTurns && this.#waiting.length > before; turns += 1) {
      before = this.#waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Takes the groups of the next transaction. Appends that do not fit stay in their order. */
  #take(): TaskGroup[] {
    const groups = new Map<string, QueuedAppends>();
    const left: QueuedAppend[] = [];
    const behind = new Set<string>();
    let bytes = 0;
    for (const queued of this.#waiting) {
      const { key, create, events, turnRequest } = queued.append;
      const group = groups.get(key);
      const last = group?.at(-1)?.append.events.at(-1);
      const isNext = !last || (!create && events[0]?.seq === last.seq + 1);
      const full = groups.size >= batchLimits.tasks || bytes > batchLimits.bytes;
      if (full || behind.has(key) || !isNext) {
        behind.add(key);
        left.push(queued);
        continue;
      }
      if (group) group.push(queued);
      else groups.set(key, [queued]);
      for (const { json } of events) bytes += json.length;
      if (turnRequest) bytes += turnRequest.length;
    }
    this.#waiting = left;
    return Array.from(groups.values(), (queued) => ({ append: joined(queued), queued }));
  }

  async #commit(all: readonly TaskGroup[]): Promise<void> {
    let outcomes: WriteOutcome[];
    const began = performance.now();
    const writes = all.map(({ append }) => this.#write(append));
    try {
      outcomes = await this.#deps.database.write(writes);
    } catch (error) {
      await this.#failed(all, error);
      return;
    }
    const groups = all.slice(0, outcomes.length);
    // Placed before the appends that arrived meanwhile, which may belong to the same tasks.
    this.#waiting.unshift(...all.slice(outcomes.length).flatMap(({ queued }) => queued));
    const events = groups.reduce((sum, { append }) => sum + append.events.length, 0);
    const took = performance.now() - began;
    this.#deps.onBatch?.({ tasks: groups.length, events, seconds: took / 1_000 });
    // The process may have been paused, and other replicas may have taken over the tasks that it has written.
    const isLate = took > heartbeat.deadAfter / 2;
    const refused: TaskGroup[] = [];
    /** The groups of each transaction that failed, by its error. */
    const failed = new Map<unknown, TaskGroup[]>();
    for (const [i, group] of groups.entries()) {
      const outcome = outcomes[i];
      if (typeof outcome === 'object' && 'failed' in outcome) {
        failed.set(outcome.failed, [...(failed.get(outcome.failed) ?? []), group]);
        continue;
      }
      if (outcome === 'taken') {
        settle(group, new A2AError('internal', undefined, { cause: new KeyTaken('Another call has this key.') }));
        continue;
      }
      if (outcome === undefined || outcome === 'refused' || isLate) {
        refused.push(group);
        continue;
      }
      this.#recordOwnership(group.append, writes[i]?.owner === null);
      settle(group);
      this.#notify(group.append, outcome);
    }
    if (refused.length > 0) await Promise.all(refused.map((group) => this.#refused(group)));
    for (const [error, some] of failed) await this.#failed(some, error);
  }

  async #failed(groups: readonly TaskGroup[], error: unknown): Promise<void> {
    if (groups.length === 1 || this.#deps.database.isUnavailable(error)) {
      const failure = this.#deps.failure(error);
      for (const group of groups) {
        if (failure.kind === 'unavailable' && group.append.create) this.markUnconfirmed([group.append.key]);
        settle(group, failure);
      }
      return;
    }
    // One of the tasks cannot be stored: write each alone, so that the others are not affected.
    for (const group of groups) await this.#commit([group]);
  }

  /**
   * Handles a write for which the log is not at the expected position, or whose answer came late. Either another replica has
   * written to the log, or this is the retry of a write that the database carried out although its answer was lost.
   */
  async #refused(group: TaskGroup): Promise<void> {
    try {
      const { append } = group;
      const { key } = append;
      const isStored = await this.#isStored(append);
      // The flags were in the lost answer, so all replicas are notified.
      if (isStored) this.#notify(append, { pushed: true, followed: true });
      // During the wait for the answer, another replica may have declared this one dead.
      const isAtRest = leavesAtRest(append, this.#owned.has(key));
      if (isStored && (isAtRest || (await this.#deps.leases.isOwner(key)))) {
        // A takeover of unconfirmed tasks may have recorded a new task.
        if (isAtRest) this.#owned.delete(key);
        this.#recordOwnership(append, isAtRest);
        settle(group);
        return;
      }
      this.#owned.delete(key);
      this.#unconfirmed.delete(key);
      const cause = new LogConflict(`Another replica has written to task ${key}, or owns it.`, { isStored });
      settle(group, new A2AError('internal', undefined, { cause }));
    } catch (error) {
      settle(group, this.#deps.failure(error));
    }
  }

  #notify({ key, events }: Append, interest: TaskFlags): void {
    if (interest.pushed) this.#deps.onPushable(key);
    if (interest.pushed || interest.followed) this.#deps.onWritten(key, events.at(-1)?.seq ?? 0, interest);
  }

  async #isStored({ key, events }: Append): Promise<boolean> {
    const expected = (events[0]?.seq ?? 1) - 1;
    for (let known = 0; known < events.length; ) {
      const stored = await this.#deps.reader.events(key, expected + known, events.length - known);
      const same = stored.every(({ seq, at, json }, i) => {
        const own = events[known + i];
        return own?.seq === seq && own.at === at && own.json === json;
      });
      if (!same || stored.length === 0) return false;
      known += stored.length;
    }
    return true;
  }

  #recordOwnership({ key, create, status }: Append, isAtRest: boolean): void {
    this.#unconfirmed.delete(key);
    if (status === undefined) return;
    if (!isAtRest) this.#owned.set(key, true);
    // A new task had no owner before.
    else if (!create) this.#owned.delete(key);
  }

  #write(append: Append): TaskWrite {
    const { key, events, create, status, snapshot, turnRequest, hidesWords, upstream, keys = none } = append;
    const { instance, oldestSchema } = this.#deps.leases;
    const last = events.at(-1);
    const turn = events.findLast(({ event }) => event.message)?.seq ?? null;
    const mine = !create && this.#owned.has(key);
    const opened = create && events[0]?.event.task;
    const parent = opened?.metadata && parentOf(opened.metadata);
    const preview = opened && !hidesWords && previewOf(opened);
    const escapedKey = escapeText(key);
    return {
      key: escapedKey,
      expected: (events[0]?.seq ?? 1) - 1,
      seq: last?.seq ?? 0,
      turn: turn ?? (create ? 1 : null),
      state: status ? stateColumn(status.state) : create ? stateColumn('TASK_STATE_UNSPECIFIED') : null,
      statusAt: status?.at ?? create?.createdAt ?? null,
      updatedAt: last?.at ?? 0,
      owner: leavesAtRest(append, mine) ? null : instance,
      // Unlike a cancellation, a message does not take the task from its owner.
      fence: mine || turn !== null ? instance : null,
      free: !mine,
      create: create && {
        ...escapeOwner(create),
        id: create.id === key ? escapedKey : escapeText(create.id),
        contextId: escapeText(create.contextId),
        createdAt: create.createdAt,
        dialect: create.dialect,
        parent: parent ? escapeText(openerOf(parent)) : null,
        root: parent ? escapeText(rootOf(parent, key)) : null,
        trace: create.trace ?? null,
        binding: create.binding ?? null,
        preview: preview ? escapeText(preview) : null,
      },
      snapshot: snapshot && !isWhole(last, snapshot.task) ? snapshot.json : undefined,
      events,
      turnRequest,
      reason: hidesWords ? '' : status ? reasonIn(events) : null,
      upstreamId: upstream ? escapeText(upstream.id) : null,
      upstreamContextId: upstream ? escapeText(upstream.contextId) : null,
      bound: upstream !== undefined && needsIdRows(status?.state, oldestSchema),
      keyed: keys.length === 0 ? none : keys.map(({ call, seq }) => keyParameters(call, instance, [escapedKey, seq])),
    };
  }
}

const none: readonly never[] = [];

/**
 * Whether the ids of a task at its upstream agent are written to tables of their own too. Versions before schema 11 read them
 * there, to continue a task that they take over, or a conversation while such a version is running. These rows can be dropped
 * once no upgrade from such a version is supported.
 */
const needsIdRows = (state: TaskState | undefined, oldestSchema: number): boolean =>
  oldestSchema < upstreamColumns.number || state === undefined || !isTerminal(state);

/** The first line of the message that opened a task. */
function previewOf({ history = [] }: Task): string {
  const message = history.find(({ role }) => role === 'ROLE_USER') ?? history[0];
  return message ? lineOfMessage(message) : '';
}

/** The reason of the last status among the events; null if there is no status; '' if its state has no reason. */
function reasonIn(events: readonly LoggedEvent[]): string | null {
  const last = events.findLast(({ event }) => stateOf(event) !== undefined)?.event;
  if (!last) return null;
  const status = (last.statusUpdate ?? last.task)?.status;
  if (!status?.message || !hasReason(status.state)) return '';
  return escapeText(lineOfMessage(status.message));
}

/** Whether the last event of a task is the whole task, so that its readers need no snapshot. */
function isWhole(last: LoggedEvent | undefined, { history, artifacts }: Task): boolean {
  const task = last?.event.task;
  // A `task` event keeps a history or artifacts that it lacks.
  return task !== undefined && (!history || task.history !== undefined) && (!artifacts || task.artifacts !== undefined);
}
