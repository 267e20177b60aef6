import { type SqlBool, sql } from 'kysely';
import { tasks } from './0001-tasks.ts';
import { pushConfigOwners } from './0002-push-config-owners.ts';
import { upstreamIds } from './0003-upstream-ids.ts';
import { pushOutbox } from './0004-push-outbox.ts';
import { peers } from './0006-peers.ts';
import { followers } from './0007-followers.ts';
import { canonicalForm } from './0010-canonical-form.ts';
import { upstreamColumns } from './0011-upstream-columns.ts';
import { upstreamIndexes } from './0012-upstream-indexes.ts';
import { generations } from './0013-generations.ts';
import { agentState } from './0014-agent-state.ts';
import { agentModes } from './0016-agent-modes.ts';
import { optionalSteps } from './0017-optional-steps.ts';
import { type Migration, withIndexes, withTexts } from './step.ts';

/** Tasks that wait for their callers. The condition of an index, which queries repeat literally. */
export const waitingTasks = sql<SqlBool>`owner is null and state in ('INPUT_REQUIRED', 'AUTH_REQUIRED')`;

/** In the order in which they are applied. Extensions have further ones (`Store.extend`), with numbers of their own. */
export const migrations: readonly Migration[] = [
  tasks,
  pushConfigOwners,
  upstreamIds,
  pushOutbox,
  peers,
  followers,
  // An idempotency key names the call that holds it, so that a repeated statement recognises its own row.
  withTexts(8, 'call nonces', 'idempotency', 'nonce'),
  // To count a principal's active webhooks before another one is added. Without `active` in the index, SQLite would choose the
  // index of all active configurations.
  withIndexes(9, 'push configurations by principal', {
    push_config_principal: sql`push_config (principal, active) where active = 1`,
  }),
  canonicalForm,
  upstreamColumns,
  upstreamIndexes,
  generations,
  agentState,
  // To find tasks of all owners: those that wait for their callers, and those with a chosen id; dead letters by age. Partial: a
  // task that never waits, and whose id was generated, pays for none of them.
  withIndexes(15, 'indexes of the admin service', {
    '"task_waiting"': sql`task (updated_at) where ${waitingTasks}`,
    '"task_of_chosen_id"': sql`task (id) where id <> key`,
    '"push_dead_age"': sql`push_dead (at)`,
  }),
  agentModes,
  optionalSteps,
  // The agent's request besides a task's latest message, until the log has an event after that message. Earlier
  // versions leave it.
  withTexts(18, 'requests of turns', 'task', 'turn_request'),
  // The key of the task whose agent opened a task; null where a caller did.
  withTexts(19, 'parents of tasks', 'task', 'parent'),
  // To find the tasks that the agent of a task opened at others. Partial: tasks of callers pay nothing for it.
  withIndexes(20, 'index of parents', { task_of_parent: sql`task (parent) where parent is not null` }),
  // Texts in lists of tasks: the message, the reason why it ended or waits, and the binding of the call that opened it.
  withTexts(21, 'words of tasks', 'task', 'binding', 'preview', 'reason'),
  // The key of the task that a tree began with, null for this task; and the trace of the call that opened the task, null
  // without one. Both are null where a version before opened it.
  withTexts(23, 'roots and traces of tasks', 'task', 'root', 'trace'),
  // To find the tasks of a tree. Partial, like the index of parents.
  withIndexes(24, 'index of roots', { task_of_root: sql`task (root) where root is not null` }),
];

/** Number of the newest migration that this program knows. */
export const newestMigration: number = migrations.at(-1)?.number ?? 0;
