import { A2AError } from '../../../core/model/errors.ts';

/** Resource names of tasks and push configurations, which the protobuf shapes have in place of ids. */

const tasks = 'tasks/';
const configs = '/pushNotificationConfigs/';

export const taskName = (id: string): string => tasks + id;

/** Returns `tasks/{id}/pushNotificationConfigs/{config}`. */
export const configName = (taskId: string, id: string): string => tasks + taskId + configs + id;

/**
 * Returns the id in the name of a task.
 *
 * @param field path of the name, for the error
 * @throws A2AError `invalidParams`
 */
export function taskIdIn(name: string | undefined, field: string): string {
  if (name?.startsWith(tasks) && name.length > tasks.length) return name.slice(tasks.length);
  throw misnamed(field, 'tasks/{id}');
}

/** Ends of names that clients in JavaScript and in Python write when they have no id. */
const noIds: ReadonlySet<string> = new Set(['', 'undefined', 'None']);

export interface ConfigName {
  readonly taskId: string;
  /** Id of the configuration; the task's id if the name has none. */
  readonly id: string;
  /** Whether the name has an id for the configuration. */
  readonly named: boolean;
}

/**
 * Returns the ids in the name of a push configuration. A configuration without an id has its task's id, as on native
 * servers, so that clients without an id find it again.
 *
 * @param field path of the name, for the error
 * @throws A2AError `invalidParams`
 */
export function configIdsIn(name: string | undefined, field: string): ConfigName {
  const at = name?.startsWith(tasks) ? name.indexOf(configs, tasks.length + 1) : -1;
  if (name === undefined || at < 0) throw misnamed(field, 'tasks/{id}/pushNotificationConfigs/{id}');
  const taskId = name.slice(tasks.length, at);
  const id = name.slice(at + configs.length);
  const named = !noIds.has(id);
  return { taskId, id: named ? id : taskId, named };
}

const misnamed = (field: string, form: string): A2AError => A2AError.invalidField(field, `must be of the form ${form}`);
