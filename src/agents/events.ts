import type { Artifact, Message, Part, StreamResponse, Task, TaskState } from '../core/model/a2a.ts';
import { newId } from '../core/model/ids.ts';

/** The content of a message or artifact: a text, or parts. */
export type Content = string | readonly Part[];

const partsOf = (content: Content): Part[] => (typeof content === 'string' ? [{ text: content }] : [...content]);

const message = (content: Content): Message => ({ messageId: newId(), role: 'ROLE_AGENT', parts: partsOf(content) });

/** The core fills in the ids. */
const noIds = { taskId: '', contextId: '' };

/** A direct answer without a task: the only event of a run. */
export const say = (content: Content): StreamResponse => ({ message: message(content) });

/** A change of the task's state, with a message. The core adds ids and the time. */
export const status = (state: TaskState, content?: Content): StreamResponse => ({
  statusUpdate: { ...noIds, status: { state, ...(content !== undefined && { message: message(content) }) } },
});

/** An artifact, or a chunk of one. */
export interface ArtifactEvent {
  /** Needed for appending to an artifact. Default: a new id. */
  readonly artifactId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly content: Content;
  /** Appends the parts to the artifact with this id. Default: they replace it. */
  readonly append?: boolean;
  /** No more parts will be appended. */
  readonly lastChunk?: boolean;
}

/** A result of the task, as a whole or in chunks. */
export function artifact({ artifactId, name, description, content, append, lastChunk }: ArtifactEvent): StreamResponse {
  const result: Artifact = { artifactId: artifactId ?? newId(), parts: partsOf(content) };
  if (name !== undefined) result.name = name;
  if (description !== undefined) result.description = description;
  const flags = { ...(append !== undefined && { append }), ...(lastChunk !== undefined && { lastChunk }) };
  return { artifactUpdate: { ...noIds, artifact: result, ...flags } };
}

/** The text of a message's first text part; '' when it has none. */
export const textOf = ({ parts }: Pick<Message, 'parts'>): string =>
  parts.find((part) => part.text !== undefined)?.text ?? '';

/** Whether the task waits for the client's input. */
export const isAsking = (task: Task | undefined): boolean => task?.status.state === 'TASK_STATE_INPUT_REQUIRED';
