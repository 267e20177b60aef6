import { sql as raw } from 'kysely';
import type { Task } from '../../core/model/a2a.ts';
import type { ReadBudget } from '../../core/model/call.ts';
import { fold } from '../../core/model/fold.ts';
import { looksGenerated, type TaskOwner, taskKey } from '../../core/model/ids.ts';
import type { EventPage, StoredTask, TaskRecord } from '../../core/ports/task-store.ts';
import type { Database, Prepared } from '../database.ts';
import type { TaskRow } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';
import { bytesOf, inline, sizeOf, smallText, withinBytes } from './byte-limits.ts';
import { recordOf, requireKnownForm } from './rows.ts';

/** A task's row, with the sizes of the snapshot and events that the task is folded from. */
export interface FoundRow extends TaskRow {
  readonly snapshot_seq: number | null;
  readonly snapshot_size: number | null;
  readonly snapshot_form: number | null;
  /** Only if it is small. */
  readonly snapshot: string | null;
  /** Bytes of the events after the snapshot. */
  readonly log_size: number | null;
}

/** Bytes of JSON that the task is folded from. */
export const bytesOfTask = ({ snapshot_size, log_size }: FoundRow): number => (snapshot_size ?? 0) + (log_size ?? 0);

const snapshotBody = raw.ref('task_snapshot.body');

/** Columns of a task's snapshot; its body only if it has at most that many bytes. */
export const sizedSnapshot = (bytes: number) =>
  [
    raw<number | null>`task_snapshot.seq`.as('snapshot_seq'),
    sizeOf<number | null>(snapshotBody).as('snapshot_size'),
    raw<number | null>`task_snapshot.form`.as('snapshot_form'),
    smallText(snapshotBody, bytes).as('snapshot'),
    // An ended task has no such events; skip the search.
    raw<number | null>`case when task_snapshot.seq = task.seq then 0 else (
      select cast(sum(octet_length(event.body)) as bigint) from task_event event
      where event.key = task.key and event.seq > coalesce(task_snapshot.seq, 0)) end`.as('log_size'),
  ] as const;

/** A row of an event, with its JSON if that is small. */
interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly form: number;
  readonly size: number;
  readonly body: string | null;
}

/** A task folded up to `seq`. */
interface Snapshot {
  readonly seq: number;
  readonly body: string;
  readonly form: number;
}

const sizeOfEvent = ({ size }: EventRow): number => size;
const eventBody = raw.ref('body');

/** Events that are read at once for folding, and bytes of events that are read at once. */
const eventsPerRead = 500;
const bytesPerRead = 1_048_576;
/** After folding more events than this, the snapshot is written back. */
const writeBackAfter = 256;
/** Attempts to read a task whose log changes meanwhile. */
const attempts = 5;

/** A task that its snapshot holds entirely: parsed when it is first used. */
function lazyTask(record: TaskRecord, json: string, bytes: number): StoredTask {
  let task: Task | undefined;
  return {
    ...record,
    json,
    bytes,
    get task() {
      task ??= JSON.parse(json) as Task;
      return task;
    },
  };
}

/**
 * Reads the owner's task with this id. The key of an id that the gateway generated is the id; keys of other ids include
 * the owner.
 */
async function readOwned<Row extends TaskOwner>(read: Prepared<Row>, owner: TaskOwner, id: string) {
  if (looksGenerated(id)) {
    const [row] = await read(escapeText(id));
    if (row && isOwnedBy(row, owner)) return row;
  }
  const [row] = await read(escapeText(taskKey(owner, id, true)));
  return row;
}

const isOwnedBy = (row: TaskOwner, { agent, tenant, principal }: TaskOwner): boolean =>
  row.agent === escapeText(agent) && row.tenant === escapeText(tenant) && row.principal === escapeText(principal);

/** Reads tasks and their logs. */
export class TaskReader {
  readonly #database: Database;
  readonly #find: Prepared<FoundRow>;
  readonly #use: Prepared<TaskOwner & Pick<TaskRow, 'key' | 'dialect'>>;
  readonly #snapshot: Prepared<Snapshot>;
  readonly #events: Prepared<EventRow>;
  readonly #event: Prepared<{ body: string }>;
  readonly #turn: Prepared<Pick<TaskRow, 'turn_seq'>>;
  readonly #positions: Prepared<Pick<TaskRow, 'key' | 'seq'>>;
  readonly #writing = new Set<Promise<void>>();
  readonly #failed: (error: unknown) => void;

