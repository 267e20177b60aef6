import { sql as raw, type Selectable, type SqlBool } from 'kysely';
import { parseInTurns, writeInTurns } from '../../core/limits/large-json.ts';
import { isLarge, loopTurns } from '../../core/limits/loop-turns.ts';
import type { StreamResponse, Task } from '../../core/model/a2a.ts';
import type { ReadBudget } from '../../core/model/call.ts';
import { fold } from '../../core/model/fold.ts';
import { looksGenerated, type TaskOwner, taskKey } from '../../core/model/ids.ts';
import type { EventPage, SizedRecord, StoredTask, TaskRecord } from '../../core/ports/task-store.ts';
import type { Database, Prepared } from '../database.ts';
import type { TaskRow, TaskSnapshotTable } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';
import { bytesOf, inline, sizeOf, smallText, withinBytes } from './byte-limits.ts';
import { createGenerationCounter, generationOfTask, isMessageText } from './generations.ts';
import { type RecordRow, recordColumns, recordOf, requireKnownForm, terminalStates } from './rows.ts';

/**
 * A task's row with its snapshot and the sizes of what the task is folded from. The snapshot is a row of its own, or the
 * last event where that event is the whole task. `snapshot` is null where it is large.
 */
export type FoundRow = RecordRow & { readonly snapshot: string | null } & Readonly<
    Record<'generation' | 'snapshot_seq' | 'snapshot_size' | 'snapshot_form' | 'whole_seq' | 'log_size', number | null>
  >;

/** Bytes of JSON that the task is folded from. */
export const bytesOfTask = ({ snapshot_size, log_size }: FoundRow): number => (snapshot_size ?? 0) + (log_size ?? 0);

/**
 * Joins the snapshot of a task. A task of one event has none, because a log starts with a whole task; and a task that
 * ended with a whole task has none. Where the key is null, the database does not search.
 */
export const joinedSnapshot = {
  snapshot: raw<SqlBool>`task_snapshot.key = case when task.seq > 1 then task.key end`,
  whole: raw<SqlBool>`whole.seq = task.seq and whole.key = case when task.seq = 1
    or (task_snapshot.key is null and task.state in (${raw.join(terminalStates.map((state) => raw.lit(state)))}))
    then task.key end`,
};

const snapshotSeq = raw<number | null>`coalesce(task_snapshot.seq, whole.seq)`;
const snapshotBody = raw`coalesce(task_snapshot.body, whole.body)`;

/** Columns of a task's snapshot; its body only if it has at most that many bytes. */
export const sizedSnapshot = (bytes: number) =>
  [
    snapshotSeq.as('snapshot_seq'),
    sizeOf<number | null>(snapshotBody).as('snapshot_size'),
    raw<number | null>`coalesce(task_snapshot.form, whole.form)`.as('snapshot_form'),
    smallText(snapshotBody, bytes).as('snapshot'),
    raw<number | null>`whole.seq`.as('whole_seq'),
    generationOfTask(snapshotSeq).as('generation'),
    // An ended task has no such events; skip the search.
    raw<number | null>`case when ${snapshotSeq} = task.seq then 0 else (
      select cast(sum(octet_length(event.body)) as bigint) from task_event event
      where event.key = task.key and event.seq > coalesce(${snapshotSeq}, 0)) end`.as('log_size'),
  ] as const;

const wholeTask = '{"task":';

/** The JSON of the task in the JSON of an event. Undefined: the event is of another kind. */
const taskIn = (event: string): string | undefined =>
  event.startsWith(wholeTask) ? event.slice(wholeTask.length, -1) : undefined;

/** A row of an event, with its JSON if that is small. */
type EventRow = Readonly<Record<'seq' | 'at' | 'form' | 'size', number>> & {
  readonly generation: number | null;
  readonly body: string | null;
};

/** A task folded up to `seq`. */
type Snapshot = Selectable<Omit<TaskSnapshotTable, 'key'>>;

const sizeOfEvent = ({ size }: EventRow): number => size;
const eventBody = raw.ref('body');

