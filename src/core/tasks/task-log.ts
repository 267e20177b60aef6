import type { StreamResponse, Task, TaskState } from '../model/a2a.ts';
import type { LoggedEvent } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { copyTask, fold } from '../model/fold.ts';
import { parsedSizeOf } from '../model/json.ts';
import { isResting, isTerminal, stateOf } from '../model/lifecycle.ts';
import type { SizedRecord, StoredTask, TaskSnapshot, TaskStore } from '../ports/task-store.ts';

/** The members of a task log that others may read. */
export type TaskLogView = Readonly<
  Omit<
    TaskLog,
    'task' | 'emit' | 'commit' | 'adopt' | 'discard' | 'skip' | 'restore' | 'forget' | 'count' | 'beginFold' | 'endFold'
  >
>;

/** The positions that one task's log has reached in this process and in the store, and the task folded from it. */
export class TaskLog {
  #task: Task | undefined;
  /** Holds the task until it is first used: readers of the log alone need not parse it. */
  #stored: Pick<StoredTask, 'task'> | undefined;
  /** The task as JSON text, where it is known. */
  #json: string | undefined;
  /** Whether `task` was handed out: from then on it is not changed. */
  #isShared = false;
  /** While the task is read from the store: the events that have become durable since. */
  #sinceRead: LoggedEvent[] | undefined;
  /** Bytes of the events that the task was folded from, in memory. The task as JSON is hardly larger. */
  bytes: number;
  /** Bytes of the events up to `countedUntil`, where they are known. */
  #counted: number | undefined;
  /** Position of the stored task that this log began with: events after it are in `#more`. */
  countedUntil: number;
  /** Bytes of the events after `countedUntil`, durable or not. */
  #more = 0;
  /** Position of the last durable event. */
  committed: number;
  /** Position of the last emitted event, durable or not. */
  head: number;
  /** The task's generation after the last durable event, see `TaskFacts`. */
  generation: number;
  /** The task's generation after the last emitted event, durable or not. */
  headGeneration: number;
  /** State after the last emitted event, durable or not. */
  state: TaskState;
  /** Whether that state is terminal. */
  isTerminal: boolean;
  /** When that state was entered: milliseconds. */
  statusAt: number;
  /** When the last durable event was emitted: milliseconds. */
  updatedAt: number;
  readonly #clock: Pick<TaskStore, 'now'>;
  /** Position of the client's last message among the emitted events, or 1. */
  #latestTurn: number;
  /** Position of the event that brought `state`; 0: it came from the store. */
  #statePosition = 0;
  /** Position of the last durable event that left the task at rest. */
  #restPosition = 0;

  /** @param createdAt milliseconds, of a new task */
  constructor(createdAt: number, stored: SizedRecord | StoredTask | undefined, clock: Pick<TaskStore, 'now'>) {
    this.#clock = clock;
    this.#stored = stored && 'task' in stored ? stored : undefined;
    this.#isShared = stored !== undefined;
    this.bytes = stored?.bytes ?? 0;
    this.#counted = stored ? stored.logBytes : 0;
    this.committed = stored?.seq ?? 0;
    this.countedUntil = this.committed;
    this.head = this.committed;
    this.generation = stored?.generation ?? 0;
    this.headGeneration = this.generation;
    this.#latestTurn = stored?.latestTurn ?? 1;
    this.state = stored?.state ?? 'TASK_STATE_UNSPECIFIED';
    this.isTerminal = isTerminal(this.state);
    this.statusAt = stored?.statusAt ?? createdAt;
    this.updatedAt = stored?.updatedAt ?? createdAt;
    this.#restPosition = stored?.rested ? stored.seq : 0;
  }

  /**
   * The task folded from the durable events; later events do not change it. Undefined before the first event, and where
   * only the row was read.
   */
  get task(): Task | undefined {
    this.#isShared = true;
    return this.#folded();
  }

  /** The JSON text of the task, where it is known and `task` is the latest. */
  jsonOf(task: Task): string | undefined {
    return task === this.#task ? this.#json : undefined;
  }

  get isFolded(): boolean {
    return this.#task !== undefined || this.#stored !== undefined;
  }

