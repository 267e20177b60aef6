import { sql as raw, type Selectable, type SqlBool } from 'kysely';
import { parseInTurns, writeInTurns } from '../../core/limits/large-json.ts';
import { isLarge, loopTurns } from '../../core/limits/loop-turns.ts';
import type { StreamResponse, Task } from '../../core/model/a2a.ts';
import type { LoggedEvent, Requester } from '../../core/model/call.ts';
import { fold } from '../../core/model/fold.ts';
import { looksGenerated, type TaskOwner, taskKey } from '../../core/model/ids.ts';
import { isUnreadable, UnreadableRow, unreadable } from '../../core/model/stored-form.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { EventPage, SizedRecord, StoredTask, TaskRecord } from '../../core/ports/task-store.ts';
import { checkTurnRequest } from '../../core/tasks/turn-request.ts';
import type { Database, Prepared, Traits } from '../database.ts';
import type { TaskRow, TaskSnapshotTable } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';
import { countFor, inline, rowsFor, sizeOf, smallText } from './byte-limits.ts';
import { createGenerationCounter, generationOfTask, isMessageText } from './generations.ts';
import { type RecordRow, recordColumns, recordOf, requireKnownForm, terminalStates } from './rows.ts';
import { eventIn, requireTask, standIn, taskIn, wholeTask } from './stored-task.ts';

/**
 * A task's row with its snapshot, and the sizes of the JSON from which the task is folded. The snapshot is a row of its own, or
 * the last event if that event is the whole task. `snapshot` is null if it is large.
 */
export type FoundRow = RecordRow & { readonly snapshot: string | null } & Readonly<
    Record<
      'generation' | 'snapshot_seq' | 'snapshot_size' | 'snapshot_form' | 'snapshot_valid' | 'whole_seq' | 'log_size',
      number | null
    >
  >;

/** Bytes of JSON from which the task is folded. */
export const bytesOfTask = ({ snapshot_size, log_size }: FoundRow): number => (snapshot_size ?? 0) + (log_size ?? 0);

/**
 * Joins the snapshot of a task. A task of one event has none, because a log starts with a whole task; and a task that
 * ended with a whole task has none. If the key is null, the database does not search.
 */
export const joinedSnapshot = {
  snapshot: raw<SqlBool>`task_snapshot.key = case when task.seq > 1 then task.key end`,
  whole: raw<SqlBool>`whole.seq = task.seq and whole.key = case when task.seq = 1
    or (task_snapshot.key is null and task.state in (${raw.join(terminalStates.map((state) => raw.lit(state)))}))
    then task.key end`,
};

const snapshotSeq = raw<number | null>`coalesce(task_snapshot.seq, whole.seq)`;
const snapshotBody = raw`coalesce(task_snapshot.body, whole.body)`;

/** Columns of a task's snapshot. Its body is included only if it has at most this number of bytes. */
export const sizedSnapshot = ({ isJson }: Traits, bytes: number) =>
  [
    snapshotSeq.as('snapshot_seq'),
    sizeOf<number | null>(snapshotBody).as('snapshot_size'),
    raw<number | null>`coalesce(task_snapshot.form, whole.form)`.as('snapshot_form'),
    smallText(snapshotBody, bytes).as('snapshot'),
    isJson(smallText(snapshotBody, bytes)).as('snapshot_valid'),
    raw<number | null>`whole.seq`.as('whole_seq'),
    generationOfTask(snapshotSeq).as('generation'),
    // An ended task has no such events; skip the search.
    raw<number | null>`case when ${snapshotSeq} = task.seq then 0 else (
      select cast(sum(octet_length(event.body)) as bigint) from task_event event
      where event.key = task.key and event.seq > coalesce(${snapshotSeq}, 0)) end`.as('log_size'),
  ] as const;

/** A row of an event, with its JSON if that is small. */
type EventRow = Readonly<Record<'seq' | 'at' | 'form' | 'size', number>> & {
  readonly generation: number | null;
  readonly body: string | null;
};

/** A task folded up to `seq`. */
type Snapshot = Selectable<Omit<TaskSnapshotTable, 'key'>>;

/** Whether a row has the position and time of its event. */
const hasPlace = ({ seq, at, generation }: EventRow): boolean =>
  Number.isSafeInteger(seq) && Number.isSafeInteger(at) && (generation === null || Number.isSafeInteger(generation));

