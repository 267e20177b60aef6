import { type RawBuilder, sql } from 'kysely';
import type { UpstreamTask } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { type TaskOwner, taskKey } from '../../core/model/ids.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import { LogConflict } from '../../core/ports/store-errors.ts';
import type { SharedClock } from '../cluster/clock.ts';
import {
  belongsTo,
  type Database,
  type Prepared,
  type Statement,
  type Traits,
  transactionPerTurn,
} from '../database.ts';
import { escapeOwner, escapeText, unescapeText } from '../text.ts';

/** Contexts deleted in one transaction. */
const batch = 500;

const contextColumns = sql`upstream_context (agent, tenant, principal, id, context_id, used_at)`;
const replaceContext = sql`
  on conflict (agent, tenant, principal, id) do update set context_id = excluded.context_id, used_at = excluded.used_at`;

/**
 * Statements that copy the ids of a task, and of its context if the agent knows one, from the task's row into the tables that
 * earlier versions read.
 *
 * @param isTask a condition for the row
 * @param at milliseconds, by the store's clock
 */
export const copyIds = (isTask: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<unknown>[] => [
  sql`
    insert into upstream_task (key, agent, tenant, principal, id, task_id, context_id)
    select key, agent, tenant, principal, id, upstream_id, upstream_context_id from task where ${isTask}
    on conflict (key) do update set task_id = excluded.task_id, context_id = excluded.context_id`,
  sql`
    insert into ${contextColumns}
    select agent, tenant, principal, context_id, upstream_context_id, ${at} from task
    where ${isTask} and upstream_context_id <> '' ${replaceContext}`,
];

/** Number of the latest tasks of a context in which the context's id at the agent is searched for. */
const tasksSearched = 100;

/**
 * The ids of tasks and contexts at upstream agents. A task's ids are columns of its row. Separate tables hold the ids that
 * earlier versions wrote or may need, and the ids of contexts whose latest binding came without a task that was over. Both places
 * are searched; a task's row in these tables is never older than its columns.
 */
export class UpstreamIdTables {
  readonly #database: Database;
  readonly #clock: SharedClock;
  readonly #damaged: DamagedRows;
  readonly #db: Database['sql'];
  readonly #traits: Traits;
  readonly #write: (...statements: Statement[]) => Promise<number[]>;
  readonly #findTask: Prepared<BoundRow>;
  readonly #findContext: Prepared<{ context_id: string }>;

  constructor(database: Database, clock: SharedClock, damaged: DamagedRows) {
    this.#database = database;
    this.#clock = clock;
    this.#damaged = damaged;
    this.#db = database.sql;
    this.#traits = database.traits;
    this.#write = transactionPerTurn(database);
    this.#findTask = database.prepare(sql<BoundRow>`
    select task.id, ${boundColumns} from task left join upstream_task on upstream_task.key = task.key
    where task.key = ${''}`);
    const isInContext = sql`agent = ${''} and tenant = ${''} and principal = ${''}`;
    this.#findContext = database.prepare(sql<{ context_id: string }>`
    select context_id from (
      select context_id, used_at from upstream_context where id = ${''} and ${isInContext}
      union all
      select upstream_context_id, created_at from (
        select upstream_context_id, created_at from task where context_id = ${''} and ${isInContext}
        order by created_at desc limit ${sql.lit(tasksSearched)}) as latest
      where upstream_context_id <> '') as known
    order by used_at desc limit 1`);
  }

  /**
   * Binds an existing task. Rejects like an append, with a LogConflict as its cause, if another replica owns the task.
   *
   * @param instance this gateway's name in rows of tasks
   */
  async bindOwn(key: string, upstream: UpstreamTask, instance: string): Promise<void> {
    const id = escapeText(upstream.id);
    const contextId = escapeText(upstream.contextId);
    const isOwn = sql`key = ${escapeText(key)} and (owner = ${instance} or owner is null)`;
    const [changed] = await this.#database.transaction([
      sql`update task set upstream_id = ${id}, upstream_context_id = ${contextId} where ${isOwn}`,
      ...copyIds(isOwn, sql`cast(${this.#clock.now()} as ${this.#traits.integer})`),
    ]);
    if (changed !== 0) return;
    const cause = new LogConflict(`Another replica owns task ${key}, or the task was deleted.`);
    throw new A2AError('internal', undefined, { cause });
  }

  async upstreamOf(key: string): Promise<UpstreamTask | undefined> {
    const [row] = await this.#findTask(escapeText(key));
    const { bound_id, bound_context } = row ?? {};
    if (bound_id === undefined || bound_id === null) return undefined;
    return this.#damaged.read('upstream_task', [escapeText(key)], () => ({
      id: unescapeText(bound_id),
      contextId: unescapeText(bound_context ?? ''),
    }));
  }

  async bindUpstreamContext(owner: TaskOwner, contextId: string, upstream: string): Promise<void> {
    const { agent, tenant, principal } = escapeOwner(owner);
    const ids = sql`${escapeText(contextId)}, ${escapeText(upstream)}`;
    await this.#write(sql`
      insert into ${contextColumns} values (${agent}, ${tenant}, ${principal}, ${ids}, ${this.#clock.now()}) ${replaceContext}`);
  }

  async upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined> {
    const { agent, tenant, principal } = escapeOwner(owner);
    const context = [escapeText(contextId), agent, tenant, principal];
    const [row] = await this.#findContext(...context, ...context);
    return row && this.#damaged.read('upstream_context', context.slice(0, 4), () => unescapeText(row.context_id));
  }

  #pairsOf<Row extends { readonly id: string }>(
    rows: readonly Row[],
    pair: (row: Row) => [string, string],
  ): Map<string, string> {
    return new Map(
      rows.flatMap((row) => [this.#damaged.read('upstream_task', [row.id], () => pair(row)) ?? []].filter(isPair)),
    );
  }

  async upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const keys = ids.flatMap((id) => [taskKey(owner, id, false), taskKey(owner, id, true)]).map(escapeText);
    const { rows } = await sql<BoundRow>`
      select task.id, ${boundColumns} from task left join upstream_task on upstream_task.key = task.key
      where ${belongsTo(owner, 'task')} and task.key in (${sql.join(keys)})`.execute(this.#db);
    const bound = rows.filter((row): row is BoundRow & { bound_id: string } => row.bound_id !== null);
    return this.#pairsOf(bound, ({ id, bound_id }) => [unescapeText(id), unescapeText(bound_id)]);
  }

  async ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const wanted = sql.join(ids.map(escapeText));
    const { rows } = await sql<{ id: string; bound_id: string }>`
      select id, upstream_id as bound_id from task where ${belongsTo(owner)} and upstream_id in (${wanted})
      union
      select id, task_id from upstream_task where ${belongsTo(owner)} and task_id in (${wanted})`.execute(this.#db);
    return this.#pairsOf(rows, ({ id, bound_id }) => [unescapeText(bound_id), unescapeText(id)]);
  }

  /** Deletes contexts that were last used before `before` and have no task left. */
  async expire(before: number): Promise<void> {
    const { rows } = await sql<TaskOwner & { id: string }>`
      select agent, tenant, principal, id from upstream_context as known
      where used_at < ${before} and not exists (
        select 1 from task where task.context_id = known.id and task.agent = known.agent
          and task.tenant = known.tenant and task.principal = known.principal)
      limit ${batch}`.execute(this.#db);
    await this.#database.transaction(
      rows.map(
        ({ agent, tenant, principal, id }) => sql`
          delete from upstream_context
          where agent = ${agent} and tenant = ${tenant} and principal = ${principal} and id = ${id}
            and used_at < ${before}`,
      ),
    );
  }
}

const isPair = (pair: readonly string[]): pair is [string, string] => pair.length === 2;

/** A task with its ids at its agent. */
interface BoundRow {
  readonly id: string;
  readonly bound_id: string | null;
  readonly bound_context: string | null;
}

const boundColumns = sql`coalesce(upstream_task.task_id, task.upstream_id) as bound_id,
  coalesce(upstream_task.context_id, task.upstream_context_id) as bound_context`;

/**
 * A statement that stores the upstream contexts of tasks that are about to be deleted, if other tasks of the context remain: a
 * context is known as long as it has a task.
 *
 * @param leaving a condition for the tasks
 */
export const keepContexts = (leaving: RawBuilder<unknown>, keys: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into ${contextColumns}
  select agent, tenant, principal, context_id, upstream_context_id, created_at from (
    select agent, tenant, principal, context_id, upstream_context_id, created_at, row_number() over (
      partition by agent, tenant, principal, context_id order by created_at desc) as place
    from task where ${leaving} and upstream_context_id <> '' and exists (
      select 1 from task as other where other.context_id = task.context_id and other.agent = task.agent
        and other.tenant = task.tenant and other.principal = task.principal and other.key not in (${keys}))
  ) as latest where place = 1
  ${replaceContext} where upstream_context.used_at < excluded.used_at`;
