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

/** The positions of one task's log in this process and in the store, and the task that is folded from it. */
export class TaskLog {
  #task: Task | undefined;
  /** The stored task until it is first used: readers that need only the log do not parse it. */
  #stored: Pick<StoredTask, 'task'> | undefined;
  /** The task as JSON text, if it is known. */
  #json: string | undefined;
  /** Whether `task` was handed out. It is not changed any more then. */
  #isShared = false;
  /** The events that have become durable since the read began. Undefined unless the task is being read from the store. */
  #sinceRead: LoggedEvent[] | undefined;
  /** Bytes of the events from which the task in memory was folded. The task's JSON is hardly larger. */
  bytes: number;
  /** Bytes of the events up to `countedUntil`, if they are known. */
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
  /** Time when that state was entered: milliseconds. */
  statusAt: number;
  /** Time when the last durable event was emitted: milliseconds. */
  updatedAt: number;
  readonly #clock: Pick<TaskStore, 'now'>;
  /** Position of the client's last message among the emitted events, or 1. */
  #latestTurn: number;
  /** Position of the event that brought `state`; 0: it came from the store. */
  #statePosition = 0;
  /** Position of the last durable event that left the task at rest. */
  #restPosition = 0;

  /** @param createdAt time when a new task was created: milliseconds */
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
   * The task folded from the durable events; later events do not change it. Undefined before the first event, and if only the row
   * was read.
   */
  get task(): Task | undefined {
    this.#isShared = true;
    return this.#folded();
  }

  /** The JSON text of the task, if it is known and `task` is the latest state. */
  jsonOf(task: Task): string | undefined {
    return task === this.#task ? this.#json : undefined;
  }

  get isFolded(): boolean {
    return this.#task !== undefined || this.#stored !== undefined;
  }

  /** Bytes of all events, durable or not, as `weightOf` counts them. A lower bound if they are not counted. */
  get size(): number {
    return (this.#counted ?? this.bytes) + this.#more;
  }

  /** Whether `size` is exact. */
  get isCounted(): boolean {
    return this.#counted !== undefined;
  }

  /** Sets the bytes of the events up to `countedUntil`. */
  count(bytes: number): void {
    this.#counted = bytes;
  }

  /** Whether the client has sent only the message that opened the task. */
  get hasOneMessage(): boolean {
    return this.#latestTurn <= 1;
  }

  /** Position of the event that brought the state; 0: it came from the store. */
  get statePosition(): number {
    return this.#statePosition;
  }

  /** Whether the last emitted event is a message of the client, which the agent has not answered yet. */
  get endsWithMessage(): boolean {
    return this.head > 1 && this.#latestTurn === this.head;
  }

  /**
   * Whether an event after position `after` has brought the task to rest. The event may not be durable, or may come from another
   * replica.
   */
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
   * @param limit largest number of bytes of all events. Beyond it, throws `payloadTooLarge` and changes nothing
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

  /** The task with the given events, which are not durable yet. */
  snapshotWith(events: readonly LoggedEvent[]): TaskSnapshot | undefined {
    const folded = this.#folded();
    if (!folded && this.committed > 0) return undefined;
    const task = foldAll(folded && copyTask(folded), events);
    return task && { task, json: JSON.stringify(task) };
  }

  /** Adds events that have become durable. `snapshot` is the task with these events, if it is known. */
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

  /** Begins to retain events for `endFold`, because the task is being read from the store. */
  beginFold(): void {
    this.#sinceRead = [];
  }

  /** Sets the task as it was read. False if the log has not reached the task's position yet: the task must be read again. */
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

  /** Appends durable events of another replica, which follow the last event. */
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

  /** Sets the row of the task as it is stored, after `skip` has passed all of its events. The task is read when it is needed. */
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

  /** Keeps only the facts of the row. The task is read when it is needed; later events are not folded until then. */
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

/** Tasks of up to this number of bytes are counted by their text alone. */
const light = 1_048_576;
/** Ratio of memory to text above which an event is counted by its memory. */
const heavy = 2;

/**
 * Bytes that an event counts in its task: the bytes of its text, or of its memory if that is much more. Many small values take
 * twenty times as much memory as text.
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

/** The reason for ending a task that already exceeds the limit: its limit was lowered, or an earlier version wrote it. */
export const taskOverLimit = (size: number, limit: number): string =>
  `The gateway stopped while the agent was working, and does not continue a task whose events have more bytes than limits.task allows: ${size} of ${limit}`;

/** Whether an error says that an event does not fit into its task. */
export const isTaskTooLarge = (thrown: unknown): boolean =>
  thrown instanceof A2AError && thrown.kind === 'payloadTooLarge' && thrown.metadata.limit === 'limits.task';
