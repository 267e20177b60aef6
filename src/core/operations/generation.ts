import type { SendMessageRequest } from '../model/a2a.ts';
import type { ReadBudget } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CurrentTask, LiveTask } from '../tasks/live-task.ts';
import { expectedGenerationOf } from './rules.ts';

/** The condition of a message that continues a task: `ifGenerationMatch` (A2A 1.1 sections 3.2.2 and 3.2.7). */

/** The request as agents get it: the generations of their own tasks are others. */
export function withoutCondition(request: SendMessageRequest): SendMessageRequest {
  if (request.configuration?.ifGenerationMatch === undefined) return request;
  const { ifGenerationMatch: _, ...configuration } = request.configuration;
  return { ...request, configuration };
}

/**
 * The task that a message continues. Where the message expects a generation, the task has it, and its log ends with
 * `seq` when this function returns. The caller appends the message only if the log still does: the store then refuses
 * it where another replica has appended first.
 *
 * A message does not change the generation. Of two messages that expect the same one, the second waits for at most
 * `timeout` milliseconds until the agent has answered the first, and is then refused: its sender did not know of the
 * first. Throws `taskGenerationMismatch`.
 *
 * @param room for a task that must be read
 */
export async function currentTask(
  request: SendMessageRequest,
  live: LiveTask,
  signal: AbortSignal,
  timeout: number,
  room?: ReadBudget,
): Promise<CurrentTask> {
  const expected = expectedGenerationOf(request);
  for (let hasWaited = false; ; ) {
    const current = await live.current(room);
    if (expected === undefined) return current;
    const { generation } = current.facts;
    const isAnswered = current.seq < live.log.head || !live.log.endsWithMessage;
    if (BigInt(generation) !== expected) throw mismatch(live, expected, generation);
    if (!isAnswered && hasWaited)
      throw mismatch(live, expected, generation, ', and another message waits for its answer');
    if (current.seq < live.log.head) await live.settledOrCaughtUp();
    else if (isAnswered) return current;
    else {
      await live.untilGeneration(generation, signal, timeout);
      hasWaited = true;
    }
  }
}

function mismatch({ record }: LiveTask, expected: bigint, current: number, more = ''): A2AError {
  const message = `The message expects generation ${expected} of the task, which has generation ${current}${more}`;
  const metadata = { taskId: record.id, expectedGeneration: `${expected}`, currentGeneration: `${current}` };
  return new A2AError('taskGenerationMismatch', message, { metadata });
}
