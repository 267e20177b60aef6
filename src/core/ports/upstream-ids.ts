import type { UpstreamTask } from '../model/agent.ts';
import type { TaskOwner } from '../model/ids.ts';

/** The ids of a task that is bound to an upstream task. */
export interface BoundTask {
  readonly key: string;
  readonly id: string;
  readonly contextId: string;
}

/** A task with its owner, and the upstream task that it stands for. */
export interface TaskBinding {
  readonly task: TaskOwner & BoundTask;
  readonly upstream: UpstreamTask;
}

/** The ids of tasks and contexts at upstream agents. Bindings are durable when the promise resolves. */
export interface UpstreamIds {
  /** Binds a task, which need not be stored yet, and its context to the upstream task. Deleted with the task. */
  bindUpstream(owner: TaskOwner, task: BoundTask, upstream: UpstreamTask): Promise<void>;
  upstreamOf(key: string): Promise<UpstreamTask | undefined>;
  /** Binds a context; retained while a task in it, or a binding, is within the retention time. */
  bindUpstreamContext(owner: TaskOwner, contextId: string, upstream: string): Promise<void>;
  upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined>;
  /** Upstream ids of the owner's tasks, by their ids here. Unknown ids are left out. */
  upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
  /** The inverse: ids here, by upstream ids. */
  ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
}
