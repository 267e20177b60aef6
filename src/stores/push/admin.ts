import { sql } from 'kysely';
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

type UndeliveredRow = Omit<UndeliveredPush, 'state'>;

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
export function createPushAdmin(database: Database): PushAdmin {
  const { sql: db, traits } = database;
  const { now } = traits;
  return {
    async list(limit: number): Promise<UndeliveredPush[]> {
      const { rows: dead } = await sql<UndeliveredRow>`
        select task.id as "taskId", dead.id as "configId", task.agent, task.principal, dead.receiver,
          dead.seq as "first", dead.last_seq as "last", dead.reason, dead.at
        from push_dead as dead join task on task.key = dead.key
        order by dead.at desc limit ${limit}`.execute(db);
      const { rows: waiting } = await sql<UndeliveredRow>`
        select task.id as "taskId", config.id as "configId", task.agent, task.principal, config.receiver,
          config.cursor + 1 as "first", task.seq as "last", coalesce(config.failure, '') as reason, config.due_at as at
        from push_config as config join task on task.key = config.key
        where config.active = 1 and config.due_at is not null and config.cursor < task.seq
        order by config.due_at limit ${limit}`.execute(db);
      const shown = (state: UndeliveredPush['state']) => (row: UndeliveredRow) => ({
        ...row,
        state,
        taskId: unescapeText(row.taskId),
        configId: unescapeText(row.configId),
        agent: unescapeText(row.agent),
        principal: unescapeText(row.principal),
        receiver: unescapeText(row.receiver),
        reason: unescapeText(row.reason),
      });
      return [...dead.map(shown('dead')), ...waiting.map(shown('waiting'))];
    },

    async retry(taskId?: string): Promise<number> {
      const ofTask = (table: string) =>
        taskId === undefined
          ? sql``
          : sql`and ${sql.table(table)}.key in (select task.key from task where task.id = ${escapeText(taskId)})`;
      const same = sql`push_dead.key = push_config.key and push_dead.id = push_config.id`;
      const first = sql`(select min(push_dead.seq) - 1 from push_dead where ${same})`;
      const again = sql`
        due_at = ${now}, owner = null, attempts = 0, failure = null, since = ${now}, lease = lease + 1`;
      const [revived = 0, hurried = 0] = await database.transaction([
        sql`
          update push_config set ${again}, active = 1, cursor = case when cursor < ${first} then cursor else ${first} end
          where exists (select 1 from push_dead where ${same}) ${ofTask('push_config')}`,
        sql`update push_config set ${again} where active = 1 and due_at > ${now} ${ofTask('push_config')}`,
        sql`delete from push_dead where true ${ofTask('push_dead')}`,
      ]);
      return revived + hurried;
    },

    close: () => database.close(),
  };
}
