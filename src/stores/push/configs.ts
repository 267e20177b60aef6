import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import type { Requester } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import {
  ownWebhooks,
  type PushConfigPage,
  type PushConfigPageRequest,
  type PushOrigin,
  type WebhookBounds,
  type WebhookExcess,
} from '../../core/ports/push-store.ts';
import type { Database, Traits } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import { inline, pageBytes, rowsFor, sizeOf, smallText } from '../tasks/byte-limits.ts';
import { terminalStates } from '../tasks/rows.ts';
import { escapeOwner, escapeText, unescapeText } from '../text.ts';
import { readConfig, receiverOf } from './outbox.ts';

/** A configuration, with its JSON if that is small. */
interface ListedRow {
  readonly key: string;
  readonly id: string;
  readonly size: number;
  readonly body: string | null;
}

/** The key of a configuration: the task's key and its own id, both escaped. */
type ConfigKey = Pick<ListedRow, 'key' | 'id'>;

/** Whether a configuration belongs to a caller, and not to the gateway. */
const isCallers = sql<SqlBool>`dialect <> ${sql.lit(ownWebhooks)}`;

/** The new lease invalidates the lease of a delivery to the former URL. */
const replace = sql`update set dialect = excluded.dialect, body = excluded.body,
  receiver = excluded.receiver, hops = excluded.hops, lease = push_config.lease + 1, owner = null, active = 1,
  attempts = 0, due_at = null, failure = null`;

const unlimited = Number.POSITIVE_INFINITY;

const boundNames = ['perTask', 'perPrincipal'] as const;

/** Whether the other configurations already reach the bound. Reads no more rows than the bound. */
function isAtLimit(name: WebhookExcess, most: number, { key, id }: ConfigKey, principal: RawBuilder<unknown>) {
  const counted = {
    perTask: sql`key = ${key} and id <> ${id}`,
    perPrincipal: sql`active = 1 and principal = ${principal} and not (key = ${key} and id = ${id})`,
  }[name];
  const limit = sql.lit(most);
  return sql`(select count(*) from (
    select 1 from push_config where ${counted} and ${isCallers} limit ${limit}) as counted) >= ${limit}`;
}

const body = sql.ref('body');
const sizeColumn = sizeOf(body).as('size');
const bodyColumn = smallText(body, inline.many).as('body');
const sizeOfRow = ({ size }: ListedRow): number => size;

/** Push notification configurations, each of which belongs to a task by the task's key. */
export class PushConfigs {
  readonly #database: Database;
  readonly #tokens: PageTokens;
  readonly #damaged: DamagedRows;
  readonly #db: Database['sql'];
  readonly #traits: Traits;

  constructor(database: Database, tokens: PageTokens, damaged: DamagedRows) {
    this.#database = database;
    this.#tokens = tokens;
    this.#damaged = damaged;
    this.#db = database.sql;
    this.#traits = database.traits;
  }

