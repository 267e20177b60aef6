import { own } from '../core/model/json.ts';

/** One end of a node:child_process channel between two processes. */
type Channel = Pick<NodeJS.EventEmitter, 'on'> & {
  send?: ((message: object, ...rest: never[]) => unknown) | undefined;
};

interface Question {
  readonly question: string;
  readonly id: number;
  readonly value: unknown;
}

interface Answer {
  readonly answerTo: number;
  readonly value: unknown;
}

/**
 * Sends a question to the other process and returns its answer. Undefined if the process does not answer in time, or
 * has ended.
 */
export type Ask = (question: string, value?: unknown, timeoutMs?: number) => Promise<unknown>;

/** Milliseconds to wait for an answer: longer than the five seconds after which an unreachable database is noticed. */
const answerTimeout = 6_000;

/**
 * Answers questions that arrive on a channel, and returns a function that asks questions. A timeout of Infinity means
 * no limit.
 *
 * @param answers functions that answer, by question; a question that is unknown, or whose function rejects, gets no
 *   answer
 */
export function converse(channel: Channel, answers: Readonly<Record<string, (value: never) => unknown>>): Ask {
  const open = new Map<number, (value: unknown) => void>();
  let last = 0;
  const send = channel.send?.bind(channel) as ((message: object, sent: () => void) => unknown) | undefined;
  // A process that has ended does not answer.
  const post = (message: Question | Answer): unknown => send?.(message, () => {});

  channel.on('message', async (message: Question | Answer) => {
    if ('answerTo' in message) {
      open.get(message.answerTo)?.(message.value);
      return;
    }
    const { question, id, value } = message;
    try {
      post({ answerTo: id, value: await own(answers, question)?.(value as never) });
    } catch {
      // The question gets no answer.
    }
  });

  return async (question, value, timeoutMs = answerTimeout) => {
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    // Messages that arrived while this process was blocked are read first.
    const late = () => void setImmediate(resolve);
    const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(late, timeoutMs).unref();
    open.set(id, resolve);
    post({ question, id, value });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      open.delete(id);
    }
  };
}
