import type { BoundTask, TaskOwner, UpstreamIds, UpstreamTask } from '../core/ports.ts';
import { taskKey } from '../core/task-key.ts';
import type { Database } from './database.ts';
import { escapeText, unescapeText } from './text.ts';

/** Contexts deleted in one transaction. */
const batch = 500;

/** What tasks and contexts are called at upstream agents. Tasks hang on their key and go with it. */
export class UpstreamIdTables implements UpstreamIds {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async bindUpstream(owner: TaskOwner, { key, id, contextId }: BoundTask, there: UpstreamTask): Promise<void> {
    const row = { task_id: escapeText(there.id), context_id: escapeText(there.contextId) };
    const task = this.#database.sql
      .insertInto('upstream_task')
      .values({ key: escapeText(key), ...columnsOf(owner), id: escapeText(id), ...row })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(row));
    if (there.contextId === '') await task.execute();
    else {
      const context = this.#contextRow(owner, contextId, there.contextId);
      await this.#database.atomically([task.compile(), context.compile()]);
    }
  }

  async upstreamOf(key: string): Promise<UpstreamTask | undefined> {
    const row = await this.#database.sql
      .selectFrom('upstream_task')
      .select(['task_id', 'context_id'])
      .where('key', '=', escapeText(key))
      .executeTakeFirst();
    return row && { id: unescapeText(row.task_id), contextId: unescapeText(row.context_id) };
  }

  async bindUpstreamContext(owner: TaskOwner, contextId: string, there: string): Promise<void> {
    await this.#contextRow(owner, contextId, there).execute();
  }

  #contextRow(owner: TaskOwner, contextId: string, there: string) {
    const row = { context_id: escapeText(there), used_at: Date.now() };
    return this.#database.sql
      .insertInto('upstream_context')
      .values({ ...columnsOf(owner), id: escapeText(contextId), ...row })
      .onConflict((conflict) => conflict.columns(['agent', 'tenant', 'principal', 'id']).doUpdateSet(row));
  }

  async upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined> {
    const { agent, tenant, principal } = columnsOf(owner);
    const row = await this.#database.sql
      .selectFrom('upstream_context')
      .select('context_id')
      .where('agent', '=', agent)
      .where('tenant', '=', tenant)
      .where('principal', '=', principal)
      .where('id', '=', escapeText(contextId))
      .executeTakeFirst();
    return row && unescapeText(row.context_id);
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

  /** Deletes contexts that were last used before `before` and of which no task is left. */
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
    await this.#database.atomically(
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
    const { agent, tenant, principal } = columnsOf(owner);
    return this.#database.sql
      .selectFrom('upstream_task')
      .select(['id', 'task_id'])
      .where('agent', '=', agent)
      .where('tenant', '=', tenant)
      .where('principal', '=', principal);
  }
}

const columnsOf = ({ agent, tenant, principal }: TaskOwner): TaskOwner => ({
  agent: escapeText(agent),
  tenant: escapeText(tenant),
  principal: escapeText(principal),
});
