import type { Message, Part, StreamResponse, TaskState } from '../../core/model/a2a.ts';
import { isResting, stateWord } from '../../core/model/lifecycle.ts';

/** What one event of a log is about. */
export interface EventLine {
  readonly kind: 'task' | 'message' | 'status' | 'artifact' | 'unknown';
  /** What happened, such as `working` or `artifact report`. */
  readonly title: string;
  /** The beginning of the text that the event carries. */
  readonly text: string;
  readonly state?: TaskState;
}

/** Characters of a line's text. */
const maxText = 300;

/** Names a part in a few words. */
function partText(part: Part): string {
  if (typeof part.text === 'string') return part.text.slice(0, maxText);
  const name = part.filename ?? '';
  const type = part.mediaType ?? '';
  if (part.raw !== undefined || part.url !== undefined) return `[file ${name || type || 'without a name'}]`;
  if (part.data !== undefined) return '[data]';
  return '[empty part]';
}

/** The beginning of what parts say, on one line. */
export function partsText(parts: readonly Part[] | undefined): string {
  let text = '';
  for (const part of parts ?? []) {
    text += `${text && ' '}${partText(part)}`;
    if (text.length >= maxText) break;
  }
  return text.slice(0, maxText).replace(/\s+/g, ' ').trim();
}

const speaker = (message: Message): string => (message.role === 'ROLE_USER' ? 'client' : 'agent');

/** A state in words, such as `input required`. Unknown states are shown as they are. */
export const stateText = (state: string): string =>
  state.startsWith('TASK_STATE_') ? stateWord(state as TaskState).replaceAll('-', ' ') : state;

/** What an event says, on one line. */
export function describeEvent(event: StreamResponse): EventLine {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (statusUpdate) {
    const { state, message: said } = statusUpdate.status;
    return { kind: 'status', title: stateText(state), text: partsText(said?.parts), state };
  }
  if (artifactUpdate) {
    const { artifact, append, lastChunk } = artifactUpdate;
    const name = artifact.name || artifact.artifactId;
    const chunk = append ? 'more of artifact' : 'artifact';
    return {
      kind: 'artifact',
      title: `${chunk} ${name}${lastChunk ? ', complete' : ''}`,
      text: partsText(artifact.parts),
    };
  }
  if (message) return { kind: 'message', title: `message of the ${speaker(message)}`, text: partsText(message.parts) };
  if (task) {
    const { state, message: said } = task.status;
    const text = partsText((said ?? task.history?.at(-1))?.parts);
    return { kind: 'task', title: `task ${stateText(state)}`, text, state };
  }
  return { kind: 'unknown', title: 'unknown event', text: '' };
}

/** A span of time, such as `1.3 s` or `2 h 5 min`. */
export function durationText(milliseconds: number): string {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return '';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How long a task took until its last change, or takes by now; undefined where its times are unknown. */
export function durationOf(
  task: { readonly createdAt?: string; readonly updatedAt?: string; readonly state: string },
  now: number,
): number | undefined {
  const created = Date.parse(task.createdAt ?? '');
  const end = isResting(task.state as TaskState) ? Date.parse(task.updatedAt ?? '') : now;
  const duration = end - created;
  return Number.isNaN(duration) ? undefined : Math.max(0, duration);
}
