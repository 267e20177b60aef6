import type { ListTasksRequest, ListTasksResponse, Task, TaskPushNotificationConfig, TaskState } from '../model/a2a.ts';
import type { UpstreamTask } from '../model/agent.ts';
import type { BindingKind, LoggedEvent, ReadBudget, TaskFacts } from '../model/call.ts';
import type { CallKey, TaskOwner } from '../model/ids.ts';
import type { Peers } from './peers.ts';
import type { PushConfigPage, PushConfigPageRequest, PushOrigin, WebhookBounds, WebhookExcess } from './push-store.ts';

/** A task's row, which is known without folding its log. */
export interface TaskRecord extends TaskOwner, TaskFacts {
  /** Unique in the store. The task's id where the gateway generated it, else the id qualified by its owner. */
  readonly key: string;
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** Milliseconds: when the state was entered. Lists are ordered by it, newest first. */
  readonly statusAt: number;
  /** Position of the last event. */
  readonly seq: number;
  /** Position of the client's last message in the log, or 1. */
  readonly latestTurn: number;
  /** Whether it waits for its client, or has ended, and no message waits for an answer. */
  readonly rested: boolean;
  /** Name of the dialect in which its owner last used the task; A2A 1.0 only where it created the task. */
  readonly dialect: string;
}

/** A task's row at its creation. */
export type NewTaskRecord = Omit<
  TaskRecord,
  'seq' | 'latestTurn' | 'generation' | 'state' | 'statusAt' | 'updatedAt' | 'rested'
> & {
  /** Of the call that opens it. */
  readonly binding?: BindingKind;
  /** The `traceparent` of this call. */
  readonly trace?: string;
};

/** The requested page of a list of tasks. Filters and token are those of the request, defaulted and validated. */
export type TaskListRequest = ListTasksRequest & { readonly pageSize: number; readonly pageBytes?: number };

/** A row, and how much there is to read. */
export interface SizedRecord extends TaskRecord {
  /** Bytes of JSON that the task is folded from: its snapshot, and the events after it. */
  readonly bytes: number;
  /** Bytes of all events up to `seq`, where they are known: `TaskStore.logBytes` counts them. */
  readonly logBytes?: number | undefined;
}

/** A row with the task folded from the log up to `seq`. */
export interface StoredTask extends SizedRecord {
  readonly task: Task;
  /** The task as JSON text, where the store has it: it can be sent without parsing. */
  readonly json?: string | undefined;
}

/** Events to be made durable. All appends of one tick are one transaction. */
export interface Append {
  readonly key: string;
  /** Consecutive; the first one's seq is the row's seq + 1. Empty only for an existing task with `upstream`. */
  readonly events: readonly LoggedEvent[];
  /** With the first append of a task: its row. */
  readonly create?: NewTaskRecord;
  /** The state after these events, and when it was entered. Absent: as it was, and so is the task's owner. */
  readonly status?: { readonly state: TaskState; readonly at: number };
  /**
   * The folded task, given once when it ends, so that reading it costs one row. Not needed where the only event ends the
   * task: that event is the task. Absent too where the task is too large to be folded for its end alone.
   */
  readonly snapshot?: TaskSnapshot;
  /** With `snapshot`: the task's agent, for those who count tasks. The store has it in the row. */
  readonly agent?: string;
  /** The task's ids at its upstream agent, once they are known. */
  readonly upstream?: UpstreamTask;
  /**
   * JSON text of what the agent gets besides the message with which these events end. The next events that are appended
   * delete it. Nothing but `turnRequest` reads it.
   */
  readonly turnRequest?: string;
  /** Nothing of what the events say may be copied to the task's row. */
  readonly hidesWords?: boolean;
  /** Idempotency keys of the calls whose messages are among the events: unless all can be taken, nothing is written. */
  readonly keys?: readonly KeyedCall[];
}

/** A key, and the turn that its call starts. */
export interface KeyedCall {
  readonly call: CallKey;
  /** Position before the turn; 0: the turn opens the task. */
  readonly seq: number;
}

/** A folded task, and its JSON text. */
export interface TaskSnapshot {
  readonly task: Task;
  readonly json: string;
}

/** The token is '' on the last page. */
export interface TaskPage extends Readonly<Omit<ListTasksResponse, 'pageSize' | 'tasks'>> {
  /** The parts of each task that the request asks for, as JSON text. */
  readonly texts: readonly string[];
  /** Of each task, in the same order. */
  readonly taskFacts: readonly TaskFacts[];
}

/** Events of a log, in order. `isCut`: the page was cut by bytes, and there are more. */
export type EventPage = LoggedEvent[] & { isCut?: true };

/** The first call with an idempotency key. */
export interface KnownCall {
  readonly digest: string;
  readonly nonce: string;
  /** The task that it opened or continued, and the position before its turn; its result is in the log. */
  readonly turn?: { readonly key: string; readonly seq: number };
  /** The answer as JSON text, of a call without a task. */
  readonly answer?: string;
  /** The replica that took the call: this one, another live one, or a dead one. */
  readonly replica: 'this' | 'other' | 'dead';
}

