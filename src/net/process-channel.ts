import { own } from '../core/model/json.ts';

/** An end of a channel between two processes of node:child_process. */
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

/** Asks the other process. Undefined where it does not answer in time, or is gone. */
export type Ask = (question: string, value?: unknown, timeoutMs?: number) => Promise<unknown>;

/** Milliseconds for an answer: an unreachable database is noticed after five seconds. */
const answerTimeout = 6_000;

/**
 * Asks and answers questions over a channel. Infinity as a deadline: there is none.
 *
 * @param answers by question. Processes that reject, and unknown ones, leave the question to its deadline
 */
export function converse(channel: Channel, answers: Readonly<Record<string, (value: never) => unknown>>): Ask {
  const open = new Map<number, (value: unknown) => void>();
  let last = 0;
  const send = channel.send?.bind(channel) as ((message: object, sent: () => void) => unknown) | undefined;
  // A process that is gone answers nothing.
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
      // As if it had not arrived.
    }
  });

  return async (question, value, timeoutMs = answerTimeout) => {
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    // Messages that arrived while this process stood still are read first.
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
