import { setTimeout as delay } from 'node:timers/promises';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import type { Message, StreamResponse } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { NoteExecution } from './executions.ts';

/**
 * Says `chunk 1` to `chunk N` for `stream N MS`, MS milliseconds apart, and goes on where it stopped when its gateway
 * dies; completes at once for any other text. Writes down each message that it is given, and each task that it
 * goes on with, and says at the end which of these executions has come to it.
 */
export const definePatient = (noteExecution: NoteExecution): Agent =>
  defineAgent({
    name: 'Patient agent',
    description: 'Goes on with its work wherever it is taken up.',
    async *execute({ message, taskId, signal }) {
      const nonce = noteExecution(message, { agent: 'patient', taskId, how: 'execute' });
      yield* chunks(message, 0, signal, nonce);
    },
    async *resume(task, { signal }) {
      const [message] = task.history ?? [];
      if (!message) throw new Error('a task without the message that opened it');
      const nonce = noteExecution(message, { agent: 'patient', taskId: task.id, how: 'resume' });
      yield* chunks(message, task.artifacts?.[0]?.parts.length ?? 0, signal, nonce);
    },
  });

async function* chunks(
  message: Message,
  from: number,
  signal: AbortSignal,
  nonce: string,
): AsyncGenerator<StreamResponse> {
  const [, count = '1', pause = '10'] = /^stream (\d+) (\d+)$/.exec(message.parts[0]?.text ?? '') ?? [];
  if (from === 0) yield status('TASK_STATE_WORKING');
  for (let i = from + 1; i <= Number(count); i += 1) {
    await delay(Number(pause), undefined, { signal });
    yield artifact({ artifactId: 'work', content: `chunk ${i}`, append: i > 1, lastChunk: i === Number(count) });
  }
  yield status('TASK_STATE_COMPLETED', nonce);
}
