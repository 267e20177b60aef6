import { A2AError } from '../model/errors.ts';
import { parsedSizeOf } from '../model/json.ts';

/** Tasks up to so many bytes are counted by their text alone. */
const light = 1_048_576;
/** Events that take more than so many times their text in memory are counted by that. */
export const heavy = 2;

/**
 * Bytes that an event counts in its task: those of its text, or what it takes in memory where that is much more.
 * Many small values take twenty times their text.
 *
 * @param before bytes of the task's events before it
 */
export function weightOf(json: string, before: number): number {
  const bytes = Buffer.byteLength(json);
  if (before + bytes <= light) return bytes;
  const inMemory = parsedSizeOf(json);
  return inMemory > heavy * bytes ? inMemory : bytes;
}

/** What an agent or a caller gets whose event would make a task larger than `limits.task`. */
export function taskTooLarge(what: 'event' | 'message', bytes: number, size: number, limit: number): A2AError {
  const before = size === 0 ? '' : `; its events have ${size} bytes already`;
  const message = `The ${what} of ${bytes} bytes does not fit into the task, whose events may have ${limit} bytes (limits.task)${before}`;
  return new A2AError('payloadTooLarge', message, {
    metadata: { limit: 'limits.task', limitBytes: `${limit}`, taskBytes: `${size}` },
  });
}

/** The same, found where the task is over the limit already: its limit was lowered, or an earlier version wrote it. */
export const taskOverLimit = (size: number, limit: number): string =>
  `The gateway stopped while the agent was working, and does not continue a task whose events have more bytes than limits.task allows: ${size} of ${limit}`;

/** Whether an error says that an event does not fit into its task. */
export const isTaskTooLarge = (thrown: unknown): boolean =>
  thrown instanceof A2AError && thrown.kind === 'payloadTooLarge' && thrown.metadata.limit === 'limits.task';
