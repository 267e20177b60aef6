import type { Part, StreamResponse } from '../../../core/model/a2a.ts';
import { isObject } from '../../../core/model/json.ts';
import { stateWord } from '../../../core/model/lifecycle.ts';

/** One line about an event of a stream. */

export interface Outline {
  readonly kind: string;
  readonly text: string;
}

/** Characters of a text in a line. */
const maxText = 200;

/** What an event says in short. Events of services other than A2A by the names of their members. */
export function outlineOf(event: unknown): Outline {
  if (!isObject(event)) return { kind: '', text: '' };
  const { task, statusUpdate, artifactUpdate, message } = event as StreamResponse;
  if (task?.status) return { kind: 'task', text: stateWord(task.status.state) };
  if (statusUpdate?.status) {
    const { state, message: said } = statusUpdate.status;
    return { kind: 'status', text: joined(stateWord(state), said && textOf(said.parts)) };
  }
  if (artifactUpdate?.artifact) {
    const { artifact, append, lastChunk } = artifactUpdate;
    const name = artifact.name || artifact.artifactId;
    const about = [name, append && 'appended', lastChunk && 'last'].filter(Boolean).join(', ');
    return { kind: 'artifact', text: `${textOf(artifact.parts)} (${about})` };
  }
  if (message) return { kind: 'message', text: textOf(message.parts) };
  return { kind: Object.keys(event).slice(0, 4).join(', '), text: JSON.stringify(event).slice(0, maxText) };
}

const joined = (one: string, other: string | undefined): string => (other ? `${one}: ${other}` : one);

/** The texts of parts; others by their kinds. */
function textOf(parts: readonly Part[] | undefined): string {
  const texts = (parts ?? []).map((part) => {
    if (part.text !== undefined) return part.text;
    if (part.data !== undefined) return 'data';
    return part.filename || (part.url === undefined ? 'file' : 'file by URL');
  });
  return texts.join(' ').slice(0, maxText);
}
