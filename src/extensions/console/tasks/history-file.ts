import type { TaskLogEvent, TaskSummary } from '../../../gen/admin-v1/types.ts';

/** Value of a file's member `format`. */
const format = 'a2a-gateway task history';

/** The version of the format. */
const version = 1;

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
