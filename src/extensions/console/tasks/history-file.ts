import { isStreamResponse } from '../../../core/model/a2a.ts';
import { isObject } from '../../../core/model/json.ts';
import { isTaskSummary } from '../../../gen/admin-v1/guards.ts';
import type { TaskLogEvent, TaskSummary } from '../../../gen/admin-v1/types.ts';
import type { ReadEvents } from './event-log.ts';

/** Value of a file's member `format`. */
const format = 'a2a-gateway task history';

/** The version of the format that is written, and the only one that is read. */
const version = 1;

/** Bytes of the largest file that is read: a tab holds all of it. */
export const maxFileBytes = 256 * 1024 * 1024;

/** The history of one task, as a file holds it. */
export interface TaskHistory {
  /** Time when the file was written. */
  readonly exportedAt: string;
  readonly task: TaskSummary;
  readonly events: readonly TaskLogEvent[];
}

/** Error of a file that cannot be read as a history. The message contains the place and the reason. */
export class BrokenHistory extends Error {
  override name = 'BrokenHistory';
}

/** Returns the name of the file for a task. It has no character that a file system refuses. */
export const fileNameOf = ({ agent, id }: TaskSummary): string =>
  `${`task-${agent}-${id}`.replace(/[^\w.-]+/g, '_').slice(0, 120)}.json`;

/**
 * Writes a history piece by piece, so that a long log is never one string in memory. Each event is on a line of its own.
 *
 * @param events in the order of their positions
 */
export async function* writeHistory(
  task: TaskSummary,
  events: AsyncIterable<TaskLogEvent>,
  exportedAt: string,
): AsyncGenerator<string> {
  const head = { format, version, exportedAt, task };
  yield `${JSON.stringify(head).slice(0, -1)},"events":[`;
  let piece = '';
  let count = 0;
  for await (const { position, time, event } of events) {
    piece += `${count++ === 0 ? '\n' : ',\n'}${JSON.stringify({ position, time, event })}`;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n]}\n`;
}

/** Reads the text of a file with one history, or a list of them. Throws BrokenHistory for other or damaged content. */
export function readHistories(text: string): TaskHistory[] {
  if (text.trim() === '') throw new BrokenHistory('The file is empty.');
  try {
    const file: unknown = JSON.parse(text);
    return Array.isArray(file) && file.length > 0 ? file.map(readHistory) : [readHistory(file)];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BrokenHistory(`The file is not JSON, or ends too early: ${error.message}`, { cause: error });
  }
}

function readHistory(file: unknown): TaskHistory {
  if (!isObject(file) || file.format !== format) {
    throw new BrokenHistory(`The file is not a task history: its member "format" is not "${format}".`);
  }
  if (file.version !== version) {
    throw new BrokenHistory(
      `The file has version ${JSON.stringify(file.version)} of the format, but this console reads version ${version}.`,
    );
  }
  const { task, events, exportedAt } = file;
  if (!isTaskSummary(task)) throw new BrokenHistory('The member "task" is missing or is not the row of a task.');
  if (!Array.isArray(events) || events.length === 0) throw new BrokenHistory('The member "events" has no events.');
  for (const [at, event] of events.entries()) checkEvent(event, at + 1);
  return {
    exportedAt: isTime(exportedAt) ? exportedAt : '',
    task: task as TaskSummary,
    events: events as TaskLogEvent[],
  };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value));

function checkEvent(event: unknown, position: number): void {
  if (!isObject(event)) throw new BrokenHistory(`Event ${position} is not an object.`);
  if (event.position !== position) {
    const found = JSON.stringify(event.position);
    throw new BrokenHistory(`Event ${position} is missing: the event at its place has position ${found}.`);
  }
  if (event.time !== undefined && !isTime(event.time)) {
    throw new BrokenHistory(`The time of event ${position} is not a time of RFC 3339.`);
  }
  if (!isStreamResponse(event.event)) {
    throw new BrokenHistory(
      `Event ${position} is not a StreamResponse of A2A: a member is missing or has another type.`,
    );
  }
  if (position === 1 && !(event.event as { task?: unknown }).task) {
    throw new BrokenHistory('The first event is not a task. The history was cut off at its beginning.');
  }
}

/** Returns the events of a history, for a log. */
export const readerOf =
  ({ events }: TaskHistory): ReadEvents =>
  async (after, limit) => ({ events: events.slice(after, after + limit), lastPosition: events.length });