/** Events that are read at once for folding, and bytes of events that are read at once. */
const eventsPerRead = 500;
const bytesPerRead = 1_048_576;
/** After folding more events or bytes than this, or an ended task, the snapshot is written back. */
const writeBackAfter = { events: 256, bytes: 4 << 20 } as const;
/** Attempts to read a task whose log changes meanwhile. */
const attempts = 5;

/** The task of a record: folded already, or text that is parsed when it is first used. */
class TaskText {
  readonly json: string | undefined;
  #task: Task | undefined;

  constructor(json: string | undefined, task?: Task) {
    this.json = json;
    this.#task = task;
  }

  get task(): Task {
    this.#task ??= JSON.parse(this.json ?? '') as Task;
    return this.#task;
  }
}

const storedTask = (record: SizedRecord, json: string | undefined, task?: Task): StoredTask =>
  Object.assign(new TaskText(json, task), record);

/** @param bytes that the task is folded from. They are all there are, unless a snapshot stands for several events */
const sizedRecord = (row: FoundRow, generation: number, bytes: number): SizedRecord => ({
  ...recordOf(row, generation),
  bytes,
  logBytes: (row.snapshot_seq ?? 0) > 1 ? undefined : bytes,
});

/** Reads the owner's task with this id. Its key is the id if the gateway generated it; other keys include the owner. */
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

/** The prepared statements; all but one read by a task's key. */
function prepareQueries(database: Database) {
  const wanted = database.traits.records('w', { key: 'text' }, raw`${''}`);
  const key = raw`key = ${''}`;
  return {
    find: database.prepare(raw<FoundRow>`
      select ${recordColumns}, ${raw.join([...sizedSnapshot(inline.one)])}
      from task left join task_snapshot on ${joinedSnapshot.snapshot}
        left join task_event as whole on ${joinedSnapshot.whole}
      where task.key = ${''}`),
    use: database.prepare(
      raw<TaskOwner & Pick<TaskRow, 'key' | 'dialect'>>`
        select key, dialect, agent, tenant, principal from task where ${key}`,
    ),
    /** After a position, at most so many. */
    events: database.prepare(raw<EventRow>`
      select seq, at, form, generation, ${sizeOf(eventBody)} as size, ${smallText(eventBody, inline.many)} as body
      from task_event where ${key} and seq > ${0} order by seq limit ${1}`),
    event: database.prepare(raw<{ body: string }>`select body from task_event where ${key} and seq = ${0}`),
    bytes: database.prepare(raw<{ bytes: number | null; form: number | null }>`
      select cast(sum(octet_length(body)) as bigint) as bytes, max(form) as form from task_event where ${key} and seq <= ${0}`),
    snapshot: database.prepare(raw<Snapshot>`select seq, body, form from task_snapshot where ${key}`),
    turn: database.prepare(raw<{ turn_seq: number }>`select turn_seq from task where ${key}`),
    turnRequest: database.prepare(raw<Pick<TaskRow, 'turn_request'>>`select turn_request from task where ${key}`),
    positions: database.prepare(
      raw<{ key: string; seq: number }>`select key, seq from task where key in (select w.key from ${wanted})`,
    ),
  };
}

/** Reads tasks and their logs. */
export class TaskReader {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof prepareQueries>;
  readonly #countGeneration: ReturnType<typeof createGenerationCounter>;
  readonly #writing = new Set<Promise<void>>();
  readonly #failed: (error: unknown) => void;

  /** @param failed called when a snapshot could not be written back; nothing is lost with it */
  constructor(database: Database, failed: (error: unknown) => void) {
    this.#database = database;
    this.#queries = prepareQueries(database);
    this.#countGeneration = createGenerationCounter(database);
    this.#failed = failed;
  }

  find(owner: TaskOwner, id: string, room?: ReadBudget): Promise<StoredTask | undefined> {
    return this.#folded(() => readOwned(this.#queries.find, owner, id), room);
  }

