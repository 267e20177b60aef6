import type { Artifact, Message, Part, StreamResponse, Task, TaskState } from '../core/model/a2a.ts';
import { newId } from '../core/model/ids.ts';
import { type QuestionFacts, questionKey } from '../core/model/question.ts';

/** The content of a message or artifact: texts and parts, such as `file(…)` and `data(…)`. */
export type Content = string | Part | readonly (string | Part)[];

function partOf(content: string | Part): Part {
  if (typeof content === 'string') return { text: content };
  if (typeof content === 'object' && content !== null) return content;
  throw new TypeError(
    `Content is a text, a part such as data(…) or file(…), or a list of them, not ${typeof content}.`,
  );
}

const partsOf = (content: Content): Part[] =>
  Array.isArray(content) ? content.map(partOf) : [partOf(content as string | Part)];

/**
 * A file as a part.
 *
 * @param content bytes, a text, or the URL where the file is
 * @param mediaType default: none is given
 */
export function file(filename: string, content: Uint8Array | string | URL, mediaType?: string): Part {
  const named = { filename, ...(mediaType !== undefined && { mediaType }) };
  if (content instanceof URL) return { url: content.href, ...named };
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return { raw: bytes.toString('base64'), ...named };
}

/** Structured data, anything that JSON can hold, as a part. */
export const data = (value: unknown): Part => ({ data: value as NonNullable<Part['data']> });

const message = (content: Content): Message => ({ messageId: newId(), role: 'ROLE_AGENT', parts: partsOf(content) });

/** The core fills in the ids. */
const noIds = { taskId: '', contextId: '' };

/** A direct answer without a task: the only event of a run. */
export const say = (content: Content): StreamResponse => ({ message: message(content) });

/** A change of the task's state, with a message. The core adds ids and the time. */
export const status = (state: TaskState, content?: Content): StreamResponse => ({
  statusUpdate: { ...noIds, status: { state, ...(content !== undefined && { message: message(content) }) } },
});

/**
 * A question to the caller. The run ends with it: the answer is the next message to the task.
 *
 * @param facts what is known of it besides its text, such as the JSON Schema of the answer, by which the gateway checks it
 */
export function ask(question: Content, facts?: QuestionFacts): StreamResponse {
  const asked = message(question);
  if (facts) asked.metadata = { [questionKey]: facts };
  return { statusUpdate: { ...noIds, status: { state: 'TASK_STATE_INPUT_REQUIRED', message: asked } } };
}

/** How far the work has come, for callers who follow the task. */
export const progress = (content?: Content): StreamResponse => status('TASK_STATE_WORKING', content);

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