const sizeOfEvent = ({ size }: EventRow): number => size;
const eventBody = raw.ref('body');

/** Events that are read at once for folding, and bytes of events that are read at once. */
const eventsPerRead = 500;
const bytesPerRead = 1_048_576;
/** After folding more events or bytes than this, or an ended task, the snapshot is written back. */
const writeBackAfter = { events: 256, bytes: 4 << 20 } as const;
/** Attempts to read a task whose log changes meanwhile. */
const attempts = 5;

/** The task of a record: a folded one, or a text that is parsed when it is first used. */
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

/**
 * @param bytes bytes from which the task is folded. They are all bytes of its events, unless a snapshot replaces several events
 */
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

/** The prepared statements. All except one read by a task's key. */
function prepareQueries(database: Database) {
  const wanted = database.traits.records('w', { key: 'text' }, raw`${''}`);
  const key = raw`key = ${''}`;
  return {
    find: database.prepare(raw<FoundRow>`
      select ${recordColumns}, ${raw.join([...sizedSnapshot(database.traits, inline.one)])}
      from task left join task_snapshot on ${joinedSnapshot.snapshot}
        left join task_event as whole on ${joinedSnapshot.whole}
      where task.key = ${''}`),
    use: database.prepare(
      raw<TaskOwner & Pick<TaskRow, 'key' | 'dialect'>>`
        select key, dialect, agent, tenant, principal from task where ${key}`,
    ),
    /** Events after a position, at most a given number. */
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
  readonly #damaged: DamagedRows;
  readonly #failed: (error: unknown) => void;

  /** @param failed called when a snapshot could not be written back. No data is lost then */
  constructor(database: Database, damaged: DamagedRows, failed: (error: unknown) => void) {
    this.#database = database;
    this.#damaged = damaged;
    this.#queries = prepareQueries(database);
    this.#countGeneration = createGenerationCounter(database);
    this.#failed = failed;
  }

  find(owner: TaskOwner, id: string, requester?: Requester): Promise<StoredTask | undefined> {
    return this.#folded(() => readOwned(this.#queries.find, owner, id), requester);
  }

  /** The key and last dialect of the task that `find` returns. */
  async lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined> {
    const row = await readOwned(this.#queries.use, owner, id);
    return row && { key: unescapeText(row.key), dialect: row.dialect };
  }

  async load(key: string, requester?: Requester): Promise<StoredTask | undefined> {
    const escaped = escapeText(key);
    return this.#folded(async () => (await this.#queries.find(escaped))[0], requester);
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
   * Stores the first event of a task as its snapshot, unless the task has one. Readers fold the other events into it. Without a
   * snapshot, the last event of an ended task would count as the whole task.
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
    try {
      requireKnownForm(row.key, row.snapshot_form ?? 1);
      const generation = row.generation ?? (await this.#countGeneration(row.key, row.seq));
      return this.#sizedRecord(row, generation, bytesOfTask(row));
    } catch (thrown) {
      throw this.#refusal(row, thrown);
    }
  }

  /** Throws `unavailable` for a damaged row. */
  #sizedRecord(row: FoundRow, generation: number, bytes: number): SizedRecord {
    const record = this.#damaged.read('task', [row.key], () => sizedRecord(row, generation, bytes));
    if (record) return record;
    throw unreadable(`The task ${row.key}`, 'its row is damaged');
  }

  /** The error of a call about a task. It is also noted as a damaged row if the task cannot be read. */
  #refusal({ key }: Pick<FoundRow, 'key'>, thrown: unknown): unknown {
    if (isUnreadable(thrown)) this.#damaged.note('task', [key], thrown);
    return thrown instanceof UnreadableRow ? unreadable(`The task ${key}`, thrown.message) : thrown;
  }

  async events(key: string, after: number, limit: number, requester?: Requester): Promise<EventPage> {
    const escaped = escapeText(key);
    const { rows, isCut } = await this.#eventRows(escaped, after, limit, requester).catch((thrown: unknown) => {
      throw this.#refusal({ key: escaped }, thrown);
    });
    const events: EventPage = [];
    const [first] = rows;
    // Readers of a log need its first event.
    if (after === 0 && first && first.seq > 1) events.push(await this.#unread(escaped, 1, first.at, 1));
    for (const { seq, at, generation: stored, body } of rows) {
      const before = events.at(-1)?.generation;
      const generation = stored ?? (await this.#generationOf(key, seq, body, before));
      const event = this.#event(escaped, seq, body);
      events.push(
        event ? { seq, at, generation, event, json: body } : await this.#unread(escaped, seq, at, generation),
      );
    }
    if (isCut) events.isCut = true;
    return events;
  }

  /** Returns the placeholder for an event that cannot be read. */
  async #unread(key: string, seq: number, at: number, generation: number): Promise<LoggedEvent> {
    const [row] = await this.#queries.find(key);
    const event = standIn(seq, row && this.#damaged.read('task', [key], () => recordOf(row, 0)));
    const json = JSON.stringify(event);
    return { seq, at, generation, event, json, ...(Object.keys(event).length === 0 && { isUnread: true }) };
  }

  /** The generation of an event whose row does not have it. `before` is the generation of the previous event, if it is known. */
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
    const { turn_request: text } = row ?? {};
    // The call that reads the task fails.
    if (text) this.#damaged.read('task', [escapeText(key)], () => checkTurnRequest(text));
    return text ?? undefined;
  }

  async positions(keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#queries.positions(JSON.stringify(keys.map((key) => ({ key: escapeText(key) }))));
    return new Map(rows.map(({ key, seq }) => [unescapeText(key), seq]));
  }

  /** The task of a row, folded up to the row's position. Undefined if it was deleted meanwhile. */
  async stored(row: FoundRow): Promise<StoredTask | undefined> {
    return (await this.#ofRow(row)) ?? this.load(unescapeText(row.key));
  }

  /** A task that is too large to be read: its row, with the status message if that is the last event. */
  async outline(row: FoundRow): Promise<Pick<StoredTask, 'task' | 'createdAt' | 'updatedAt' | 'generation'>> {
    const record = await this.#recordOf(row);
    const [last] = await this.#queries.events(row.key, row.seq - 1, 1);
    const { statusUpdate }: StreamResponse = (last?.body && this.#event(row.key, last.seq, last.body)) || {};
    const status = { state: record.state, timestamp: new Date(record.statusAt).toISOString() };
    const task: Task = { id: record.id, contextId: record.contextId, status: statusUpdate?.status ?? status };
    return { ...record, task };
  }

  /** Resolves when all pending snapshots are written. */
  async idle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** Reads events within the byte limit. `isCut` is set if some were left out. Ends at an event that was deleted meanwhile. */
  async #eventRows(key: string, after: number, limit: number, requester?: Requester) {
    const found = await this.#queries.events(key, after, limit);
    const rows = await rowsFor(requester, found, bytesPerRead, sizeOfEvent);
    const read: (EventRow & { readonly body: string })[] = [];
    for (const row of rows) {
      requireKnownForm(key, row.form);
      const body = row.body ?? (await this.#queries.event(key, row.seq))[0]?.body;
      if (body === undefined) break;
      if (hasPlace(row)) read.push({ ...row, body });
      else
        this.#damaged.note('task_event', [key, row.seq], new UnreadableRow('its position or time is no whole number'));
    }
    return { rows: read, isCut: rows.length < found.length };
  }

  async #folded(read: () => Promise<FoundRow | undefined>, requester?: Requester): Promise<StoredTask | undefined> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const row = await read();
      if (!row) return undefined;
      const counting = countFor(requester, bytesOfTask(row));
      if (counting) await counting;
      const stored = await this.#ofRow(row);
      if (stored) return stored;
    }
    return undefined;
  }

  async #ofRow(row: FoundRow): Promise<StoredTask | undefined> {
    try {
      return this.#whole(row) ?? (await this.#fold(row));
    } catch (thrown) {
      throw this.#refusal(row, thrown);
    }
  }

  /** An event of a log. Undefined if it cannot be read. */
  #event(key: string, seq: number, body: string): StreamResponse | undefined {
    return this.#damaged.read('task_event', [key, seq], () => eventIn(body));
  }

  /** The task of a text that is its snapshot, or its last event. Undefined if the text is damaged. */
  #ofText(row: FoundRow, record: SizedRecord, json: string, isJson: boolean): StoredTask | undefined {
    const read = (): StoredTask => storedTask(record, json, requireTask(json, isJson));
    return row.whole_seq === null
      ? this.#damaged.read('task_snapshot', [row.key], read)
      : this.#damaged.read('task_event', [row.key, row.whole_seq], read);
  }

  /** The task, if all of it was returned with the row, as for most ended tasks: then nothing more must be read. */
  #whole(row: FoundRow): StoredTask | undefined {
    const { seq, snapshot, snapshot_seq, snapshot_form, snapshot_valid, whole_seq, generation } = row;
    if (snapshot === null || snapshot_seq !== seq || generation === null) return undefined;
    const json = whole_seq === null ? snapshot : taskIn(snapshot);
    if (json === undefined) return undefined;
    requireKnownForm(row.key, snapshot_form ?? 1);
    return this.#ofText(row, this.#sizedRecord(row, generation, bytesOfTask(row)), json, snapshot_valid === 1);
  }

  /**
   * Folds a task. Resolves with undefined if the log does not reach the row's position because it was deleted after the row was
   * read.
   */
  async #fold(row: FoundRow): Promise<StoredTask | undefined> {
    const known = this.#sizedRecord(row, 0, 0);
    let task: Task | undefined;
    const snapshot = row.snapshot_seq === null ? undefined : await this.#snapshotOf(row, row.snapshot_seq);
    let seq = snapshot?.seq ?? 0;
    // Another reader, which read the row later, has written it.
    if (seq > row.seq) return undefined;
    let { generation } = row;
    let bytes = snapshot ? (row.snapshot_size ?? snapshot.body.length) : 0;
    if (snapshot) {
      requireKnownForm(row.key, snapshot.form);
      if (seq === row.seq) {
        generation ??= await this.#countGeneration(row.key, seq);
        const stored = this.#ofText(row, sizedRecord(row, generation, bytes), snapshot.body, false);
        if (stored) return stored;
      } else task = await this.#taskOf(row, snapshot);
      // The log is the truth.
      if (!task) [seq, bytes] = [0, 0];
    }
    const from = seq;
    const before = bytes;
    while (seq < row.seq) {
      const { rows: events } = await this.#eventRows(row.key, seq, Math.min(eventsPerRead, row.seq - seq));
      if (events.length === 0) return undefined;
      for (const event of events) {
        const turn = loopTurns.takeFor(event.size);
        if (turn) await turn;
        // If the first event of a log is missing, the task begins with the facts in its row.
        if (!task && event.seq > 1) task = fold(undefined, standIn(1, known));
        task = fold(task, (await this.#foldable(row.key, event)) ?? standIn(event.seq, known));
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

  /** An event to be folded. Undefined if it cannot be read. */
  async #foldable(key: string, { seq, size, body }: EventRow & { readonly body: string }) {
    if (!isLarge(size)) return this.#event(key, seq, body);
    const value = await parseInTurns(loopTurns, body).catch((thrown: unknown) => ({ thrown }));
    return this.#damaged.read('task_event', [key, seq], () => eventIn(body, value));
  }

  /** The task of a snapshot that is older than the task. Undefined if it is damaged. */
  async #taskOf({ key }: FoundRow, { body }: Snapshot): Promise<Task | undefined> {
    const value = await parseInTurns(loopTurns, body).catch((thrown: unknown) => ({ thrown }));
    return this.#damaged.read('task_snapshot', [key], () => requireTask(body, false, value));
  }

  /** The snapshot that was returned with the row. A large one is read now, and may be newer. */
  async #snapshotOf(row: FoundRow, seq: number): Promise<Snapshot | undefined> {
    const { key, snapshot: found, snapshot_form, whole_seq } = row;
    const form = snapshot_form ?? 1;
    if (whole_seq === null) return found === null ? (await this.#queries.snapshot(key))[0] : { seq, body: found, form };
    const event = found ?? (await this.#queries.event(key, seq))[0]?.body;
    const body = event === undefined ? undefined : taskIn(event);
    return body === undefined ? undefined : { seq, body, form };
  }

  #writeBack(key: string, seq: number, body: string): void {
    // Written only while the task exists: retention may have deleted it.
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
