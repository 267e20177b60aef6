import { type Expression, type SqlBool, sql } from 'kysely';
import type { Database } from '../database.ts';
import { escapeText, unescapeText } from '../text.ts';

/** Undelivered push notifications of one configuration. */
export interface UndeliveredPush {
  /** `dead`: given up; `waiting`: to be retried. */
  readonly state: 'dead' | 'waiting';
  readonly taskId: string;
  readonly configId: string;
  readonly agent: string;
  readonly principal: string;
  /** Scheme, host and port of the URL. */
  readonly receiver: string;
  /** Positions in the task's log: of the dead letters, or of the waiting events. */
  readonly first: number;
  readonly last: number;
  readonly reason: string;
  /** Milliseconds: when they were given up, or when the next attempt is due. */
  readonly at: number;
}

/** Lists and retries undelivered push notifications of a store, whether gateways serve it or not. */
export interface PushAdmin {
  /** At most `limit` of each state. */
  list(limit: number): Promise<UndeliveredPush[]>;
  /**
   * Makes gateways retry dead and waiting notifications at once, from the first dead letter on, for as long as if all
   * of the events had just happened.
   *
   * @param taskId only this task
   * @returns the number of configurations that are retried
   */
  retry(taskId?: string): Promise<number>;
  close(): Promise<void>;
}

/** Push administration over a database, which it closes. */
export class SqlPushAdmin implements PushAdmin {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(limit: number): Promise<UndeliveredPush[]> {
    const { sql: db } = this.#database;
    const dead = await db
      .selectFrom('push_dead')
      .innerJoin('task', 'task.key', 'push_dead.key')
      .select(['task.id as task', 'task.agent', 'task.principal', 'push_dead.id', 'push_dead.receiver'])
      .select(['push_dead.seq', 'push_dead.last_seq', 'push_dead.reason', 'push_dead.at'])
      .orderBy('push_dead.at', 'desc')
      .limit(limit)
      .execute();
    const waiting = await db
      .selectFrom('push_config')
      .innerJoin('task', 'task.key', 'push_config.key')
      .select(['task.id as task', 'task.agent', 'task.principal', 'push_config.id', 'push_config.receiver'])
      .select(({ eb }) => eb('push_config.cursor', '+', 1).as('seq'))
      .select(['task.seq as last_seq', 'push_config.failure as reason', 'push_config.due_at as at'])
      .where('push_config.active', '=', 1)
      .where('push_config.due_at', 'is not', null)
      .whereRef('push_config.cursor', '<', 'task.seq')
      .orderBy('push_config.due_at')
      .limit(limit)
      .execute();
    const shown = (state: UndeliveredPush['state']) => (row: (typeof dead)[number] | (typeof waiting)[number]) => ({
      state,
      taskId: unescapeText(row.task),
      configId: unescapeText(row.id),
      agent: unescapeText(row.agent),
      principal: unescapeText(row.principal),
      receiver: unescapeText(row.receiver),
      first: row.seq,
      last: row.last_seq,
      reason: unescapeText(row.reason ?? ''),
      at: row.at ?? 0,
    });
    return [...dead.map(shown('dead')), ...waiting.map(shown('waiting'))];
  }

  async retry(taskId?: string): Promise<number> {
    const { sql: db, traits } = this.#database;
    const ofTask = (key: Expression<unknown>) =>
      taskId === undefined
        ? sql<SqlBool>`1 = 1`
        : sql<SqlBool>`${key} in (select task.key from task where task.id = ${escapeText(taskId)})`;
    const same = sql`push_dead.key = push_config.key and push_dead.id = push_config.id`;
    const first = sql`(select min(push_dead.seq) - 1 from push_dead where ${same})`;
    const again = { due_at: traits.now, owner: null, attempts: 0, failure: null, since: traits.now };
    const [revived = 0, hurried = 0] = await this.#database.transaction([
      db
        .updateTable('push_config')
        .set(({ eb }) => ({
          ...again,
          active: 1,
          lease: eb('lease', '+', 1),
          cursor: sql`case when cursor < ${first} then cursor else ${first} end`,
        }))
        .where(sql<SqlBool>`exists (select 1 from push_dead where ${same})`)
        .where(ofTask(sql.ref('push_config.key')))
        .compile(),
      db
        .updateTable('push_config')
        .set(({ eb }) => ({ ...again, lease: eb('lease', '+', 1) }))
        .where('active', '=', 1)
        .where('due_at', '>', traits.now)
        .where(ofTask(sql.ref('push_config.key')))
        .compile(),
      db
        .deleteFrom('push_dead')
        .where(ofTask(sql.ref('push_dead.key')))
        .compile(),
    ]);
    return revived + hurried;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
