import type {
  Artifact,
  Message,
  StreamResponse,
  Struct,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from './a2a.ts';
import { isObject, sameJson } from './json.ts';

/**
 * Metadata key of a status update with the fields of the task that updates cannot express: the messages of its history,
 * if they do not follow from the updates, and fields of later versions of A2A.
 */
export const fieldsKey = 'a2a-gateway/task';

/** The fields of a task that updates set, and its ids. */
const usualFields: ReadonlySet<string> = new Set([
  'id',
  'contextId',
  'status',
  'history',
  'artifacts',
  'metadata',
  'generation',
]);

/** Whether a field of a task is one that updates cannot express. */
export const isOtherField = (name: string): boolean => !usualFields.has(name);

/**
 * Applies one event of a task's log to the task, in place, and returns it. Events are never changed and share no array
 * with the task, so that the same event can be folded and sent. A `task` replaces everything, but keeps a history or
 * artifacts that it lacks. Throws TypeError if the log does not start with a `task`.
 *
 * ```ts
 * import type { StreamResponse, Task } from 'a2a-gateway';
 *
 * export const taskAt = (log: readonly StreamResponse[], position: number): Task | undefined =>
 *   log.slice(0, position).reduce<Task | undefined>(fold, undefined);
 * ```
 */
export function fold(task: Task | undefined, event: StreamResponse): Task {
  if (event.task) return replace(task, event.task);
  if (!task) throw new TypeError('The log of a task must start with a task event.');
  if (event.statusUpdate) applyStatus(task, event.statusUpdate);
  else if (event.artifactUpdate) applyArtifact(task, event.artifactUpdate);
  else if (event.message) {
    retireStatusMessage(task);
    remember(task, event.message);
  }
  // Of events from agents; stored ones have none.
  const generation = (event.statusUpdate ?? event.artifactUpdate)?.generation;
  if (generation !== undefined) task.generation = generation;
  return task;
}

/**
 * Copies a task so that later events can be folded into the copy without changing the original. The two share immutable
 * parts.
 */
export const copyTask = (task: Task): Task => replace(undefined, task);

function replace(former: Task | undefined, next: Task): Task {
  const task: Task = { ...next, status: { ...next.status } };
  const history = next.history ?? former?.history;
  if (history) task.history = [...history];
  const artifacts = next.artifacts ?? former?.artifacts;
  if (artifacts) task.artifacts = artifacts.map(copyArtifact);
  return task;
}

function applyStatus(task: Task, update: TaskStatusUpdateEvent): void {
  retireStatusMessage(task, update.status.message);
  task.status = { ...update.status };
  if (update.metadata) applyMetadata(task, update.metadata);
}

function applyMetadata(task: Task, metadata: Struct): void {
  if (!Object.hasOwn(metadata, fieldsKey)) {
    task.metadata = { ...task.metadata, ...metadata };
    return;
  }
  const { [fieldsKey]: _, ...others } = metadata;
  if (Object.keys(others).length > 0) task.metadata = { ...task.metadata, ...others };
  const { history, ...fields } = fieldsIn(metadata);
  Object.assign(task, fields);
  if (history) task.history = [...history];
}

/** Returns the fields of the task in the metadata of a status update that updates cannot express. */
export function fieldsIn(metadata: Struct | undefined): Partial<Pick<Task, 'history'>> {
  const given = metadata?.[fieldsKey];
  if (!isObject(given)) return {};
  const fields = Object.fromEntries(Object.entries(given).filter(([name]) => isOtherField(name)));
  return { ...fields, ...(Array.isArray(given.history) && { history: given.history as Message[] }) };
}

/** Returns the task that a status update reports if its metadata have such fields; undefined for other events. */
export function taskReportedBy({ statusUpdate }: StreamResponse): Task | undefined {
  if (!statusUpdate?.metadata || !Object.hasOwn(statusUpdate.metadata, fieldsKey)) return undefined;
  const { taskId: id, contextId, status, metadata } = statusUpdate;
  const { [fieldsKey]: _, ...others } = metadata;
  const own = Object.keys(others).length > 0 && { metadata: others };
  return { id, contextId, status, ...own, ...fieldsIn(metadata) };
}

/** Moves a status message to the history when another status or message follows, unless the next status repeats it. */
function retireStatusMessage(task: Task, next?: Message): void {
  const message = task.status.message;
  if (!message) return;
  delete task.status.message;
  // Some agents list it in the history, too.
  const last = task.history?.at(-1);
  const isListed = last?.messageId === message.messageId && sameJson(last.parts, message.parts);
  if (message.messageId !== next?.messageId && !isListed) remember(task, message);
}

function remember(task: Task, message: Message): void {
  if (task.history) task.history.push(message);
  else task.history = [message];
}

function applyArtifact(task: Task, update: TaskArtifactUpdateEvent): void {
  task.artifacts ??= [];
  const { artifacts } = task;
  const at = artifacts.findLastIndex((artifact) => artifact.artifactId === update.artifact.artifactId);
  const existing = artifacts[at];
  if (!existing) artifacts.push(copyArtifact(update.artifact));
  else if (update.append) extend(existing, update.artifact);
  else artifacts[at] = copyArtifact(update.artifact);
}

const copyArtifact = (artifact: Artifact): Artifact => ({ ...artifact, parts: [...artifact.parts] });

function extend(artifact: Artifact, chunk: Artifact): void {
  for (const part of chunk.parts) artifact.parts.push(part);
  if (chunk.name !== undefined) artifact.name = chunk.name;
  if (chunk.description !== undefined) artifact.description = chunk.description;
  if (chunk.metadata) artifact.metadata = { ...artifact.metadata, ...chunk.metadata };
  if (chunk.extensions) artifact.extensions = [...new Set([...(artifact.extensions ?? []), ...chunk.extensions])];
}

/** Returns the task with its last `length` messages: undefined keeps all, 0 leaves the history out (section 3.2.4). */
export function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined || task.history === undefined || task.history.length <= length) return task;
  const { history, ...rest } = task;
  return length === 0 ? rest : { ...rest, history: history.slice(-length) };
}