  /** Bytes of all events, durable or not, as `weightOf` counts them. If they are not counted, at least so many. */
  get size(): number {
    return (this.#counted ?? this.bytes) + this.#more;
  }

  /** Whether `size` is exact. */
  get isCounted(): boolean {
    return this.#counted !== undefined;
  }

  /** Takes the bytes of the events up to `countedUntil`. */
  count(bytes: number): void {
    this.#counted = bytes;
  }

  /** Whether the client has sent one message alone: the one that opened the task. */
  get hasOneMessage(): boolean {
    return this.#latestTurn <= 1;
  }

  /** Position of the event that brought the state; 0: it came from the store. */
  get statePosition(): number {
    return this.#statePosition;
  }

  /** Whether the last emitted event is a message of the client: the agent has not answered it yet. */
  get endsWithMessage(): boolean {
    return this.head > 1 && this.#latestTurn === this.head;
  }

  /** Whether the task is at rest by an event after `after`, durable or not, of this or another replica. */
  hasRested(after: number): boolean {
    return isResting(this.state) && this.#statePosition > after;
  }

  /** Whether a durable event after `after` left the task at rest. */
  hasDurablyRested(after: number): boolean {
    return this.#restPosition > after;
  }

  /**
   * Gives an event its position.
   *
   * @param limit bytes that the events may have together: throws `payloadTooLarge`, and changes nothing, beyond it
   */
  emit(event: StreamResponse, limit: number = Number.POSITIVE_INFINITY): LoggedEvent {
    const json = JSON.stringify(event);
    const { size } = this;
    const weight = weightOf(json, size);
    if (size + weight > limit) throw taskTooLarge(event.message ? 'message' : 'event', weight, size, limit);
    this.#more += weight;
    const at = this.#clock.now();
    this.head += 1;
    const state = stateOf(event);
    if (state) this.#enter(state, this.head, at);
    if (event.message) this.#latestTurn = this.head;
    else this.headGeneration += 1;
    const logged = { seq: this.head, at, generation: this.headGeneration, event, json };
    return weight > heavy * json.length ? { ...logged, weight } : logged;
  }

  /** The task with events that are not durable yet. */
  snapshotWith(events: readonly LoggedEvent[]): TaskSnapshot | undefined {
    const folded = this.#folded();
    if (!folded && this.committed > 0) return undefined;
    const task = foldAll(folded && copyTask(folded), events);
    return task && { task, json: JSON.stringify(task) };
  }

  /** Events have become durable. `snapshot`: the task with these events, where it is known. */
  commit(events: readonly LoggedEvent[], snapshot?: TaskSnapshot): void {
    if (events.length === 0) return;
    for (const { json, weight } of events) this.bytes += weight ?? json.length;
    if (snapshot || this.isFolded || this.committed === 0) {
      const folded = snapshot ? undefined : this.#folded();
      this.#task = snapshot?.task ?? foldAll(folded && this.#isShared ? copyTask(folded) : folded, events);
      this.#stored = undefined;
      this.#json = snapshot?.json;
      this.#isShared = false;
    } else this.#sinceRead?.push(...events);
    this.#advance(events);
  }

  /** From now on, events are kept for `endFold`: the task is being read from the store. */
  beginFold(): void {
    this.#sinceRead = [];
  }

  /** Takes the task as it was read. False where the log has not reached its position: it is to be read again. */
  endFold(stored: StoredTask): boolean {
    const events = this.#sinceRead ?? [];
    if (stored.seq > this.committed) return false;
    this.#sinceRead = undefined;
    this.#task = foldAll(
      copyTask(stored.task),
      events.filter(({ seq }) => seq > stored.seq),
    );
    this.#isShared = false;
    return true;
  }

  /** Appends durable events of another replica, which follow on the last one. */
  adopt(events: readonly LoggedEvent[]): void {
    for (const { json } of events) this.#more += weightOf(json, this.size);
    this.#updateHead(events);
    this.commit(events);
    this.#resetHead();
  }

  /** Discards the emitted events that are not durable. */
  discard(): void {
    this.#resetHead();
    this.#statePosition = 0;
  }

