import type { UpstreamTask } from '../model/agent.ts';
import type { TaskOwner } from '../model/ids.ts';

/** A task as far as it matters to what it is called at its upstream agent. */
export interface BoundTask {
  readonly key: string;
  readonly id: string;
  readonly contextId: string;
}

/** A task of ours, whose it is, and the one that it stands for. */
export interface TaskBinding {
  readonly task: TaskOwner & BoundTask;
  readonly upstream: UpstreamTask;
}

/**
 * What tasks and contexts are called at upstream agents. What is bound is durable when the promise resolves. Every
 * method rejects with A2AError `unavailable` when the database is.
 */
export interface UpstreamIds {
  /**
   * Binds a task, which need not be in the store yet, to the one that it stands for, and its context. Goes with the
   * task.
   */
  bindUpstream(owner: TaskOwner, task: BoundTask, there: UpstreamTask): Promise<void>;
  upstreamOf(key: string): Promise<UpstreamTask | undefined>;
  /** Binds a context; kept as long as a task in it, or a binding, is younger than retention wants. */
  bindUpstreamContext(owner: TaskOwner, contextId: string, there: string): Promise<void>;
  upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined>;
  /** What the owner's tasks are called there, by their ids here. Those that are not known are left out. */
  upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
  /** The inverse: by their ids there. */
  ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
}
