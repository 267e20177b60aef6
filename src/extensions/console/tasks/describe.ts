import type { Message, Part, StreamResponse, TaskState } from '../../../core/model/a2a.ts';
import { isResting } from '../../../core/model/lifecycle.ts';
import { words } from '../ui/format.ts';

/** What one event of a log is about. */
export interface EventLine {
  readonly kind: 'task' | 'message' | 'status' | 'artifact' | 'unknown';
  /** What happened: the state that was entered, the artifact's name, or who said something. */
  readonly title: string;
  /** The beginning of the text that the event carries. */
  readonly text: string;
  readonly state?: TaskState;
}

/** Characters of a line's text. */
const maxText = 300;

/** Characters of a name in a line. */
const maxName = 60;

/** Names a part in a few words. */
function partText(part: Part): string {
  if (typeof part.text === 'string') return part.text.slice(0, maxText);
  const name = part.filename ?? '';
  const type = part.mediaType ?? '';
  if (part.raw !== undefined || part.url !== undefined)
    return `[file ${(name || type || 'without a name').slice(0, maxName)}]`;
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

/** What an event says, on one line. */
export function describeEvent(event: StreamResponse): EventLine {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (statusUpdate) {
    const { state, message: said } = statusUpdate.status;
    return { kind: 'status', title: words(state).toLowerCase(), text: partsText(said?.parts), state };
  }
  if (artifactUpdate) {
    const { artifact, append, lastChunk } = artifactUpdate;
    const name = (artifact.name || artifact.artifactId).slice(0, maxName);
    return {
      kind: 'artifact',
      title: append ? `${name} (${lastChunk ? 'last' : 'more'})` : name,
      text: partsText(artifact.parts),
    };
  }
  if (message) return { kind: 'message', title: `${speaker(message)} message`, text: partsText(message.parts) };
  if (task) {
    const { state, message: said } = task.status;
    const text = partsText((said ?? task.history?.at(-1))?.parts);
    return { kind: 'task', title: `task ${words(state).toLowerCase()}`, text, state };
  }
  // Of services other than A2A.
  const names = Object.keys(event).slice(0, 4).join(', ');
  return { kind: 'unknown', title: names, text: JSON.stringify(event).slice(0, maxText) };
}

/** When a task was created and when it came to rest, or now, in milliseconds; NaN where its times are unknown. */
export function spanOf(
  task: { readonly createdAt?: string; readonly updatedAt?: string; readonly state: string },
  now: number,
): { readonly start: number; readonly end: number } {
  const start = Date.parse(task.createdAt ?? '');
  const end = isResting(task.state as TaskState) ? Date.parse(task.updatedAt ?? '') : now;
  return { start, end: Math.max(start, end) };
}
