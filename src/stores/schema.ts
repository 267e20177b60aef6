import type { Generated, Selectable } from 'kysely';
import type { KnowledgeTables } from './knowledge/schema.ts';

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
  /** 1 when push configurations may hang on the task, else 0. */
  pushed: Generated<number>;
  /** 1 when other replicas may follow the task, or did. Only in databases that several replicas can use. */
  followed: Generated<number>;
}

/** A task's row as it is read. */
export type TaskRow = Selectable<TaskTable>;

/** A task folded up to `seq`. Every ended task has one, a long task under way from time to time. */
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
  /** When the next attempt may begin, after one that failed. */
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
  /** When the events were requested again: events before it are treated as if they happened then. */
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

/** The id of a task at its upstream agent. */
export interface UpstreamTaskTable extends OwnerColumns {
  key: string;
  /** The task's id in this store. */
  id: string;
  /** The task's id at the upstream agent. */
  task_id: string;
  /** The context's id at the upstream agent; '' where the agent knows none. */
  context_id: string;
}

/** The id of a context at an upstream agent. */
export interface UpstreamContextTable extends OwnerColumns {
  /** The context's id in this store. */
  id: string;
  /** The context's id at the upstream agent. */
  context_id: string;
  used_at: number;
}

/** Heartbeats of the gateways that are alive, or were until recently. */
export interface GatewayTable {
  instance: string;
  host: string;
  pid: number;
  started_at: number;
  heartbeat: number;
}

/** A call that one replica forwards to another, in databases that several replicas can use. The row is deleted when the asker has the answer, or gives up. */
export interface QuestionTable {
  id: string;
  /** The replica that answers: an instance in `gateway`. */
  addressee: string;
  asker: string;
  /** The task's key. */
  key: string;
  /** JSON text; '' once it is answered. */
  body: string;
  /** JSON text. */
  answer: string | null;
  created_at: number;
  /** When the addressee claimed it: only once. */
  taken_at: number | null;
}

/** Facts about the database itself. */
export interface MetaTable {
  name: string;
  value: string;
}

export interface MigrationTable {
  number: number;
  name: string;
  applied_at: number;
}

/** The tables that are used through Kysely's builders. */
export interface Tables extends KnowledgeTables {
  task: TaskTable;
  task_event: TaskEventTable;
  task_snapshot: TaskSnapshotTable;
  push_config: PushConfigTable;
  idempotency: IdempotencyTable;
  upstream_task: UpstreamTaskTable;
  upstream_context: UpstreamContextTable;
  question: QuestionTable;
  gateway: GatewayTable;
  meta: MetaTable;
  migration: MigrationTable;
}
