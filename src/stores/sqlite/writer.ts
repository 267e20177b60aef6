import type { DatabaseSync } from 'node:sqlite';
import { sql as raw } from 'kysely';
import type { Database, NewTask, TaskWrite, WriteOutcome } from '../database.ts';
import { claimKey } from '../tasks/idempotency-keys.ts';
import { copyIds } from '../tasks/upstream-ids.ts';

/** Outcome for a new task, which has no push configuration yet. */
const unflagged: WriteOutcome = { pushed: false, followed: false };

const insertTask = `
  insert into task (key, id, agent, tenant, principal, context_id, state,
    status_at, created_at, updated_at, seq, turn_seq, dialect, owner, turn_request, upstream_id, upstream_context_id, parent,
    root, trace, binding, preview, reason)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`;
const updateTask = `
  update task set seq = ?, updated_at = ?, turn_seq = coalesce(?, turn_seq), state = coalesce(?, state),
    status_at = coalesce(?, status_at), owner = iif(?, ?, owner), turn_request = ?,
    upstream_id = coalesce(?, upstream_id), upstream_context_id = coalesce(?, upstream_context_id),
    reason = coalesce(?, reason)
  where key = ? and seq = ? and iif(?, owner = ? or (? and owner is null), true)`;
const insertEvent = 'insert into task_event (key, seq, at, body, generation) values (?, ?, ?, ?, ?)';
const putSnapshot = `
  insert into task_snapshot (key, seq, body) values (?, ?, ?)
  on conflict (key) do update set seq = excluded.seq, body = excluded.body, form = excluded.form`;

/** The parameters of `insertTask`. */
function inserted(task: TaskWrite, create: NewTask) {
  const { key, seq, turn, state, statusAt, updatedAt, owner, turnRequest, upstreamId, upstreamContextId } = task;
  const { id, agent, tenant, principal, contextId, createdAt, dialect, parent, root, trace, binding, preview } = create;
  return [
    ...[key, id, agent, tenant, principal, contextId, state, statusAt, createdAt, updatedAt, seq, turn, dialect, owner],
    ...[turnRequest ?? null, upstreamId, upstreamContextId, parent, root, trace, binding, preview, task.reason],
  ];
}

/** Returns the values of `updateTask`. */
function updated(task: TaskWrite) {
  const { key, expected, seq, turn, state, statusAt, updatedAt, owner, fence, free } = task;
  const { turnRequest, upstreamId, upstreamContextId, reason } = task;
  return [
    ...[seq, updatedAt, turn, state, statusAt, state === null ? 0 : 1, owner],
    ...[turnRequest ?? null, upstreamId, upstreamContextId, reason],
    ...[key, expected, fence === null ? 0 : 1, fence, free ? 1 : 0],
  ];
}

/** Statements of this database only, derived from the common ones. */
function otherStatements({ sql: db, traits }: Database) {
  const copies = copyIds(raw`key = ${''}`, raw`updated_at`).map((each) => each.compile(db).sql);
  return { copies, takeKey: claimKey(traits).compile(db).sql };
}

/**
 * A function that writes a task with prepared statements in the open transaction. It writes nothing if the task is not at its
 * expected position, or if another call has a key.
 */
export function createSqliteTaskWriter(connection: DatabaseSync, database: Database) {
  const { copies, takeKey } = otherStatements(database);
  const insertsTask = connection.prepare(insertTask);
  const updatesTask = connection.prepare(updateTask);
  const insertsEvent = connection.prepare(insertEvent);
  const putsSnapshot = connection.prepare(putSnapshot);
  const copiesIds = copies.map((each) => connection.prepare(each));
  const takesKey = connection.prepare(takeKey);
  /** Whether the last update changed a task with `pushed` set. */
  let isPushed = false;
  // A trigger of this connection alone reports the flag: `returning` would cost five times as much per update.
  connection.function('task_is_pushed', () => {
    isPushed = true;
    return null;
  });
  connection.exec(
    'create temp trigger task_pushed after update of seq on main.task when new.pushed = 1 begin select task_is_pushed(); end',
  );

  const insert = (task: TaskWrite): WriteOutcome => {
    if (!task.create) return 'refused';
    return insertsTask.run(...inserted(task, task.create)).changes === 1 ? unflagged : 'refused';
  };

  const update = (task: TaskWrite): WriteOutcome => {
    isPushed = false;
    return updatesTask.run(...updated(task)).changes === 0 ? 'refused' : { pushed: isPushed, followed: false };
  };

  const write = (task: TaskWrite): WriteOutcome => {
    const { key, seq, events, snapshot, bound } = task;
    const outcome = task.expected === 0 ? insert(task) : update(task);
    if (outcome === 'refused') return outcome;
    for (const event of events) insertsEvent.run(key, event.seq, event.at, event.json, event.generation);
    if (snapshot !== undefined) putsSnapshot.run(key, seq, snapshot);
    if (bound) for (const copy of copiesIds) copy.run(key);
    return outcome;
  };

  return (task: TaskWrite): WriteOutcome => {
    const { keyed } = task;
    if (keyed.length === 0) return write(task);
    connection.exec('savepoint keyed');
    const outcome = write(task);
    const isTaken = outcome !== 'refused' && !keyed.every((parameters) => takesKey.run(...parameters).changes === 1);
    connection.exec(isTaken ? 'rollback to keyed; release keyed' : 'release keyed');
    return isTaken ? 'taken' : outcome;
  };
}
