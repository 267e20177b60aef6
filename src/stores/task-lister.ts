import { A2AError } from '../core/errors.ts';
import { withHistory } from '../core/fold.ts';
import type { TaskOwner, TaskPage } from '../core/ports.ts';
import type { ListTasksRequest, Task } from '../gen/a2a-v1/types.ts';
import type { Database } from './database.ts';
import type { PageTokens } from './page-token.ts';
import { stateColumn } from './rows.ts';
import type { TaskReader } from './task-reader.ts';
import { escapeText, unescapeText } from './text.ts';

/** Pages of an owner's tasks, newest status first; ties are broken by key, so that none is lost between two pages. */
export class TaskLister {
  readonly #database: Database;
  readonly #reader: TaskReader;
  readonly #tokens: PageTokens;

  constructor(database: Database, reader: TaskReader, tokens: PageTokens) {
    this.#database = database;
    this.#reader = reader;
    this.#tokens = tokens;
  }

  async list(owner: TaskOwner, request: ListTasksRequest & { pageSize: number }): Promise<TaskPage> {
    const { pageSize, contextId, status } = request;
    const since = request.statusTimestampAfter ? timeOf(request.statusTimestampAfter) : undefined;
    const listed = [
      'tasks',
      owner.agent,
      owner.tenant,
      owner.principal,
      contextId || null,
      status ?? null,
      since ?? null,
    ];
    const position = this.#tokens.read(listed, request.pageToken ?? '');

    let matching = this.#database.sql
      .selectFrom('task')
      .where('task.agent', '=', escapeText(owner.agent))
      .where('task.tenant', '=', escapeText(owner.tenant))
      .where('task.principal', '=', escapeText(owner.principal));
    if (contextId) matching = matching.where('task.context_id', '=', escapeText(contextId));
    if (status) matching = matching.where('task.state', '=', stateColumn(status));
    if (since !== undefined) matching = matching.where('task.status_at', '>=', since);

    let rows = matching
      .leftJoin('task_snapshot', 'task_snapshot.key', 'task.key')
      .selectAll('task')
      .select(['task_snapshot.seq as snapshot_seq', 'task_snapshot.body as snapshot'])
      .orderBy('task.status_at', 'desc')
      .orderBy('task.key', 'desc')
      .limit(pageSize + 1);
    if (position) {
      const [at, key] = position as [number, string];
      rows = rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('task.status_at', 'task.key'), '<', tuple(at, escapeText(key))),
      );
    }

    const [found, total] = await Promise.all([
      rows.execute(),
      matching.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    ]);
    const page = found.slice(0, pageSize);
    const last = page.at(-1);
    const tasks = await Promise.all(page.map((row) => this.#reader.stored(row)));
    return {
      tasks: tasks.filter((stored) => stored !== undefined).map(({ task }) => shown(task, request)),
      nextPageToken:
        found.length > pageSize && last ? this.#tokens.write(listed, [last.status_at, unescapeText(last.key)]) : '',
      totalSize: total.count,
    };
  }
}

/** As much of a task as was asked for. */
function shown(task: Task, { historyLength, includeArtifacts }: ListTasksRequest): Task {
  const { artifacts, ...rest } = withHistory(task, historyLength);
  return includeArtifacts && artifacts ? { ...rest, artifacts } : rest;
}

/** Milliseconds, rounded up: a status time has no finer part, and one below the given time does not match. */
function timeOf(timestamp: string): number {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) {
    const description = 'must be a timestamp such as 2026-01-31T12:00:00Z';
    throw A2AError.invalidParams(undefined, [{ field: 'statusTimestampAfter', description }]);
  }
  return /\.\d{3}\d*[1-9]/.test(timestamp) ? time + 1 : time;
}
