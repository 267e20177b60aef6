import type { UpstreamTask } from '../model/agent.ts';
import type { TaskOwner } from '../model/ids.ts';

/** The ids of tasks and contexts at upstream agents. An append binds a task and its context (`Append.upstream`). */
export interface UpstreamIds {
  /** @param owner the task's owner, if the caller knows it: the lookup is then faster */
  upstreamOf(key: string, owner?: TaskOwner): Promise<UpstreamTask | undefined>;
  /** Binds a context, durably when it resolves; retained while a task in it, or a binding, is within the retention time. */
  bindUpstreamContext(owner: TaskOwner, contextId: string, upstream: string): Promise<void>;
  upstreamContextOf(owner: TaskOwner, contextId: string): Promise<string | undefined>;
  /** Returns upstream ids of the owner's tasks, by their ids here. Unknown ids are left out. */
  upstreamTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
  /** Returns the ids here, by upstream ids. */
  ownTasksOf(owner: TaskOwner, ids: readonly string[]): Promise<Map<string, string>>;
  /** Returns a secret, as `Store.secret` does. */
  secret(name: string): Promise<string>;
}
