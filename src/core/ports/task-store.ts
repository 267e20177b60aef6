import type { ListTasksRequest, ListTasksResponse, Task, TaskPushNotificationConfig, TaskState } from '../model/a2a.ts';
import type { UpstreamTask } from '../model/agent.ts';
import type { BindingKind, LoggedEvent, Requester, TaskFacts } from '../model/call.ts';
import type { CallKey, TaskOwner } from '../model/ids.ts';
import type { Peers } from './peers.ts';
import type { PushConfigPage, PushConfigPageRequest, PushOrigin, WebhookBounds, WebhookExcess } from './push-store.ts';

/** A task's row, which is read without folding its log. */
export interface TaskRecord extends TaskOwner, TaskFacts {
  /** Key in the store: the task's id if the gateway generated it, else the id qualified by its owner. */
  readonly key: string;
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** Time when the state was entered, in milliseconds. Lists are ordered by it, newest first. */
  readonly statusAt: number;
  /** Position of the last event. */
  readonly seq: number;
  /** Position of the client's last message in the log, or 1. */
  readonly latestTurn: number;
  /** Whether it waits for its client, or has ended, and no message waits for an answer. */
  readonly rested: boolean;
  /** Name of the dialect in which its owner last used the task; A2A 1.0 only if the task was created in it. */
  readonly dialect: string;
}

/** A task's row at its creation. */
export type NewTaskRecord = Omit<
  TaskRecord,
  'seq' | 'latestTurn' | 'generation' | 'state' | 'statusAt' | 'updatedAt' | 'rested'
> & {
  /** Binding of the call that opens it. */
  readonly binding?: BindingKind;
  /** The `traceparent` of this call. */
  readonly trace?: string;
};

/** The requested page of a list of tasks. Filters and token are those of the request, defaulted and validated. */
export interface TaskListRequest extends ListTasksRequest {
  readonly pageSize: number;
  readonly pageBytes?: number;
  /** Bytes of JSON of a task that is listed whole. A larger task is listed with its row and its status. Default: any number. */
  readonly taskBytes?: number;
}

/** A row, with the number of bytes to read. */
export interface SizedRecord extends TaskRecord {
  /** Bytes of JSON from which the task is folded: its snapshot, and the events after it. */
  readonly bytes: number;
  /** Bytes of all events up to `seq`, if known: `TaskStore.logBytes` counts them. */
  readonly logBytes?: number | undefined;
}

/** A row with the task folded from the log up to `seq`. */
export interface StoredTask extends SizedRecord {
  readonly task: Task;
  /** The task as JSON text, if the store has it: it can be sent without parsing. */
  readonly json?: string | undefined;
}

/** Events to be made durable. All appends of one tick are one transaction. */
export interface Append {
  readonly key: string;
  /** Consecutive events; the first one's seq is the row's seq + 1. Empty only for an existing task with `upstream`. */
  readonly events: readonly LoggedEvent[];
  /** The row of a new task, with its first append. */
  readonly create?: NewTaskRecord;
  /** The state after these events, and the time it was entered. Absent: unchanged, and so is the task's owner. */
  readonly status?: { readonly state: TaskState; readonly at: number };
  /**
   * The folded task, given once when it ends, so that reading it costs one row. Not needed if the only event ends the
   * task: that event is the task. Absent too if the task is too large to be folded for its end alone.
   */
  readonly snapshot?: TaskSnapshot;
  /** The row of the task, with `snapshot`, for counting tasks that end. */
  readonly ended?: Pick<TaskRecord, 'agent' | 'principal' | 'dialect'>;
  /** The task's ids at its upstream agent, once they are known. */
  readonly upstream?: UpstreamTask;
  /**
   * JSON text of the request besides the message with which these events end, for the agent. The next append deletes
   * it. Only `turnRequest` reads it.
   */
  readonly turnRequest?: string;
  /** Whether the texts of the events must not be copied to the task's row. */
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

/** A page of tasks. The token is '' on the last page. */
export interface TaskPage extends Readonly<Omit<ListTasksResponse, 'pageSize' | 'tasks'>> {
  /** The parts of each task that the request asks for, as JSON text. */
  readonly texts: readonly string[];
  /** Facts of each task, in the order of `texts`. */
  readonly taskFacts: readonly TaskFacts[];
}

/** Events of a log, in order. `isCut`: the page was cut by bytes, and there are more. */
export type EventPage = LoggedEvent[] & { isCut?: true };

/** The first call with an idempotency key, as the store has it. */
export interface KnownCall {
  readonly digest: string;
  readonly nonce: string;
  /** The task that it opened or continued, and the position before its turn; its result is in the log. */
  readonly turn?: { readonly key: string; readonly seq: number };
  /** The answer as JSON text, for a call without a task. */
  readonly answer?: string;
  /** The replica that took the call: this one, another live one, or a dead one. */
  readonly replica: 'this' | 'other' | 'dead';
}

/**
 * Tasks, logs, push configurations and idempotency keys. Rejects with `unavailable` while the database is unreachable.
 */
export interface TaskStore {
  /**
   * Returns milliseconds since the epoch, by the clock of all replicas on the store: stored times and expiry follow it.
   */
  now(): number;
  /**
   * Appends events; they are durable when the promise resolves. Rejects with `internal`, caused by a LogConflict, if
   * another writer was first, or if a message arrives while another replica owns the task; caused by a KeyTaken if
   * another call has the idempotency key. Nothing was written in either case.
   */
  append(append: Append): Promise<void>;
  find(owner: TaskOwner, id: string, requester?: Requester): Promise<StoredTask | undefined>;
  /** Like `find`, without folding the task. */
  lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined>;
  /** Changes a task's dialect. Does nothing when there is no such task. */
  setDialect(key: string, dialect: string): Promise<void>;
  /** Returns the row with this key, of any owner. */
  load(key: string, requester?: Requester): Promise<StoredTask | undefined>;
  /** Like `find`, without reading the events. */
  findRecord(owner: TaskOwner, id: string): Promise<SizedRecord | undefined>;
  /** Like `load`, without reading the events. */
  loadRecord(key: string): Promise<SizedRecord | undefined>;
  /** Returns the bytes of JSON of a task's events up to a position. Does not read the events. */
  logBytes(key: string, until: number): Promise<number>;
  /** Returns at most `limit` events after position `after`, in order: fewer if they are large, but at least one. */
  events(key: string, after: number, limit: number, requester?: Requester): Promise<EventPage>;
  /** Returns the position of the latest turn: the last `message` entry, or the first event. */
  latestTurn(key: string): Promise<number>;
  /** Returns the `turnRequest` that was appended with the log's last event. */
  turnRequest(key: string): Promise<string | undefined>;
  /** Returns the positions of the last events of tasks, by their keys, in one query. Missing tasks are left out. */
  positions(keys: readonly string[]): Promise<Map<string, number>>;
  /**
   * Lists tasks, newest status first. A page has at most `pageBytes` of JSON but at least one task, and a token if more
   * follow.
   */
  list(owner: TaskOwner, request: TaskListRequest, requester?: Requester): Promise<TaskPage>;

