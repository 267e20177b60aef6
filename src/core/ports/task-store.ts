import type { ListTasksRequest, Task, TaskPushNotificationConfig, TaskState } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { CallKey, LoggedEvent, TaskFacts, TaskOwner } from '../model/call.ts';
import type { KnowledgeStore } from '../model/knowledge.ts';
import type { Room } from '../model/room.ts';
import type { Peers } from './peers.ts';

export type { CallKey, Room, TaskOwner };

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

/** A part of a list of push configurations. */
export interface PageRequest {
  /** At most so many. */
  readonly size: number;
  readonly token: string;
  /** The page ends before it has more bytes of JSON than that, but not before its first item. Default 8 MiB. */
  readonly bytes?: number;
}

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
  readonly bound?: Binding;
  /** Idempotency keys of the calls whose messages are among the events. All are taken with them, or nothing is written. */
  readonly keyed?: readonly KeyedTurn[];
}

/** A key, and the turn that its call begins. */
export interface KeyedTurn {
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

export interface PushConfigPage {
  readonly configs: readonly TaskPushNotificationConfig[];
  readonly nextPageToken: string;
}

/** Events of a log, in order. `isCut`: there are more, although there are fewer than were asked for. */
export type EventPage = LoggedEvent[] & { isCut?: true };

/** Where a push configuration comes from. */
export interface PushOrigin {
  /** Position of the last event that is not delivered. Default: the task's last one. */
  readonly after?: number;
  /** How many gateways the call had passed. Default 0. */
  readonly hops?: number;
  /** Default: any number. */
  readonly bounds?: WebhookBounds | undefined;
}

/** How many push configurations there may be. Undefined: any number. */
export interface WebhookBounds {
  /** Of one task. */
  readonly perTask: number | undefined;
  /** Of one principal: those that still have something to deliver, or may have. */
  readonly perPrincipal: number | undefined;
}

/** The bound that a further push configuration would exceed. */
export type WebhookExcess = keyof WebhookBounds;

/** The first call with an idempotency key. */
export interface KnownCall {
  readonly digest: string;
  readonly nonce: string;
  /** The task that it opened or continued, and the position before its turn. What comes of it, the log says. */
  readonly turn?: { readonly key: string; readonly seq: number };
  /** The answer as JSON text, of a call that is answered by no task. */
  readonly answer?: string;
  /** The gateway that took the call: this one, another that is alive, or none that is alive. */
  readonly gateway: 'this' | 'other' | 'dead';
}

/** Tasks, their logs, and what hangs on them. Every promise rejects with A2AError `unavailable` when the database is. */
export interface TaskStore {
  /**
   * Milliseconds since the epoch, by the clock that all gateways on the store share: what is stored is stamped and judged
   * by it.
   */
  now(): number;
  /**
   * Durable when it resolves. Rejects with `internal`, caused by a LogConflict, when the log moved on meanwhile (another
   * writer); with a message also while another gateway works on the task. With a KeyTaken as its cause, when another call
   * has the idempotency key: then nothing was written.
   */
  append(append: Append): Promise<void>;
  find(owner: TaskOwner, id: string, room?: Room): Promise<StoredTask | undefined>;
  /** What `find` finds, without folding the task. */
  lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined>;
  /** Changes a task's dialect. Does nothing when there is no such task. */
  setDialect(key: string, dialect: string): Promise<void>;
  /** The row with this key, whoever owns it. */
  load(key: string): Promise<StoredTask | undefined>;
  /**
   * At most `limit` events after position `after`, in order: fewer where they are large, but one where there is one.
   */
  events(key: string, after: number, limit: number, room?: Room): Promise<EventPage>;
  /** Position of the latest turn: the last `message` entry, or the first event. */
  latestTurn(key: string): Promise<number>;
  /** Positions of the last events of tasks, by their keys, in one query. Those that are not there are left out. */
  positions(keys: readonly string[]): Promise<Map<string, number>>;
  /**
   * Newest status first. A page ends where its tasks, as they are stored, have `pageBytes` of JSON; it has one task at
   * least, and a token where there are more.
   */
  list(owner: TaskOwner, request: TaskListRequest, room?: Room): Promise<TaskPage>;

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
  listPushConfigs(key: string, page: PageRequest, room?: Room): Promise<PushConfigPage>;
  /** Those of all tasks of an owner, each with its task's id. */
  listOwnersPushConfigs(owner: TaskOwner, page: PageRequest, room?: Room): Promise<PushConfigPage>;
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
   * gets the answer, or is free where there is none. False, and nothing is changed, where the task has gone on, has push
   * configurations, is pinned, or belongs to another gateway. Unless it is removed, it is among the next orphans: nothing
   * comes of that where an agent is at work on it.
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
  /** Deletes what came to rest before `before` (milliseconds), at most `limit` tasks, and idempotency keys of over a day. */
  expire(before: number, limit: number): Promise<number>;
}

/** Tasks, and the other gateways that have them, too. */
export interface SharedTaskStore extends TaskStore {
  /**
   * Whether nothing but the end of this process keeps what is appended from becoming durable: the database is part of it,
   * and took the last write. Where it is not, a task's row is written before the agent hears of the message.
   */
  readonly dependable: boolean;
  /** The other gateways on the store, while it is open. Throws `unavailable` while it is not. */
  readonly peers: Peers;
}

/** A task as far as it matters to what it is called at its upstream agent. */
export type BoundTask = Pick<TaskRecord, 'key' | 'id' | 'contextId'>;

/** A task of ours, whose it is, and the one that it stands for. */
export interface Binding {
  readonly task: TaskOwner & BoundTask;
  readonly there: UpstreamTask;
}

/** What a task is called at its upstream agent. */
export interface UpstreamTask {
  readonly id: string;
  /** '' where the agent knows no contexts. */
  readonly contextId: string;
}

/**
 * What tasks and contexts are called at upstream agents. What is bound is durable when the promise resolves. Every method
 * rejects with A2AError `unavailable` when the database is.
 */
export interface UpstreamIds {
  /** Binds a task, which need not be in the store yet, to the one that it stands for, and its context. Goes with the task. */
  bindUpstream(owner: TaskOwner, task: BoundTask, there: UpstreamTask): Promise<void>;
  upstreamOf(key: string): Promise<UpstreamTask | undefined>;
  /** Binds a context; kept as long as a task in it, or a binding, is younger than retention wants. */
  bindUpstreamContext(owner: TaskOwner, contextId: string, there: string): Promise<void>;
  upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined>;
  /** What the owner's tasks are called there, by their ids here. Those that are not known are left out. */
  upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
  /** The inverse: by their ids there. */
  ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
}

/** A push configuration whose task has events for it, in this gateway's hands until it reports that it lets it go. */
export interface Delivery {
  /** The task's key. */
  readonly key: string;
  readonly owner: TaskOwner;
  readonly config: TaskPushNotificationConfig & { readonly id: string };
  /** Name of the dialect that made it. */
  readonly dialect: string;
  /** Scheme, host and port of the URL. */
  readonly receiver: string;
  /** Position of the last event that was delivered, or given up. */
  readonly cursor: number;
  /** How often the next event was tried. */
  readonly attempts: number;
  /** Milliseconds: events of before count as if they were of then. */
  readonly since: number;
  readonly hops: number;
  /** What tells this claim from any other. */
  readonly lease: number;
}

/** What became of a delivery. */
export interface DeliveryReport {
  readonly cursor: number;
  readonly attempts: number;
  /** Whether this gateway goes on with it. */
  readonly keep?: boolean;
  /** Milliseconds until the next attempt may begin. */
  readonly delay?: number;
  /** Whether nothing is to be delivered any more: the task is over, or the receiver wants no more. */
  readonly stop?: boolean;
  /** What went wrong. */
  readonly failure?: string;
  /** Events that are given up, from `seq` to `last`, for the reason in `failure`. */
  readonly dead?: { readonly seq: number; readonly last: number };
}

/** Which deliveries are asked for. */
export interface DeliveryQuery {
  /**
   * Of these tasks, those that can be delivered now; or `due`, those that were tried and may be tried again; or `left`,
   * those that were never tried, which nobody knows of whose gateway is dead, or whose event came from elsewhere.
   */
  readonly of: readonly string[] | 'due' | 'left';
  readonly limit: number;
  /** Receivers whose deliveries are left alone. */
  readonly except: readonly string[];
}

/**
 * What is to be delivered to webhooks. The logs are the outbox: a configuration knows how far in its task's log it has
 * come. Every method rejects with A2AError `unavailable` when the database is.
 */
export interface PushOutbox {
  /**
   * Calls `listener` with a task's key when something may be to be delivered of it: never before it is durable.
   * `elsewhere`: another gateway wrote it, which looks for deliveries itself; it cannot take those that are held here.
   */
  onPushed(listener: (key: string, elsewhere?: boolean) => void): void;
  /** Makes deliveries this gateway's that are nobody's, or a dead gateway's. */
  claimDeliveries(query: DeliveryQuery): Promise<Delivery[]>;
  /**
   * Durable when it resolves. False when the delivery is not this gateway's any more: its configuration was deleted or
   * replaced, or another gateway took it over.
   */
  reportDelivery(delivery: Delivery, report: DeliveryReport): Promise<boolean>;
  /** Lets go of what this gateway claimed without having been told, as when the answer was lost on its way. */
  releaseDeliveries(isHeld: (key: string, id: string, lease: number) => boolean): Promise<void>;
}

/** Structured logging, in pino's shape: fields first, then a message without variables in it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The agents that this gateway serves. */
export interface AgentDirectory {
  /** Name of the agent that also answers at the root. */
  readonly defaultName: string | undefined;
  readonly names: readonly string[];
  get(name: string): Agent | undefined;
  /** Name of the agent that owns this Host or `:authority` (port included or not). */
  forHost(host: string): string | undefined;
}

/** What one transaction wrote. */
export interface StoreBatch {
  readonly tasks: number;
  readonly events: number;
  readonly seconds: number;
}

/** How things stand in a store's database. */
export interface StoreFigures {
  /** Gateways that are alive, this one included. */
  readonly gateways: number;
  /** Push configurations that have something to deliver, of those that were looked at. */
  readonly push: {
    /** Those that can be tried now, or are being tried. */
    readonly due: number;
    /** Those that failed, and wait for their next attempt. */
    readonly waiting: number;
    /** When the oldest event happened that is to be delivered: milliseconds, by the store's clock. */
    readonly oldest: number | undefined;
  };
}

/** Connections to a database. */
export interface StoreConnections {
  readonly open: number;
  readonly idle: number;
  /** How many wait for one. */
  readonly waiting: number;
}

/** A store's life. */
export interface Store extends SharedTaskStore, UpstreamIds, PushOutbox {
  /** Connects, migrates, announces this gateway and begins its heartbeat. */
  open(): Promise<void>;
  /** Whether the database answers; rejects with `unavailable` when not. */
  ping(signal?: AbortSignal): Promise<void>;
  /** How things stand, at a bounded price. */
  figures(): Promise<StoreFigures>;
  /** Undefined: the database is reached without any. */
  readonly connections: StoreConnections | undefined;
  /** A secret of the database's own: random, made by whoever asks first, the same for every gateway and at any time. */
  secret(name: string): Promise<string>;
  /** What agents know, while the store is open. Throws `unavailable` while it is not. */
  readonly knowledge: KnowledgeStore;
  /** Finishes what is pending, withdraws the announcement and closes. */
  close(): Promise<void>;
}
