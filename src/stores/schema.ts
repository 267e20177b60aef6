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

/** One row per task: everything that is known without reading its log. */
export interface TaskTable extends OwnerColumns {
  key: string;
  id: string;
  context_id: string;
  /** Without the prefix `TASK_STATE_`. */
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
  /** The task's ids at its upstream agent; null where they are unknown, or only in `upstream_task`. */
  upstream_id: Generated<string | null>;
  /** '' where the agent knows none. */
  upstream_context_id: Generated<string | null>;
  /** JSON text, as of `Append.turnRequest`; null where there is none, or once the log has an event after the message. */
  turn_request: Generated<string | null>;
  /** Key of the task whose agent opened this one; null where a caller did. */
  parent: Generated<string | null>;
  /** Key of the task that the tree began with; null where it is this one. */
  root: Generated<string | null>;
  /** The `traceparent` of the call that opened it; null: none. */
  trace: Generated<string | null>;
  /** The binding of the call that opened it, the first line of its message, and why it ended or waits; null: unknown. */
  binding: Generated<string | null>;
  preview: Generated<string | null>;
  reason: Generated<string | null>;
  /** 1 when push configurations may hang on the task, else 0. */
  pushed: Generated<number>;
  /** 1 when other replicas may follow the task, or did. Only in databases that several replicas can use. */
  followed: Generated<number>;
}

/** A task's row as it is read. */
export type TaskRow = Selectable<TaskTable>;

/**
 * A task folded up to `seq`. A task has one when it has ended, unless its last event is the whole task; a long task
 * under way has one from time to time.
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
  /** The task's generation after the event; null where a version before schema 13 wrote it. */
  generation: Generated<number | null>;
}

/** The owner is copied from the task's row, so that an owner's configurations are found without reading the tasks. */
export interface PushConfigTable extends OwnerColumns {
  key: string;
  id: string;
  /** The dialect that registered it, and that its webhook receives. */
  dialect: string;
  body: string;
  /** Position of the last event that was delivered or given up. */
  cursor: Generated<number>;
  /** 1; 0 when the task has ended and everything is delivered, or the receiver unsubscribed. */
  active: Generated<number>;
  /** Time when the next attempt may begin, after one that failed. */
  due_at: number | null;
  /** Delivery attempts of the event after the cursor. */
  attempts: Generated<number>;
  /** Error of the last attempt. */
  failure: string | null;
  /** The gateway that delivers; null: none. */
  owner: string | null;
  /** Fencing token: counts claims and replacements; a holder of an older number can write nothing. */
  lease: Generated<number>;
  /** Origin of the URL. */
  receiver: Generated<string>;
  /** Time when the events were requested again: earlier events are treated as if they happened then. */
  since: Generated<number>;
  /** Number of gateways that the call that created it had passed. */
  hops: Generated<number>;
}

/** A push configuration's row as it is read. */
export type PushConfigRow = Selectable<PushConfigTable>;

export interface IdempotencyTable extends OwnerColumns {
  key: string;
  digest: string;
  /** The gateway that received the call. */
  owner: string;
  created_at: number;
  /** Of a message: the task, and the position before its turn. */
  task_key: string | null;
  task_seq: number | null;
  /** The reply of a call that does not return a task. */
  answer: string | null;
  /** Random id of the call that holds the key; null where an earlier version claimed it. */
  nonce: string | null;
}

/** Heartbeats of the gateways that are alive, or were until recently. */
export interface GatewayTable {
  instance: string;
  host: string;
  pid: number;
  started_at: number;
  heartbeat: number;
  /** Number of the newest migration that it knows; 0 for versions that know none after 10. */
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
