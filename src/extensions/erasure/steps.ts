import { type RawBuilder, sql } from 'kysely';
import { bucketKey } from '../../stores/cluster/shared-limits.ts';
import type { Transaction } from '../../stores/database.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { taskDeletion } from '../../stores/tasks/retention.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';
import type { Erased, ErasedCaller } from '../host.ts';
import type { Change, OpenErasure, StepName } from './model.ts';

/** A part of a step: statements of one transaction, and the change that they make. */
export type Part = () => Transaction<Change>;

type Step = (erasure: OpenErasure) => Promise<Part>;

/** Work of an erasure outside of the tables of the store. */
export interface ErasureTargets {
  /** Ends the tasks of the caller at all replicas. Resolves when all have begun to. */
  end(erasure: OpenErasure): Promise<void>;
  /** Deletes what modules keep of the caller. */
  erase(caller: ErasedCaller, limit: number): Promise<Erased>;
  /** Has modules forget the caller at all replicas, since its tasks have ended. */
  release(erasure: OpenErasure): Promise<Change>;
  /** Has all replicas forget the caller, since its tasks are deleted. */
  forget(erasure: OpenErasure): Promise<Change>;
  /** Things that stay outside of the tables. */
  remaining(principal: string): NonNullable<Erased['remaining']>;
}

export interface StepDeps {
  readonly host: StoreHost;
  readonly targets: ErasureTargets;
  /** Rows that one part reads, and rows that it deletes. */
  readonly batch: { readonly read: number; readonly deleted: number };
}

/** Events deleted in one transaction; a task with more is deleted in a transaction of its own. */
const batchEvents = 2_500;

/** A part that changes no rows of the store besides the progress. */
const only = (change: Change): Part =>
  // biome-ignore lint/correctness/useYield: it has no statements
  function* () {
    return change;
  };

/** Later tasks of the caller that are counted. */
const mostLater = 10_000;

/** The steps of an erasure, each of which deletes or finds the next rows. */
export function stepsOf({ host, targets, batch }: StepDeps): Readonly<Record<StepName, Step>> {
  const data = new CallerData(host, batch);
  return {
    webhooks: (erasure) => data.webhooks(erasure),

    async running(erasure) {
      await targets.end(erasure);
      return only((await data.hasRunning(erasure)) ? { waits: true } : await targets.release(erasure));
    },

    links: (erasure) => data.links(erasure),
    references: (erasure) => data.references(erasure),

    tasks: (erasure) =>
      data.tasks(erasure, (tasks) => {
        const { principal, before } = erasure;
        return targets.erase({ principal, before, tasks }, batch.deleted);
      }),

    tables: (erasure) => data.tables(erasure),

    async modules({ principal, before }) {
      const { more, ...erased } = await targets.erase({ principal, before, tasks: [] }, batch.deleted);
      return only({ ...erased, ...(more && { cursor: 'more' }) });
    },

    memory: async (erasure) => only(await targets.forget(erasure)),
    words: (erasure) => data.words(erasure),

    async remains(erasure) {
      const found = await data.remains(erasure);
      return only({ remaining: { ...targets.remaining(erasure.principal), ...found } });
    },
  };
}

/** The rows of the store that belong to a caller, or point to what does. */
class CallerData {
  readonly #host: StoreHost;
  readonly #batch: StepDeps['batch'];

  constructor(host: StoreHost, batch: StepDeps['batch']) {
    this.#host = host;
    this.#batch = batch;
  }

