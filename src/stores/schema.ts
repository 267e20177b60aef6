import type { Generated, Selectable } from 'kysely';

/**
 * The tables as Kysely types. Times are milliseconds since the epoch, bodies are JSON text. Text that a caller chooses
 * is stored escaped (`escapeText`), except in JSON bodies.
 */

/** The owner of a task, or of a key. */
interface OwnerColumns {
  agent: string;
  tenant: string;
  principal: string;
}

/** One row per task, with the facts that are known without reading its log. */
export interface TaskTable extends OwnerColumns {
  key: string;
  id: string;
  context_id: string;
  /** State without the prefix `TASK_STATE_`. */
  state: string;
  status_at: number;
  created_at: number;
  updated_at: number;
  /** Position of the last event. */
  seq: number;
  /** Position of the latest `message` entry, or 1. */
  turn_seq: number;
  /** The dialect in which the owner last used the task; A2A 1.0 counts only when the task is created. */
  dialect: string;
  /** The gateway that owns the task; null while the task is at rest. */
  owner: string | null;
  /** The task's ids at its upstream agent; null if they are unknown, or only in `upstream_task`. */
  upstream_id: Generated<string | null>;
  /** Context id at the agent; '' if the agent knows no contexts. */
  upstream_context_id: Generated<string | null>;
  /** JSON text of `Append.turnRequest`; null if there is none, or once the log has an event after the message. */
  turn_request: Generated<string | null>;
  /** Key of the task whose agent opened this one; null if a caller did. */
  parent: Generated<string | null>;
  /** Key of the task at the root of the tree; null if it is this one. */
  root: Generated<string | null>;
  /** The `traceparent` of the call that opened the task; null if it had none. */
  trace: Generated<string | null>;
  /**
   * The binding of the call that opened the task, the first line of its message, and the reason why it ended or waits; null if
   * unknown.
   */
  binding: Generated<string | null>;
  preview: Generated<string | null>;
  reason: Generated<string | null>;
  /** 1 if the task may have push configurations, else 0. */
  pushed: Generated<number>;
  /** 1 if other replicas may follow the task, or did so before. Only in databases that several replicas can use. */
  followed: Generated<number>;
}

/** A task's row, as read. */
export type TaskRow = Selectable<TaskTable>;

/**
 * A task folded up to `seq`. A task has one when it has ended, unless its last event is the whole task; a long running task has
 * one from time to time.
 */
export interface TaskSnapshotTable {
  key: string;
  seq: number;
  body: string;
  /** Version of the canonical form of the body: 1 is A2A v1 ProtoJSON. */
  form: Generated<number>;
}

/** The event log. */
export interface TaskEventTable extends TaskSnapshotTable {
  at: number;
  /** The task's generation after the event; null if a version before schema 13 wrote it. */
  generation: Generated<number | null>;
}

/** The owner is copied from the task's row, so that an owner's configurations are found without reading the tasks. */
export interface PushConfigTable extends OwnerColumns {
  key: string;
  id: string;
  /** The dialect in which it was registered, and in which its webhook receives events. */
  dialect: string;
  body: string;
  /** Position of the last event that was delivered or given up. */
  cursor: Generated<number>;
  /**
   * 1 while there may be something to deliver; 0 once the task has ended and everything is delivered, or the receiver has
   * unsubscribed.
   */
  active: Generated<number>;
  /** Time when the next attempt may begin, after one that failed. */
  due_at: number | null;
  /** Delivery attempts of the event after the cursor. */
  attempts: Generated<number>;
  /** Error of the last attempt. */
  failure: string | null;
  /** The gateway that delivers the events; null if none does. */
  owner: string | null;
  /** Fencing token: counts claims and replacements; a holder of an older number can write nothing. */
  lease: Generated<number>;
  /** Origin of the URL. */
  receiver: Generated<string>;
  /** Time when the events were requested again: earlier events are treated as if they happened then. */
  since: Generated<number>;
  /** Number of gateways that the call which created the configuration had passed. */
  hops: Generated<number>;
}

/** A push configuration's row, as read. */
export type PushConfigRow = Selectable<PushConfigTable>;

export interface IdempotencyTable extends OwnerColumns {
  key: string;
  digest: string;
  /** The gateway that received the call. */
  owner: string;
  created_at: number;
  /** For a message: the task, and the position before its turn. */
  task_key: string | null;
  task_seq: number | null;
  /** The reply of a call that does not return a task. */
  answer: string | null;
  /** Random id of the call that holds the key; null if an earlier version claimed it. */
  nonce: string | null;
}

/** Heartbeats of the gateways that are alive, or were until recently. */
export interface GatewayTable {
  instance: string;
  host: string;
  pid: number;
  started_at: number;
  heartbeat: number;
  /** Number of the newest migration that the gateway knows; 0 for versions that know none after 10. */
  schema: Generated<number>;
}

/** The tables that are used through Kysely's builders. */
export interface Tables {
  task: TaskTable;
  task_event: TaskEventTable;
  task_snapshot: TaskSnapshotTable;
  push_config: PushConfigTable;
  idempotency: IdempotencyTable;
  gateway: GatewayTable;
  /** Facts about the database itself. */
  meta: { name: string; value: string };
  migration: { number: number; name: string; applied_at: number };
}
