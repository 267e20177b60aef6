import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { TaskState } from '../../../core/model/a2a.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { admin, type FindTasksRequest, type TaskSummary } from '../gateway/admin.ts';
import { bareContextTask, type ContextNode, type ContextTask, contextTaskOf, contextTree } from './context-tree.ts';
import { noFilters } from './filters.ts';
import { TaskList } from './task-list.ts';

/** Tasks of which the messages and the trace are read. Of others, only the row is shown. */
const maxRead = 300;

/** Contexts that agents opened at other agents of the gateway, and which are looked up for the tree. */
const maxContexts = 10;

/** Requests at the same time. */
const maxRequests = 3;

/** The tasks of one conversation, kept current, with the tasks that agents opened for it at other agents. */
export class ContextSession {
  readonly tree = signal<readonly ContextNode[]>([]);
  /** Whether references and traces are being read. */
  readonly reading = signal(false);
  /** Number of tasks of which only the row is known. */
  readonly unread = signal(0);
  /** The tasks of the context itself. */
  readonly list: TaskList;
  /** Why they could not be read. */
  readonly error: ReadonlySignal<unknown>;
  readonly #abort = new AbortController();
  /** Tasks of other contexts, by key. */
  readonly #others = new Map<string, TaskSummary>();
  readonly #details = new Map<string, ContextTask>();
  readonly #contexts: Set<string>;
  #queue: TaskSummary[] = [];
  #active = 0;

  constructor(contextId: string) {
    this.list = new TaskList({ ...noFilters, context: contextId });
    this.error = this.list.error;
    this.#contexts = new Set([contextId]);
  }

  async open(): Promise<void> {
    const stop = this.list.rows.subscribe((rows) => this.#plan(rows));
    this.#abort.signal.addEventListener('abort', stop);
    await this.list.open();
  }

  close(): void {
    this.#abort.abort();
    this.list.close();
  }

  /** Reads the details of tasks that are new, or came to rest: what they refer to and opened is known then. */
  #plan(rows: readonly TaskSummary[]): void {
    const queued = new Set(this.#queue.map(({ key }) => key));
    for (const task of [...rows, ...this.#others.values()]) {
      if (queued.has(task.key)) continue;
      const known = this.#details.get(task.key);
      const hasRested = known && known.summary.state !== task.state && isResting(task.state as TaskState);
      const isNew = !known && this.#details.size + this.#queue.length < maxRead;
      if (hasRested || isNew) this.#queue.push(task);
    }
    this.#build();
    this.#next();
  }

  #next(): void {
    while (this.#active < maxRequests) {
      const task = this.#queue.shift();
      if (!task) break;
      this.#active++;
      // Known from now on, so that it is asked for once.
      this.#details.set(task.key, { ...(this.#details.get(task.key) ?? bareContextTask(task)), summary: task });
      void this.#read(task).finally(() => {
        this.#active--;
        if (!this.#abort.signal.aborted) this.#next();
      });
    }
    this.reading.value = this.#active > 0;
  }

  async #read({ key }: TaskSummary): Promise<void> {
    const { signal: closed } = this.#abort;
    // A task that was deleted meanwhile, or cannot be read, is shown by its row.
    const details = await admin.call('InspectTask', { key }, { signal: closed }).catch(() => undefined);
    if (!details || closed.aborted) return;
    const task = contextTaskOf(details);
    this.#details.set(key, task);
    await Promise.all([this.#readContext(task.upstreamContextId), this.#readOthers({ parents: [key] })]);
    if (!closed.aborted) this.#build();
  }

  /** Reads the tasks of a context that an agent opened. There are some where the other agent is one of this gateway. */
  async #readContext(contextId: string): Promise<void> {
    if (contextId === '' || this.#contexts.has(contextId) || this.#contexts.size > maxContexts) return;
    this.#contexts.add(contextId);
    await this.#readOthers({ contextId });
  }

  async #readOthers(filter: FindTasksRequest): Promise<void> {
    const { signal: closed } = this.#abort;
    const found = await admin
      .call('FindTasks', { ...filter, pageSize: 100 }, { signal: closed })
      .catch(() => undefined);
    if (!found?.tasks?.length || closed.aborted) return;
    for (const task of found.tasks) this.#others.set(task.key, task);
    this.#plan(this.list.rows.peek());
  }

  #build(): void {
    const rows = [...this.list.rows.peek(), ...this.#others.values()];
    batch(() => {
      this.tree.value = contextTree(
        rows.map((summary) => ({ ...(this.#details.get(summary.key) ?? bareContextTask(summary)), summary })),
      );
      this.unread.value = Math.max(0, rows.length - maxRead);
    });
  }
}
