import type { Generated, Selectable } from 'kysely';
import type { PeerTables } from './cluster/schema.ts';
import type { KnowledgeTables } from './knowledge/schema.ts';

/**
 * The tables, as Kysely sees them. Times are milliseconds since the epoch, bodies are JSON text. Whatever a caller may
 * choose is written with `escapeText` (text.ts), the JSON bodies excepted.
 */

/** One row per task: what is known without reading its log. */
export interface TaskTable {
  key: string;
  id: string;
  agent: string;
  tenant: string;
  principal: string;
  context_id: string;
  /** Without the `TASK_STATE_` that all of them begin with. */
  state: string;
  status_at: number;
  created_at: number;
  updated_at: number;
  /** Position of the last event. */
  seq: number;
  /** Position of the latest `message` entry, or 1. */
  turn_seq: number;
  /** In which the owner last used the task; A2A 1.0 counts only for its making. */
  dialect: string;
  /** The gateway that works on the task; null while the task is at rest. */
  owner: string | null;
  /** 1 when push configurations may hang on the task, else 0. */
  pushed: Generated<number>;
  /** 1 when other gateways may follow the task, or did. Only where many gateways can use the database. */
  followed: Generated<number>;
}

/** A task's row as it is read. */
export type TaskRow = Selectable<TaskTable>;

/** The log. */
export interface TaskEventTable {
  key: string;
  seq: number;
  at: number;
  body: string;
  /** Version of the canonical form of the body: 1 is A2A v1 ProtoJSON. */
  form: Generated<number>;
}

/** A task folded up to `seq`: always there for a task that has ended, now and then for a long one. */
export interface TaskSnapshotTable {
  key: string;
  seq: number;
  body: string;
  /** Version of the canonical form of the body: 1 is A2A v1 ProtoJSON. */
  form: Generated<number>;
}

export interface PushConfigTable {
  key: string;
  id: string;
  /** Name of the dialect that registered it, and that its webhook is to receive. */
  dialect: string;
  body: string;
  /** Whose it is: as in its task's row, so that an owner's are found without looking at all their tasks. */
  agent: string;
  tenant: string;
  principal: string;
  /** Position of the last event that was delivered, or given up. */
  cursor: Generated<number>;
  /** 1; 0 when its task is over and all of it delivered, or the receiver wants no more. */
  active: Generated<number>;
  /** When the next attempt may begin, after one that failed. */
  due_at: number | null;
  /** How often the event after the cursor was tried. */
  attempts: Generated<number>;
  /** What went wrong at the last attempt. */
  failure: string | null;
  /** The gateway that delivers; null while nobody does. */
  owner: string | null;
  /** Counts claims and replacements: who holds an older one writes nothing any more. */
  lease: Generated<number>;
  /** Origin of the URL. */
  receiver: Generated<string>;
  /** Events of before count as if they were of then, since they were asked for again. */
  since: Generated<number>;
  /** How many gateways the call that made it had passed. */
  hops: Generated<number>;
}

/** A push configuration's row as it is read. */
export type PushConfigRow = Selectable<PushConfigTable>;

/** Events that were given up, from `seq` to `last_seq`. */
export interface PushDeadTable {
  key: string;
  id: string;
  seq: number;
  last_seq: number;
  receiver: string;
  reason: string;
  at: number;
}

export interface IdempotencyTable {
  agent: string;
  tenant: string;
  principal: string;
  key: string;
  digest: string;
  /** The gateway that took the call. */
  owner: string;
  created_at: number;
  /** Of a message: the task, and the position before its turn. */
  task_key: string | null;
  task_seq: number | null;
  /** Of a call that is answered by no task. */
  answer: string | null;
  /** Random, of the one call that has the key; null where an earlier version took it. */
  nonce: string | null;
}

/** What a task is called at its upstream agent. */
export interface UpstreamTaskTable {
  key: string;
  agent: string;
  tenant: string;
  principal: string;
  /** The task's id here. */
  id: string;
  /** The task's id there. */
  task_id: string;
  /** Its context's id there; '' where the agent knows none. */
  context_id: string;
}

/** What a context is called at an upstream agent. */
export interface UpstreamContextTable {
  agent: string;
  tenant: string;
  principal: string;
  /** The context's id here. */
  id: string;
  /** The context's id there. */
  context_id: string;
  used_at: number;
}

/** Gateways that are alive, or were until lately. */
export interface GatewayTable {
  instance: string;
  host: string;
  pid: number;
  started_at: number;
  heartbeat: number;
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

export interface Tables extends KnowledgeTables, PeerTables {
  task: TaskTable;
  task_event: TaskEventTable;
  task_snapshot: TaskSnapshotTable;
  push_config: PushConfigTable;
  push_dead: PushDeadTable;
  idempotency: IdempotencyTable;
  upstream_task: UpstreamTaskTable;
  upstream_context: UpstreamContextTable;
  gateway: GatewayTable;
  meta: MetaTable;
  migration: MigrationTable;
}