  /** Like `adopt`, but after a discard: does not fold, since `task` may contain discarded events until `restore`. */
  skip(events: readonly LoggedEvent[]): void {
    this.#updateHead(events);
    this.#advance(events);
    this.#resetHead();
  }

  /** Takes the row of the task as it is stored, after `skip` has passed all of its events. The task is read when it is needed. */
  restore({ seq, bytes, logBytes, state, statusAt, latestTurn }: SizedRecord): void {
    this.forget();
    this.bytes = bytes;
    this.#counted = logBytes;
    this.countedUntil = seq;
    this.#more = 0;
    this.state = state;
    this.isTerminal = isTerminal(state);
    this.statusAt = statusAt;
    this.#latestTurn = latestTurn;
  }

  /** Keeps what the row says alone. The task is read when it is needed; later events are not folded until then. */
  forget(): void {
    this.#task = undefined;
    this.#stored = undefined;
    this.#json = undefined;
  }

  #folded(): Task | undefined {
    this.#task ??= this.#stored?.task;
    this.#stored = undefined;
    return this.#task;
  }

  #resetHead(): void {
    this.head = this.committed;
    this.headGeneration = this.generation;
  }

  #advance(events: readonly LoggedEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.committed = last.seq;
    this.generation = last.generation;
    this.updatedAt = last.at;
    const rest = events.findLast(({ event }) => isRest(event));
    if (rest) this.#restPosition = rest.seq;
  }

  #updateHead(events: readonly LoggedEvent[]): void {
    const latest = events.findLast(({ event }) => stateOf(event) !== undefined);
    const state = latest && stateOf(latest.event);
    if (latest && state) this.#enter(state, latest.seq, latest.at);
    const turn = events.findLast(({ event }) => event.message);
    if (turn) this.#latestTurn = turn.seq;
  }

  #enter(state: TaskState, seq: number, at: number): void {
    this.state = state;
    this.isTerminal = isTerminal(state);
    this.#statePosition = seq;
    this.statusAt = at;
  }
}

/** Whether an event leaves its task at rest. */
export function isRest(event: StreamResponse): boolean {
  const state = stateOf(event);
  return state !== undefined && isResting(state);
}

function foldAll(task: Task | undefined, events: readonly LoggedEvent[]): Task | undefined {
  let folded = task;
  for (const { event } of events) folded = fold(folded, event);
  return folded;
}

/** Tasks up to so many bytes are counted by their text alone. */
const light = 1_048_576;
/** Events that take more than so many times their text in memory are counted by that. */
const heavy = 2;

/**
 * Bytes that an event counts in its task: those of its text, or what it takes in memory where that is much more.
 * Many small values take twenty times their text.
 *
 * @param before bytes of the task's events before it
 */
export function weightOf(json: string, before: number): number {
  const bytes = Buffer.byteLength(json);
  if (before + bytes <= light) return bytes;
  const inMemory = parsedSizeOf(json);
  return inMemory > heavy * bytes ? inMemory : bytes;
}

/** The error for an agent or a caller whose event would make a task larger than `limits.task`. */
export function taskTooLarge(what: 'event' | 'message', bytes: number, size: number, limit: number): A2AError {
  const before = size === 0 ? '' : `; its events have ${size} bytes already`;
  const message = `The ${what} of ${bytes} bytes does not fit into the task, whose events may have ${limit} bytes (limits.task)${before}`;
  return new A2AError('payloadTooLarge', message, {
    metadata: { limit: 'limits.task', limitBytes: `${limit}`, taskBytes: `${size}` },
  });
}

/** The reason of a task that is over the limit already: its limit was lowered, or an earlier version wrote it. */
export const taskOverLimit = (size: number, limit: number): string =>
  `The gateway stopped while the agent was working, and does not continue a task whose events have more bytes than limits.task allows: ${size} of ${limit}`;

/** Whether an error says that an event does not fit into its task. */
export const isTaskTooLarge = (thrown: unknown): boolean =>
  thrown instanceof A2AError && thrown.kind === 'payloadTooLarge' && thrown.metadata.limit === 'limits.task';
