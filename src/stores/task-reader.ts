import { sql as raw } from 'kysely';
import type { LoggedEvent } from '../core/call.ts';
import { fold } from '../core/fold.ts';
import type { StoredTask, TaskOwner, TaskRecord } from '../core/ports.ts';
import { looksMade, taskKey } from '../core/task-key.ts';
import type { Task } from '../gen/a2a-v1/types.ts';
import type { Database, Prepared } from './database.ts';
import { recordOf } from './rows.ts';
import type { TaskEventTable, TaskRow } from './schema.ts';
import { escapeText, unescapeText } from './text.ts';

/** A task's row with the snapshot that there is. */
export interface FoundRow extends TaskRow {
  readonly snapshot_seq: number | null;
  readonly snapshot: string | null;
}

/** What says whose a task is. */
type OwnedRow = Pick<TaskRow, 'agent' | 'tenant' | 'principal'>;

/** What says in which dialect a task was last used. */
type UseRow = OwnedRow & Pick<TaskRow, 'key' | 'dialect'>;

/** Events read at once while folding. */
const page = 500;
/** Events that may have been folded for nothing before the snapshot is written back. */
const worthWriting = 256;
/** Times that a task is read anew when its log changes while it is read. */
const attempts = 5;

/** A task that is wholly in its snapshot: parsed when somebody looks into it. */
function whole(record: TaskRecord, json: string): StoredTask {
  let task: Task | undefined;
  return {
    ...record,
    json,
    get task() {
      task ??= JSON.parse(json) as Task;
      return task;
    },
  };
}

/** The row of the owner's task with this id. An id that the gateway made is its own key; the others name the owner. */
async function owned<Row extends OwnedRow>(
  read: Prepared<Row>,
  owner: TaskOwner,
  id: string,
): Promise<Row | undefined> {
  if (looksMade(id)) {
    const [row] = await read(escapeText(id));
    if (row && isOf(row, owner)) return row;
  }
  const [row] = await read(escapeText(taskKey(owner, id, true)));
  return row;
}

const isOf = (row: OwnedRow, { agent, tenant, principal }: TaskOwner): boolean =>
  row.agent === escapeText(agent) && row.tenant === escapeText(tenant) && row.principal === escapeText(principal);

/** Reads tasks and their logs. */
export class TaskReader {
  readonly #database: Database;
  readonly #find: Prepared<FoundRow>;
  readonly #use: Prepared<UseRow>;
  readonly #events: Prepared<Omit<TaskEventTable, 'key'>>;
  readonly #turn: Prepared<Pick<TaskRow, 'turn_seq'>>;
  readonly #positions: Prepared<Pick<TaskRow, 'key' | 'seq'>>;
  readonly #writing = new Set<Promise<void>>();
  readonly #failed: (error: unknown) => void;