  /** @param failed called when a snapshot could not be written back; nothing is lost with it */
  constructor(database: Database, failed: (error: unknown) => void) {
    const { sql, traits } = database;
    this.#database = database;
    this.#failed = failed;
    this.#find = database.prepare(
      sql
        .selectFrom('task')
        .leftJoin('task_snapshot', 'task_snapshot.key', 'task.key')
        .selectAll('task')
        .select(sizedSnapshot(inline.one))
        .where('task.key', '=', ''),
    );
    this.#use = database.prepare(raw`select key, dialect, agent, tenant, principal from task where key = ${''}`);
    this.#events = database.prepare(raw`
      select seq, at, form, ${sizeOf(eventBody)} as size, ${smallText(eventBody, inline.many)} as body
      from task_event where key = ${''} and seq > ${0} order by seq limit ${1}`);
    this.#event = database.prepare(raw`select body from task_event where key = ${''} and seq = ${0}`);
    this.#snapshot = database.prepare(raw`select seq, body, form from task_snapshot where key = ${''}`);
    this.#turn = database.prepare(raw`select turn_seq from task where key = ${''}`);
    const wanted = traits.records('w', { key: 'text' }, raw`${''}`);
    this.#positions = database.prepare(raw`select key, seq from task where key in (select w.key from ${wanted})`);
  }

  async find(owner: TaskOwner, id: string, room?: ReadBudget): Promise<StoredTask | undefined> {
    return this.#folded(() => readOwned(this.#find, owner, id), room);
  }

  /** The key and last dialect of the task that `find` returns. */
  async lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined> {
    const row = await readOwned(this.#use, owner, id);
    return row && { key: unescapeText(row.key), dialect: row.dialect };
  }

  async load(key: string): Promise<StoredTask | undefined> {
    const escaped = escapeText(key);
    return this.#folded(async () => (await this.#find(escaped))[0]);
  }

  async events(key: string, after: number, limit: number, room?: ReadBudget): Promise<EventPage> {
    const { rows, isCut } = await this.#eventRows(escapeText(key), after, limit, room);
    const events: EventPage = rows.map(({ seq, at, body }) => ({ seq, at, event: JSON.parse(body), json: body }));
    if (isCut) events.isCut = true;
    return events;
  }

  async latestTurn(key: string): Promise<number> {
    const [row] = await this.#turn(escapeText(key));
    return row?.turn_seq ?? 1;
  }

  async positions(keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#positions(JSON.stringify(keys.map((key) => ({ key: escapeText(key) }))));
    return new Map(rows.map(({ key, seq }) => [unescapeText(key), seq]));
  }

  /** The task of a row, folded up to the row's position. Undefined if it was deleted meanwhile. */
  async stored(row: FoundRow): Promise<StoredTask | undefined> {
    return (await this.#fold(row)) ?? this.load(recordOf(row).key);
  }

  /** Resolves when all pending snapshots are written. */
  async idle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /**
   * Reads events within the byte limit. Ends early at an event that was deleted meanwhile. `isCut`: the rows end early
   * because of their size.
   */
  async #eventRows(key: string, after: number, limit: number, room?: ReadBudget) {
    const found = await this.#events(key, after, limit);
    const rows = withinBytes(found, bytesPerRead, sizeOfEvent);
    const reserving = room?.reserve(bytesOf(rows, sizeOfEvent));
    if (reserving) await reserving;
    const read: (EventRow & { readonly body: string })[] = [];
    for (const row of rows) {
      requireKnownForm(key, row.form);
      const body = row.body ?? (await this.#event(key, row.seq))[0]?.body;
      if (body === undefined) break;
      read.push({ ...row, body });
    }
    return { rows: read, isCut: rows.length < found.length };
  }

  async #folded(read: () => Promise<FoundRow | undefined>, room?: ReadBudget): Promise<StoredTask | undefined> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const row = await read();
      if (!row) return undefined;
      const reserving = room?.reserve(bytesOfTask(row));
      if (reserving) await reserving;
      const stored = await this.#fold(row);
      if (stored) return stored;
    }
    return undefined;
  }

  /** Undefined when the log does not reach the row's position because it was deleted after the row was read. */
  async #fold(row: FoundRow): Promise<StoredTask | undefined> {
    const record = recordOf(row);
    let task: Task | undefined;
    const snapshot = row.snapshot_seq === null ? undefined : await this.#snapshotOf(row, row.snapshot_seq);
    let seq = snapshot?.seq ?? 0;
    // Written by a reader that read later than this row was read.
    if (seq > row.seq) return undefined;
    let bytes = snapshot ? (row.snapshot_size ?? snapshot.body.length) : 0;
    if (snapshot) {
      requireKnownForm(row.key, snapshot.form);
      if (seq === row.seq) return lazyTask(record, snapshot.body, bytes);
      task = JSON.parse(snapshot.body) as Task;
    }
    const from = seq;
    while (seq < row.seq) {
      const { rows: events } = await this.#eventRows(row.key, seq, Math.min(eventsPerRead, row.seq - seq));
      if (events.length === 0) return undefined;
      for (const event of events) {
        task = fold(task, JSON.parse(event.body));
        bytes += event.size;
      }
      seq = events.at(-1)?.seq ?? seq;
    }
    if (!task) return undefined;
    if (seq - from > writeBackAfter) this.#writeBack(row.key, seq, JSON.stringify(task));
    return { ...record, task, bytes };
  }

  /** The snapshot that came with the row; a large one is read now, and may be newer. */
  async #snapshotOf(row: FoundRow, seq: number): Promise<Snapshot | undefined> {
    const { key, snapshot: body, snapshot_form: form } = row;
    return body === null ? (await this.#snapshot(key))[0] : { seq, body, form: form ?? 1 };
  }

  #writeBack(key: string, seq: number, body: string): void {
    // Only while the task exists: retention may have deleted it.
    const upsert = raw`
      insert into task_snapshot (key, seq, body)
      select key, ${seq}, ${body} from task where key = ${key}
      on conflict (key) do update set seq = excluded.seq, body = excluded.body, form = excluded.form
      where task_snapshot.seq < excluded.seq`;
    const writing = this.#database
      .transaction([upsert])
      .then(() => undefined, this.#failed)
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }
}
