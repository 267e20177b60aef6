import type { ListTasksRequest, Task, TaskPushNotificationConfig, TaskState } from '../model/a2a.ts';
import type { LoggedEvent, TaskFacts } from '../model/call.ts';
import type { CallKey, TaskOwner } from '../model/ids.ts';
import type { ReadBudget } from '../model/memory.ts';
import type { Peers } from './peers.ts';
import type { PushConfigPage, PushConfigPageRequest, PushOrigin, WebhookBounds, WebhookExcess } from './push-store.ts';
import type { TaskBinding } from './upstream-ids.ts';

/** A task's row: what is known without folding its log. */
export interface TaskRecord extends TaskOwner, TaskFacts {
  /** Unique in the store. The task's id where the gateway made it, else the id qualified by its owner. */
  readonly key: string;
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** Milliseconds: when the state was entered. Lists are ordered by it, newest first. */
  readonly statusAt: number;
  /** Position of the last event. */
  readonly seq: number;
  /** Whether it waits for its client, or has ended, and no message waits for an answer. */
  readonly rested: boolean;
  /** Name of the dialect in which its owner last used the task. A2A 1.0 counts only for its making. */
  readonly dialect: string;
}

/** What a task's row is made of. */
export type NewTaskRecord = Omit<TaskRecord, 'seq' | 'state' | 'statusAt' | 'updatedAt' | 'rested'>;

/** The same for tasks. Filters and token are those of the request, already defaulted and validated. */
export type TaskListRequest = ListTasksRequest & { readonly pageSize: number; readonly pageBytes?: number };

/** A row with the task folded from the log up to `seq`. */
export interface StoredTask extends TaskRecord {
  readonly task: Task;
  /** Bytes of JSON that it was read from. */
  readonly bytes: number;
  /** The task as JSON text, where the store holds it so: then it need not be parsed to be sent. */
  readonly json?: string;
}

/** Events to be made durable. All appends of one tick are one transaction. */
export interface Append {
  readonly key: string;
  /** Consecutive; the first one's seq is the row's seq + 1. None only where the task is there, and `bound` is given. */
  readonly events: readonly LoggedEvent[];
  /** With the first append of a task: its row. */
  readonly create?: NewTaskRecord;
  /** The state after these events and when it was entered, when they change it. */
  readonly status?: { readonly state: TaskState; readonly at: number };
  /** The folded task, given once when it has come to its end, so that reading it costs one row. */
  readonly snapshot?: Task;
  /** What the task is called at its upstream agent, where that has become known. */
  readonly binding?: TaskBinding;
  /**
   * Idempotency keys of the calls whose messages are among the events. All are taken with them, or nothing is written.
   */
  readonly keys?: readonly KeyedCall[];
}

/** A key, and the turn that its call begins. */
export interface KeyedCall {
  readonly call: CallKey;
  /** Position before the turn; 0: the turn opens the task. */
  readonly seq: number;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  /** '' on the last page. */
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/** Events of a log, in order. `isCut`: there are more, although there are fewer than were asked for. */
export type EventPage = LoggedEvent[] & { isCut?: true };

/** The first call with an idempotency key. */
export interface KnownCall {
  readonly digest: string;
  readonly nonce: string;
  /** The task that it opened or continued, and the position before its turn. What comes of it, the log says. */
  readonly turn?: { readonly key: string; readonly seq: number };
  /** The answer as JSON text, of a call that is answered by no task. */
  readonly answer?: string;
  /** The gateway that took the call: this one, another that is alive, or none that is alive. */
  readonly replica: 'this' | 'other' | 'dead';
}

/**
 * Tasks, their logs, and what hangs on them. Every promise rejects with A2AError `unavailable` when the database is.
 */
export interface TaskStore {
  /**
   * Milliseconds since the epoch, by the clock that all gateways on the store share: what is stored is stamped and
   * judged by it.
   */
  now(): number;
  /**
   * Durable when it resolves. Rejects with `internal`, caused by a LogConflict, when the log moved on meanwhile
   * (another writer); with a message also while another gateway works on the task. With a KeyTaken as its cause, when
   * another call has the idempotency key: then nothing was written.
   */
  append(append: Append): Promise<void>;
  find(owner: TaskOwner, id: string, room?: ReadBudget): Promise<StoredTask | undefined>;
  /** What `find` finds, without folding the task. */
  lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined>;
  /** Changes a task's dialect. Does nothing when there is no such task. */
  setDialect(key: string, dialect: string): Promise<void>;
  /** The row with this key, whoever owns it. */
  load(key: string): Promise<StoredTask | undefined>;
  /**
   * At most `limit` events after position `after`, in order: fewer where they are large, but one where there is one.
   */
  events(key: string, after: number, limit: number, room?: ReadBudget): Promise<EventPage>;
  /** Position of the latest turn: the last `message` entry, or the first event. */
  latestTurn(key: string): Promise<number>;
  /** Positions of the last events of tasks, by their keys, in one query. Those that are not there are left out. */
  positions(keys: readonly string[]): Promise<Map<string, number>>;
  /**
   * Newest status first. A page ends where its tasks, as they are stored, have `pageBytes` of JSON; it has one task at
   * least, and a token where there are more.
   */
  list(owner: TaskOwner, request: TaskListRequest, room?: ReadBudget): Promise<TaskPage>;

