import { admin, type TaskSummary } from '../gateway/admin.ts';
import { matches, requestOf, type TaskFilters } from './filters.ts';
import { LiveList } from './live-list.ts';

/** The tasks that pass the filters, kept current. */
export class TaskList extends LiveList<TaskSummary> {
  readonly #filters: TaskFilters;
  /** Of which tasks changes are watched. Without the states: a task that leaves them has to leave the list. */
  readonly #scope: { readonly agent?: string; readonly contextId?: string };

  /** Keys of the tasks that the gateway found. */
  readonly #found = new Set<string>();

  constructor(filters: TaskFilters) {
    super();
    this.#filters = filters;
    const { agent, contextId } = requestOf(filters, Date.now());
    this.#scope = { ...(agent && { agent }), ...(contextId && { contextId }) };
  }

  protected override matches = (task: TaskSummary) =>
    matches(this.#filters, task, Date.now(), this.#found.has(task.key));

  protected override async latest(signal: AbortSignal) {
    const { tasks = [] } = await admin.call('FindTasks', { ...this.#scope, pageSize: 1 }, { signal });
    return tasks[0]?.updatedAt ?? new Date(0).toISOString();
  }

  protected override async page(request: object, signal: AbortSignal) {
    const of = { ...requestOf(this.#filters, Date.now()), ...request };
    const { tasks: rows = [], nextPageToken = '' } = await admin.call('FindTasks', of, { signal });
    for (const { key } of rows) this.#found.add(key);
    return { rows, nextPageToken };
  }

  protected override watch(changedAfter = '', options: { readonly signal: AbortSignal }) {
    return admin.stream('WatchTasks', { ...this.#scope, changedAfter }, options);
  }
}
