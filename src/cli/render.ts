import type { Artifact, Message, Part, Task, TaskState } from '../client/index.ts';
import { createJoiner as createJoinerOf, type Joiner } from '../core/model/text.ts';

/** How things of A2A are shown to people. */

/** A state as people say it: `input required`. */
export const stateWord = (state: TaskState): string =>
  state
    .replace(/^TASK_STATE_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();

/** States that nothing follows. */
const finalStates: ReadonlySet<TaskState> = new Set([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

/** States that wait for the caller. */
const waitingStates: ReadonlySet<TaskState> = new Set(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']);

export const isFinal = (state: TaskState): boolean => finalStates.has(state);
export const isWaiting = (state: TaskState): boolean => waitingStates.has(state);
/** Whether a task will not move without the caller. */
export const isSettled = (state: TaskState): boolean => isFinal(state) || isWaiting(state);

export const messageText = (message: Message | undefined): string => joinParts(message?.parts ?? []);
export const artifactText = ({ parts }: Artifact): string => joinParts(parts);

/** What a task has to say: its artifacts, and what its status says where that is the answer or the question. */
export function taskText(task: Task): string {
  const texts = (task.artifacts ?? []).map(artifactText);
  const said = messageText(task.status.message ?? lastReply(task));
  if (said !== '' && (isWaiting(task.status.state) || (texts.length === 0 && !isFailure(task.status.state)))) {
    texts.push(said);
  }
  return texts.join('\n');
}

/** What the agent said last, if the caller has said nothing since: dialects without status messages answer so. */
function lastReply({ history = [] }: Task): Message | undefined {
  const last = history.at(-1);
  return last?.role === 'ROLE_AGENT' ? last : undefined;
}

/** Whether a task ended in another way than it should. */
export const isFailure = (state: TaskState): boolean => isFinal(state) && state !== 'TASK_STATE_COMPLETED';

/** How far a task has come. */
export type TaskProgress = Pick<Task, 'id' | 'status'>;

/** One line on how a task failed. */
export function failureText(task: TaskProgress): string {
  const { state, message } = task.status;
  const reason = messageText(message).replace(/\s+/g, ' ');
  const what = state === 'TASK_STATE_FAILED' ? 'failed' : `was ${stateWord(state)}`;
  return `task ${task.id} ${what}${reason === '' ? '' : `: ${reason}`}`;
}

/** A word as a shell takes it. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Task states as they are typed on the command line. */
const states = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
} as const satisfies Record<string, TaskState>;

export type StateWord = keyof typeof states;

export const stateWords = Object.keys(states) as StateWord[];

export const stateOf = (word: StateWord): TaskState => states[word];

/** Bytes as people count them. */
function amount(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const unit = bytes < 1024 ** 2 ? 'KiB' : 'MiB';
  return `${(bytes / (unit === 'KiB' ? 1024 : 1024 ** 2)).toFixed(1)} ${unit}`;
}

/** A part as text: its words, its data as JSON, or what file it is. */
export function partText({ text, data, url, raw, filename, mediaType }: Part): string {
  if (text !== undefined) return text;
  if (data !== undefined) return JSON.stringify(data, undefined, 2);
  const name = filename ?? 'file';
  const type = mediaType === undefined ? '' : `${mediaType}, `;
  if (url !== undefined) return `[${name}: ${type}${url}]`;
  return `[${name}: ${type}${amount(Buffer.byteLength(raw ?? '', 'base64'))}; --json shows it]`;
}

/** Puts parts together as people are shown them. */
export const createJoiner = (): Joiner => createJoinerOf(partText);

/** All parts as one text. */
export function joinParts(parts: readonly Part[]): string {
  const joiner = createJoiner();
  return parts.map((part) => joiner.push(part)).join('');
}