  /** The key and last dialect of the task that `find` returns. */
  async lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined> {
    const row = await readOwned(this.#queries.use, owner, id);
    return row && { key: unescapeText(row.key), dialect: row.dialect };
  }

  async load(key: string, room?: ReadBudget): Promise<StoredTask | undefined> {
    const escaped = escapeText(key);
    return this.#folded(async () => (await this.#queries.find(escaped))[0], room);
  }

  async findRecord(owner: TaskOwner, id: string): Promise<SizedRecord | undefined> {
    const row = await readOwned(this.#queries.find, owner, id);
    return row && this.#recordOf(row);
  }

  async loadRecord(key: string): Promise<SizedRecord | undefined> {
    const [row] = await this.#queries.find(escapeText(key));
    return row && this.#recordOf(row);
  }

  /** The record of a task whose events this version can read, with the bytes of all its events. */
  async loadReadable(key: string): Promise<SizedRecord | undefined> {
    const record = await this.loadRecord(key);
    if (!record) return undefined;
    const [counted] = await this.#queries.bytes(escapeText(key), record.seq);
    requireKnownForm(escapeText(key), counted?.form ?? 1);
    return { ...record, logBytes: counted?.bytes ?? 0 };
  }

  async logBytes(key: string, until: number): Promise<number> {
    const [counted] = await this.#queries.bytes(escapeText(key), until);
    return counted?.bytes ?? 0;
  }

  /**
   * Stores the first event of a task as its snapshot, unless it has one: readers fold the other events into it. Without one,
   * the last event of an ended task would count as the whole task.
   */
  async keepOpening(key: string): Promise<void> {
    const escaped = escapeText(key);
    const copy = raw`
      insert into task_snapshot (key, seq, body, form)
      select key, seq, substr(body, ${raw.lit(wholeTask.length + 1)}, length(body) - ${raw.lit(wholeTask.length + 1)}), form
      from task_event where key = ${escaped} and seq = 1
      on conflict (key) do nothing`;
    await this.#database.transaction([copy]);
  }

  async #recordOf(row: FoundRow): Promise<SizedRecord> {
    requireKnownForm(row.key, row.snapshot_form ?? 1);
    const generation = row.generation ?? (await this.#countGeneration(row.key, row.seq));
    return sizedRecord(row, generation, bytesOfTask(row));
  }

  async events(key: string, after: number, limit: number, room?: ReadBudget): Promise<EventPage> {
    const { rows, isCut } = await this.#eventRows(escapeText(key), after, limit, room);
    const events: EventPage = [];
    for (const { seq, at, generation: stored, body } of rows) {
      const before = events.at(-1)?.generation;
      const generation = stored ?? (await this.#generationOf(key, seq, body, before));
      events.push({ seq, at, generation, event: JSON.parse(body), json: body });
    }
    if (isCut) events.isCut = true;
    return events;
  }

  /** Of an event whose row does not have it. `before`: that of the event before, where it is known. */
  async #generationOf(key: string, seq: number, body: string, before: number | undefined): Promise<number> {
    if (before === undefined) return this.#countGeneration(escapeText(key), seq);
    return isMessageText(body) ? before : before + 1;
  }

  async latestTurn(key: string): Promise<number> {
    const [row] = await this.#queries.turn(escapeText(key));
    return row?.turn_seq ?? 1;
  }

  async turnRequest(key: string): Promise<string | undefined> {
    const [row] = await this.#queries.turnRequest(escapeText(key));
    return row?.turn_request ?? undefined;
  }

  async positions(keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#queries.positions(JSON.stringify(keys.map((key) => ({ key: escapeText(key) }))));
    return new Map(rows.map(({ key, seq }) => [unescapeText(key), seq]));
  }

  /** The task of a row, folded up to the row's position. Undefined if it was deleted meanwhile. */
  async stored(row: FoundRow): Promise<StoredTask | undefined> {
    return this.#whole(row) ?? (await this.#fold(row)) ?? this.load(unescapeText(row.key));
  }

  /** A task that is too large to be read: its row, with the status message where that is the last event. */
  async outline(row: FoundRow): Promise<Pick<StoredTask, 'task' | 'createdAt' | 'updatedAt' | 'generation'>> {
    const record = await this.#recordOf(row);
    const [last] = await this.#queries.events(row.key, row.seq - 1, 1);
    const { statusUpdate }: StreamResponse = last?.body ? JSON.parse(last.body) : {};
    const status = { state: record.state, timestamp: new Date(record.statusAt).toISOString() };
    const task: Task = { id: record.id, contextId: record.contextId, status: statusUpdate?.status ?? status };
    return { ...record, task };
  }

  /** Resolves when all pending snapshots are written. */
  async idle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** Reads events within the byte limit; `isCut`: it left some out. Ends at an event that was deleted meanwhile. */
  async #eventRows(key: string, after: number, limit: number, room?: ReadBudget) {
    const found = await this.#queries.events(key, after, limit);
    const rows = withinBytes(found, bytesPerRead, sizeOfEvent);
    const reserving = room?.reserve(bytesOf(rows, sizeOfEvent));
    if (reserving) await reserving;
    const read: (EventRow & { readonly body: string })[] = [];
    for (const row of rows) {
      requireKnownForm(key, row.form);
      const body = row.body ?? (await this.#queries.event(key, row.seq))[0]?.body;
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
      const stored = this.#whole(row) ?? (await this.#fold(row));
      if (stored) return stored;
    }
    return undefined;
  }

  /** The task where all of it came with the row, as that of most ended tasks does: then there is nothing to wait for. */
  #whole(row: FoundRow): StoredTask | undefined {
    const { seq, snapshot, snapshot_seq, snapshot_form, whole_seq, generation } = row;
    if (snapshot === null || snapshot_seq !== seq || generation === null) return undefined;
    const json = whole_seq === null ? snapshot : taskIn(snapshot);
    if (json === undefined) return undefined;
    requireKnownForm(row.key, snapshot_form ?? 1);
    return storedTask(sizedRecord(row, generation, bytesOfTask(row)), json);
  }

  /** Undefined when the log does not reach the row's position because it was deleted after the row was read. */
  async #fold(row: FoundRow): Promise<StoredTask | undefined> {
    let task: Task | undefined;
    const snapshot = row.snapshot_seq === null ? undefined : await this.#snapshotOf(row, row.snapshot_seq);
    let seq = snapshot?.seq ?? 0;
    // Written by a reader that read later than this row was read.
    if (seq > row.seq) return undefined;
    let { generation } = row;
    let bytes = snapshot ? (row.snapshot_size ?? snapshot.body.length) : 0;
    if (snapshot) {
      requireKnownForm(row.key, snapshot.form);
      if (seq === row.seq) {
        generation ??= await this.#countGeneration(row.key, seq);
        return storedTask(sizedRecord(row, generation, bytes), snapshot.body);
      }
      task = (await parseInTurns(loopTurns, snapshot.body)) as Task;
    }
    const from = seq;
    const before = bytes;
    while (seq < row.seq) {
      const { rows: events } = await this.#eventRows(row.key, seq, Math.min(eventsPerRead, row.seq - seq));
      if (events.length === 0) return undefined;
      for (const event of events) {
        const turn = loopTurns.takeFor(event.size);
        if (turn) await turn;
        const parsed = isLarge(event.size) ? await parseInTurns(loopTurns, event.body) : JSON.parse(event.body);
        task = fold(task, parsed as StreamResponse);
        bytes += event.size;
      }
      const last = events.at(-1);
      seq = last?.seq ?? seq;
      if (seq === row.seq) generation ??= last?.generation ?? null;
    }
    if (!task) return undefined;
    generation ??= await this.#countGeneration(row.key, seq);
    const isEnded = terminalStates.includes(row.state);
    const isLong = isEnded || seq - from > writeBackAfter.events || bytes - before > writeBackAfter.bytes;
    const record = sizedRecord(row, generation, bytes);
    const json = isLong ? await writeInTurns(loopTurns, task) : undefined;
    if (json !== undefined) this.#writeBack(row.key, seq, json);
    return storedTask(record, json, task);
  }

  /** The snapshot that came with the row; a large one is read now, and may be newer. */
  async #snapshotOf(row: FoundRow, seq: number): Promise<Snapshot | undefined> {
    const { key, snapshot: found, snapshot_form, whole_seq } = row;
    const form = snapshot_form ?? 1;
    if (whole_seq === null) return found === null ? (await this.#queries.snapshot(key))[0] : { seq, body: found, form };
    const event = found ?? (await this.#queries.event(key, seq))[0]?.body;
    const body = event === undefined ? undefined : taskIn(event);
    return body === undefined ? undefined : { seq, body, form };
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
