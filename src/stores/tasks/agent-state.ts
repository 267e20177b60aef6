import { type RawBuilder, sql } from 'kysely';
import type { StateOutcome, StateSpaceId } from '../../core/ports/agent-state.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { SharedClock } from '../cluster/clock.ts';
import type { Database, Prepared, Traits, Transaction } from '../database.ts';
import { escapeOwner, escapeText } from '../text.ts';

interface AgentStateDeps {
  readonly database: Database;
  readonly clock: SharedClock;
  readonly damaged: DamagedRows;
  /** This gateway's name in rows of tasks. */
  readonly instance: string;
  /** Whether this gateway owns a task, as far as is known. */
  readonly owns: (taskKey: string) => boolean;
}

function requireJson(text: string): string {
  JSON.parse(text);
  return text;
}

const columnsOf = ({ owner, kind, id }: StateSpaceId) => ({ ...escapeOwner(owner), kind, id: escapeText(id) });

/** The values that agents store for tasks and contexts. The row of a space is locked while one of its values is written. */
export class AgentStateTables {
  readonly #database: Database;
  readonly #clock: SharedClock;
  readonly #damaged: DamagedRows;
  readonly #instance: string;
  readonly #owns: (taskKey: string) => boolean;
  readonly #db: Database['sql'];
  readonly #traits: Traits;
  readonly #find: Prepared<{ body: string }>;

  constructor({ database, clock, damaged, instance, owns }: AgentStateDeps) {
    this.#database = database;
    this.#clock = clock;
    this.#damaged = damaged;
    this.#instance = instance;
    this.#owns = owns;
    this.#db = database.sql;
    this.#traits = database.traits;
    this.#find = database.prepare(sql<{ body: string }>`
    select body from agent_space join agent_value on agent_value.space = agent_space.space
    where id = ${''} and kind = ${''} and agent = ${''} and tenant = ${''} and principal = ${''} and name = ${''}`);
  }

  async readState(space: StateSpaceId, name: string): Promise<string | undefined> {
    const { id, kind, agent, tenant, principal } = columnsOf(space);
    const [row] = await this.#find(id, kind, agent, tenant, principal, escapeText(name));
    return row && this.#damaged.read('agent_value', [kind, id, name], () => requireJson(row.body));
  }

  writeState(space: StateSpaceId, name: string, json: string | undefined, limit: number): Promise<StateOutcome> {
    return this.#database.transact(() => this.#write(space, name, json, limit));
  }

  *#write(space: StateSpaceId, name: string, json: string | undefined, limit: number): Transaction<StateOutcome> {
    if (space.kind === 'task' && (yield* this.#isLost(space.id))) return 'lost';
    const { id, kind, agent, tenant, principal } = columnsOf(space);
    const [locked] = (yield sql`
      insert into agent_space (kind, id, agent, tenant, principal, size, written_at)
      values (${kind}, ${id}, ${agent}, ${tenant}, ${principal}, 0, ${this.#clock.now()})
      on conflict (id, kind, agent, tenant, principal) do update set written_at = excluded.written_at
      returning space, size`.compile(this.#db)) as { readonly space: number; readonly size: number }[];
    if (!locked) throw new TypeError('the space was not returned');
    const place = sql`space = ${locked.space} and name = ${escapeText(name)}`;
    const [former] = (yield sql`select size from agent_value where ${place}`.compile(this.#db)) as { size: number }[];
    const added = json === undefined ? 0 : Buffer.byteLength(name) + Buffer.byteLength(json);
    const size = locked.size - (former?.size ?? 0) + added;
    if (json === undefined) yield sql`delete from agent_value where ${place}`.compile(this.#db);
    else if (size > limit) return { size };
    else {
      yield sql`
        insert into agent_value (space, name, size, body)
        values (${locked.space}, ${escapeText(name)}, ${added}, ${json})
        on conflict (space, name) do update set size = excluded.size, body = excluded.body`.compile(this.#db);
    }
    yield sql`update agent_space set size = ${size} where space = ${locked.space}`.compile(this.#db);
    return 'done';
  }

  /** Whether another replica owns the task. A task that is at rest, or has no row yet, has no owner. */
  *#isLost(taskKey: string): Transaction<boolean> {
    // Until the end of the transaction, no other replica can take the task over.
    const lock = this.#traits.rowLocks ? sql`for share` : sql``;
    const query = sql`select owner from task where key = ${escapeText(taskKey)} ${lock}`;
    const [task] = (yield query.compile(this.#db)) as { readonly owner: string | null }[];
    return task !== undefined && task.owner !== this.#instance && (task.owner !== null || this.#owns(taskKey));
  }

  /** Deletes at most `limit` spaces that were last written before `before`, and whose task or context has no task left. */
  async expire(before: number, limit: number): Promise<void> {
    const { rows } = await sql<{ space: number }>`
      select space from agent_space as kept
      where written_at < ${before} and not exists (
        select 1 from task where kept.kind = 'task' and task.key = kept.id) and not exists (
        select 1 from task where kept.kind = 'context' and task.context_id = kept.id and task.agent = kept.agent
          and task.tenant = kept.tenant and task.principal = kept.principal)
      limit ${limit}`.execute(this.#db);
    if (rows.length === 0) return;
    const spaces = sql.join(rows.map(({ space }) => space));
    await this.#database.transaction([
      sql`delete from agent_space where space in (${spaces}) and written_at < ${before}`,
      ...deleteValues(sql`space in (${spaces})`),
    ]);
  }
}

/** Statements that delete the values of deleted spaces. */
const deleteValues = (left: RawBuilder<unknown>): RawBuilder<unknown>[] => [
  sql`delete from agent_value where ${left} and space not in (select space from agent_space where ${left})`,
];

/**
 * Statements that delete the state that agents stored for tasks, in a transaction that has deleted some of the tasks. @param keys
 * a list of task keys
 */
export const deleteTaskStates = (keys: RawBuilder<unknown>): RawBuilder<unknown>[] => {
  const gone = sql`
    select space from agent_space
    where id in (${keys}) and kind = 'task' and id not in (select task.key from task where task.key in (${keys}))`;
  return [sql`delete from agent_value where space in (${gone})`, sql`delete from agent_space where space in (${gone})`];
};
