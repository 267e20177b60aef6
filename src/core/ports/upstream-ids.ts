import type { UpstreamTask } from '../model/agent.ts';
import type { TaskOwner } from '../model/ids.ts';

/** The ids of tasks and contexts at upstream agents. An append binds a task and its context (`Append.upstream`). */
export interface UpstreamIds {
  /** @param owner the task's, where the caller knows it: it is found faster then */
  upstreamOf(key: string, owner?: TaskOwner): Promise<UpstreamTask | undefined>;
  /** Binds a context, durably when it resolves; retained while a task in it, or a binding, is within the retention time. */
  bindUpstreamContext(owner: TaskOwner, contextId: string, upstream: string): Promise<void>;
  upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined>;
  /** Upstream ids of the owner's tasks, by their ids here. Unknown ids are left out. */
  upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
  /** The inverse: ids here, by upstream ids. */
  ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
  /** As of `Store.secret`. */
  secret(name: string): Promise<string>;
}
