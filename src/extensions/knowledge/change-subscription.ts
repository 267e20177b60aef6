import type { A2AError } from '../../core/model/errors.ts';
import type { KnowledgeChangeEvent } from '../../core/model/knowledge.ts';

/** The changes that one subscription delivers. */
export interface ChangeSubscription extends AsyncIterableIterator<KnowledgeChangeEvent> {
  /** Ends it with an error for its reader. */
  fail(error: A2AError): void;
}

type Step = IteratorResult<KnowledgeChangeEvent>;

const done: Step = { done: true, value: undefined };

/**
 * Delivers the changes of a source. Not a generator, which cannot be ended while its reader waits for the next change:
 * this subscription ends at once.
 *
 * @param onEnd called once at the end: aborts the source
 */
export function deliverChanges(
  source: AsyncIterable<KnowledgeChangeEvent>,
  onEnd: (subscription: ChangeSubscription) => void,
): ChangeSubscription {
  const iterator = source[Symbol.asyncIterator]();
  let waiting: PromiseWithResolvers<Step> | undefined;
  let isOver = false;
  let failure: A2AError | undefined;

  /** Ends the wait of the reader, if it waits. */
  const settle = (how: (reader: PromiseWithResolvers<Step>) => void): void => {
    const reader = waiting;
    waiting = undefined;
    if (reader) how(reader);
  };
  const close = (): void => {
    if (isOver) return;
    isOver = true;
    settle(({ resolve }) => resolve(done));
    onEnd(subscription);
    // A source that was not started does not see the abort.
    iterator.return?.()?.then(undefined, () => {});
  };

  const subscription: ChangeSubscription = {
    [Symbol.asyncIterator]: () => subscription,
    async next() {
      if (failure) {
        const thrown = failure;
        failure = undefined;
        throw thrown;
      }
      if (isOver) return done;
      waiting = Promise.withResolvers();
      const { promise } = waiting;
      iterator.next().then(
        (step) => {
          settle(({ resolve }) => resolve(step));
          if (step.done) close();
        },
        (thrown: unknown) => {
          settle(({ reject }) => reject(thrown));
          close();
        },
      );
      return promise;
    },
    async return() {
      close();
      return done;
    },
    fail(error) {
      if (isOver) return;
      if (waiting) settle(({ reject }) => reject(error));
      else failure = error;
      close();
    },
  };
  return subscription;
}
