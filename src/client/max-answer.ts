import { type Invoke, isStream, type LoggedEvent } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { formatSize, parseSize } from '../core/model/scalars.ts';
import { isTooLarge } from '../net/network-errors.ts';

/** Bytes of the largest answer that is read. Throws A2AError `invalidParams` where it is no size. */
export function readMaxAnswer(given: number | string = '128MiB'): number {
  const bytes = parseSize(given);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw A2AError.invalidParams(`maxAnswer: expected a number of bytes, or a size such as 512MiB`);
}

/**
 * The same calls. An answer beyond the client's own bound is refused with `answerTooLarge` instead of an error about the
 * agent, and the error names the bound and the option.
 */
export function naming(maxAnswer: number, invoke: Invoke): Invoke {
  const named = (thrown: unknown): unknown => {
    if (!isTooLarge(thrown)) return thrown;
    const message = `The answer is larger than ${formatSize(maxAnswer)}, which is as much as this client reads: raise maxAnswer`;
    return new A2AError('answerTooLarge', `${message} (--max-answer of the command)`, { cause: thrown });
  };
  const step = async <T>(next: Promise<T>): Promise<T> => {
    try {
      return await next;
    } catch (thrown) {
      throw named(thrown);
    }
  };
  const events = (given: AsyncIterable<LoggedEvent>): AsyncIterable<LoggedEvent> => ({
    [Symbol.asyncIterator]() {
      const iterator = given[Symbol.asyncIterator]();
      return {
        next: () => step(iterator.next()),
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  });
  return async (call) => {
    const reply = await step(Promise.resolve(invoke(call)));
    return isStream(reply) ? { ...reply, events: events(reply.events) } : reply;
  };
}
