import { sql } from 'kysely';
import { loopTurns } from '../../core/limits/loop-turns.ts';
import type { Requester, TaskFacts } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import { leaveOut } from '../../core/model/stored-form.ts';
import { shownTask, shownText } from '../../core/model/task-text.ts';
import type { StoredTask, TaskListRequest, TaskPage } from '../../core/ports/task-store.ts';
import { belongsTo, type Database } from '../database.ts';
import type { PageTokens } from '../page-token.ts';
import { escapeText } from '../text.ts';
import { inline, largestFor, pageBytes, requireCaller, rowsFor } from './byte-limits.ts';
import { bytesOfTask, type FoundRow, joinedSnapshot, sizedSnapshot, type TaskReader } from './reader.ts';
import { columnsOfRecord, keyOf, stateColumn } from './rows.ts';

/** Position of a page: after the task with this time and key, with the total as counted for the first page. */
type Position = readonly [statusAt: number, key: string, totalSize: number];

/** Lists an owner's tasks, newest status first; ties are broken by key, so that no task is lost between two pages. */
export class TaskLister {
  readonly #database: Database;
  readonly #reader: TaskReader;
  readonly #tokens: PageTokens;

  constructor(database: Database, reader: TaskReader, tokens: PageTokens) {
    this.#database = database;
    this.#reader = reader;
    this.#tokens = tokens;
  }

  async list(owner: TaskOwner, request: TaskListRequest, requester?: Requester): Promise<TaskPage> {
    const { pageSize, contextId, status } = request;
    const since = request.statusTimestampAfter ? timeOf(request.statusTimestampAfter) : undefined;
    const { agent, tenant, principal } = owner;
    const listed = ['tasks', agent, tenant, principal, contextId || null, status ?? null, since ?? null];
    const position = this.#tokens.read(listed, request.pageToken ?? '') as Position | undefined;

    // A context is small: it is read by its own index and sorted. The `+` keeps SQLite from scanning all tasks of the
    // owner in order instead.
    const statusAt = contextId ? sql<number>`+task.status_at` : sql<number>`task.status_at`;
    let matching = this.#database.sql.selectFrom('task').where(belongsTo(owner));
    if (contextId) matching = matching.where('task.context_id', '=', escapeText(contextId));
    if (status) matching = matching.where('task.state', '=', stateColumn(status));
    if (since !== undefined) matching = matching.where(statusAt, '>=', since);

    // The total is counted only for the first page: its cost grows with the number of tasks.
    const totalSize =
      position?.[2] ?? (await matching.select(({ fn }) => fn.countAll<number>().as('n')).execute())[0]?.n;
    if (!totalSize) return { texts: [], taskFacts: [], nextPageToken: '', totalSize: 0 };

    let rows = matching
      .leftJoin('task_snapshot', (join) => join.on(joinedSnapshot.snapshot))
      .leftJoin('task_event as whole', (join) => join.on(joinedSnapshot.whole))
      .select(columnsOfRecord)
      .select(sizedSnapshot(this.#database.traits, inline.many))
      .orderBy(statusAt, 'desc')
      .orderBy('task.key', 'desc')
      .limit(pageSize + 1);
    if (position) {
      const [at, key] = position;
      rows = rows.where(sql<boolean>`(${statusAt}, task.key) < (${at}, ${escapeText(key)})`);
    }
    const { texts, taskFacts, last } = await this.#readPage(await rows.execute(), request, requester);
    const nextPageToken = last ? this.#tokens.write(listed, [last.status_at, keyOf(last), totalSize]) : '';
    return { texts, taskFacts, nextPageToken, totalSize };
  }

  /** Reads the tasks of a page. `last` is the row after which the next page begins; undefined if there is no next page. */
  async #readPage(
    found: readonly FoundRow[],
    request: TaskListRequest,
    requester: Requester | undefined,
  ): Promise<Pick<TaskPage, 'texts' | 'taskFacts'> & { readonly last: FoundRow | undefined }> {
    const largest = Math.min(request.taskBytes ?? Number.POSITIVE_INFINITY, largestFor(requester));
    const isTooLarge = (row: FoundRow): boolean => bytesOfTask(row) > largest;
    const readBytesOf = (row: FoundRow): number => (isTooLarge(row) ? 0 : bytesOfTask(row));
    const listed = found.slice(0, request.pageSize);
    const page = await rowsFor(requester, listed, request.pageBytes ?? pageBytes, readBytesOf);
    const wanted = { includeArtifacts: false, ...request };
    const taskFacts: TaskFacts[] = [];
    const texts: string[] = [];
    let bytes = 0;
    for (const row of page) {
      bytes += readBytesOf(row);
      const turn = loopTurns.takeFor(bytes);
      if (turn) {
        await turn;
        bytes = 0;
      }
      requireCaller(requester);
      const stored = await (isTooLarge(row) ? this.#reader.outline(row) : this.#reader.stored(row)).catch(leaveOut);
      if (!stored) continue;
      const { json } = stored as Partial<StoredTask>;
      texts.push(json === undefined ? JSON.stringify(shownTask(stored.task, wanted)) : shownText(json, wanted));
      taskFacts.push(stored);
    }
    return { texts, taskFacts, last: found.length > page.length ? page.at(-1) : undefined };
  }
}

/** Milliseconds, rounded up: status times are whole milliseconds, and earlier ones do not match. */
function timeOf(timestamp: string): number {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) {
    throw A2AError.invalidField('statusTimestampAfter', 'must be a timestamp such as 2026-01-31T12:00:00Z');
  }
  return /\.\d{3}\d*[1-9]/.test(timestamp) ? time + 1 : time;
}
