import type { StreamResponse, Task } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { lifecycle } from '../../core/model/lifecycle.ts';
import { UnreadableRow } from '../../core/model/stored-form.ts';
import type { TaskRecord } from '../../core/ports/task-store.ts';
import { inline } from './byte-limits.ts';

/** Beginning of the JSON of an event with a whole task. */

export const wholeTask = '{"task":';

/** The JSON of the task in the JSON of an event. Undefined if the event is of another kind. */
export const taskIn = (event: string): string | undefined =>
  event.startsWith(wholeTask) ? event.slice(wholeTask.length, -1) : undefined;

const isList = (value: unknown): boolean => value === undefined || Array.isArray(value);

const hasState = (value: unknown): boolean =>
  isObject(value) && isObject(value.status) && Object.hasOwn(lifecycle, String(value.status.state));

const isTask = (value: unknown): boolean =>
  hasState(value) &&
  typeof (value as Partial<Task>).id === 'string' &&
  isList((value as Partial<Task>).artifacts) &&
  isList((value as Partial<Task>).history);

/** Checks whether an event of each kind can be folded. */
const kinds: Readonly<Record<keyof StreamResponse, (value: unknown) => boolean>> = {
  task: isTask,
  message: isObject,
  statusUpdate: hasState,
  artifactUpdate: (value) => isObject(value) && isObject(value.artifact) && Array.isArray(value.artifact.parts),
};
const kindNames = Object.keys(kinds) as (keyof StreamResponse)[];

/**
 * Parses the text of an event. Throws if it cannot be read.
 *
 * @param value the parsed text, if it was already parsed
 */
export function eventIn(body: string, value: unknown = JSON.parse(body)): StreamResponse {
  if (isObject(value)) {
    for (const name of kindNames) if (value[name] !== undefined && kinds[name](value[name])) return value;
  }
  throw new UnreadableRow('it is not an event of a task');
}

/** Returns the placeholder for an event that cannot be read. @param record row of its task; undefined if it is not known */
export function standIn(seq: number, record: TaskRecord | undefined): StreamResponse {
  const { id = '', contextId = '', state = 'TASK_STATE_SUBMITTED' } = record ?? {};
  const isLast = record !== undefined && seq === record.seq;
  const at = isLast ? record.statusAt : record?.createdAt;
  const status = {
    state: isLast ? state : ('TASK_STATE_SUBMITTED' as const),
    ...(at !== undefined && { timestamp: new Date(at).toISOString() }),
  };
  if (seq === 1) return { task: { id, contextId, status } };
  return isLast ? { statusUpdate: { taskId: id, contextId, status } } : {};
}

/** Whether a text begins and ends like a task, and names a state. */
const looksLikeTask = (json: string): boolean =>
  json.startsWith('{"') && json.endsWith('}') && json.includes('"id":"') && json.includes('"state":"TASK_STATE_');

/**
 * Throws if a text is not a task. Returns the parsed task; undefined if the text need not be parsed for this check.
 *
 * @param isJson whether the database has checked the text
 * @param value the parsed text, if it was already parsed
 */
export function requireTask(json: string, isJson: boolean, value?: unknown): Task | undefined {
  // A large text is sent unchanged, and parsed only if its value is needed.
  if (value === undefined && (isJson || json.length > inline.one) && looksLikeTask(json)) return undefined;
  const task = value ?? JSON.parse(json);
  if (isTask(task)) return task as Task;
  throw new UnreadableRow('it is not a task');
}
