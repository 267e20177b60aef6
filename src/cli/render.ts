import type { Artifact, Message, Part, Task, TaskState } from '../client/index.ts';
import { own } from '../core/model/json.ts';
import { isTerminal, lifecycle, stateWord } from '../core/model/lifecycle.ts';
import { createJoiner as createJoinerOf, type Joiner } from '../core/model/text.ts';
import type { Cell } from './output.ts';

/** Functions that render tasks, messages and parts as text. */

export { stateWord };

export const messageText = (message: Message | undefined): string => joinParts(message?.parts ?? []);
export const artifactText = ({ parts }: Artifact): string => joinParts(parts);

/** Returns the text of a task: its artifacts, and the message of its status if that is the answer or a question. */
export function taskText(task: Task): string {
  const texts = (task.artifacts ?? []).map(artifactText);
  const said = messageText(task.status.message ?? lastReply(task));
  if (
    said !== '' &&
    (lifecycle[task.status.state] === 'interrupted' || (texts.length === 0 && !isFailure(task.status.state)))
  ) {
    texts.push(said);
  }
  return texts.join('\n');
}

/**
 * Returns the agent's last message unless the caller has answered it. In dialects without status messages, it is the
 * reply.
 */
function lastReply({ history = [] }: Task): Message | undefined {
  const last = history.at(-1);
  return last?.role === 'ROLE_AGENT' ? last : undefined;
}

/** Whether a task ended without success. */
export const isFailure = (state: TaskState): boolean => isTerminal(state) && state !== 'TASK_STATE_COMPLETED';

export type TaskProgress = Pick<Task, 'id' | 'status'>;

/** Returns the command as the user started it: `npx a2a-gateway`, or `a2a-gateway` if its folder is in PATH. */
export function ownCommand({ npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env): string {
  return event === 'npx' && /^\W?a2a-gateway\b/.test(script) ? 'npx a2a-gateway' : 'a2a-gateway';
}

/**
 * Removes the stack trace that a gateway adds, for callers on its own machine, to the message of an agent's exception.
 */
export const withoutCalls = (message: string): string => message.split('\n    at ', 1)[0] ?? '';

export function failureText(task: TaskProgress): string {
  const { state, message } = task.status;
  const reason = withoutCalls(messageText(message)).replace(/\s+/g, ' ');
  const what = state === 'TASK_STATE_FAILED' ? 'failed' : `was ${stateWord(state)}`;
  return `task ${task.id} ${what}${reason === '' ? '' : `: ${reason}`}`;
}

export const shellWord = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Task states by the words that are printed and accepted as options, such as `input-required`. */
const states = Object.fromEntries(
  (Object.keys(lifecycle) as TaskState[])
    .filter((state) => state !== 'TASK_STATE_UNSPECIFIED')
    .map((state) => [stateWord(state), state]),
);

export const stateWords = Object.keys(states);

export const stateNamed = (word: string): TaskState | undefined => own(states, word);

/** Returns the word for a state, in a color that shows whether the task needs attention. */
export function stateCell(state: TaskState): Cell {
  const color = isFailure(state)
    ? 'red'
    : isTerminal(state)
      ? 'green'
      : lifecycle[state] === 'interrupted'
        ? 'yellow'
        : 'cyan';
  return { text: stateWord(state), color };
}

/** Formats a size in readable units. */
function amount(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const unit = bytes < 1024 ** 2 ? 'KiB' : 'MiB';
  return `${(bytes / (unit === 'KiB' ? 1024 : 1024 ** 2)).toFixed(1)} ${unit}`;
}

/** Renders a part as text: its text, its data as JSON, or a description of the file. */
export function partText({ text, data, url, raw, filename, mediaType }: Part): string {
  if (text !== undefined) return text;
  if (data !== undefined) return JSON.stringify(data, undefined, 2);
  const name = filename ?? 'file';
  const type = mediaType === undefined ? '' : `${mediaType}, `;
  if (url !== undefined) return `[${name}: ${type}${url}]`;
  return `[${name}: ${type}${amount(Buffer.byteLength(raw ?? '', 'base64'))}]`;
}

export const createJoiner = (): Joiner => createJoinerOf(partText);

export function joinParts(parts: readonly Part[]): string {
  const joiner = createJoiner();
  return parts.map((part) => joiner.push(part)).join('');
}
