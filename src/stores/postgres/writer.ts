import { type RawBuilder, sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Database, TaskWrite, WriteOutcome } from '../database.ts';
import { claimKey } from '../tasks/idempotency-keys.ts';
import type { PostgresPool } from './pool.ts';

/** The result row of a task that was written. */
interface DoneRow {
  readonly key: string;
  readonly pushed: number;
  readonly followed: number;
}

/** The columns of a task, as `json_to_recordset` reads them. */
const written = sql`w (
  "key" text, expected bigint, seq bigint, turn bigint, state text, "statusAt" bigint, "updatedAt" bigint, owner text,
  fence text, free boolean, id text, agent text, tenant text, principal text, "contextId" text, "createdAt" bigint,
  dialect text, snapshot text, "turnRequest" text, "upstreamId" text, "upstreamContextId" text, parent text, root text,
  trace text, binding text, preview text, reason text, bound boolean)`;

const loggedEvents = sql`e ("key" text, seq bigint, "at" bigint, body text, generation integer)`;

/**
 * Kinds of tasks in one write. The statement has no part for absent kinds, because each part has a cost even if it writes
 * nothing.
 */
interface Contents {
  readonly created: boolean;
  readonly updated: boolean;
  readonly bound: boolean;
}

/** Creates tasks that do not exist yet. */
const createTasks = (returned: RawBuilder<unknown>): RawBuilder<unknown> => sql`
      insert into task ("key", id, agent, tenant, principal, context_id, state, status_at, created_at, updated_at,
        seq, turn_seq, dialect, owner, turn_request, upstream_id, upstream_context_id, parent,
        root, trace, binding, preview, reason)
      select "key", id, agent, tenant, principal, "contextId", state, "statusAt", "createdAt", "updatedAt", seq, turn,
        dialect, owner, "turnRequest", "upstreamId", "upstreamContextId", parent, root, trace, binding, preview, reason
      from w where expected = 0 and id is not null
      on conflict do nothing
      returning ${returned}`;

/** Updates tasks that are at their expected positions. */
const updateTasks = (returned: RawBuilder<unknown>): RawBuilder<unknown> => sql`
      update task set seq = w.seq, updated_at = w."updatedAt",
        turn_seq = coalesce(w.turn, task.turn_seq), state = coalesce(w.state, task.state),
        status_at = coalesce(w."statusAt", task.status_at),
        owner = case when w.state is null then task.owner else w.owner end,
        turn_request = w."turnRequest",
        upstream_id = coalesce(w."upstreamId", task.upstream_id),
        upstream_context_id = coalesce(w."upstreamContextId", task.upstream_context_id),
        reason = coalesce(w.reason, task.reason)
      from w
      where w.expected > 0 and task."key" = w."key" and task.seq = w.expected
        and (w.fence is null or task.owner = w.fence or (w.free and task.owner is null))
      returning ${returned}`;

/** Copies the ids of bound tasks into the tables that earlier versions read. */
const bindIds = sql`,
    b as (select done.*, w."updatedAt" as "at" from w join done on done."key" = w."key" where w.bound),
    bound as (
      insert into upstream_task ("key", agent, tenant, principal, id, task_id, context_id)
      select "key", agent, tenant, principal, id, upstream_id, upstream_context_id from b
      on conflict ("key") do update set task_id = excluded.task_id, context_id = excluded.context_id),
    placed as (
      insert into upstream_context (agent, tenant, principal, id, context_id, used_at)
      select distinct on (agent, tenant, principal, context_id)
        agent, tenant, principal, context_id, upstream_context_id, "at"
      from b where upstream_context_id <> ''
      on conflict (agent, tenant, principal, id)
        do update set context_id = excluded.context_id, used_at = excluded.used_at)`;

const boundColumns = ['id', 'agent', 'tenant', 'principal', 'context_id', 'upstream_id', 'upstream_context_id'];

/**
 * A statement that writes any number of tasks in one round trip and one transaction. It writes those at their expected positions.
 */
function statement({ created, updated, bound }: Contents): RawBuilder<DoneRow> {
  const mark = (n: number): RawBuilder<unknown> => sql.raw(`$${n}::json`);
  const names = ['key', 'pushed', 'followed', ...(bound ? boundColumns : [])];
  const returned = sql.join(names.map((name) => sql.ref(`task.${name}`)));
  const done =
    created && updated
      ? sql`created as (${createTasks(returned)}), updated as (${updateTasks(returned)}),
    done as (select * from created union all select * from updated)`
      : sql`done as (${created ? createTasks(returned) : updateTasks(returned)})`;
  return sql`
    with w as (select * from json_to_recordset(${mark(1)}) as ${written}),
    ${done},
    logged as (
      insert into task_event ("key", seq, "at", body, generation)
      select e."key", e.seq, e."at", e.body, e.generation
      from json_to_recordset(${mark(2)}) as ${loggedEvents} join done on done."key" = e."key"),
    folded as (
      insert into task_snapshot ("key", seq, body)
      select w."key", w.seq, w.snapshot from w join done on done."key" = w."key" where w.snapshot is not null
      on conflict ("key") do update set seq = excluded.seq, body = excluded.body, form = excluded.form)${bound ? bindIds : sql``}
    select "key", pushed, followed from done`;
}

type RunQuery = (query: { name: string; text: string; values: string[] }) => Promise<{ readonly rows: DoneRow[] }>;

/** Writes tasks with this statement, which is prepared once per connection for each combination of contents. */
export function createPostgresTaskWriter(pool: PostgresPool, { sql: db, traits }: Pick<Database, 'sql' | 'traits'>) {
  const texts = new Map<string, string>();
  const { sql: claimText } = claimKey(traits).compile(db);

  const run = async (tasks: readonly TaskWrite[], query: RunQuery): Promise<WriteOutcome[]> => {
    const rows = tasks.map(({ create, events, keyed, ...task }) => ({ ...create, ...task }));
    const events = tasks.flatMap(({ key, events }) =>
      events.map(({ seq, at, json, generation }) => ({ key, seq, at, body: json, generation })),
    );
    const values = [JSON.stringify(rows), JSON.stringify(events)];
    const created = tasks.some(({ create }) => create);
    const updated = tasks.some(({ create }) => !create);
    const bound = tasks.some((task) => task.bound);
    const name = `a2a_write_${Number(created)}${Number(updated)}${Number(bound)}`;
    const text = texts.get(name) ?? statement({ created, updated, bound }).compile(db).sql;
    texts.set(name, text);
    const result = await query({ name, text, values });
    const done = new Map(
      result.rows.map(({ key, pushed, followed }) => [key, { pushed: pushed === 1, followed: followed === 1 }]),
    );
    return tasks.map(({ key }) => done.get(key) ?? 'refused');
  };

  return {
    /** Writes tasks in one transaction, at most one write per task. Resolves with the outcome of each. */
    write: (tasks: readonly TaskWrite[]) => run(tasks, (query) => pool.query<DoneRow>(query, true)),

    /** Writes one task and claims its keys in an open transaction; writes nothing if another call has a key. */
    async writeKeyed(task: TaskWrite, client: ClientBase): Promise<WriteOutcome> {
      const [outcome = 'refused'] = await run([task], (query) => client.query<DoneRow>(query));
      if (outcome === 'refused') return outcome;
      for (const values of task.keyed) {
        const { rowCount } = await client.query({ name: 'a2a_take_key', text: claimText, values: [...values] });
        if (rowCount === 1) continue;
        await client.query('rollback');
        await client.query('begin');
        return 'taken';
      }
      return outcome;
    },
  };
}