  /**
   * Makes or replaces the task's configuration with this id: a new one begins where `origin` says, one that is replaced
   * goes on where it was. Rejects with `taskNotFound` when the task is gone.
   */
  putPushConfig(
    key: string,
    config: TaskPushNotificationConfig & { id: string },
    dialect: string,
    origin?: PushOrigin,
  ): Promise<WebhookExcess | undefined>;
  /** The bound that a push configuration would exceed, of the task with this key (undefined: a new one) and this id. */
  webhookExcess(
    principal: string,
    task: { readonly key: string; readonly id: string } | undefined,
    bounds: WebhookBounds,
  ): Promise<WebhookExcess | undefined>;
  getPushConfig(key: string, id: string): Promise<TaskPushNotificationConfig | undefined>;
  /** Like tasks, a page ends by bytes, too. */
  listPushConfigs(key: string, page: PushConfigPageRequest, room?: ReadBudget): Promise<PushConfigPage>;
  /** Those of all tasks of an owner, each with its task's id. */
  listOwnersPushConfigs(owner: TaskOwner, page: PushConfigPageRequest, room?: ReadBudget): Promise<PushConfigPage>;
  /** Whether there was one. */
  deletePushConfig(key: string, id: string): Promise<boolean>;

  /** The first call with this key within a day. */
  findCall(owner: TaskOwner, key: string): Promise<KnownCall | undefined>;
  /**
   * Takes a key for a call that is answered by no task; the known call where the key is taken.
   *
   * @param instead nonce of a known call whose place is taken
   */
  claimCall(call: CallKey, instead?: string): Promise<KnownCall | undefined>;
  /** Stores the answer of a call that has its key. */
  answerCall(call: CallKey, answer: string): Promise<void>;
  /** Frees the key of a call that did nothing. */
  releaseCall(call: CallKey): Promise<void>;
  /** Makes a task stay, since a caller is about to be shown it: it is not retracted. False where it is gone. */
  pin(key: string): Promise<boolean>;
  /**
   * Removes a task that consists of nothing but its opening, since its call is answered by no task. The key of the call
   * gets the answer, or is free where there is none. False, and nothing is changed, where the task has gone on, has
   * push configurations, is pinned, or belongs to another gateway. Unless it is removed, it is among the next orphans:
   * nothing comes of that where an agent is at work on it.
   */
  retract(key: string, call: CallKey | undefined, answer: string | undefined): Promise<boolean>;

  /**
   * Tasks that were under way (submitted or working) in a gateway that is dead, now this one's. At most `limit`; call
   * again until it answers with none.
   *
   * @param agents those whose tasks are meant, at least one. Default: all
   */
  claimOrphans(limit: number, agents?: readonly string[]): Promise<StoredTask[]>;
  /** Names of the agents of tasks that were under way in gateways that are dead, and are nobody's yet. */
  orphanedAgents(): Promise<string[]>;
  /**
   * Deletes what came to rest before `before` (milliseconds), at most `limit` tasks, and idempotency keys of over a
   * day.
   */
  expire(before: number, limit: number): Promise<number>;
}

/** Tasks, and the other gateways that have them, too. */
export interface SharedTaskStore extends TaskStore {
  /**
   * Whether nothing but the end of this process keeps what is appended from becoming durable: the database is part of
   * it, and took the last write. Where it is not, a task's row is written before the agent hears of the message.
   */
  readonly crashSafe: boolean;
  /** The other gateways on the store, while it is open. Throws `unavailable` while it is not. */
  readonly peers: Peers;
}
