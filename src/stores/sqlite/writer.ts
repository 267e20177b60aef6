import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Database, IdempotencyKeyWrite, TaskWrite, UpstreamBinding, WriteOutcome } from '../database.ts';
import { claimKeyStatement, keyParameters } from '../tasks/idempotency-keys.ts';
import { bindContext, bindTask, contextParameters, taskParameters } from '../tasks/upstream-statements.ts';

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
    // Kysely compiles the statements once; the values come later, in the order of the placeholders.
    const mark = sql<never>`?`;
    const { sql: insertTask } = db
      .insertInto('task')
      .values({
        key: mark,
        id: mark,
        agent: mark,
        tenant: mark,
        principal: mark,
        context_id: mark,
        state: mark,
        status_at: mark,
        created_at: mark,
        updated_at: mark,
        seq: mark,
        turn_seq: mark,
        dialect: mark,
        owner: mark,
      })
      .onConflict((conflict) => conflict.doNothing())
      .compile();
    const { sql: updateTask } = db
      .updateTable('task')
      .set({
        seq: mark,
        updated_at: mark,
        turn_seq: sql`coalesce(?, turn_seq)`,
        state: sql`coalesce(?, state)`,
        status_at: sql`coalesce(?, status_at)`,
        owner: sql`iif(?, ?, owner)`,
      })
      .where('key', '=', mark)
      .where('seq', '=', mark)
      .where(sql<boolean>`iif(?, owner = ? or (? and owner is null), true)`)
      .compile();
    const { sql: insertEvent } = db
      .insertInto('task_event')
      .values({ key: mark, seq: mark, at: mark, body: mark })
      .compile();
    const { sql: putSnapshot } = db
      .insertInto('task_snapshot')
      .values({ key: mark, seq: mark, body: mark })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet(({ ref }) => ({
          seq: ref('excluded.seq'),
          body: ref('excluded.body'),
          form: ref('excluded.form'),
        })),
      )
      .compile();
    // A trigger of this connection alone reports the flag: `returning` would cost five times as much per update.
    connection.function('task_is_pushed', () => {
      this.#isPushed = true;
      return null;
    });
    connection.exec(
      'create temp trigger task_pushed after update of seq on main.task when new.pushed = 1 begin select task_is_pushed(); end',
    );
    this.#insertTask = connection.prepare(insertTask);
    this.#updateTask = connection.prepare(updateTask);
    this.#insertEvent = connection.prepare(insertEvent);
    this.#putSnapshot = connection.prepare(putSnapshot);
    this.#bindTask = connection.prepare(bindTask(db).sql);
    this.#bindContext = connection.prepare(bindContext(db).sql);
    this.#takeKey = connection.prepare(claimKeyStatement({ sql: db, traits }).sql);
    this.#connection = connection;
  }

  /** Writes nothing when the task is not at its expected position, or another call has a key. */
  write(task: TaskWrite): WriteOutcome {
    if (task.keyed.length === 0) return this.#write(task);
    this.#connection.exec('savepoint keyed');
    const outcome = this.#write(task);
    const taken = outcome !== 'refused' && !task.keyed.every((key) => this.#take(key, task.instance));
    this.#connection.exec(taken ? 'rollback to keyed; release keyed' : 'release keyed');
    return taken ? 'taken' : outcome;
  }

  #take(key: IdempotencyKeyWrite, instance: string): boolean {
    return this.#takeKey.run(...keyParameters(key, instance)).changes === 1;
  }

  #write(task: TaskWrite): WriteOutcome {
    const { key, seq, events, snapshot, bound } = task;
    const outcome = task.expected === 0 ? this.#insert(task) : this.#update(task);
    if (outcome === 'refused') return outcome;
    for (const event of events) this.#insertEvent.run(key, event.seq, event.at, event.json);
    if (snapshot !== undefined) this.#putSnapshot.run(key, seq, snapshot);
    if (bound) this.#bind(bound);
    return outcome;
  }

  #bind(bound: UpstreamBinding): void {
    this.#bindTask.run(...taskParameters(bound));
    if (bound.upstreamContextId !== '') this.#bindContext.run(...contextParameters(bound));
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
