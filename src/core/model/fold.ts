import type { Artifact, Message, StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from './a2a.ts';

/**
 * Applies one event of a task's log to the task, in place, and returns it. Events are never changed and share no array
 * with the task, so that the same event can be folded and sent. A `task` replaces everything, but keeps a history or
 * artifacts that it lacks. Throws TypeError when the log does not start with a `task`.
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

/** A copy that later events can be folded into without changing the original. The two share immutable parts. */
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
  if (update.metadata) task.metadata = { ...task.metadata, ...update.metadata };
}

/** A status message goes to the history when another status or message follows, unless the next status has it too. */
function retireStatusMessage(task: Task, next?: Message): void {
  const message = task.status.message;
  if (!message) return;
  delete task.status.message;
  if (message.messageId !== next?.messageId) remember(task, message);
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

/** The task with its last `length` messages: undefined keeps all, 0 leaves the history out (section 3.2.4). */
export function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined || task.history === undefined || task.history.length <= length) return task;
  const { history, ...rest } = task;
  return length === 0 ? rest : { ...rest, history: history.slice(-length) };
}
