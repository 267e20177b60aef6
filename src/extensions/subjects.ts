import { timestamp } from '../core/model/agent-events.ts';
import { A2AError } from '../core/model/errors.ts';
import type { TaskOverview } from '../core/ports/admin-store.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { Store } from '../core/ports/store.ts';
import type { TaskSummary } from '../gen/admin-v1/types.ts';
import type { AuditedFacts, TaskFacts } from './handlers.ts';

// Agents and tasks that operators name.

/** @throws A2AError `agentNotFound` for a name that no agent has */
export function requireAgent(agents: Pick<AgentDirectory, 'get'>, name: string): void {
  if (!agents.get(name)) throw new A2AError('agentNotFound', `No such agent: ${name}`);
}

/** The task with this key; the audit log names its agent and its owner. Throws `taskNotFound`. */
export async function taskOf(
  { store }: { readonly store: Pick<Store, 'overviewOf'> },
  key: string,
  facts: AuditedFacts,
): Promise<TaskOverview> {
  const task = await store.overviewOf(key);
  if (!task) throw A2AError.taskNotFound(key);
  facts.agent = task.agent;
  facts.owner = task.principal;
  return task;
}

/** A task's row in the form of the admin service. @param hidden without what messages and agents say */
export const summaryOf = (task: TaskOverview, hidden: boolean, added?: TaskFacts): TaskSummary => ({
  key: task.key,
  id: task.id,
  contextId: task.contextId,
  agent: task.agent,
  tenant: task.tenant,
  principal: task.principal,
  state: task.state,
  stateChangedAt: timestamp(task.statusAt),
  createdAt: timestamp(task.createdAt),
  updatedAt: timestamp(task.updatedAt),
  lastPosition: task.seq,
  dialect: task.dialect,
  replica: task.replica,
  parent: task.parent,
  root: task.root,
  ...added,
  binding: task.binding,
  ...(!hidden && { preview: task.preview, reason: task.reason }),
});
