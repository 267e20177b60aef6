import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Database, TaskWrite, WriteOutcome } from '../database.ts';
import { claimKey, keyParameters } from '../tasks/idempotency-keys.ts';
import { bindContext, bindTask, contextParameters, taskParameters } from '../tasks/upstream-ids.ts';

/** Writes tasks with prepared statements inside the transaction that is open. */
export class SqliteTaskWriter {
  readonly #insertTask: StatementSync;
  readonly #updateTask: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #putSnapshot: StatementSync;
  /** Whether the last update was of a task with `pushed` set. */
  #isPushed = false;
  readonly #bindTask: StatementSync;
  readonly #bindContext: StatementSync;
  readonly #takeKey: StatementSync;
  readonly #connection: DatabaseSync;

  constructor(connection: DatabaseSync, { sql: db, traits }: Pick<Database, 'sql' | 'traits'>) {
    this.#insertTask = connection.prepare(`
      insert into task (key, id, agent, tenant, principal, context_id, state,
        status_at, created_at, updated_at, seq, turn_seq, dialect, owner)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
    this.#updateTask = connection.prepare(`
      update task set seq = ?, updated_at = ?, turn_seq = coalesce(?, turn_seq), state = coalesce(?, state),
        status_at = coalesce(?, status_at), owner = iif(?, ?, owner)
      where key = ? and seq = ? and iif(?, owner = ? or (? and owner is null), true)`);
    this.#insertEvent = connection.prepare('insert into task_event (key, seq, at, body) values (?, ?, ?, ?)');
    this.#putSnapshot = connection.prepare(`
      insert into task_snapshot (key, seq, body) values (?, ?, ?)
      on conflict (key) do update set seq = excluded.seq, body = excluded.body, form = excluded.form`);
    // A trigger of this connection alone reports the flag: `returning` would cost five times as much per update.
    connection.function('task_is_pushed', () => {
      this.#isPushed = true;
      return null;
    });
    connection.exec(
      'create temp trigger task_pushed after update of seq on main.task when new.pushed = 1 begin select task_is_pushed(); end',
    );
    this.#bindTask = connection.prepare(bindTask.compile(db).sql);
    this.#bindContext = connection.prepare(bindContext.compile(db).sql);
    this.#takeKey = connection.prepare(claimKey(traits).compile(db).sql);
    this.#connection = connection;
  }

  /** Writes nothing when the task is not at its expected position, or another call has a key. */
  write(task: TaskWrite): WriteOutcome {
    if (task.keyed.length === 0) return this.#write(task);
    this.#connection.exec('savepoint keyed');
    const outcome = this.#write(task);
    const taken =
      outcome !== 'refused' &&
      !task.keyed.every((key) => this.#takeKey.run(...keyParameters(key, task.instance)).changes === 1);
    this.#connection.exec(taken ? 'rollback to keyed; release keyed' : 'release keyed');
    return taken ? 'taken' : outcome;
  }

  #write(task: TaskWrite): WriteOutcome {
    const { key, seq, events, snapshot, bound } = task;
    const outcome = task.expected === 0 ? this.#insert(task) : this.#update(task);
    if (outcome === 'refused') return outcome;
    for (const event of events) this.#insertEvent.run(key, event.seq, event.at, event.json);
    if (snapshot !== undefined) this.#putSnapshot.run(key, seq, snapshot);
    if (bound) this.#bindTask.run(...taskParameters(bound));
    if (bound && bound.upstreamContextId !== '') this.#bindContext.run(...contextParameters(bound));
    return outcome;
  }

  #insert({ key, seq, turn, state, statusAt, updatedAt, owner, create }: TaskWrite): WriteOutcome {
    if (!create) return 'refused';
    const { id, agent, tenant, principal, contextId, createdAt, dialect } = create;
    const at = statusAt ?? createdAt;
    const { changes } = this.#insertTask.run(
      ...[key, id, agent, tenant, principal, contextId, state ?? 'UNSPECIFIED'],
      ...[at, createdAt, updatedAt, seq, turn ?? 1, dialect, owner],
    );
    return changes === 1 ? { pushed: false, followed: false } : 'refused';
  }

  #update({ key, expected, seq, turn, state, statusAt, updatedAt, owner, fence, free }: TaskWrite): WriteOutcome {
    this.#isPushed = false;
    const { changes } = this.#updateTask.run(
      ...[seq, updatedAt, turn, state, statusAt, state === null ? 0 : 1, owner],
      ...[key, expected, fence === null ? 0 : 1, fence, free ? 1 : 0],
    );
    if (changes === 0) return 'refused';
    return { pushed: this.#isPushed, followed: false };
  }
}