  /** Creates or replaces a task's configuration. A replaced one keeps its cursor. Rejects with `taskNotFound`. */
  putPushConfig(
    key: string,
    config: TaskPushNotificationConfig & { id: string },
    dialect: string,
    origin?: PushOrigin,
  ): Promise<WebhookExcess | undefined>;
  /** Returns the bound that a push configuration with this id would exceed; without a task: the bound of a new task. */
  webhookExcess(
    principal: string,
    task: { readonly key: string; readonly id: string } | undefined,
    bounds: WebhookBounds,
  ): Promise<WebhookExcess | undefined>;
  getPushConfig(key: string, id: string): Promise<TaskPushNotificationConfig | undefined>;
  /** Lists push configurations. Pages are bounded by bytes too, like those of tasks. */
  listPushConfigs(key: string, page: PushConfigPageRequest, requester?: Requester): Promise<PushConfigPage>;
  listOwnersPushConfigs(owner: TaskOwner, page: PushConfigPageRequest, requester?: Requester): Promise<PushConfigPage>;
  /** Deletes a push configuration. False: there was none. */
  deletePushConfig(key: string, id: string): Promise<boolean>;

  /** Returns the first call with this key within the last day. */
  findCall(owner: TaskOwner, key: string): Promise<KnownCall | undefined>;
  /** Claims a key for a call without a task, or replaces the call `instead` (a nonce). Resolves with a known call. */
  claimCall(call: CallKey, instead?: string): Promise<KnownCall | undefined>;
  answerCall(call: CallKey, answer: string): Promise<void>;
  /** Frees the key of a call without effect, unless it has an answer. */
  releaseCall(call: CallKey): Promise<void>;
  /** Protects a task from `retract`, because a caller is about to see it. False if it is gone. */
  pin(key: string): Promise<boolean>;
  /**
   * Removes a task that has only its opening event, since its call was answered without a task; the key gets the
   * answer, or is freed. False: the task has further events or push configurations, is pinned, or belongs to another
   * replica. It is then among the next orphans, without effect while an agent works on it.
   */
  retract(key: string, call: CallKey | undefined, answer: string | undefined): Promise<boolean>;

  /** Takes over at most `limit` submitted or working tasks of dead replicas, of these agents or of all. Reads no events. */
  claimOrphans(limit: number, agents?: readonly string[]): Promise<SizedRecord[]>;
  /** Returns the names of the agents of dead replicas' tasks that were not taken over yet. */
  orphanedAgents(): Promise<string[]>;
  /** Deletes at most `limit` tasks that came to rest before `before` (milliseconds), and keys older than a day. */
  expire(before: number, limit: number): Promise<number>;
}

export interface SharedTaskStore extends TaskStore {
  /** Whether appends succeed, as far as is known. If not, a task's row is written before the agent gets the message. */
  readonly crashSafe: boolean;
  /** The other replicas. Throws `unavailable` while the store is not open. */
  readonly peers: Peers;
}
