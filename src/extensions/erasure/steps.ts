import { type RawBuilder, sql } from 'kysely';
import { askKey } from '../../core/model/ask.ts';
import { isObject } from '../../core/model/json.ts';
import { answerKey } from '../../core/model/question.ts';
import { bucketKey } from '../../stores/cluster/shared-limits.ts';
import type { Transaction } from '../../stores/database.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { positionName, positionText, readPosition } from '../../stores/full-text/position.ts';
import { inOneTransaction, taskDeletion } from '../../stores/tasks/retention.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';
import type { Erased, ErasedCaller } from '../host.ts';
import type { Change, OpenErasure, StepName } from './model.ts';

/** Statements of one transaction, and the change that they make. */
export type Part = () => Transaction<Change>;

/** Finds the next rows of a step, or returns the part that deletes them. */
type Step = (erasure: OpenErasure) => Promise<Change | Part>;

/** Work of an erasure outside of the tables of the store. */
export interface ErasureTargets {
  /** Asks all replicas to end the caller's tasks. Resolves when all have begun to. */
  end(erasure: OpenErasure): Promise<void>;
  /** Deletes the caller's data in the tables of modules. */
  erase(caller: ErasedCaller, limit: number): Promise<Erased>;
  /** Asks the modules of all replicas to forget the caller, whose tasks have ended. */
  release(erasure: OpenErasure): Promise<Change>;
  /** Asks all replicas to forget the caller, whose tasks are deleted. */
  forget(erasure: OpenErasure): Promise<Change>;
  /** Returns items about the caller outside of the tables, which stay. */
  remaining(principal: string): NonNullable<Erased['remaining']>;
}

interface StepDeps {
  readonly host: StoreHost;
  readonly targets: ErasureTargets;
  /** Numbers of rows that one part reads, and that it deletes. */
  readonly batch: { readonly read: number; readonly deleted: number };
}

/** Most rows of each kind that are counted as remaining, such as later tasks of the caller. */
const mostRemaining = 10_000;
/** Number of pages of the words' index that are merged at once. */
const mergedPages = 64;

interface OwnTask {
  readonly key: string;
  readonly seq: number;
  readonly agent: string;
  readonly upstream_id: string | null;
}

/** The steps of an erasure, which delete the rows of the store that belong to a caller, and find those that point to them. */
export class Steps implements Readonly<Record<StepName, Step>> {
  readonly #host: StoreHost;
  readonly #targets: ErasureTargets;
  readonly #batch: StepDeps['batch'];

  constructor({ host, targets, batch }: StepDeps) {
    this.#host = host;
    this.#targets = targets;
    this.#batch = batch;
  }

  /** Deletes webhooks. This comes first, so that they receive nothing about the end and deletion of the tasks. */
  async webhooks(erasure: OpenErasure): Promise<Part> {
    return this.#deletion(webhooks, erasure, 'more');
  }

  async running(erasure: OpenErasure): Promise<Change> {
    await this.#targets.end(erasure);
    const isRunning = await this.#hasTasks(sql`owner is not null and ${isOf(erasure)}`);
    return isRunning ? { waits: true } : this.#targets.release(erasure);
  }

