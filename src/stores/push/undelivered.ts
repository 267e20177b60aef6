import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { UndeliveredPage, UndeliveredPush } from '../../core/ports/admin-store.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import { integerIn } from '../damaged-rows.ts';
import type { Database } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import { keyOf } from '../tasks/rows.ts';
import { escapeText, unescapeText } from '../text.ts';

/** Number of configurations that one transaction changes. */
const batch = 500;

/** Position at which a page continues. Dead letters come before configurations that wait. */
type Position = readonly [state: UndeliveredPush['state'], at: number, key: string, id: string, seq: number];

type UndeliveredRow = Omit<UndeliveredPush, 'state'>;
type FoundRow = UndeliveredRow & Pick<UndeliveredPush, 'state'>;

/** Lists push configurations with undelivered events, and makes replicas deliver these events again. */
export class UndeliveredPushes {
  readonly #database: Database;
  readonly #tokens: PageTokens;
  readonly #damaged: DamagedRows;
  readonly #db: Database['sql'];
  readonly #now: RawBuilder<number>;

  constructor(database: Database, tokens: PageTokens, damaged: DamagedRows) {
    this.#database = database;
    this.#tokens = tokens;
    this.#damaged = damaged;
    const { traits } = database;
    this.#db = database.sql;
    this.#now = traits.now;
  }

