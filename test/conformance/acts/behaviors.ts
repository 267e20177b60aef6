import { setTimeout as delay } from 'node:timers/promises';
import type { Message, Part, StreamResponse, TaskState } from '../../../src/core/model/a2a.ts';
import type { Turn, Waits } from '../../support/agent-script.ts';

/** The agent that ACTS expects (section 11): the text of a message says by its beginning what the agent does. */

type Tell = (event: StreamResponse) => void;

/** Milliseconds of a long run: enough for a poll to see that it works. */
const longRun = 1500;

const file = { filename: 'output.txt', mediaType: 'text/plain' };

const gifts: Readonly<Record<string, Part>> = {
  'tck-artifact-text': { text: 'Generated text content' },
  'tck-artifact-data': { data: { key: 'value', count: 42 } },
  'tck-artifact-file-url': { url: 'https://example.com/output.txt', ...file },
  'tck-artifact-file': { raw: Buffer.from('Generated file content').toString('base64'), ...file },
};

/** The states in which a turn ends at once, with the agent's message. */
const endings: Readonly<Record<string, readonly [state: string, text?: string]>> = {
  'tck-task-failure': ['FAILED', 'Failed, as asked.'],
  'tck-reject-task': ['REJECTED', 'Rejected, as asked.'],
  'tck-auth-required': ['AUTH_REQUIRED', 'Log in at https://example.com/login.'],
  'tck-input-required': ['INPUT_REQUIRED', 'Which city?'],
  'tck-multi-turn': ['INPUT_REQUIRED'],
};

/** Does what a message asks for, in the types of A2A 1.0. */
export async function behave({ taskId, contextId, message, before }: Turn, tell: Tell, waits: Waits): Promise<void> {
  const ids = { taskId, contextId };
  const text = message.parts.find((part) => part.text !== undefined)?.text ?? '';
  // Later messages of a task go on with its conversation, whatever they say.
  const wanted = before === undefined ? text : text === 'done' ? 'tck-complete-task' : 'tck-multi-turn';
  const is = (prefix: string): boolean => wanted.startsWith(prefix);
  const speech = (words: string): Message => ({
    messageId: crypto.randomUUID(),
    role: 'ROLE_AGENT',
    parts: [{ text: words }],
  });
  const status = (state: string, words?: string): void => {
    const said = words === undefined ? {} : { message: { ...speech(words), ...ids } };
    const timestamp = new Date().toISOString();
    tell({ statusUpdate: { ...ids, status: { state: `TASK_STATE_${state}` as TaskState, timestamp, ...said } } });
  };
  const artifact = (part: Part, flags: object = {}): void =>
    tell({ artifactUpdate: { ...ids, artifact: { artifactId: 'output', parts: [part] }, ...flags } });

  if (is('tck-message-response')) {
    tell({ message: speech('Direct message response') });
    return;
  }
  if (before === undefined) {
    const submitted = { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() } as const;
    tell({ task: { id: taskId, contextId, status: submitted, history: [message] } });
  }
  const ending = Object.keys(endings).find(is);
  if (ending !== undefined) {
    status(...(endings[ending] as [string]));
    return;
  }
  const gift = Object.keys(gifts).find(is);
  if (gift !== undefined) artifact(gifts[gift] as Part);
  else if (is('tck-cancel') || is('tck-long-running') || is('tck-stream')) {
    status('WORKING');
    if (is('tck-cancel')) {
      await waits.wait(taskId);
      status('CANCELED');
      return;
    }
    if (is('tck-long-running')) await Promise.race([delay(longRun), waits.wait(taskId)]);
    const chunked = is('tck-stream-chunked');
    artifact({ text: chunked ? 'chunk-1 ' : 'Streamed content' }, chunked ? { append: false, lastChunk: false } : {});
    if (chunked) artifact({ text: 'chunk-2' }, { append: true, lastChunk: true });
  }
  status('COMPLETED', 'Hello from ACTS');
}
