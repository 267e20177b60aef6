import type { Message, SendMessageRequest, StreamResponse, Task, TaskStatus } from '../../core/model/a2a.ts';
import type { UpstreamTask } from '../../core/model/agent.ts';
import type { TaskIds } from '../../core/model/agent-events.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { UpstreamIds } from '../../core/ports/upstream-ids.ts';
import { retryWhileUnavailable } from '../../core/tasks/outage.ts';

/** All messages in an event. */
function* messagesIn({ message, task, statusUpdate }: StreamResponse): Generator<Message> {
  if (message) yield message;
  if (statusUpdate?.status.message) yield statusUpdate.status.message;
  if (task?.status.message) yield task.status.message;
  if (task?.history) yield* task.history;
}

/** The ids of all tasks that the messages of an event refer to. */
export const referencedTasksIn = (event: StreamResponse): string[] =>
  [...messagesIn(event)].flatMap(({ referenceTaskIds }) => referenceTaskIds ?? []);

/** A message under other ids. References to tasks without an id here are dropped. */
export function messageWithIds(message: Message, ids: Partial<TaskIds>, tasks: ReadonlyMap<string, string>): Message {
  const { taskId: _, contextId: __, referenceTaskIds, ...rest } = message;
  const references = referenceTaskIds?.flatMap((id) => tasks.get(id) ?? []) ?? [];
  return { ...rest, ...ids, ...(references.length > 0 && { referenceTaskIds: references }) };
}

/**
 * An agent's event under the gateway's own ids.
 *
 * @param tasks own ids of the tasks that the event refers to, by their ids at the agent
 */
export function withOwnIds(event: StreamResponse, ids: TaskIds, tasks: ReadonlyMap<string, string>): StreamResponse {
  const { message, task, statusUpdate, artifactUpdate } = event;
  if (statusUpdate) {
    return { statusUpdate: { ...statusUpdate, ...ids, status: statusWithIds(statusUpdate.status, ids, tasks) } };
  }
  if (artifactUpdate) return { artifactUpdate: { ...artifactUpdate, ...ids } };
  if (message) return { message: messageWithIds(message, ids, tasks) };
  return task ? { task: taskWithIds(task, ids, tasks) } : event;
}

const statusWithIds = (status: TaskStatus, ids: TaskIds, tasks: ReadonlyMap<string, string>): TaskStatus =>
  status.message ? { ...status, message: messageWithIds(status.message, ids, tasks) } : status;

function taskWithIds(task: Task, ids: TaskIds, tasks: ReadonlyMap<string, string>): Task {
  const { status, history } = task;
  return {
    ...task,
    id: ids.taskId,
    contextId: ids.contextId,
    status: statusWithIds(status, ids, tasks),
    ...(history && { history: history.map((message) => messageWithIds(message, ids, tasks)) }),
  };
}

/** The agent's ids of an event's task and context; '' if they are absent. */
export function idsIn({ message, task, statusUpdate, artifactUpdate }: StreamResponse): UpstreamTask {
  const { taskId = '', contextId = '' } = statusUpdate ?? artifactUpdate ?? message ?? {};
  return task ? { id: task.id, contextId: task.contextId ?? '' } : { id: taskId, contextId };
}

const none: ReadonlyMap<string, string> = new Map();

export type IdMapping = ReturnType<typeof createIdMapping>;

/**
 * Maps the ids of one owner's tasks and contexts to those of one agent, and back.
 *
 * @param signal retries while the store is unavailable, until this aborts. Default: no retries
 */
export function createIdMapping(store: UpstreamIds, owner: TaskOwner, signal?: AbortSignal) {
  const use = <T>(ask: () => Promise<T>): Promise<T> => (signal ? retryWhileUnavailable(ask, signal) : ask());
  return {
    /** The ids of a task at the agent, if they are known. */
    task: (key: string) => use(() => store.upstreamOf(key)),
    context: (contextId: string) => use(() => store.upstreamContextOf(owner, contextId)),
    async bindContext(contextId: string, upstreamContextId: string): Promise<void> {
      if (upstreamContextId !== '') await use(() => store.bindUpstreamContext(owner, contextId, upstreamContextId));
    },
    /** The agent's ids of tasks, by own ids. */
    toTheirs: async (ids: readonly string[] = []) =>
      ids.length > 0 ? use(() => store.upstreamTasksOf(owner, ids)) : none,
    /** Own ids of tasks, by the agent's ids. */
    toOurs: async (ids: readonly string[] = []) => (ids.length > 0 ? use(() => store.ownTasksOf(owner, ids)) : none),
  };
}

/**
 * The request for the agent: the caller's, under the agent's ids for the task and context as far as they are known. All
 * fields are passed on, including those that later versions of A2A add, except what the gateway does itself: tenants,
 * push notifications, the length of histories and waiting.
 *
 * @param upstream the agent's ids; '' for an unknown one
 * @param tasks the agent's ids of the tasks that the message refers to
 */
export function requestToUpstream(
  { tenant: _tenant, message, configuration, ...others }: SendMessageRequest,
  upstream: UpstreamTask,
  tasks: ReadonlyMap<string, string>,
): SendMessageRequest {
  const {
    taskPushNotificationConfig: _push,
    historyLength: _length,
    returnImmediately: _wait,
    ...passedOn
  } = configuration ?? {};
  const ids = {
    ...(upstream.id !== '' && { taskId: upstream.id }),
    ...(upstream.contextId !== '' && { contextId: upstream.contextId }),
  };
  return {
    message: messageWithIds(message, ids, tasks),
    ...(Object.keys(passedOn).length > 0 && { configuration: passedOn }),
    ...others,
  };
}
