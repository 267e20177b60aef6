import type { Message, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { UpstreamTask } from '../../core/model/agent.ts';
import type { TaskIds } from '../../core/model/agent-events.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { UpstreamIds } from '../../core/ports/upstream-ids.ts';
import { retryWhileUnavailable } from '../../core/tasks/outage.ts';

/** Every message that an event holds. */
function* messagesIn({ message, task, statusUpdate }: StreamResponse): Generator<Message> {
  if (message) yield message;
  if (statusUpdate?.status.message) yield statusUpdate.status.message;
  if (task?.status.message) yield task.status.message;
  if (task?.history) yield* task.history;
}

/** Ids of tasks that the messages of an event refer to. */
export const referencedTasksIn = (event: StreamResponse): string[] =>
  [...messagesIn(event)].flatMap(({ referenceTaskIds }) => referenceTaskIds ?? []);

/** A message under other ids. References to tasks that have no name here are dropped. */
export function messageWithIds(message: Message, ids: Partial<TaskIds>, tasks: ReadonlyMap<string, string>): Message {
  const { taskId: _, contextId: __, referenceTaskIds, ...rest } = message;
  const references = referenceTaskIds?.flatMap((id) => tasks.get(id) ?? []) ?? [];
  return { ...rest, ...ids, ...(references.length > 0 && { referenceTaskIds: references }) };
}

/**
 * An event of an upstream under the gateway's own ids.
 *
 * @param tasks own ids of the tasks that it refers to, by their ids there
 */
export function withOwnIds(event: StreamResponse, ids: TaskIds, tasks: ReadonlyMap<string, string>): StreamResponse {
  const { message, task, statusUpdate, artifactUpdate } = event;
  if (statusUpdate) {
    const { status } = statusUpdate;
    const said = status.message && { message: messageWithIds(status.message, ids, tasks) };
    return { statusUpdate: { ...statusUpdate, ...ids, status: { ...status, ...said } } };
  }
  if (artifactUpdate) return { artifactUpdate: { ...artifactUpdate, ...ids } };
  if (message) return { message: messageWithIds(message, ids, tasks) };
  return task ? { task: taskWithIds(task, ids, tasks) } : event;
}

function taskWithIds(task: Task, ids: TaskIds, tasks: ReadonlyMap<string, string>): Task {
  const { status, history } = task;
  return {
    ...task,
    id: ids.taskId,
    contextId: ids.contextId,
    status: { ...status, ...(status.message && { message: messageWithIds(status.message, ids, tasks) }) },
    ...(history && { history: history.map((message) => messageWithIds(message, ids, tasks)) }),
  };
}

/** The ids there that an event names; '' where it names none. */
export function idsIn({ message, task, statusUpdate, artifactUpdate }: StreamResponse): UpstreamTask {
  const { taskId = '', contextId = '' } = statusUpdate ?? artifactUpdate ?? message ?? {};
  return task ? { id: task.id, contextId: task.contextId ?? '' } : { id: taskId, contextId };
}

/** What one owner's tasks and contexts at one upstream are called, there and here. */
export class IdMapping {
  readonly #store: UpstreamIds;
  readonly #owner: TaskOwner;
  readonly #signal: AbortSignal | undefined;

  /** @param signal of a run, which waits for a store that is away as long as this does not abort. Default: nothing waits */
  constructor(store: UpstreamIds, owner: TaskOwner, signal?: AbortSignal) {
    this.#store = store;
    this.#owner = owner;
    this.#signal = signal;
  }

  /** What a task is called there; undefined when it is not known to be there. */
  task(key: string): Promise<UpstreamTask | undefined> {
    return this.#use((store) => store.upstreamOf(key));
  }

  context(contextId: string): Promise<string | undefined> {
    return this.#use((store) => store.upstreamContextOf(this.#owner, contextId));
  }

  async bindContext(contextId: string, there: string): Promise<void> {
    if (there !== '') await this.#use((store) => store.bindUpstreamContext(this.#owner, contextId, there));
  }

  /** Tasks that a message of ours refers to, as they are called there. */
  toTheirs(ids: readonly string[] | undefined): Promise<ReadonlyMap<string, string>> {
    return ids?.length ? this.#use((store) => store.upstreamTasksOf(this.#owner, ids)) : Promise.resolve(none);
  }

  /** Tasks that an event of theirs refers to, as they are called here. */
  toOurs(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return ids.length > 0 ? this.#use((store) => store.ownTasksOf(this.#owner, ids)) : Promise.resolve(none);
  }

  #use<T>(use: (store: UpstreamIds) => Promise<T>): Promise<T> {
    return this.#signal ? retryWhileUnavailable(() => use(this.#store), this.#signal) : use(this.#store);
  }
}

const none: ReadonlyMap<string, string> = new Map();
