import { admin, type TaskSummary } from '../gateway/admin.ts';
import { matches, requestOf, type TaskFilters } from './filters.ts';
import { LiveList } from './live-list.ts';

/** The tasks that pass the filters, kept current. */
export class TaskList extends LiveList<TaskSummary> {
  readonly #filters: TaskFilters;
  /** Of which tasks changes are watched. Without the states: a task that leaves them has to leave the list. */
  readonly #scope: { readonly agent?: string; readonly contextId?: string };

  constructor(filters: TaskFilters) {
    super();
    this.#filters = filters;
    const { agent, contextId } = requestOf(filters, Date.now());
    this.#scope = { ...(agent && { agent }), ...(contextId && { contextId }) };
  }

  protected override matches = (task: TaskSummary) => matches(this.#filters, task, Date.now());

  protected override async latest(signal: AbortSignal) {
    const { tasks = [] } = await admin.call('FindTasks', { ...this.#scope, pageSize: 1 }, { signal });
    return tasks[0]?.updatedAt ?? new Date(0).toISOString();
  }

  protected override async page(request: object, signal: AbortSignal) {
    const of = { ...requestOf(this.#filters, Date.now()), ...request };
    const { tasks: rows = [], nextPageToken = '' } = await admin.call('FindTasks', of, { signal });
    return { rows, nextPageToken };
  }

  protected override watch(changedAfter = '', options: { readonly signal: AbortSignal }) {
    return admin.stream('WatchTasks', { ...this.#scope, changedAfter }, options);
  }
}
