import type { Artifact, Message, Part, StreamResponse, Task, TaskState } from '../core/model/a2a.ts';
import type { CalledAnswer } from '../core/model/agent.ts';
import { askKey } from '../core/model/ask.ts';
import { newId } from '../core/model/ids.ts';
import { isObject } from '../core/model/json.ts';
import { isInterrupted, stateWord } from '../core/model/lifecycle.ts';
import { type QuestionFacts, questionKey, questionOf, timeOf, timeText } from '../core/model/question.ts';
import { parseDuration } from '../core/model/scalars.ts';

/** The content of a message or artifact: texts and parts, such as `file(…)` and `data(…)`. */
export type Content = string | Part | readonly (string | Part)[];

function partOf(content: string | Part): Part {
  if (typeof content === 'string') return { text: content };
  if (typeof content === 'object' && content !== null) return content;
  throw new TypeError(
    `Content is a text, a part such as data(…) or file(…), or a list of them, not ${typeof content}.`,
  );
}

export const partsOf = (content: Content): Part[] =>
  Array.isArray(content) ? content.map(partOf) : [partOf(content as string | Part)];

/**
 * A file as a part.
 *
 * @param content bytes, a text, or the URL where the file is
 * @param mediaType the media type of the file. Default: the part names none
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

/** Placeholders for ids, which the core fills in. */
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
 * ```ts
 * import { ask, defineAgent, status } from 'a2a-gateway';
 *
 * const options = { schema: { enum: ['red', 'green'] }, deadline: '2h', otherwise: 'fail' } as const;
 * export default defineAgent({ name: 'Painter', description: 'Paints' }, async function* ({ answer }) {
 *   if (answer?.action !== 'accept') yield ask('Which colour?', options);
 *   else yield status('TASK_STATE_COMPLETED', `Painted in ${answer.value}`);
 * });
 * ```
 *
 * @param options facts of the question besides its text, such as the JSON Schema of the answer, by which the gateway checks it,
 *   and how long it waits: see `AskOptions`
 */
export function ask(question: Content, options?: AskOptions): StreamResponse {
  const asked = message(question);
  if (options) asked.metadata = { [questionKey]: factsOf(options) };
  return { statusUpdate: { ...noIds, status: { state: 'TASK_STATE_INPUT_REQUIRED', message: asked } } };
}

/** Facts of a question besides its text. */
export interface AskOptions extends QuestionFacts {
  /**
   * Time to wait for an answer, such as `30m` or `2h`. Then the task fails, or continues with the default answer of
   * `otherwise`: `{ answer: 2 }`.
   */
  readonly deadline?: string;
}

function factsOf({ deadline, ...facts }: AskOptions): QuestionFacts {
  if (deadline === undefined) return facts;
  const wait = parseDuration(deadline);
  if (wait === undefined) throw new TypeError(`A deadline is a duration such as 30m or 2h, not ${deadline}.`);
  return { otherwise: 'fail', ...facts, until: timeText(Date.now() + wait) };
}

/** Metadata key of a question that an agent passes on: the origin of the question. */
const passedOnKey = 'a2a-gateway/passed-on';

/** Origin of a question that was passed on: the agent and the task that asked it. */
export interface PassedOn {
  readonly agent: string;
  readonly taskId: string;
}

/**
 * Asks the caller the question of another agent, with all facts of the question. The run ends with it, as with `ask`. In the next
 * turn, `passedOn` returns the task to which the answer belongs.
 *
 * Throws TypeError if the other agent does not wait for an answer.
 */
export function passOn({ agent, task }: CalledAnswer): StreamResponse {
  const { state = 'TASK_STATE_UNSPECIFIED', message: asked } = task?.status ?? {};
  if (!task || !isInterrupted(state))
    throw new TypeError(`${agent} has asked nothing: its task is ${stateWord(state)}.`);
  const { text: _text, remind: _remind, ...facts } = questionOf(task) ?? { text: '' };
  const passed = message(asked?.parts.length ? asked.parts : `${agent} waits for an answer`);
  const from: PassedOn = { agent, taskId: task.id };
  // The people who are asked decide about the other agent's call, not about this task.
  const { [askKey]: _ask, ...metadata } = asked?.metadata ?? {};
  passed.metadata = {
    ...metadata,
    [questionKey]: { by: agent, ...facts, ...earlier(facts) },
    [passedOnKey]: { ...from },
  };
  return { statusUpdate: { ...noIds, status: { state, message: passed } } };
}

/**
 * Milliseconds before its deadline at which a question that was passed on must be answered, so that the answer reaches the agent
 * that asked in time.
 */
const passingTime = 5_000;

/** The deadline of a question that is passed on. It is earlier than the deadline of the original question. */
function earlier({ until, otherwise }: QuestionFacts): Pick<QuestionFacts, 'until'> {
  if (otherwise === undefined || until === undefined) return {};
  const left = Math.max(0, timeOf(until) - Date.now());
  return Number.isFinite(left) ? { until: timeText(Date.now() + left - Math.min(passingTime, left / 2)) } : {};
}

/** Whether another agent's task waits for its caller, who can answer it or pass the question on. */
export const isWaiting = ({ state }: Pick<CalledAnswer, 'state'>): boolean =>
  state !== undefined && isInterrupted(state);

/**
 * Returns the origin of the question that a task, such as `context.task`, has passed on and waits for. Undefined if the question
 * is the task's own, or if there is none.
 */
export function passedOn(task: Pick<Task, 'status'> | undefined): PassedOn | undefined {
  const facts = task && isInterrupted(task.status.state) && task.status.message?.metadata?.[passedOnKey];
  return isObject(facts) ? (facts as unknown as PassedOn) : undefined;
}

/** Progress of the work, for callers who follow the task. */
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
  /** Whether this is the last chunk: no more parts will be appended. */
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