  async listUndelivered(taskId: string | undefined, size: number, token: string): Promise<UndeliveredPage> {
    const listed = ['undelivered', taskId ?? null];
    const [state = 'dead', ...from] = (this.#tokens.read(listed, token) as Position | undefined) ?? [];
    const [at, key, id, seq] = from;
    const found: FoundRow[] = [];
    if (state === 'dead') {
      const position = at === undefined ? [] : [at, escapeText(key ?? ''), escapeText(id ?? ''), seq ?? 0];
      for (const row of await this.#dead(taskId, size + 1, position)) found.push({ state: 'dead', ...row });
    }
    if (found.length <= size) {
      const position = state === 'dead' || at === undefined ? [] : [at, escapeText(key ?? ''), escapeText(id ?? '')];
      for (const row of await this.#waiting(taskId, size + 1 - found.length, position))
        found.push({ state: 'waiting', ...row });
    }
    const page = found.slice(0, size);
    const items = page.flatMap((row) => readRow(this.#damaged, row) ?? []);
    const last = page.at(-1);
    if (!last || found.length <= size) return { items, nextPageToken: '' };
    const next: Position = [
      last.state,
      last.at,
      keyOf({ key: last.taskKey }),
      keyOf({ key: last.configId }),
      last.first,
    ];
    return { items, nextPageToken: this.#tokens.write(listed, next) };
  }

  async countDead(limit: number): Promise<number> {
    const { rows } = await sql<{ n: number | string }>`
      select count(*) as n from (select 1 from push_dead as dead join task on task.key = dead.key
        limit ${sql.lit(limit)}) as found`.execute(this.#db);
    return Number(rows[0]?.n);
  }

  async #dead(
    taskId: string | undefined,
    limit: number,
    from: readonly (string | number)[],
  ): Promise<UndeliveredRow[]> {
    const isLater = sql`dead.at <= ${from[0]} and (dead.at, dead.key, dead.id, dead.seq) < (${sql.join(from)})`;
    const { rows } = await sql<UndeliveredRow>`
      select dead.key as "taskKey", task.id as "taskId", dead.id as "configId", task.agent, task.principal, dead.receiver,
        coalesce(config.dialect, '') as dialect, dead.seq as "first", dead.last_seq as "last", 0 as attempts,
        dead.reason, dead.at
      from push_dead as dead join task on task.key = dead.key
        left join push_config as config on config.key = dead.key and config.id = dead.id
      where ${ofTask('dead', taskId)} and ${from.length === 0 ? all : isLater}
      order by dead.at desc, dead.key desc, dead.id desc, dead.seq desc limit ${limit}`.execute(this.#db);
    return rows;
  }

  async #waiting(
    taskId: string | undefined,
    limit: number,
    from: readonly (string | number)[],
  ): Promise<UndeliveredRow[]> {
    const isLater = sql`config.due_at >= ${from[0]} and (config.due_at, config.key, config.id) > (${sql.join(from)})`;
    // The `+` has SQLite read the index of due times in its order.
    const { rows } = await sql<UndeliveredRow>`
      select config.key as "taskKey", task.id as "taskId", config.id as "configId", task.agent, task.principal,
        config.receiver, config.dialect, config.cursor + 1 as "first", task.seq as "last", config.attempts,
        coalesce(config.failure, '') as reason, config.due_at as at
      from push_config as config join task on task.key = config.key
      where +config.active = 1 and config.due_at is not null and config.cursor < task.seq
        and ${ofTask('config', taskId)} and ${from.length === 0 ? all : isLater}
      order by config.due_at, config.key, config.id limit ${limit}`.execute(this.#db);
    return rows;
  }

  /**
   * Implements `AdminStore.retryUndelivered`, in transactions of a bounded size and in the order of the keys, so that a
   * configuration that fails again meanwhile is not retried twice. No clock decides: letters and configurations carry estimates
   * of the database's time.
   */
  async retryUndelivered(taskId: string | undefined, receiver: string | undefined): Promise<number> {
    const isWanted = (table: string): RawBuilder<unknown> =>
      receiver === undefined
        ? ofTask(table, taskId)
        : sql`${ofTask(table, taskId)} and ${sql.ref(`${table}.receiver`)} = ${escapeText(receiver)}`;
    const again = sql`
      due_at = ${this.#now}, owner = null, attempts = 0, failure = null, since = ${this.#now}, lease = lease + 1`;
    const same = sql`push_dead.key = push_config.key and push_dead.id = push_config.id`;
    const first = sql`(select min(push_dead.seq) - 1 from push_dead where ${same})`;

    const revived = await this.#inBatches(
      (after) => sql`
        select distinct push_dead.key, push_dead.id from push_dead
        where (push_dead.key, push_dead.id) > ${after} and ${isWanted('push_dead')}
        order by push_dead.key, push_dead.id limit ${sql.lit(batch)}`,
      (among) => [
        sql`
          update push_config set ${again}, active = 1, cursor = case when cursor < ${first} then cursor else ${first} end
          where ${among} and exists (select 1 from push_dead where ${same})`,
        sql`delete from push_dead where ${among}`,
      ],
    );
    // The `+` and the `||` have SQLite read the index of due times, and not all configurations in the order of their keys.
    const hurried = await this.#inBatches(
      (after) => sql`
        select config.key, config.id from push_config as config
        where +config.active = 1 and config.due_at > ${this.#now} and (config.key || '', config.id) > ${after}
          and ${isWanted('config')}
        order by config.key || '', config.id limit ${sql.lit(batch)}`,
      (among) => [sql`update push_config set ${again} where +active = 1 and +due_at > ${this.#now} and ${among}`],
    );
    return revived + hurried;
  }

  /**
   * Changes configurations batch by batch.
   *
   * @returns the number of rows that the first statements of the batches changed
   */
  async #inBatches(
    found: (after: RawBuilder<unknown>) => RawBuilder<unknown>,
    change: (among: RawBuilder<unknown>) => RawBuilder<unknown>[],
  ): Promise<number> {
    let changed = 0;
    let after: RawBuilder<unknown> = sql`('', '')`;
    for (;;) {
      const { rows } = await sql<{ key: string; id: string }>`${found(after)}`.execute(this.#db);
      const ids = rows.map(({ key, id }) => sql`(${key}, ${id})`);
      const last = ids.at(-1);
      if (!last) return changed;
      const [count = 0] = await this.#database.transaction(change(sql`(key, id) in (values ${sql.join(ids)})`));
      changed += count;
      after = last;
    }
  }
}

const all = sql<SqlBool>`1 = 1`;

/** Whether a row belongs to a task with this id: a generated id is the key, a chosen one has an index. */
function ofTask(table: string, taskId: string | undefined): RawBuilder<unknown> {
  if (taskId === undefined) return all;
  const id = escapeText(taskId);
  return sql`${sql.ref(`${table}.key`)} in (
    select task.key from task where task.key = ${id}
    union all select task.key from task where task.id = ${id} and task.id <> task.key)`;
}

const tables: Readonly<Record<UndeliveredPush['state'], string>> = { dead: 'push_dead', waiting: 'push_config' };

const readRow = (damaged: DamagedRows, row: FoundRow): UndeliveredPush | undefined =>
  damaged.read(tables[row.state], [row.taskKey, row.configId, row.first], () => ({
    state: row.state,
    taskKey: unescapeText(row.taskKey),
    taskId: unescapeText(row.taskId),
    configId: unescapeText(row.configId),
    agent: unescapeText(row.agent),
    principal: unescapeText(row.principal),
    receiver: unescapeText(row.receiver),
    dialect: unescapeText(row.dialect),
    reason: unescapeText(row.reason),
    first: integerIn(row, 'first'),
    last: integerIn(row, 'last'),
    attempts: integerIn(row, 'attempts'),
    at: integerIn(row, 'at'),
  }));
