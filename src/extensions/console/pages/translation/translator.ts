import type { TranslateOptions } from '../../../../dialects/translate/index.ts';
import type { Answer, Question } from './worker.ts';

/** Milliseconds after which a translation is given up. */
const deadline = 10_000;

/** Translates frames in a worker, the latest one only. */
export function createTranslator() {
  let worker: Worker | undefined;
  let latest = 0;
  /** Ends the call before: its answer is of no use, and it may never end. */
  let abandon = (): void => {};

  function stop(): void {
    worker?.terminate();
    worker = undefined;
  }

  return {
    /** The answer; undefined where another frame came meanwhile. */
    translate(text: string, options: TranslateOptions): Promise<Answer | undefined> {
      abandon();
      latest++;
      const id = latest;
      const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
      const current = worker ?? new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
      worker = current;
      const timer = setTimeout(() => {
        stop();
        settle({ id, error: `the translation took longer than ${deadline / 1000} seconds` });
      }, deadline);
      const settle = (answer: Answer | undefined): void => {
        clearTimeout(timer);
        abandon = () => {};
        resolve(answer);
      };
      abandon = () => {
        stop();
        settle(undefined);
      };
      current.onmessage = ({ data }: MessageEvent<Answer>) => {
        if (data.id === id) settle(data);
      };
      current.onerror = (event) => {
        stop();
        settle({ id, error: `the translation failed: ${event.message || 'the worker did not load'}` });
      };
      current.postMessage({ id, text, options } satisfies Question);
      return promise;
    },
    close: stop,
  };
}
