import { sql } from 'kysely';
import { A2AError } from '../core/errors.ts';
import type { PushConfigPage, TaskOwner } from '../core/ports.ts';
import type { TaskPushNotificationConfig } from '../gen/a2a-v1/types.ts';
import type { Database } from './database.ts';
import type { PageTokens } from './page-token.ts';
import type { PushConfigTable } from './schema.ts';
import { escapeText, unescapeText } from './text.ts';

/** Push notification configurations, which hang on a task's key. */
export class PushConfigs {
  readonly #database: Database;
  readonly #tokens: PageTokens;

  constructor(database: Database, tokens: PageTokens) {
    this.#database = database;
    this.#tokens = tokens;
  }

  async put(key: string, config: TaskPushNotificationConfig & { id: string }, dialect: string): Promise<void> {
    const row = { dialect, body: JSON.stringify(config) };
    const { numInsertedOrUpdatedRows } = await this.#database.sql
      .insertInto('push_config')
      .columns(['key', 'id', 'dialect', 'body', 'agent', 'tenant', 'principal'])
      // Only while the task is there: nobody would delete it otherwise.
      .expression(({ selectFrom, val }) =>
        selectFrom('task')
          .select(['task.key', val(escapeText(config.id)).as('id')])
          .select([val(row.dialect).as('dialect'), val(row.body).as('body')])
          .select(['task.agent', 'task.tenant', 'task.principal'])
          .where('task.key', '=', escapeText(key)),
      )
      .onConflict((conflict) => conflict.columns(['key', 'id']).doUpdateSet(row))
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows) throw A2AError.taskNotFound(config.taskId ?? '');
  }

  async get(key: string, id: string): Promise<TaskPushNotificationConfig | undefined> {
    const row = await this.#database.sql
      .selectFrom('push_config')
      .select('body')
      .where('key', '=', escapeText(key))
      .where('id', '=', escapeText(id))
      .executeTakeFirst();
    return row && JSON.parse(row.body);
  }

  /** In the order of their ids. */
  async list(key: string, { size, token }: { size: number; token: string }): Promise<PushConfigPage> {
    const listed = ['push', key];
    const [after] = this.#tokens.read(listed, token) ?? [];
    let query = this.#database.sql
      .selectFrom('push_config')
      .select(['id', 'body'])
      .where('key', '=', escapeText(key))
      .orderBy('id')
      .limit(size + 1);
    if (after !== undefined) query = query.where('id', '>', escapeText(String(after)));
    return this.#page(await query.execute(), size, ({ id }) => this.#tokens.write(listed, [unescapeText(id)]));
  }

  /** Those of all tasks of an owner, in the order of their tasks' keys. */
  async listOwners(owner: TaskOwner, { size, token }: { size: number; token: string }): Promise<PushConfigPage> {
    const { agent, tenant, principal } = owner;
    const listed = ['pushes', agent, tenant, principal];
    const after = this.#tokens.read(listed, token);
    let query = this.#database.sql
      .selectFrom('push_config')
      .select(['key', 'id', 'body'])
      .where('agent', '=', escapeText(agent))
      .where('tenant', '=', escapeText(tenant))
      .where('principal', '=', escapeText(principal))
      .orderBy('key')
      .orderBy('id')
      .limit(size + 1);
    if (after) {
      const [key, id] = after.map((text) => escapeText(String(text)));
      query = query.where(sql<boolean>`(key, id) > (${key}, ${id})`);
    }
    return this.#page(await query.execute(), size, ({ key, id }) =>
      this.#tokens.write(listed, [unescapeText(key), unescapeText(id)]),
    );
  }

  /** @param rows one more than belongs to the page, when there is a next one */
  #page<Row extends Pick<PushConfigTable, 'body'>>(
    rows: readonly Row[],
    size: number,
    tokenAfter: (last: Row) => string,
  ): PushConfigPage {
    const page = rows.slice(0, size);
    const last = page.at(-1);
    return {
      configs: page.map(({ body }) => JSON.parse(body)),
      nextPageToken: rows.length > size && last ? tokenAfter(last) : '',
    };
  }

  async delete(key: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.sql
      .deleteFrom('push_config')
      .where('key', '=', escapeText(key))
      .where('id', '=', escapeText(id))
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
}
