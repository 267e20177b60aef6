import { type RawBuilder, sql } from 'kysely';
import type { TaskPushNotificationConfig, TaskState } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import { isTerminal, lifecycle } from '../../core/model/lifecycle.ts';
import type { ReadBudget } from '../../core/model/memory.ts';
import type {
  PushConfigPage,
  PushConfigPageRequest,
  PushOrigin,
  WebhookBounds,
  WebhookExcess,
} from '../../core/ports/push-store.ts';
import type { Database } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import { bytesOf, inline, pageBytes, sizeOf, smallText, withinBytes } from '../tasks/byte-limits.ts';
import { stateColumn } from '../tasks/rows.ts';
import { escapeText, unescapeText } from '../text.ts';
import { receiverOf } from './outbox.ts';

/** A configuration, with its JSON if that is small. */
interface ListedRow {
  readonly key: string;
  readonly id: string;
  readonly size: number;
  readonly body: string | null;
}

/** The key of a configuration: the task's key and its own id, both escaped. */
interface ConfigKey {
  readonly key: string;
  readonly id: string;
}

/** Conditions for the configurations that count towards each bound; a configuration never counts towards its own. */
const countedConfigs = {
  perTask: ({ key, id }: ConfigKey) => sql`key = ${key} and id <> ${id}`,
  perPrincipal: ({ key, id }: ConfigKey, principal: RawBuilder<unknown>) =>
    sql`active = 1 and principal = ${principal} and not (key = ${key} and id = ${id})`,
} as const satisfies Record<WebhookExcess, unknown>;

/** States after which a task has no more events. */
const terminalStates = (Object.keys(lifecycle) as TaskState[]).filter(isTerminal).map(stateColumn);

const boundNames = ['perTask', 'perPrincipal'] as const;

/** Whether the bound is reached already. Reads no more rows than the bound. */
const isAtLimit = (name: WebhookExcess, most: number, place: ConfigKey, principal: RawBuilder<unknown>) => sql<boolean>`
  (select count(*) from (select 1 from push_config where ${countedConfigs[name](place, principal)} limit ${sql.lit(most)}) as counted)
    >= ${sql.lit(most)}`;

const body = sql.ref('body');
const sizeColumn = sizeOf(body).as('size');
const bodyColumn = smallText(body, inline.many).as('body');
const sizeOfRow = ({ size }: ListedRow): number => size;

/** Push notification configurations. They belong to a task by its key. */
export class PushConfigs {
  readonly #database: Database;
  readonly #tokens: PageTokens;

  constructor(database: Database, tokens: PageTokens) {
    this.#database = database;
    this.#tokens = tokens;
  }