/** Tasks, logs, push configurations and idempotency keys. Rejects with `unavailable` while the database is away. */
export interface TaskStore {
  /** Milliseconds since the epoch, by the clock of all replicas on the store: stored times and expiry follow it. */
  now(): number;
  /**
   * Durable when it resolves. Rejects with `internal`, caused by a LogConflict, when another writer was first, or when
   * a message arrives while another replica owns the task; caused by a KeyTaken when another call has the idempotency
   * key. Nothing was written in either case.
   */
  append(append: Append): Promise<void>;
  find(owner: TaskOwner, id: string, budget?: ReadBudget): Promise<StoredTask | undefined>;
  /** Like `find`, without folding the task. */
  lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined>;
  /** Changes a task's dialect. Does nothing when there is no such task. */
  setDialect(key: string, dialect: string): Promise<void>;
  /** The row with this key, of any owner. */
  load(key: string, budget?: ReadBudget): Promise<StoredTask | undefined>;
  /** Like `find`, without reading the events. */
  findRecord(owner: TaskOwner, id: string): Promise<SizedRecord | undefined>;
  /** Like `load`, without reading the events. */
  loadRecord(key: string): Promise<SizedRecord | undefined>;
  /** Bytes of JSON of a task's events up to a position. Does not read the events. */
  logBytes(key: string, until: number): Promise<number>;
  /** At most `limit` events after position `after`, in order: fewer where they are large, but at least one. */
  events(key: string, after: number, limit: number, budget?: ReadBudget): Promise<EventPage>;
  /** Position of the latest turn: the last `message` entry, or the first event. */
  latestTurn(key: string): Promise<number>;
  /** What was appended with the log's last event as `turnRequest`. */
  turnRequest(key: string): Promise<string | undefined>;
  /** Positions of the last events of tasks by their keys, in one query. Missing tasks are left out. */
  positions(keys: readonly string[]): Promise<Map<string, number>>;
  /** Newest status first. A page has at most `pageBytes` of JSON but at least one task, and a token if more follow. */
  list(owner: TaskOwner, request: TaskListRequest, budget?: ReadBudget): Promise<TaskPage>;

  /** Creates or replaces a task's configuration. A replaced one keeps its cursor. Rejects with `taskNotFound`. */
  putPushConfig(
    key: string,
    config: TaskPushNotificationConfig & { id: string },
    dialect: string,
    origin?: PushOrigin,
  ): Promise<WebhookExcess | undefined>;
  /** The bound that a push configuration with this id would exceed; without a task: that of a new task. */
  webhookExcess(
    principal: string,
    task: { readonly key: string; readonly id: string } | undefined,
    bounds: WebhookBounds,
  ): Promise<WebhookExcess | undefined>;
  getPushConfig(key: string, id: string): Promise<TaskPushNotificationConfig | undefined>;
  /** As for tasks, pages are bounded by bytes too. */
  listPushConfigs(key: string, page: PushConfigPageRequest, budget?: ReadBudget): Promise<PushConfigPage>;
  listOwnersPushConfigs(owner: TaskOwner, page: PushConfigPageRequest, budget?: ReadBudget): Promise<PushConfigPage>;
  /** False: there was none. */
  deletePushConfig(key: string, id: string): Promise<boolean>;

  /** The first call with this key within the last day. */
  findCall(owner: TaskOwner, key: string): Promise<KnownCall | undefined>;
  /** Claims a key for a call without a task, or replaces the call `instead` (a nonce). Resolves with a known call. */
  claimCall(call: CallKey, instead?: string): Promise<KnownCall | undefined>;
  answerCall(call: CallKey, answer: string): Promise<void>;
  /** Frees the key of a call without effect, unless it has an answer. */
  releaseCall(call: CallKey): Promise<void>;
  /** Protects a task from `retract`, because a caller is about to see it. False where it is gone. */
  pin(key: string): Promise<boolean>;
  /**
   * Removes a task that has only its opening event, since its call was answered without a task; the key gets the
   * answer, or is freed. False: the task has further events or push configurations, is pinned, or belongs to another
   * replica. It is among the next orphans then, without effect while an agent works on it.
   */
  retract(key: string, call: CallKey | undefined, answer: string | undefined): Promise<boolean>;

  /** Takes over at most `limit` submitted or working tasks of dead replicas, of these agents or of all. Reads no events. */
  claimOrphans(limit: number, agents?: readonly string[]): Promise<SizedRecord[]>;
  /** Names of the agents of dead replicas' tasks that were not taken over yet. */
  orphanedAgents(): Promise<string[]>;
  /** Deletes at most `limit` tasks that came to rest before `before` (milliseconds), and keys older than a day. */
  expire(before: number, limit: number): Promise<number>;
}

export interface SharedTaskStore extends TaskStore {
  /**
   * Whether appends succeed, as far as is known. Otherwise a task's row is written before the agent gets the message.
   */
  readonly crashSafe: boolean;
  /** The other replicas. Throws `unavailable` while the store is not open. */
  readonly peers: Peers;
}