  /** Finds other callers' tasks in the trees and conversations of the caller's tasks. */
  async links(erasure: OpenErasure): Promise<Change> {
    const { cursor } = erasure.progress;
    const upper = await this.#endOfTasks(cursor);
    if (upper === undefined) return {};
    const own = (where: RawBuilder<unknown>) => sql`
      case when exists (select 1 from task as own where ${where} and ${isOf(erasure, 'own')}) then 1 else 0 end`;
    const found = await this.#host.rows(sql<{ key: string; below: number; beside: number }>`
      select key, below, beside from (
        select key, ${own(sql`own.key in (task.parent, task.root)`)} as below,
          ${own(sql`own.context_id = task.context_id`)} as beside
        from task where key > ${cursor} and key <= ${upper} and principal <> ${escapeText(erasure.principal)}
      ) as linked where below = 1 or beside = 1`);
    const keysOf = (kind: 'below' | 'beside') =>
      found.filter((one) => Number(one[kind]) === 1).map(({ key }) => unescapeText(key));
    return { cursor: upper, remaining: { treeTasks: keysOf('below'), contextTasks: keysOf('beside') } };
  }

  /**
   * Finds other callers' tasks with messages that refer to the caller's tasks, and with calls and questions that the caller
   * decided.
   */
  async references(erasure: OpenErasure): Promise<Change> {
    const { cursor } = erasure.progress;
    const [key, seq] = cursor === '' ? ['', 0] : (JSON.parse(cursor) as [string, number]);
    const { integer } = this.#host.database.traits;
    const after = sql`(task_event.key, task_event.seq) > (${key}, cast(${seq} as ${integer}))`;
    const [end] = await this.#host.rows(sql<{ key: string; seq: number }>`
      select key, seq from (
        select key, seq from task_event where ${after} order by key, seq limit ${this.#batch.read}) as page
      order by key desc, seq desc limit 1`);
    if (!end) return {};
    const found = await this.#host.rows(sql<{ key: string; body: string }>`
      select task_event.key, task_event.body from task_event join task on task.key = task_event.key
      where ${after} and (task_event.key, task_event.seq) <= (${end.key}, cast(${end.seq} as ${integer}))
        and (task_event.body like '%"referenceTaskIds"%' or task_event.body like ${`%"${answerKey}"%`}
          or task_event.body like ${`%"${askKey}"%`}) and task.principal <> ${escapeText(erasure.principal)}`);
    const naming = found.map((one) => ({ key: unescapeText(one.key), ...namesIn(one.body) }));
    const own = await this.#ownAmong(erasure, new Set(naming.flatMap(({ tasks }) => tasks)));
    const keysOf = (isMeant: (names: Names) => boolean) => naming.filter(isMeant).map(({ key }) => key);
    const remaining = {
      referringTasks: keysOf(({ tasks }) => tasks.some((id) => own.has(id))),
      decidedTasks: keysOf(({ people }) => people.includes(erasure.principal)),
    };
    return { cursor: JSON.stringify([end.key, Number(end.seq)]), remaining };
  }

  /**
   * Deletes the next tasks with their data in modules. The oldest task comes first. Begins again if tasks are left at the end,
   * which calls under way opened when the erasure began.
   */
  async tasks(erasure: OpenErasure): Promise<Change | Part> {
    const { principal, before, progress } = erasure;
    const upper = await this.#endOfTasks(progress.cursor);
    if (upper === undefined) return (await this.#hasTasks(isOf(erasure))) ? { next: 'running' } : {};
    const found = await this.#host.rows(sql<OwnTask>`
      select key, seq, agent, upstream_id from task
      where key > ${progress.cursor} and key <= ${upper} and owner is null and ${isOf(erasure)}
      order by key limit ${this.#batch.deleted}`);
    const tasks = inOneTransaction(found);
    const cursor = tasks.at(-1)?.key;
    if (cursor === undefined) return { cursor: upper };
    const keys = tasks.map(({ key }) => key);
    const added = await this.#erase({ principal, before, tasks: keys.map(unescapeText) });
    const dead = await this.#host.rows(sql`select 1 from push_dead where key in (${sql.join(keys)})`);
    const statements = taskDeletion(keys, isOf(erasure)).map((one) => this.#compile(one));
    const upstream = tasks.filter(({ upstream_id }) => upstream_id !== null).map(({ agent }) => unescapeText(agent));
    const events = tasks.reduce((sum, { seq }) => sum + Number(seq), 0);
    return function* () {
      for (const statement of statements) yield statement;
      const erased = { tasks: tasks.length, events, deadLetters: dead.length, ...added.erased };
      return { cursor, erased, remaining: { upstreamAgents: upstream, ...added.remaining } };
    };
  }

  /** Deletes rows of the caller without a task. */
  async tables(erasure: OpenErasure): Promise<Change | Part> {
    const { oneProcess } = this.#host.database.traits;
    const at = Number(erasure.progress.cursor);
    const table = ownTables.filter(({ isShared }) => !(isShared && oneProcess))[at];
    return table ? this.#deletion(table, erasure, `${at}`, `${at + 1}`) : {};
  }

  memory(erasure: OpenErasure): Promise<Change> {
    return this.#targets.forget(erasure);
  }

  async modules({ principal, before }: OpenErasure): Promise<Change> {
    const { more, ...erased } = await this.#erase({ principal, before, tasks: [] });
    return { ...erased, ...(more && { cursor: 'more' }) };
  }

  /**
   * Merges SQLite's index of words, so that the words of deleted tasks vanish. Until then, the index only marks them as deleted.
   */
  async words({ progress: { cursor } }: OpenErasure): Promise<Change | Part> {
    if (cursor === '') await this.#forgetIndexed();
    if (this.#host.database.traits.fullText !== 'fts5') return {};
    const [index] = await this.#host.rows(sql`select 1 from sqlite_master where name = 'task_text_index'`);
    if (!index) return {};
    // A negative number of pages begins to merge all segments into one; positive ones go on.
    const pages = cursor === '' ? -mergedPages : mergedPages;
    const changes = this.#compile(sql`select total_changes() as n`);
    const merge = this.#compile(sql`insert into task_text_index (task_text_index, rank) values ('merge', ${pages})`);
    return function* () {
      const [before] = (yield changes) as { n: number }[];
      yield merge;
      const [after] = (yield changes) as { n: number }[];
      return Number(after?.n) - Number(before?.n) < 2 ? {} : { cursor: 'more' };
    };
  }

  /** Takes the name of the task that was indexed last from the position of the index: it may be gone. */
  async #forgetIndexed(): Promise<void> {
    const [row] = await this.#host.rows(sql<{ value: string }>`select value from meta where name = ${positionName}`);
    if (!row) return;
    const unnamed = positionText({ at: timeIn(row.value), key: '' });
    await this.#host.rows(
      sql`update meta set value = ${unnamed} where name = ${positionName} and value = ${row.value}`,
    );
  }

  /** Counts the remaining items and collects their ids. */
  async remains(erasure: OpenErasure): Promise<Change> {
    const remaining: Record<string, readonly string[]> = { ...this.#targets.remaining(erasure.principal) };
    for (const { kind, table, id, where } of remainingRows) {
      const found = await this.#host.rows(sql<{ id: string }>`
        select ${sql.ref(id)} as id from ${sql.table(table)} where ${where(erasure)} limit ${mostRemaining}`);
      remaining[kind] = found.map((row) => unescapeText(row.id));
    }
    return { remaining };
  }

  #compile(query: RawBuilder<unknown>) {
    return query.compile(this.#host.database.sql);
  }

  #erase(caller: ErasedCaller): Promise<Erased> {
    return this.#targets.erase(caller, this.#batch.deleted);
  }

  /**
   * The part that deletes the next rows of a table.
   *
   * @param again the cursor while there may be more; `next`: after the last of them
   */
  #deletion({ kind, table, key, where, below }: OwnTable, erasure: OpenErasure, again: string, next?: string): Part {
    const { deleted: limit } = this.#batch;
    const order = below === undefined ? sql`` : sql`order by ${key}`;
    const rows = sql`(${key}) in (
      select ${key} from ${sql.table(table)} as held where ${where(erasure)} ${order} limit ${limit})`;
    const first = below === undefined ? undefined : this.#compile(sql`delete from ${sql.table(below)} where ${rows}`);
    const last = this.#compile(sql`delete from ${sql.table(table)} where ${rows} returning 1 as one`);
    return function* () {
      if (first) yield first;
      const { length } = yield last;
      return { erased: { [kind]: length }, cursor: length === limit ? again : next };
    };
  }

  async #hasTasks(where: RawBuilder<unknown>): Promise<boolean> {
    return (await this.#host.rows(sql`select 1 from task where ${where} limit 1`)).length > 0;
  }

  /** Returns those of the ids that belong to tasks of the caller. */
  async #ownAmong(erasure: OpenErasure, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (ids.size === 0) return new Set();
    const list = sql.join([...ids].map(escapeText));
    const found = await this.#host.rows(sql<{ id: string }>`
      select id from task where (key in (${list}) or (id <> key and id in (${list}))) and ${isOf(erasure)}`);
    return new Set(found.map(({ id }) => unescapeText(id)));
  }

  /** Returns the key of the last task in the next batch of all callers' tasks. Undefined: there are no more tasks. */
  async #endOfTasks(after: string): Promise<string | undefined> {
    const [end] = await this.#host.rows(sql<{ key: string | null }>`
      select max(key) as key from (
        select key from task where key > ${after} order by key limit ${this.#batch.read}) as page`);
    return end?.key ?? undefined;
  }
}

/** Returns a condition for the caller's tasks from before the erasure began. */
function isOf({ principal, before }: OpenErasure, table = 'task'): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`${column('principal')} = ${escapeText(principal)} and ${column('created_at')} <= ${before}`;
}

/** Tasks and people that the messages of an event name. */
interface Names {
  readonly tasks: readonly string[];
  /** Ids of principals who have answered, agreed or denied. */
  readonly people: readonly unknown[];
}

function namesIn(body: string): Names {
  const tasks: string[] = [];
  const people: unknown[] = [];
  const collect = (key: string, value: unknown): unknown => {
    if (key === 'referenceTaskIds' && Array.isArray(value)) tasks.push(...value.filter((id) => typeof id === 'string'));
    if (key === answerKey && isObject(value)) people.push(value.by);
    if (key === askKey && isObject(value)) people.push(...listOf(value.asks).flatMap(agreedTo));
    return value;
  };
  try {
    JSON.parse(body, collect);
  } catch {
    // An event that cannot be read names nothing.
  }
  return { tasks, people };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Returns the people who have agreed to one ask about a call. */
const agreedTo = (ask: unknown): unknown[] =>
  isObject(ask) ? listOf(ask.given).map((one) => isObject(one) && one.by) : [];

/** Table with rows that belong to callers. */
interface OwnTable {
  /** Kind of its rows in the numbers of deleted items. */
  readonly kind: string;
  readonly table: string;
  /** Columns of the table's key. */
  readonly key: RawBuilder<unknown>;
  /** Returns the condition for the rows of a caller. In it, a row is called `held`. */
  readonly where: (erasure: OpenErasure) => RawBuilder<unknown>;
  /** Name of a second table. Its rows belong to the row with the same key. */
  readonly below?: string;
  /** Whether the table exists only if replicas share a database. */
  readonly isShared?: true;
}

const isHeldBy = ({ principal }: OpenErasure) => sql`held.principal = ${escapeText(principal)}`;
/** A condition that a row has no task of its owner. @param isOfTask which task it would be */
const isLeft = (isOfTask: RawBuilder<unknown>): RawBuilder<unknown> => sql`not exists (
  select 1 from task where ${isOfTask} and task.agent = held.agent and task.tenant = held.tenant
    and task.principal = held.principal)`;

const webhooks: OwnTable = {
  kind: 'webhooks',
  table: 'push_config',
  key: sql`key, id`,
  where: (erasure) => sql`${isHeldBy(erasure)} and not exists (
    select 1 from task where task.key = held.key and task.created_at > ${erasure.before})`,
};

const ownTables: readonly OwnTable[] = [
  {
    kind: 'keys',
    table: 'idempotency',
    key: sql`agent, tenant, principal, key`,
    where: (erasure) => sql`${isHeldBy(erasure)} and created_at <= ${erasure.before}`,
  },
  {
    kind: 'upstreamIds',
    table: 'upstream_task',
    key: sql`key`,
    where: (erasure) => sql`${isHeldBy(erasure)} and ${isLeft(sql`task.key = held.key`)}`,
  },
  {
    kind: 'upstreamIds',
    table: 'upstream_context',
    key: sql`agent, tenant, principal, id`,
    where: (erasure) =>
      sql`${isHeldBy(erasure)} and used_at <= ${erasure.before} and ${isLeft(sql`task.context_id = held.id`)}`,
  },
  {
    kind: 'agentStates',
    table: 'agent_space',
    key: sql`space`,
    where: (erasure) => sql`${isHeldBy(erasure)} and written_at <= ${erasure.before}
      and ${isLeft(sql`(task.key = held.id or task.context_id = held.id)`)}`,
    below: 'agent_value',
  },
  {
    kind: 'rateLimits',
    table: 'request_share',
    key: sql`key`,
    where: ({ principal }) => sql`key = ${bucketKey(principal)}`,
    isShared: true,
  },
];

/** Rows of a caller that stay. They are named by ids, since the key of a task may contain the name of the caller. */
const remainingRows = [
  {
    kind: 'laterTasks',
    table: 'task',
    id: 'id',
    where: ({ principal, before }: OpenErasure) => sql`principal = ${escapeText(principal)} and created_at > ${before}`,
  },
  {
    kind: 'agentModes',
    table: 'agent_mode',
    id: 'agent',
    where: ({ principal }: OpenErasure) => sql`changed_by = ${escapeText(principal)}`,
  },
  {
    kind: 'erasures',
    table: 'erasure',
    id: 'id',
    where: ({ principal, id }: OpenErasure) => sql`begun_by = ${escapeText(principal)} and id <> ${id}`,
  },
] as const;

/** Returns the time in a position. If the position cannot be read: 0. */
function timeIn(position: string): number {
  try {
    return readPosition(position).at;
  } catch {
    return 0;
  }
}
