import type { PushConfigPage } from '../core/ports.ts';
import type { TaskPushNotificationConfig } from '../gen/a2a-v1/types.ts';
import type { Database } from './database.ts';
import type { PageTokens } from './page-token.ts';
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
    await this.#database.sql
      .insertInto('push_config')
      .values({ key: escapeText(key), id: escapeText(config.id), ...row })
      .onConflict((conflict) => conflict.columns(['key', 'id']).doUpdateSet(row))
      .execute();
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
    const rows = await query.execute();
    const page = rows.slice(0, size);
    const last = page.at(-1);
    return {
      configs: page.map(({ body }) => JSON.parse(body)),
      nextPageToken: rows.length > size && last ? this.#tokens.write(listed, [unescapeText(last.id)]) : '',
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
