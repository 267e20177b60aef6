import type { StreamResponse, TaskState } from '../../../core/model/a2a.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { lineOfMessage } from '../../../core/model/text.ts';
import type { TaskSummary } from '../../../gen/admin-v1/types.ts';
import { words } from '../ui/format.ts';

/** Summary of one event of a log. */
interface EventLine {
  readonly kind: 'task' | 'message' | 'status' | 'artifact' | 'unknown';
  /** The entered state, the artifact's name, or the sender of a message. */
  readonly title: string;
  /** Content of the event, on one line. */
  readonly text: string;
  readonly state?: TaskState;
}

/** Characters of a line about an event of another service than A2A. */
const maxText = 300;

/** Characters of a name in a line. */
const maxName = 60;

/** Summarises an event on one line. */
export function describeEvent(event: StreamResponse): EventLine {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (statusUpdate) {
    const { state, message: statusMessage } = statusUpdate.status;
    return { kind: 'status', title: words(state).toLowerCase(), text: lineOfMessage(statusMessage ?? {}), state };
  }
  if (artifactUpdate) {
    const { artifact, append, lastChunk } = artifactUpdate;
    const name = (artifact.name || artifact.artifactId).slice(0, maxName);
    return {
      kind: 'artifact',
      title: append ? `${name} (${lastChunk ? 'last' : 'more'})` : name,
      text: lineOfMessage(artifact),
    };
  }
  if (message)
    return {
      kind: 'message',
      title: message.role === 'ROLE_USER' ? 'client message' : 'agent message',
      text: lineOfMessage(message),
    };
  if (task) {
    const { state, message: statusMessage } = task.status;
    const text = lineOfMessage(statusMessage ?? task.history?.at(-1) ?? {});
    return { kind: 'task', title: `task ${words(state).toLowerCase()}`, text, state };
  }
  // Events of services other than A2A.
  const names = Object.keys(event).slice(0, 4).join(', ');
  return { kind: 'unknown', title: names, text: JSON.stringify(event).slice(0, maxText) };
}

/**
 * Returns the times when a task was created and came to rest, or now, in milliseconds; NaN if its times are unknown.
 */
export function spanOf(task: Pick<TaskSummary, 'createdAt' | 'updatedAt' | 'state'>, now: number) {
  const start = Date.parse(task.createdAt ?? '');
  const end = isResting(task.state as TaskState) ? Date.parse(task.updatedAt ?? '') : now;
  return { start, end: Math.max(start, end) };
}