  /** Resolves with the bound that rejected it, if one did. */
  async put(
    key: string,
    config: TaskPushNotificationConfig & { id: string },
    dialect: string,
    { after, hops = 0, bounds }: PushOrigin,
  ): Promise<WebhookExcess | undefined> {
    const { sql: db, traits } = this.#database;
    const row = { dialect, body: JSON.stringify(config), receiver: escapeText(receiverOf(config.url)), hops };
    const begun = after === undefined ? sql<number>`task.seq` : sql<number>`cast(${after} as ${traits.integer})`;
    const task = escapeText(key);
    const place = { key: task, id: escapeText(config.id) };
    const full = boundNames.flatMap((name) => {
      const most = bounds?.[name];
      return most === undefined ? [] : [isAtLimit(name, most, place, sql.ref('task.principal'))];
    });
    // Concurrent calls would each see room for one more: lock per principal.
    const turn = sql`select pg_advisory_xact_lock(hashtextextended(principal, 0)) from task where key = ${task}`;
    const locks = full.length === 0 || traits.oneProcess ? [] : [turn.compile(db)];
    const [written] = (
      await this.#database.transaction([
        ...locks,
        // Events that the new URL still receives are no dead letters.
        db
          .deleteFrom('push_dead')
          .where('key', '=', task)
          .where('id', '=', escapeText(config.id))
          .where('last_seq', '>', ({ selectFrom }) =>
            selectFrom('push_config')
              .select('push_config.cursor')
              .where('push_config.key', '=', task)
              .where('push_config.id', '=', escapeText(config.id)),
          )
          .compile(),
        db
          .insertInto('push_config')
          .columns(['key', 'id', 'dialect', 'body', 'receiver', 'hops', 'cursor', 'agent', 'tenant', 'principal'])
          // Only while the task exists: otherwise the row would never be deleted.
          .expression(({ selectFrom, val }) =>
            selectFrom('task')
              .select(['task.key', val(escapeText(config.id)).as('id')])
              .select([val(row.dialect).as('dialect'), val(row.body).as('body'), val(row.receiver).as('receiver')])
              .select([sql<number>`cast(${hops} as ${traits.integer})`.as('hops'), begun.as('cursor')])
              .select(['task.agent', 'task.tenant', 'task.principal'])
              .where('task.key', '=', task)
              .where(({ and, not }) => and(full.map((each) => not(each)))),
          )
          .onConflict((conflict) =>
            conflict.columns(['key', 'id']).doUpdateSet(({ eb }) => ({
              ...row,
              // Invalidates the lease of a delivery to the former URL.
              lease: eb('push_config.lease', '+', 1),
              owner: null,
              active: 1,
              attempts: 0,
              due_at: null,
              failure: null,
            })),
          )
          .compile(),
        db.updateTable('task').set({ pushed: 1 }).where('key', '=', task).compile(),
        // If the task has ended and everything is delivered, nothing is left to deliver, and the configuration counts
        // towards no bound.
        db
          .updateTable('push_config')
          .set({ active: 0 })
          .where('key', '=', task)
          .where('id', '=', escapeText(config.id))
          .where('cursor', '>=', ({ selectFrom }) =>
            selectFrom('task')
              .select('task.seq')
              .where('task.key', '=', task)
              .where('task.state', 'in', terminalStates),
          )
          .compile(),
      ])
    ).slice(locks.length + 1);
    if (written) return undefined;
    const owner = await db.selectFrom('task').select('principal').where('key', '=', task).executeTakeFirst();
    if (!owner || !bounds) throw A2AError.taskNotFound(config.taskId ?? '');
    return (await this.excess(unescapeText(owner.principal), { key, id: config.id }, bounds)) ?? 'perPrincipal';
  }

  /** The bound that another configuration would exceed. @param task undefined: a task that does not exist yet */
  async excess(
    principal: string,
    task: { readonly key: string; readonly id: string } | undefined,
    bounds: WebhookBounds,
  ): Promise<WebhookExcess | undefined> {
    const place = { key: escapeText(task?.key ?? ''), id: escapeText(task?.id ?? '') };
    for (const name of boundNames) {
      const most = bounds[name];
      if (most === undefined) continue;
      const full = isAtLimit(name, most, place, sql.val(escapeText(principal)));
      const found = await this.#database.sql
        .selectNoFrom(({ case: choose }) => choose().when(full).then(1).else(0).end().as('full'))
        .executeTakeFirst();
      if (found?.full === 1) return name;
    }
    return undefined;
  }

  async get(key: string, id: string): Promise<TaskPushNotificationConfig | undefined> {
    const body = await this.#body({ key: escapeText(key), id: escapeText(id) });
    return body === undefined ? undefined : JSON.parse(body);
  }

  /** Ordered by id. */
  async list(key: string, request: PushConfigPageRequest, room?: ReadBudget): Promise<PushConfigPage> {
    const listed = ['push', key];
    const [after] = this.#tokens.read(listed, request.token) ?? [];
    let query = this.#database.sql
      .selectFrom('push_config')
      .select(['key', 'id', sizeColumn, bodyColumn])
      .where('key', '=', escapeText(key))
      .orderBy('id')
      .limit(request.size + 1);
    if (after !== undefined) query = query.where('id', '>', escapeText(String(after)));
    const tokenAfter = ({ id }: ListedRow): string => this.#tokens.write(listed, [unescapeText(id)]);
    return this.#page(await query.execute(), request, tokenAfter, room);
  }

  /** The configurations of all tasks of an owner, ordered by task key. */
  async listOwners(owner: TaskOwner, request: PushConfigPageRequest, room?: ReadBudget): Promise<PushConfigPage> {
    const { agent, tenant, principal } = owner;
    const listed = ['pushes', agent, tenant, principal];
    const after = this.#tokens.read(listed, request.token);
    let query = this.#database.sql
      .selectFrom('push_config')
      .select(['key', 'id', sizeColumn, bodyColumn])
      .where('agent', '=', escapeText(agent))
      .where('tenant', '=', escapeText(tenant))
      .where('principal', '=', escapeText(principal))
      .orderBy('key')
      .orderBy('id')
      .limit(request.size + 1);
    if (after) {
      const [key, id] = after.map((text) => escapeText(String(text)));
      query = query.where(sql<boolean>`(key, id) > (${key}, ${id})`);
    }
    const tokenAfter = ({ key, id }: ListedRow): string =>
      this.#tokens.write(listed, [unescapeText(key), unescapeText(id)]);
    return this.#page(await query.execute(), request, tokenAfter, room);
  }

  /** @param rows with one more than the page when there is a next page */
  async #page(
    rows: readonly ListedRow[],
    { size, bytes = pageBytes }: PushConfigPageRequest,
    tokenAfter: (last: ListedRow) => string,
    room: ReadBudget | undefined,
  ): Promise<PushConfigPage> {
    const page = withinBytes(rows.slice(0, size), bytes, sizeOfRow);
    await room?.reserve(bytesOf(page, sizeOfRow));
    const bodies = await Promise.all(page.map((row) => row.body ?? this.#body(row)));
    const last = page.at(-1);
    return {
      // Skip those that were deleted meanwhile.
      configs: bodies.flatMap((body) => (body === undefined ? [] : [JSON.parse(body)])),
      nextPageToken: rows.length > page.length && last ? tokenAfter(last) : '',
    };
  }

  async #body({ key, id }: Pick<ListedRow, 'key' | 'id'>): Promise<string | undefined> {
    const row = await this.#database.sql
      .selectFrom('push_config')
      .select('body')
      .where('key', '=', key)
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.body;
  }

  /** Deletes its dead letters with it. */
  async delete(key: string, id: string): Promise<boolean> {
    const { sql: db } = this.#database;
    const task = escapeText(key);
    const [deleted] = await this.#database.transaction([
      ...(['push_config', 'push_dead'] as const).map((table) =>
        db.deleteFrom(table).where('key', '=', task).where('id', '=', escapeText(id)).compile(),
      ),
      db
        .updateTable('task')
        .set({ pushed: 0 })
        .where('key', '=', task)
        .where('pushed', '=', 1)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('push_config').select('push_config.id').where('push_config.key', '=', task))),
        )
        .compile(),
    ]);
    return deleted === 1;
  }
}
