import { hash } from 'node:crypto';
import type { Message, SendMessageRequest, StreamResponse, Task, TaskStatus } from '../../core/model/a2a.ts';
import type { UpstreamTask } from '../../core/model/agent.ts';
import { type TaskIds, uncounted } from '../../core/model/agent-events.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { UpstreamIds } from '../../core/ports/upstream-ids.ts';
import { retryWhileUnavailable } from '../../core/tasks/outage.ts';
import { requestPartsOf } from '../../core/tasks/turn-request.ts';

const noTasks: readonly string[] = [];

/** The ids of all tasks that the messages of an event refer to. */
export function referencedTasksIn({ message, task, statusUpdate }: StreamResponse): readonly string[] {
  const latest = message ?? (statusUpdate ?? task)?.status.message;
  const ids = latest?.referenceTaskIds ?? noTasks;
  return task?.history ? [...ids, ...task.history.flatMap(({ referenceTaskIds = noTasks }) => referenceTaskIds)] : ids;
}

/** A copy of a message with other ids. References to tasks that `tasks` does not contain are dropped. */
export function messageWithIds(message: Message, ids: Partial<TaskIds>, tasks: ReadonlyMap<string, string>): Message {
  const { taskId: _, contextId: __, referenceTaskIds, ...rest } = message;
  const renamed: Message = Object.assign(rest, ids);
  const references = referenceTaskIds?.flatMap((id) => tasks.get(id) ?? []) ?? [];
  if (references.length > 0) renamed.referenceTaskIds = references;
  return renamed;
}

/**
 * A copy of an agent's event with the gateway's own ids, and without the agent's generation.
 *
 * @param tasks own ids of the tasks that the event refers to, by their ids at the agent
 */
export function withOwnIds(event: StreamResponse, ids: TaskIds, tasks: ReadonlyMap<string, string>): StreamResponse {
  const { message, task, statusUpdate, artifactUpdate } = event;
  if (statusUpdate) {
    const status = statusWithIds(statusUpdate.status, ids, tasks);
    return { statusUpdate: uncounted({ ...statusUpdate, ...ids, status }) };
  }
  if (artifactUpdate) return { artifactUpdate: uncounted({ ...artifactUpdate, ...ids }) };
  if (message) return { message: messageWithIds(message, ids, tasks) };
  return task ? { task: taskWithIds(task, ids, tasks) } : event;
}

const statusWithIds = (status: TaskStatus, ids: TaskIds, tasks: ReadonlyMap<string, string>): TaskStatus =>
  status.message ? { ...status, message: messageWithIds(status.message, ids, tasks) } : status;

function taskWithIds(task: Task, ids: TaskIds, tasks: ReadonlyMap<string, string>): Task {
  const { status, history } = task;
  return uncounted({
    ...task,
    id: ids.taskId,
    contextId: ids.contextId,
    status: statusWithIds(status, ids, tasks),
    ...(history && { history: history.map((message) => messageWithIds(message, ids, tasks)) }),
  });
}

/** The agent's ids of an event's task and context; '' if they are absent. */
export function idsIn({ message, task, statusUpdate, artifactUpdate }: StreamResponse): UpstreamTask {
  const { taskId = '', contextId = '' } = statusUpdate ?? artifactUpdate ?? message ?? {};
  return task ? { id: task.id, contextId: task.contextId ?? '' } : { id: taskId, contextId };
}

/** An empty mapping of task ids. */
export const noMapping: ReadonlyMap<string, string> = new Map();

/** The ids for an agent that uses the ids of its callers: nothing is mapped. */
export const noIds: UpstreamIds = {
  upstreamOf: async () => undefined,
  bindUpstreamContext: async () => undefined,
  upstreamContextOf: async () => undefined,
  upstreamTasksOf: async () => new Map(),
  ownTasksOf: async () => new Map(),
  secret: async () => '',
};

/** Maps the ids of one owner's tasks and contexts to those of one agent, and back. */
export class IdMapping {
  readonly #store: UpstreamIds;
  readonly #owner: TaskOwner;
  readonly #signal: (() => AbortSignal) | undefined;

