import type { StoreTopic } from '../../src/core/ports/store-watch.ts';

/** A topic of a store without one: each listener is called every so many milliseconds, after its last call has ended. */
export const pollingTopic = (interval: number): StoreTopic => ({
  listen(_within, changed) {
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const schedule = (): void => {
      if (!isOver) timer = setTimeout(() => void call(), interval);
    };
    const call = async (): Promise<void> => {
      await changed();
      schedule();
    };
    schedule();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  },
});
