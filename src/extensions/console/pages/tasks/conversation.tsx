import { batch, signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { isResting } from '../../../../core/model/lifecycle.ts';
import { admin, type FindTasksRequest, type TaskSummary } from '../../gateway/admin.ts';
import { useOpened } from '../../gateway/hooks.ts';
import { hrefOf } from '../../shell/router.ts';
import { type ContextRow, type ContextTask, contextRows, contextTaskOf } from '../../tasks/context-tree.ts';
import { taskList } from '../../tasks/live-list.ts';
import { onEach } from '../../tasks/many.ts';
import { LiveMark } from '../../tasks/marks.tsx';
import { TaskTree } from '../../tasks/task-tree.tsx';
import { count } from '../../ui/format.ts';
import { Button, Copy, Empty, Page, Text } from '../../ui/index.ts';

/** Number of tasks whose messages and trace are read. Of others, only the row is shown. */
const maxRead = 300;

/** Number of contexts looked up for the tree, which agents opened at other agents of the gateway. */
const maxContexts = 10;

/** The tasks of one conversation, kept current, with the tasks that agents opened for it at other agents. */
class ContextSession {
  /** All tasks as a tree. */
  readonly tasks = signal<readonly ContextRow[]>([]);
  /** Whether references and traces are being read. */
  readonly reading = signal(false);
  /** Number of tasks of which only the row is known. */
  readonly unread = signal(0);
  /** The tasks of the context itself. */
  readonly list;
  /** Reason why they could not be read. */
  readonly error;
  readonly #abort = new AbortController();
  /** Tasks of other contexts, by key. */
  readonly #others = new Map<string, TaskSummary>();
  /** Details of tasks by key, with the row for which they were read. */
  readonly #details = new Map<string, ContextTask>();
  readonly #contexts: Set<string>;

  constructor(contextId: string) {
    this.list = taskList({ context: contextId });
    this.error = this.list.error;
    this.#contexts = new Set([contextId]);
  }

  async open(): Promise<void> {
    const stop = this.list.rows.subscribe(() => void this.#read());
    this.#abort.signal.addEventListener('abort', stop);
    await this.list.open();
  }

  close(): void {
    this.#abort.abort();
    this.list.close();
  }

  /** Reads the details of tasks that are new, or came to rest: their references and opened contexts are known then. */
  async #read(): Promise<void> {
    this.#build();
    if (this.reading.peek()) return;
    const { signal: closed } = this.#abort;
    this.reading.value = true;
    for (let due = this.#due(); due.length > 0 && !closed.aborted; due = this.#due()) {
      /** Contexts that agents opened. They have tasks if the other agent belongs to this gateway. */
      const contexts: string[] = [];
      const read = async (summary: TaskSummary): Promise<void> => {
        const { key } = summary;
        // Noted first, so that it is read once. One that cannot be read is shown by its row.
        this.#details.set(key, { ...(this.#details.get(key) ?? contextTaskOf({ summary })), summary });
        const details = await admin.call('InspectTask', { key }, { signal: closed });
        const task = contextTaskOf(details);
        contexts.push(task.upstreamContextId);
        this.#details.set(key, { ...task, summary });
      };
      await onEach(due, read, closed, () => this.#build());
      await this.#readOthers({ parents: due.map(({ key }) => key) });
      for (const contextId of contexts) {
        if (contextId === '' || this.#contexts.has(contextId) || this.#contexts.size > maxContexts) continue;
        this.#contexts.add(contextId);
        await this.#readOthers({ contextId });
      }
      this.#build();
    }
    this.reading.value = false;
  }

  /** Returns the rows of all tasks, each once. */
  #rows(): TaskSummary[] {
    const rows = new Map(this.#others);
    for (const task of this.list.rows.peek()) rows.set(task.key, task);
    return [...rows.values()];
  }

  #due(): TaskSummary[] {
    let room = maxRead - this.#details.size;
    return this.#rows().filter((task) => {
      const known = this.#details.get(task.key);
      return known ? known.summary.state !== task.state && isResting(task.state as TaskState) : room-- > 0;
    });
  }

  async #readOthers(filter: FindTasksRequest): Promise<void> {
    const { signal: closed } = this.#abort;
    const request = { ...filter, pageSize: 500 };
    const found = await admin.call('FindTasks', request, { signal: closed }).catch(() => undefined);
    for (const task of found?.tasks ?? []) this.#others.set(task.key, task);
  }

  #build(): void {
    const rows = this.#rows();
    const tasks = rows.map((summary) => ({
      ...(this.#details.get(summary.key) ?? contextTaskOf({ summary })),
      summary,
    }));
    batch(() => {
      this.tasks.value = contextRows(tasks);
      this.unread.value = Math.max(0, rows.length - maxRead);
    });
  }
}

/** All tasks of one conversation as a tree, with their course over time. */
export function Conversation({ contextId }: { readonly contextId: string }): JSX.Element {
  const [session, again] = useOpened(() => new ContextSession(contextId), contextId);
  const { list } = session;
  const tasks = session.tasks.value;
  const agents = new Set(tasks.map(({ summary }) => summary.agent));
  return (
    <Page
      title="Conversation"
      up={{ href: '#/tasks?view=conversations', title: 'Conversations' }}
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value || session.reading.value}
      error={list.error.value}
      onRetry={again}
      actions={<a href={hrefOf('tasks', [], { context: contextId, view: 'list' })}>As a list</a>}
    >
      <p class="context-line">
        <Text value={contextId} mono /> <Copy value={contextId} label="Copy the id of the context" />
        <span class="muted" role="status">
          {tasks.length > 0 &&
            `${count(tasks.length)} ${tasks.length === 1 ? 'task' : 'tasks'} of ${count(agents.size)} ${agents.size === 1 ? 'agent' : 'agents'}`}
          {session.unread.value > 0 && `, references of ${count(session.unread.value)} tasks are not read`}
        </span>
        {list.hasMore.value && (
          <Button kind="quiet" busy={list.busy.value} onClick={() => void list.more()}>
            Read older tasks
          </Button>
        )}
      </p>
      {tasks.length > 0 ? (
        <TaskTree label="Tasks of the conversation" tasks={tasks} maxHeight="calc(100vh - 12rem)" />
      ) : (
        !list.busy.value &&
        list.error.value === undefined && (
          <Empty title="No task has this context">The id may be wrong, or the tasks have expired.</Empty>
        )
      )}
    </Page>
  );
}