  /** @param failed told of snapshots that could not be written back; nothing is lost with them. */
  constructor(database: Database, failed: (error: unknown) => void) {
    const { sql, traits } = database;
    this.#database = database;
    this.#failed = failed;
    this.#find = database.prepare<FoundRow>(
      sql
        .selectFrom('task')
        .leftJoin('task_snapshot', 'task_snapshot.key', 'task.key')
        .selectAll('task')
        .select(['task_snapshot.seq as snapshot_seq', 'task_snapshot.body as snapshot'])
        .where('task.key', '=', '')
        .compile(),
    );
    this.#use = database.prepare(
      sql.selectFrom('task').select(['key', 'dialect', 'agent', 'tenant', 'principal']).where('key', '=', '').compile(),
    );
    this.#events = database.prepare(
      sql
        .selectFrom('task_event')
        .select(['seq', 'at', 'body'])
        .where('key', '=', '')
        .where('seq', '>', 0)
        .orderBy('seq')
        .limit(1)
        .compile(),
    );
    this.#turn = database.prepare(sql.selectFrom('task').select('turn_seq').where('key', '=', '').compile());
    const wanted = traits.records('w', { key: 'text' }, raw`${''}`);
    this.#positions = database.prepare(
      sql
        .selectFrom('task')
        .select(['key', 'seq'])
        .where('key', 'in', raw<string>`(select w.key from ${wanted})`)
        .compile(),
    );
  }

  async find(owner: TaskOwner, id: string): Promise<StoredTask | undefined> {
    return this.#folded(() => owned(this.#find, owner, id));
  }

  /** What `find` finds, as far as it says in which dialect the task was last used. */
  async lastUse(owner: TaskOwner, id: string): Promise<Pick<TaskRecord, 'key' | 'dialect'> | undefined> {
    const row = await owned(this.#use, owner, id);
    return row && { key: unescapeText(row.key), dialect: row.dialect };
  }

  async load(key: string): Promise<StoredTask | undefined> {
    const escaped = escapeText(key);
    return this.#folded(async () => (await this.#find(escaped))[0]);
  }

  async events(key: string, after: number, limit: number): Promise<LoggedEvent[]> {
    const rows = await this.#events(escapeText(key), after, limit);
    return rows.map(({ seq, at, body }) => ({ seq, at, event: JSON.parse(body), json: body }));
  }

  async latestTurn(key: string): Promise<number> {
    const [row] = await this.#turn(escapeText(key));
    return row?.turn_seq ?? 1;
  }

  async positions(keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#positions(JSON.stringify(keys.map((key) => ({ key: escapeText(key) }))));
    return new Map(rows.map(({ key, seq }) => [unescapeText(key), seq]));
  }

  /** The task of a row, folded up to the row's position. Undefined when it was deleted meanwhile. */
  async stored(row: FoundRow): Promise<StoredTask | undefined> {
    return (await this.#fold(row)) ?? this.load(recordOf(row).key);
  }

  /** Resolves when all snapshots are written. */
  async idle(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  async #folded(read: () => Promise<FoundRow | undefined>): Promise<StoredTask | undefined> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const row = await read();
      if (!row) return undefined;
      const stored = await this.#fold(row);
      if (stored) return stored;
    }
    return undefined;
  }

  /** Undefined when the log does not lead up to the row's position: it was deleted after the row was read. */
  async #fold(row: FoundRow): Promise<StoredTask | undefined> {
    const record = recordOf(row);
    let task: Task | undefined;
    let seq = 0;
    if (row.snapshot !== null && row.snapshot_seq === row.seq) return whole(record, row.snapshot);
    if (row.snapshot !== null && row.snapshot_seq !== null) {
      task = JSON.parse(row.snapshot) as Task;
      seq = row.snapshot_seq;
      // Written by one who read later than this row was read.
      if (seq > row.seq) return undefined;
    }
    const from = seq;
    while (seq < row.seq) {
      const events = await this.#events(row.key, seq, Math.min(page, row.seq - seq));
      if (events.length === 0) return undefined;
      for (const event of events) task = fold(task, JSON.parse(event.body));
      seq = events.at(-1)?.seq ?? seq;
    }
    if (!task) return undefined;
    if (seq - from > worthWriting) this.#writeBack(row.key, seq, JSON.stringify(task));
    return { ...record, task };
  }

  #writeBack(key: string, seq: number, body: string): void {
    const writing = this.#database
      .atomically([
        this.#database.sql
          .insertInto('task_snapshot')
          .columns(['key', 'seq', 'body'])
          .expression(({ selectFrom, val }) =>
            // Only while the task is there: what retention deleted must not come back.
            selectFrom('task')
              .select([val(key).as('key'), val(seq).as('seq'), val(body).as('body')])
              .where('task.key', '=', key),
          )
          .onConflict((conflict) =>
            conflict
              .column('key')
              .doUpdateSet(({ ref }) => ({ seq: ref('excluded.seq'), body: ref('excluded.body') }))
              .whereRef('task_snapshot.seq', '<', 'excluded.seq'),
          )
          .compile(),
      ])
      .then(() => undefined, this.#failed)
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }
}
