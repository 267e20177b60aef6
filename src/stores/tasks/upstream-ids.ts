import type { CompiledQuery } from 'kysely';
import type { UpstreamTask } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { type TaskOwner, taskKey } from '../../core/model/ids.ts';
import { LogConflict } from '../../core/ports/store-errors.ts';
import type { BoundTask, TaskBinding, UpstreamIds } from '../../core/ports/upstream-ids.ts';
import type { SharedClock } from '../cluster/clock.ts';
import type { Database, Prepared, UpstreamBinding } from '../database.ts';
import type { UpstreamContextTable, UpstreamTaskTable } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';
import {
  bindContext,
  bindOwnTask,
  bindTask,
  contextParameters,
  ownerColumns,
  taskParameters,
  upstreamBinding,
} from './upstream-statements.ts';

/** Contexts deleted in one transaction. */
const batch = 500;

/** A statement with its parameters. */
type BindingStatement = CompiledQuery<never>;

/** The statements that every bridged message needs, compiled once. */
class BindingStatements {
  readonly #bindTask: CompiledQuery;
  readonly #bindContext: CompiledQuery;
  readonly task: Prepared<Pick<UpstreamTaskTable, 'task_id' | 'context_id'>>;
  readonly context: Prepared<Pick<UpstreamContextTable, 'context_id'>>;

  constructor({ sql, prepare }: Pick<Database, 'sql' | 'prepare'>) {
    const mark = '';
    this.#bindTask = bindTask(sql);
    this.#bindContext = bindContext(sql);
    this.task = prepare(
      sql.selectFrom('upstream_task').select(['task_id', 'context_id']).where('key', '=', mark).compile(),
    );
    this.context = prepare(
      sql
        .selectFrom('upstream_context')
        .select('context_id')
        .where('agent', '=', mark)
        .where('tenant', '=', mark)
        .where('principal', '=', mark)
        .where('id', '=', mark)
        .compile(),
    );
  }

  bindTask(bound: UpstreamBinding): BindingStatement {
    return { ...this.#bindTask, parameters: taskParameters(bound) } as BindingStatement;
  }

  bindContext(bound: Parameters<typeof contextParameters>[0]): BindingStatement {
    return { ...this.#bindContext, parameters: contextParameters(bound) } as BindingStatement;
  }
}

/** The ids of tasks and contexts at upstream agents. A task's binding is deleted with the task. */
export class UpstreamIdTables implements UpstreamIds {
  readonly #database: Database;
  readonly #clock: SharedClock;
  #prepared: BindingStatements | undefined;
  /** The statements of this turn of the event loop, which share one transaction, and its completion. */
  #pending: { readonly statements: BindingStatement[]; readonly written: Promise<void> } | undefined;

  constructor(database: Database, clock: SharedClock) {
    this.#clock = clock;
    this.#database = database;
  }

  async bindUpstream(owner: TaskOwner, { key, id, contextId }: BoundTask, there: UpstreamTask): Promise<void> {
    const bound = upstreamBinding({ task: { ...owner, key, id, contextId }, upstream: there }, this.#clock.now());
    const statements = [this.#statements.bindTask(bound)];
    if (bound.upstreamContextId !== '') statements.push(this.#statements.bindContext(bound));
    await this.#write(statements);
  }

  /**
   * Binds an existing task. Rejects like an append, with a LogConflict as its cause, when another replica owns the
   * task.
   *
   * @param instance this gateway's name in rows of tasks
   */
  async bindOwn(binding: TaskBinding, instance: string): Promise<void> {
    const bound = upstreamBinding(binding, this.#clock.now());
    const statements = [bindOwnTask(this.#database.sql, bound, instance)];
    if (bound.upstreamContextId !== '') statements.push(this.#statements.bindContext(bound));
    const [changed] = await this.#database.transaction(statements);
    if (changed !== 0) return;
    const cause = new LogConflict(`Another replica owns task ${binding.task.key}, or the task was deleted.`);
    throw new A2AError('internal', undefined, { cause });
  }

  async upstreamOf(key: string): Promise<UpstreamTask | undefined> {
    const [row] = await this.#statements.task(escapeText(key));
    return row && { id: unescapeText(row.task_id), contextId: unescapeText(row.context_id) };
  }

  async bindUpstreamContext(owner: TaskOwner, contextId: string, there: string): Promise<void> {
    const columns = { contextId: escapeText(contextId), upstreamContextId: escapeText(there), at: this.#clock.now() };
    await this.#write([this.#statements.bindContext({ ...ownerColumns(owner), ...columns })]);
  }

  async upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined> {
    const { agent, tenant, principal } = ownerColumns(owner);
    const [row] = await this.#statements.context(agent, tenant, principal, escapeText(contextId));
    return row && unescapeText(row.context_id);
  }

  /** Compiled on first use, when the tables exist. */
  get #statements(): BindingStatements {
    const { sql } = this.#database;
    this.#prepared ??= new BindingStatements({ sql, prepare: (query) => this.#database.prepare(query) });
    return this.#prepared;
  }

  #write(statements: readonly BindingStatement[]): Promise<void> {
    this.#pending ??= this.#batch();
    this.#pending.statements.push(...statements);
    return this.#pending.written;
  }

  #batch(): { readonly statements: BindingStatement[]; readonly written: Promise<void> } {
    const statements: BindingStatement[] = [];
    const write = async (): Promise<void> => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      this.#pending = undefined;
      await this.#database.transaction(statements);
    };
    return { statements, written: write() };
  }

  async upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const keys = ids.flatMap((id) => [taskKey(owner, id, false), taskKey(owner, id, true)]);
    const rows = await this.#tasksOf(owner).where('key', 'in', keys.map(escapeText)).execute();
    return new Map(rows.map(({ id, task_id }) => [unescapeText(id), unescapeText(task_id)]));
  }

  async ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#tasksOf(owner).where('task_id', 'in', ids.map(escapeText)).execute();
    return new Map(rows.map(({ id, task_id }) => [unescapeText(task_id), unescapeText(id)]));
  }

  /** Deletes contexts that were last used before `before` and have no task left. */
  async expire(before: number): Promise<void> {
    const { sql } = this.#database;
    const rows = await sql
      .selectFrom('upstream_context as known')
      .select(['agent', 'tenant', 'principal', 'id'])
      .where('used_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('task')
              .select('task.key')
              .whereRef('task.context_id', '=', 'known.id')
              .whereRef('task.agent', '=', 'known.agent')
              .whereRef('task.tenant', '=', 'known.tenant')
              .whereRef('task.principal', '=', 'known.principal'),
          ),
        ),
      )
      .limit(batch)
      .execute();
    await this.#database.transaction(
      rows.map(({ agent, tenant, principal, id }) =>
        sql
          .deleteFrom('upstream_context')
          .where('agent', '=', agent)
          .where('tenant', '=', tenant)
          .where('principal', '=', principal)
          .where('id', '=', id)
          .where('used_at', '<', before)
          .compile(),
      ),
    );
  }

  #tasksOf(owner: TaskOwner) {
    const { agent, tenant, principal } = ownerColumns(owner);
    return this.#database.sql
      .selectFrom('upstream_task')
      .select(['id', 'task_id'])
      .where('agent', '=', agent)
      .where('tenant', '=', tenant)
      .where('principal', '=', principal);
  }
}
