import { shortened } from './failures.ts';
import type { Progress } from './tool-server.ts';

/** Milliseconds between two reports that are passed on: each is an event in the task's log. */
const pause = 100;

/** The reports of a call that is under way: of those that come too fast, the latest. */
export class Reports {
  #latest: Progress | undefined;
  #wake: (() => void) | undefined;
  #next = 0;

  readonly push = (progress: Progress): void => {
    this.#latest = progress;
    this.#wake?.();
  };

  /** The report that has come since the last one was taken, if any. */
  take(): Progress | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  /** Resolves when there is a report and its time has come, or when `done` does. */
  async ready(done: Promise<unknown>): Promise<void> {
    if (!this.#latest) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await Promise.race([promise, done]);
      this.#wake = undefined;
    }
    const wait = this.#next - Date.now();
    if (this.#latest && wait > 0) {
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, wait);
      });
      await Promise.race([over, done]);
      clearTimeout(timer);
    }
    this.#next = Date.now() + pause;
  }
}

/** A report in words. */
export function progressText({ progress, total, message }: Progress): string {
  const far = progress === undefined ? '' : total === undefined ? String(progress) : `${progress} of ${total}`;
  if (typeof message !== 'string' || message === '') return far === '' ? 'Working' : `Progress: ${far}`;
  return far === '' ? shortened(message, 1_000) : `${shortened(message, 1_000)} (${far})`;
}
