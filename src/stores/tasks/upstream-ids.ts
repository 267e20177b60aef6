import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { UpstreamTask } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { type TaskOwner, taskKey } from '../../core/model/ids.ts';
import { LogConflict } from '../../core/ports/store-errors.ts';
import type { BoundTask, TaskBinding } from '../../core/ports/upstream-ids.ts';
import type { SharedClock } from '../cluster/clock.ts';
import { belongsTo, type Database, placeholders, transactionPerTurn, type UpstreamBinding } from '../database.ts';
import { escapeOwner, escapeText, unescapeText } from '../text.ts';

/** Contexts deleted in one transaction. */
const batch = 500;

const taskColumns = sql`upstream_task (key, agent, tenant, principal, id, task_id, context_id)`;
const replaceTask = sql`on conflict (key) do update set task_id = excluded.task_id, context_id = excluded.context_id`;

/** Binds a task; replaces an earlier binding. Its parameters: `taskParameters`. */
export const bindTask: RawBuilder<unknown> = sql`insert into ${taskColumns} values (${placeholders(7)}) ${replaceTask}`;

export const taskParameters = (bound: UpstreamBinding): string[] => [
  ...[bound.key, bound.agent, bound.tenant, bound.principal],
  ...[bound.id, bound.upstreamTaskId, bound.upstreamContextId],
];

/** Binds a task that exists and has no other owner; otherwise changes nothing. */
const bindOwnTask = ({ key, upstreamTaskId, upstreamContextId }: UpstreamBinding, instance: string) => sql`
  insert into ${taskColumns}
  select key, agent, tenant, principal, id, ${upstreamTaskId}, ${upstreamContextId} from task
  where key = ${key} and (owner = ${instance} or owner is null) ${replaceTask}`;

/** Binds a context; replaces an earlier binding. Its parameters: `contextParameters`. */
export const bindContext: RawBuilder<unknown> = sql`
  insert into upstream_context (agent, tenant, principal, id, context_id, used_at) values (${placeholders(6)})
  on conflict (agent, tenant, principal, id) do update set context_id = excluded.context_id, used_at = excluded.used_at`;

type BoundContext = Omit<UpstreamBinding, 'key' | 'id' | 'upstreamTaskId'>;

export const contextParameters = (bound: BoundContext): (string | number)[] => [
  ...[bound.agent, bound.tenant, bound.principal],
  ...[bound.contextId, bound.upstreamContextId, bound.at],
];

/**
 * A binding in columns.
 *
 * @param at milliseconds, by the store's clock
 */
export const upstreamBinding = ({ task, upstream }: TaskBinding, at: number): UpstreamBinding => ({
  ...escapeOwner(task),
  key: escapeText(task.key),
  id: escapeText(task.id),
  contextId: escapeText(task.contextId),
  upstreamTaskId: escapeText(upstream.id),
  upstreamContextId: escapeText(upstream.contextId),
  at,
});

/** The ids of tasks and contexts at upstream agents. A task's binding is deleted with the task. */
export function createUpstreamIds(database: Database, clock: SharedClock) {
  const { sql: db } = database;
  const write = transactionPerTurn(database);
  const taskQuery = bindTask.compile(db);
  const contextQuery = bindContext.compile(db);
  const findTask = database.prepare(sql<{ task_id: string; context_id: string }>`
    select task_id, context_id from upstream_task where key = ${''}`);
  const findContext = database.prepare(sql<{ context_id: string }>`
    select context_id from upstream_context
    where agent = ${''} and tenant = ${''} and principal = ${''} and id = ${''}`);

  async function bindUpstream(
    owner: TaskOwner,
    { key, id, contextId }: BoundTask,
    upstream: UpstreamTask,
  ): Promise<void> {
    const bound = upstreamBinding({ task: { ...owner, key, id, contextId }, upstream }, clock.now());
    await write({ ...taskQuery, parameters: taskParameters(bound) }, ...contextOf(bound));
  }

  /**
   * Binds an existing task. Rejects like an append, with a LogConflict as its cause, when another replica owns the
   * task.
   *
   * @param instance this gateway's name in rows of tasks
   */
  async function bindOwn(binding: TaskBinding, instance: string): Promise<void> {
    const bound = upstreamBinding(binding, clock.now());
    const [changed] = await database.transaction([bindOwnTask(bound, instance), ...contextOf(bound)]);
    if (changed !== 0) return;
    const cause = new LogConflict(`Another replica owns task ${binding.task.key}, or the task was deleted.`);
    throw new A2AError('internal', undefined, { cause });
  }

  async function upstreamOf(key: string): Promise<UpstreamTask | undefined> {
    const [row] = await findTask(escapeText(key));
    return row && { id: unescapeText(row.task_id), contextId: unescapeText(row.context_id) };
  }

  async function bindUpstreamContext(owner: TaskOwner, contextId: string, upstream: string): Promise<void> {
    const columns = { contextId: escapeText(contextId), upstreamContextId: escapeText(upstream) };
    await write(bindContextTo({ ...escapeOwner(owner), ...columns, at: clock.now() }));
  }

  async function upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined> {
    const { agent, tenant, principal } = escapeOwner(owner);
    const [row] = await findContext(agent, tenant, principal, escapeText(contextId));
    return row && unescapeText(row.context_id);
  }

  async function upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    const keys = ids.flatMap((id) => [taskKey(owner, id, false), taskKey(owner, id, true)]);
    return new Map((await boundTasks(owner, 'key', keys)).map(({ id, upstreamId }) => [id, upstreamId]));
  }

  async function ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>> {
    return new Map((await boundTasks(owner, 'task_id', ids)).map(({ id, upstreamId }) => [upstreamId, id]));
  }

  async function boundTasks(owner: TaskOwner, column: 'key' | 'task_id', values: readonly string[]) {
    if (values.length === 0) return [];
    const { rows } = await sql<{ id: string; task_id: string }>`
      select id, task_id from upstream_task
      where ${belongsTo(owner)} and ${sql.ref(column)} in (${sql.join(values.map(escapeText))})`.execute(db);
    return rows.map(({ id, task_id }) => ({ id: unescapeText(id), upstreamId: unescapeText(task_id) }));
  }

  /** Deletes contexts that were last used before `before` and have no task left. */
  async function expire(before: number): Promise<void> {
    const { rows } = await sql<TaskOwner & { id: string }>`
      select agent, tenant, principal, id from upstream_context as known
      where used_at < ${before} and not exists (
        select 1 from task where task.context_id = known.id and task.agent = known.agent
          and task.tenant = known.tenant and task.principal = known.principal)
      limit ${batch}`.execute(db);
    await database.transaction(
      rows.map(
        ({ agent, tenant, principal, id }) => sql`
          delete from upstream_context
          where agent = ${agent} and tenant = ${tenant} and principal = ${principal} and id = ${id}
            and used_at < ${before}`,
      ),
    );
  }

  function contextOf(bound: UpstreamBinding): CompiledQuery[] {
    return bound.upstreamContextId === '' ? [] : [bindContextTo(bound)];
  }

  function bindContextTo(bound: BoundContext): CompiledQuery {
    return { ...contextQuery, parameters: contextParameters(bound) };
  }

  return {
    bindUpstream,
    bindOwn,
    upstreamOf,
    bindUpstreamContext,
    upstreamContextOf,
    upstreamTasksOf,
    ownTasksOf,
    expire,
  };
}