  /** @param signal while the store is unavailable, accesses are retried until this signal aborts. Default: no retries */
  constructor(store: UpstreamIds, owner: TaskOwner, signal?: () => AbortSignal) {
    this.#store = store;
    this.#owner = owner;
    this.#signal = signal;
  }

  /** The ids of a task at the agent, if they are known. */
  task(key: string): ReturnType<UpstreamIds['upstreamOf']> {
    return this.#use(() => this.#store.upstreamOf(key, this.#owner));
  }

  context(contextId: string): ReturnType<UpstreamIds['upstreamContextOf']> {
    return this.#use(() => this.#store.upstreamContextOf(this.#owner, contextId));
  }

  async bindContext(contextId: string, upstreamContextId: string): Promise<void> {
    if (upstreamContextId === '') return;
    await this.#use(() => this.#store.bindUpstreamContext(this.#owner, contextId, upstreamContextId));
  }

  /** The agent's ids of tasks, by own ids. */
  async toTheirs(ids: readonly string[] = []): Promise<ReadonlyMap<string, string>> {
    return ids.length > 0 ? this.#use(() => this.#store.upstreamTasksOf(this.#owner, ids)) : noMapping;
  }

  /** Own ids of tasks, by the agent's ids. */
  async toOurs(ids: readonly string[] = []): Promise<ReadonlyMap<string, string>> {
    return ids.length > 0 ? this.#use(() => this.#store.ownTasksOf(this.#owner, ids)) : noMapping;
  }

  /**
   * An idempotency key of the gateway for a message. It is the same after a restart and in every replica, and differs between
   * stores. It is made of the task's key, the turn's position, and the message's own id, which distinguishes the message from one
   * that was never stored.
   */
  async messageKey(key: string, turn: number, { messageId }: Message): Promise<string> {
    const secret = await this.#use(() => this.#store.secret('upstream-messages'));
    return hmac(secret, JSON.stringify([key, turn, messageId]));
  }

  #use<T>(ask: () => Promise<T>): Promise<T> {
    return this.#signal ? retryWhileUnavailable(ask, this.#signal()) : ask();
  }
}

/** Bytes of a block of SHA-256. */
const block = 64;
/** A buffer for a block, followed by a digest of SHA-256. */
const outer = Buffer.alloc(block + 32);
let inner = '';
let padded: string | undefined;

/**
 * HMAC with SHA-256 (RFC 2104) in base64url, as two digests: Node's `createHmac` takes three times as long.
 *
 * @param secret ASCII, no longer than a block
 */
export function hmac(secret: string, text: string): string {
  if (secret !== padded) {
    const bytes = Buffer.alloc(block);
    if (bytes.write(secret) !== secret.length) throw new RangeError('The secret is not ASCII, or too long');
    // The characters are ASCII, so that the bytes are the same in UTF-8.
    inner = Buffer.from(bytes.map((byte) => byte ^ 0x36)).toString('latin1');
    outer.set(bytes.map((byte) => byte ^ 0x5c));
    padded = secret;
  }
  outer.write(hash('sha256', inner + text, 'base64url'), block, 'base64url');
  return hash('sha256', outer, 'base64url');
}

/**
 * The request for the agent: the parts of the caller's request that are for it (`requestPartsOf`), with the agent's ids of the
 * task and context as far as they are known.
 *
 * @param upstream the agent's ids; '' for an unknown one
 * @param tasks the agent's ids of the tasks that the message refers to
 */
export function requestToUpstream(
  request: SendMessageRequest,
  upstream: UpstreamTask,
  tasks: ReadonlyMap<string, string>,
): SendMessageRequest {
  const ids: { taskId?: string; contextId?: string } = {};
  if (upstream.id !== '') ids.taskId = upstream.id;
  if (upstream.contextId !== '') ids.contextId = upstream.contextId;
  return { message: messageWithIds(request.message, ids, tasks), ...requestPartsOf(request) };
}
