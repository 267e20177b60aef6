import type { Artifact, Message, Part, StreamResponse, Task, TaskState } from '../core/model/a2a.ts';
import { newId } from '../core/model/ids.ts';

/** What may stand where a message is wanted: its text, its parts, or nothing. */
export type Content = string | readonly Part[];

const partsOf = (content: Content): Part[] => (typeof content === 'string' ? [{ text: content }] : [...content]);

const message = (content: Content): Message => ({ messageId: newId(), role: 'ROLE_AGENT', parts: partsOf(content) });

/** A direct answer, without a task: the first and only event of a run. */
export const say = (content: Content): StreamResponse => ({ message: message(content) });

/** A change of the task's state, with what the agent has to say about it. The core adds ids and the time. */
export const status = (state: TaskState, content?: Content): StreamResponse => ({
  statusUpdate: {
    taskId: '',
    contextId: '',
    status: { state, ...(content !== undefined && { message: message(content) }) },
  },
});

/** An artifact, or a piece of one. */
export interface ArtifactEvent {
  /** Needed to add to an artifact; made up otherwise. */
  readonly artifactId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly content: Content;
  /** The parts are added to the artifact with this id. Default: they replace it. */
  readonly append?: boolean;
  /** Nothing more will be added. */
  readonly lastChunk?: boolean;
}

/** A result of the task, whole or piece by piece. */
export function artifact({ artifactId, name, description, content, append, lastChunk }: ArtifactEvent): StreamResponse {
  const made: Artifact = { artifactId: artifactId ?? newId(), parts: partsOf(content) };
  if (name !== undefined) made.name = name;
  if (description !== undefined) made.description = description;
  return {
    artifactUpdate: {
      taskId: '',
      contextId: '',
      artifact: made,
      ...(append !== undefined && { append }),
      ...(lastChunk !== undefined && { lastChunk }),
    },
  };
}

/** The text of a message's first text part; '' when it has none. */
export const textOf = ({ parts }: Pick<Message, 'parts'>): string =>
  parts.find((part) => part.text !== undefined)?.text ?? '';

/** Whether the task waits for exactly what is being said to it now. */
export const isAsking = (task: Task | undefined): boolean => task?.status.state === 'TASK_STATE_INPUT_REQUIRED';