  #rows<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    return this.#host.rows(query);
  }

  #compile<Row>(query: RawBuilder<Row>) {
    return query.compile(this.#host.database.sql);
  }

  /** Webhooks go first: they get nothing of what the erasure does to their tasks. */
  async webhooks(erasure: OpenErasure): Promise<Part> {
    const { deleted: limit } = this.#batch;
    const isNewer = sql`exists (
      select 1 from task where task.key = push_config.key and task.created_at > ${erasure.before})`;
    const query = sql`
      delete from push_config where (key, id) in (
        select key, id from push_config where principal = ${escapeText(erasure.principal)} and not ${isNewer}
        limit ${limit})
      returning key`;
    const compiled = this.#compile(query);
    return function* () {
      const { length } = yield compiled;
      return { erased: { webhooks: length }, ...(length === limit && { cursor: 'more' }) };
    };
  }

  /** Whether a replica works on a task of the caller. */
  async hasRunning(erasure: OpenErasure): Promise<boolean> {
    const found = await this.#rows(sql`select 1 from task where owner is not null and ${isOf(erasure)} limit 1`);
    return found.length > 0;
  }

  /** Finds tasks of others in the trees and conversations of the caller's tasks. */
  async links(erasure: OpenErasure): Promise<Part> {
    const { cursor } = erasure.progress;
    const upper = await this.#endOfTasks(cursor);
    if (upper === undefined) return only({});
    const own = (where: RawBuilder<unknown>) => sql`
      case when exists (select 1 from task as own where ${where} and ${isOf(erasure, 'own')}) then 1 else 0 end`;
    const found = await this.#rows(sql<{ key: string; below: number; beside: number }>`
      select key, below, beside from (
        select key, ${own(sql`own.key in (task.parent, task.root)`)} as below,
          ${own(sql`own.context_id = task.context_id`)} as beside
        from task where key > ${cursor} and key <= ${upper} and principal <> ${escapeText(erasure.principal)}
      ) as linked where below = 1 or beside = 1`);
    const keysOf = (kind: 'below' | 'beside') =>
      found.filter((one) => Number(one[kind]) === 1).map(({ key }) => unescapeText(key));
    return only({ cursor: upper, remaining: { treeTasks: keysOf('below'), contextTasks: keysOf('beside') } });
  }

  /** Finds tasks of others with messages that refer to the caller's tasks. */
  async references(erasure: OpenErasure): Promise<Part> {
    const { cursor } = erasure.progress;
    const [key, seq] = cursor === '' ? ['', 0] : (JSON.parse(cursor) as [string, number]);
    const { integer } = this.#host.database.traits;
    const after = sql`(task_event.key, task_event.seq) > (${key}, cast(${seq} as ${integer}))`;
    const [end] = await this.#rows(sql<{ key: string; seq: number }>`
      select key, seq from (
        select key, seq from task_event where ${after} order by key, seq limit ${this.#batch.read}) as page
      order by key desc, seq desc limit 1`);
    if (!end) return only({});
    const found = await this.#rows(sql<{ key: string; body: string }>`
      select task_event.key, task_event.body from task_event join task on task.key = task_event.key
      where ${after} and (task_event.key, task_event.seq) <= (${end.key}, cast(${end.seq} as ${integer}))
        and task_event.body like '%"referenceTaskIds"%' and task.principal <> ${escapeText(erasure.principal)}`);
    const referring = found.map((one) => ({ key: unescapeText(one.key), ids: referencesIn(one.body) }));
    const own = await this.#ownAmong(erasure, new Set(referring.flatMap(({ ids }) => ids)));
    const keys = referring.filter(({ ids }) => ids.some((id) => own.has(id))).map((one) => one.key);
    return only({ cursor: JSON.stringify([end.key, Number(end.seq)]), remaining: { referringTasks: keys } });
  }

  /** The ids that tasks of the caller have. */
  async #ownAmong(erasure: OpenErasure, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (ids.size === 0) return new Set();
    const list = sql.join([...ids].map(escapeText));
    const found = await this.#rows(sql<{ id: string }>`
      select id from task where (key in (${list}) or (id <> key and id in (${list}))) and ${isOf(erasure)}`);
    return new Set(found.map(({ id }) => unescapeText(id)));
  }

  /**
   * Deletes the next tasks, the oldest first. Begins again where tasks are left at the end: of a call that was under way when the
   * erasure began.
   *
   * @param before deletes what modules have of the tasks
   */
  async tasks(erasure: OpenErasure, before: (keys: readonly string[]) => Promise<Erased>): Promise<Part> {
    const { cursor } = erasure.progress;
    const upper = await this.#endOfTasks(cursor);
    if (upper === undefined) {
      const left = await this.#rows(sql`select 1 from task where ${isOf(erasure)} limit 1`);
      return only(left.length > 0 ? { next: 'running' } : {});
    }
    const found = await this.#rows(sql<OwnTask>`
      select key, seq, agent, upstream_id from task
      where key > ${cursor} and key <= ${upper} and owner is null and ${isOf(erasure)}
      order by key limit ${this.#batch.deleted}`);
    const tasks = firstOf(found);
    const last = tasks.at(-1);
    if (!last) return only({ cursor: upper });
    const keys = tasks.map(({ key }) => key);
    const added = await before(keys.map(unescapeText));
    const dead = await this.#rows(sql`select 1 from push_dead where key in (${sql.join(keys)})`);
    const statements = taskDeletion(keys, isOf(erasure)).map((one) => this.#compile(one));
    const upstream = tasks.filter(({ upstream_id }) => upstream_id !== null).map(({ agent }) => unescapeText(agent));
    const events = tasks.reduce((sum, { seq }) => sum + Number(seq), 0);
    return function* () {
      for (const statement of statements) yield statement;
      return {
        cursor: last.key,
        erased: { tasks: tasks.length, events, deadLetters: dead.length, ...added.erased },
        remaining: { upstreamAgents: upstream, ...added.remaining },
      };
    };
  }

  /** Deletes rows of the caller without a task. */
  async tables({ principal: name, before, progress: { cursor } }: OpenErasure): Promise<Part> {
    const { deleted: limit } = this.#batch;
    const principal = escapeText(name);
    const { oneProcess } = this.#host.database.traits;
    const tables = [...ownedTables, ...(oneProcess ? [] : sharedTables)];
    const at = cursor === '' ? 0 : Number(cursor);
    const table = tables[at];
    if (!table) return only({});
    const statements = table.statements({ principal, name, before, limit }).map((one) => this.#compile(one));
    return function* () {
      let count = 0;
      for (const statement of statements) count = (yield statement).length;
      return { erased: { [table.kind]: count }, cursor: `${count < limit ? at + 1 : at}` };
    };
  }

  /** Has SQLite's index of words forget the words of tasks that are gone: until then, it only marks them. */
  async words({ progress: { cursor } }: OpenErasure): Promise<Part> {
    const { traits } = this.#host.database;
    if (traits.fullText !== 'fts5') return only({});
    const [index] = await this.#rows(sql`select 1 from sqlite_master where name = 'task_text_index'`);
    if (!index) return only({});
    // A negative number of pages begins to merge all segments into one; positive ones go on.
    const pages = cursor === '' ? -mergedPages : mergedPages;
    const changes = this.#compile(sql<{ n: number }>`select total_changes() as n`);
    const merge = this.#compile(sql`insert into task_text_index (task_text_index, rank) values ('merge', ${pages})`);
    return function* () {
      const [before] = (yield changes) as { n: number }[];
      yield merge;
      const [after] = (yield changes) as { n: number }[];
      const isOver = Number(after?.n) - Number(before?.n) < 2;
      return isOver ? {} : { cursor: 'more' };
    };
  }

  /** Things in the tables that stay. */
  async remains({ principal: name, before, id }: OpenErasure): Promise<NonNullable<Erased['remaining']>> {
    const principal = escapeText(name);
    const later = await this.#rows(sql<{ id: string }>`
      select id from task where principal = ${principal} and created_at > ${before} limit ${mostLater}`);
    const modes = await this.#rows(
      sql<{ agent: string }>`select agent from agent_mode where changed_by = ${principal}`,
    );
    const erasures = await this.#rows(
      sql<{ id: string }>`select id from erasure where begun_by = ${principal} and id <> ${id}`,
    );
    return {
      // Keys may have the name of the caller in them.
      laterTasks: later.map((task) => unescapeText(task.id)),
      agentModes: modes.map(({ agent }) => unescapeText(agent)),
      erasures: erasures.map((one) => one.id),
    };
  }

  /** The key of the last of the next tasks of all callers. Undefined: there are none. */
  async #endOfTasks(after: string): Promise<string | undefined> {
    const [end] = await this.#rows(sql<{ key: string | null }>`
      select max(key) as key from (
        select key from task where key > ${after} order by key limit ${this.#batch.read}) as page`);
    return end?.key ?? undefined;
  }
}

/** Pages of the index of words that are merged at once. */
const mergedPages = 64;

interface OwnTask {
  readonly key: string;
  readonly seq: number;
  readonly agent: string;
  readonly upstream_id: string | null;
}

/** The first tasks, with as many events as one transaction deletes. */
function firstOf(tasks: readonly OwnTask[]): OwnTask[] {
  let events = 0;
  const end = tasks.findIndex(({ seq }, at) => {
    events += Number(seq);
    return at > 0 && events > batchEvents;
  });
  return tasks.slice(0, end < 0 ? undefined : end);
}

/** A condition for tasks of the caller from before the erasure began. */
function isOf({ principal, before }: OpenErasure, table = 'task'): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`${column('principal')} = ${escapeText(principal)} and ${column('created_at')} <= ${before}`;
}

/** The ids of tasks to which messages in the JSON of an event refer. */
function referencesIn(body: string): string[] {
  const found: string[] = [];
  const collect = (key: string, value: unknown): unknown => {
    if (key === 'referenceTaskIds' && Array.isArray(value)) found.push(...value.filter((id) => typeof id === 'string'));
    return value;
  };
  try {
    JSON.parse(body, collect);
  } catch {
    // An event that cannot be read refers to nothing.
  }
  return found;
}

interface Owned {
  /** Escaped, as in columns. */
  readonly principal: string;
  readonly name: string;
  readonly before: number;
  readonly limit: number;
}

interface OwnedTable {
  /** The kind of its rows. */
  readonly kind: string;
  /** Statements that delete the next rows. The last one returns them. */
  statements(owned: Owned): RawBuilder<unknown>[];
}

const owner = sql`agent, tenant, principal`;
/** A condition that a row of `held` has no task of its owner. @param isOfTask which task it would be */
const isLeft = (isOfTask: RawBuilder<unknown>): RawBuilder<unknown> => sql`not exists (
  select 1 from task where ${isOfTask} and task.agent = held.agent and task.tenant = held.tenant
    and task.principal = held.principal)`;

const ownedTables: readonly OwnedTable[] = [
  {
    kind: 'keys',
    statements: ({ principal, before, limit }) => [
      sql`
        delete from idempotency where (${owner}, key) in (
          select ${owner}, key from idempotency where principal = ${principal} and created_at <= ${before} limit ${limit})
        returning key`,
    ],
  },
  {
    kind: 'upstreamIds',
    statements: ({ principal, limit }) => [
      sql`
        delete from upstream_task where key in (
          select key from upstream_task as held where principal = ${principal} and ${isLeft(sql`task.key = held.key`)}
          limit ${limit})
        returning key`,
    ],
  },
  {
    kind: 'upstreamIds',
    statements: ({ principal, before, limit }) => [
      sql`
        delete from upstream_context where (${owner}, id) in (
          select ${owner}, id from upstream_context as held
          where principal = ${principal} and used_at <= ${before} and ${isLeft(sql`task.context_id = held.id`)}
          limit ${limit})
        returning id`,
    ],
  },
  {
    kind: 'agentStates',
    statements({ principal, before, limit }) {
      const isOfTask = sql`(task.key = held.id or task.context_id = held.id)`;
      const spaces = sql`
        select space from agent_space as held
        where principal = ${principal} and written_at <= ${before} and ${isLeft(isOfTask)} order by space limit ${limit}`;
      return [
        sql`delete from agent_value where space in (${spaces})`,
        sql`delete from agent_space where space in (${spaces}) returning space`,
      ];
    },
  },
];

/** Tables of replicas that share a database. */
const sharedTables: readonly OwnedTable[] = [
  {
    kind: 'rateLimits',
    statements: ({ name }) => [sql`delete from request_share where key = ${bucketKey(name)} returning key`],
  },
];
