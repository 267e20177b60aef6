import { type RawBuilder, sql } from 'kysely';
import type { Database, TaskFlags } from '../database.ts';
import { escapeText, unescapeText } from '../text.ts';

export interface WrittenTask extends TaskFlags {
  /** Position of its last event. */
  readonly seq: number;
}

/** The writes that one replica is notified of. */
export interface ReplicaNotice {
  /** Keys of the tasks that it follows, with the positions of their last events. */
  readonly written: Map<string, number>;
  /** Tasks with events for webhooks that it delivers to. */
  readonly pushed: string[];
}

interface RecipientRow {
  readonly key: string;
  readonly instance: string | null;
  readonly pushed: boolean;
}

/**
 * The table of followers: which replica is notified of writes to which tasks. A followed task is marked in its own row, of which
 * every write reads the latest version. A write that does not see the mark has therefore ended before the follower reads the log,
 * so that log and notifications together have no gap.
 *
 * @param instance this gateway's name in rows
 */
export function createFollowers(database: Database, instance: string) {
  const { sql: db, traits } = database;
  const insertFollower = database.prepare(followStatement);
  const deleteFollower = database.prepare(unfollowStatement);
  const selectRecipients = database.prepare(recipientsStatement(traits.now));

  /** Implements `Peers.follow`. */
  async function follow(keys: readonly string[]): Promise<string[]> {
    const rows = await insertFollower(JSON.stringify(keys.map(escapeText)), instance);
    return rows.map(({ key }) => unescapeText(key));
  }

  /** Implements `Peers.unfollow`. */
  async function unfollow(keys: readonly string[]): Promise<void> {
    await deleteFollower(JSON.stringify(keys.map(escapeText)), instance);
  }

  /** Deletes followers of deleted tasks. */
  async function expire(): Promise<void> {
    await sql`
      delete from follower where not exists (select 1 from task where task.key = follower.key)`.execute(db);
  }

  /** The notices of some writes by replica, and the tasks with events for webhooks that no other replica delivers to. */
  async function recipientsOf(written: ReadonlyMap<string, WrittenTask>) {
    const wanted = [...written].map(([key, { pushed, followed }]) => ({ key: escapeText(key), pushed, followed }));
    const rows = await selectRecipients(JSON.stringify(wanted), instance);
    const notices = new Map<string, ReplicaNotice>();
    const undelivered: string[] = [];
    for (const { key: escaped, instance, pushed } of rows) {
      const key = unescapeText(escaped);
      if (instance === null) {
        undelivered.push(key);
        continue;
      }
      const notice: ReplicaNotice = notices.get(instance) ?? { written: new Map(), pushed: [] };
      notices.set(instance, notice);
      if (pushed) notice.pushed.push(key);
      else notice.written.set(key, written.get(key)?.seq ?? 0);
    }
    return { notices, undelivered };
  }

  return { follow, unfollow, expire, recipientsOf };
}

const keys = sql`select "key" from json_array_elements_text($1::json) as w("key")`;

/**
 * Returns the tasks that could not be marked because they are being written. It does not wait for their locks: two
 * statements that each hold one row and wait for the other's would deadlock.
 */
const followStatement: RawBuilder<{ key: string }> = sql`
  with wanted as (${keys}),
  following as (insert into follower ("key", instance) select "key", $2 from wanted on conflict do nothing),
  free as (
    select "key" from task where "key" in (select "key" from wanted) and followed = 0
    for no key update skip locked),
  marked as (update task set followed = 1 from free where task."key" = free."key")
  select "key" from task
  where "key" in (select "key" from wanted) and followed = 0 and "key" not in (select "key" from free)`;

const unfollowStatement: RawBuilder<object> = sql`delete from follower where "key" in (${keys}) and instance = $2`;

/** Selects the events that a webhook can receive now, with the replica that delivers to it, if that is alive. */
const recipientsStatement = (now: RawBuilder<number>): RawBuilder<RecipientRow> => sql`
  with w as (select * from json_to_recordset($1::json) as w("key" text, pushed boolean, followed boolean))
  select f."key", f.instance, false as pushed
  from w join follower as f on f."key" = w."key" where w.followed and f.instance <> $2
  union all
  select c."key", g.instance, true
  from w join push_config as c on c."key" = w."key" join task on task."key" = c."key"
    left join gateway as g on g.instance = c.owner
  where w.pushed and c.active = 1 and c.cursor < task.seq and c.owner is distinct from $2
    and (c.due_at is null or c.due_at <= ${now})`;
