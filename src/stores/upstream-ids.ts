import type { CompiledQuery } from 'kysely';
import type { BoundTask, TaskOwner, UpstreamIds, UpstreamTask } from '../core/ports.ts';
import { taskKey } from '../core/task-key.ts';
import type { Database, Prepared } from './database.ts';
import type { UpstreamContextTable, UpstreamTaskTable } from './schema.ts';
import { escapeText, unescapeText } from './text.ts';

/** Contexts deleted in one transaction. */
const batch = 500;

/** One statement with its parameters. */
type Statement = CompiledQuery<never>;

/** The statements that every bridged message needs, made once. */
class Statements {
  readonly #bindTask: CompiledQuery;
  readonly #bindContext: CompiledQuery;
  readonly task: Prepared<Pick<UpstreamTaskTable, 'task_id' | 'context_id'>>;
  readonly context: Prepared<Pick<UpstreamContextTable, 'context_id'>>;

  constructor({ sql, prepare }: Pick<Database, 'sql' | 'prepare'>) {
    const mark = '';
    const owner = { agent: mark, tenant: mark, principal: mark };
    this.#bindTask = sql
      .insertInto('upstream_task')
      .values({ key: mark, ...owner, id: mark, task_id: mark, context_id: mark })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet(({ ref }) => ({ task_id: ref('excluded.task_id'), context_id: ref('excluded.context_id') })),
      )
      .compile();
    this.#bindContext = sql
      .insertInto('upstream_context')
      .values({ ...owner, id: mark, context_id: mark, used_at: 0 })
      .onConflict((conflict) =>
        conflict
          .columns(['agent', 'tenant', 'principal', 'id'])
          .doUpdateSet(({ ref }) => ({ context_id: ref('excluded.context_id'), used_at: ref('excluded.used_at') })),
      )
      .compile();
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

  bindTask({ agent, tenant, principal }: TaskOwner, key: string, id: string, there: UpstreamTask): Statement {
    const ids = [escapeText(id), escapeText(there.id), escapeText(there.contextId)];
    return { ...this.#bindTask, parameters: [escapeText(key), agent, tenant, principal, ...ids] } as Statement;
  }

  bindContext({ agent, tenant, principal }: TaskOwner, contextId: string, there: string): Statement {
    const parameters = [agent, tenant, principal, escapeText(contextId), escapeText(there), Date.now()];
    return { ...this.#bindContext, parameters } as Statement;
  }
}

/** What tasks and contexts are called at upstream agents. Tasks hang on their key and go with it. */
export class UpstreamIdTables implements UpstreamIds {
  readonly #database: Database;
  #made: Statements | undefined;
  /** What this turn of the loop has to write, and when that is done: all of it is one transaction. */
  #pending: { readonly statements: Statement[]; readonly written: Promise<void> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async bindUpstream(owner: TaskOwner, { key, id, contextId }: BoundTask, there: UpstreamTask): Promise<void> {
    const columns = columnsOf(owner);
    const statements = [this.#statements.bindTask(columns, key, id, there)];
    if (there.contextId !== '') statements.push(this.#statements.bindContext(columns, contextId, there.contextId));
    await this.#write(statements);
  }

  async upstreamOf(key: string): Promise<UpstreamTask | undefined> {
    const [row] = await this.#statements.task(escapeText(key));
    return row && { id: unescapeText(row.task_id), contextId: unescapeText(row.context_id) };
  }

  async bindUpstreamContext(owner: TaskOwner, contextId: string, there: string): Promise<void> {
    await this.#write([this.#statements.bindContext(columnsOf(owner), contextId, there)]);
  }

  async upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined> {
    const { agent, tenant, principal } = columnsOf(owner);
    const [row] = await this.#statements.context(agent, tenant, principal, escapeText(contextId));
    return row && unescapeText(row.context_id);
  }

  /** The tables are there when somebody asks for the first time. */
  get #statements(): Statements {
    const { sql } = this.#database;
    this.#made ??= new Statements({ sql, prepare: (query) => this.#database.prepare(query) });
    return this.#made;
  }

  #write(statements: readonly Statement[]): Promise<void> {
    this.#pending ??= this.#batch();
    this.#pending.statements.push(...statements);
    return this.#pending.written;
  }

  #batch(): { readonly statements: Statement[]; readonly written: Promise<void> } {
    const statements: Statement[] = [];
    const write = async (): Promise<void> => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      this.#pending = undefined;
      await this.#database.atomically(statements);
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