  /**
   * Stores a configuration. Resolves with the bound that rejected it, if one did. A configuration of the gateway's own is not
   * replaced, because another replica may already be delivering to it.
   */
  async put(
    key: string,
    config: TaskPushNotificationConfig & { id: string },
    dialect: string,
    { after, hops = 0, bounds }: PushOrigin,
  ): Promise<WebhookExcess | undefined> {
    const task = escapeText(key);
    const id = escapeText(config.id);
    const isOwn = dialect === ownWebhooks;
    const begun = after === undefined ? sql`task.seq` : sql`cast(${after} as ${this.#traits.integer})`;
    const isFull = boundNames.flatMap((name) => {
      const most = bounds?.[name] ?? unlimited;
      return most === unlimited ? [] : [isAtLimit(name, most, { key: task, id }, sql.ref('task.principal'))];
    });
    // Concurrent calls would each find room for one more configuration, so the principal is locked.
    const lock = sql`select pg_advisory_xact_lock(hashtextextended(principal, 0)) from task where key = ${task}`;
    const locks = isFull.length === 0 || this.#traits.oneProcess ? [] : [lock];
    const changed = await this.#database.transaction([
      ...locks,
      // Events that the new URL still receives are no dead letters.
      sql`delete from push_dead where key = ${task} and id = ${id} and last_seq > (
        select cursor from push_config where key = ${task} and id = ${id})`,
      // The row is inserted only while the task exists; otherwise it would never be deleted.
      sql`
        insert into push_config (key, id, dialect, body, receiver, hops, cursor, agent, tenant, principal)
        select task.key, ${id}, ${dialect}, ${JSON.stringify(config)}, ${escapeText(receiverOf(config.url))},
          cast(${hops} as ${this.#traits.integer}), ${begun}, task.agent, task.tenant, task.principal
        from task where ${sql.join([sql`task.key = ${task}`, ...isFull.map((each) => sql`not (${each})`)], sql` and `)}
        on conflict (key, id) do ${isOwn ? sql`nothing` : replace}`,
      sql`update task set pushed = 1 where key = ${task}`,
      // If the task has ended and everything is delivered, nothing is left to deliver, and the configuration counts
      // towards no bound.
      sql`update push_config set active = 0 where key = ${task} and id = ${id} and cursor >= (
        select seq from task where key = ${task} and state in (${sql.join(terminalStates)}))`,
    ]);
    const written = changed[locks.length + 1];
    if (written) return undefined;
    const owner = await this.#db.selectFrom('task').select('principal').where('key', '=', task).executeTakeFirst();
    if (owner && isOwn) return undefined;
    if (!owner || !bounds) throw A2AError.taskNotFound(config.taskId ?? '');
    return (await this.webhookExcess(unescapeText(owner.principal), { key, id: config.id }, bounds)) ?? 'perPrincipal';
  }

  /** The bound that another configuration would exceed. @param task the task's key; undefined: the task does not exist yet */
  async webhookExcess(
    principal: string,
    task: { readonly key: string; readonly id: string } | undefined,
    bounds: WebhookBounds,
  ): Promise<WebhookExcess | undefined> {
    const place = { key: escapeText(task?.key ?? ''), id: escapeText(task?.id ?? '') };
    for (const name of boundNames) {
      const most = bounds[name] ?? unlimited;
      if (most === unlimited) continue;
      const isFull = isAtLimit(name, most, place, sql.val(escapeText(principal)));
      const { rows } = await sql`select 1 where ${isFull}`.execute(this.#db);
      if (rows.length > 0) return name;
    }
    return undefined;
  }

  async getPushConfig(key: string, id: string): Promise<TaskPushNotificationConfig | undefined> {
    const place = { key: escapeText(key), id: escapeText(id) };
    const body = await this.#readBody(place);
    return body === undefined ? undefined : (this.#read(place, body) ?? readConfig(body));
  }

  #read({ key, id }: ConfigKey, text: string): (TaskPushNotificationConfig & { readonly id: string }) | undefined {
    return this.#damaged.read('push_config', [key, id], () => readConfig(text));
  }

  /** Lists the configurations of a task, ordered by id. */
  listPushConfigs(key: string, request: PushConfigPageRequest, requester?: Requester): Promise<PushConfigPage> {
    return this.#listPage(['push', key], { key: escapeText(key) }, ['id'], request, requester);
  }

  /** Lists the configurations of all tasks of an owner, ordered by task key. */
  listOwnersPushConfigs(
    owner: TaskOwner,
    request: PushConfigPageRequest,
    requester?: Requester,
  ): Promise<PushConfigPage> {
    const { agent, tenant, principal } = owner;
    return this.#listPage(['pushes', agent, tenant, principal], escapeOwner(owner), ['key', 'id'], request, requester);
  }

  /** @param order columns by which the list is ordered. A position consists of their values */
  async #listPage(
    list: readonly string[],
    columns: Partial<TaskOwner & ConfigKey>,
    order: readonly (keyof ConfigKey)[],
    { size, token, bytes = pageBytes }: PushConfigPageRequest,
    requester: Requester | undefined,
  ): Promise<PushConfigPage> {
    const after = this.#tokens.read(list, token);
    const position = sql.join(order.map((column) => sql.ref(column)));
    let query = this.#db
      .selectFrom('push_config')
      .select(['key', 'id', sizeColumn, bodyColumn])
      .where((eb) => eb.and({ ...columns }))
      .where(isCallers)
      .orderBy(position)
      .limit(size + 1);
    if (after) {
      const values = after.map((text) => escapeText(String(text)));
      query = query.where(sql<boolean>`(${position}) > (${sql.join(values)})`);
    }
    const rows: readonly ListedRow[] = await query.execute();
    const page = await rowsFor(requester, rows.slice(0, size), bytes, sizeOfRow);
    const bodies = await Promise.all(page.map(async (row) => ({ row, body: row.body ?? (await this.#readBody(row)) })));
    const last = page.at(-1);
    return {
      // Configurations that were deleted meanwhile, or cannot be read, are skipped.
      configs: bodies.flatMap(({ row, body }) => (body === undefined ? [] : (this.#read(row, body) ?? []))),
      nextPageToken:
        rows.length > page.length && last
          ? this.#tokens.write(
              list,
              order.map((column) => (typeof last[column] === 'string' ? unescapeText(last[column]) : '')),
            )
          : '',
    };
  }

  async #readBody({ key, id }: ConfigKey): Promise<string | undefined> {
    const row = this.#db.selectFrom('push_config').select('body').where('key', '=', key);
    return (await row.where('id', '=', id).executeTakeFirst())?.body;
  }

  /** Deletes a configuration with its dead letters. */
  async deletePushConfig(key: string, id: string): Promise<boolean> {
    const task = escapeText(key);
    const own = escapeText(id);
    const [deleted] = await this.#database.transaction([
      sql`delete from push_config where key = ${task} and id = ${own}`,
      sql`delete from push_dead where key = ${task} and id = ${own}`,
      sql`update task set pushed = 0
        where key = ${task} and pushed = 1 and not exists (select 1 from push_config where key = ${task})`,
    ]);
    return deleted === 1;
  }
}
