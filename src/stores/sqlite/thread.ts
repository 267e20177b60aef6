import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Pages of the write-ahead log: the total, and those that are also in the database. */
export interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A thread with a connection of its own to a SQLite file, for checkpoints, which would hold the event loop for long. It starts
 * when it is first needed. If it fails, it is not started again, and the event loop does its work.
 *
 * It does not run large transactions: their text would be in memory several times, and a flood of them took twice the memory.
 */
export class SqliteThread {
  /** Called when the thread has failed. */
  onFailure: (error: unknown) => void = () => {};
  readonly #options: { readonly path: string; readonly synchronous: 'full' | 'normal' };
  #worker: Worker | undefined;
  #isFailed = false;
  #isClosed = false;
  /** The messages without an answer, in order. */
  readonly #waiting: Waiting[] = [];

  /** @param synchronous the setting of the event loop's connection */
  constructor(path: string, synchronous: 'full' | 'normal') {
    this.#options = { path, synchronous };
  }

  /** Makes one passive checkpoint. With `restart`, the log is restarted if the checkpoint reaches its end. */
  async checkpoint(kind: 'checkpoint' | 'restart' = 'checkpoint'): Promise<LogState> {
    return (await this.#ask(kind)) as LogState;
  }

  /** Ends the thread, so that the last connection is the caller's, whose close removes the log. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.ref();
    worker.postMessage('close');
    await exit.catch(() => worker.terminate());
  }

  #ask(message: unknown): Promise<unknown> {
    if (this.#isFailed || this.#isClosed) return Promise.reject(new Error('The thread has ended'));
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
    // An idle thread does not keep the process alive.
    this.#worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.push({ resolve, reject });
    return promise;
  }

  #start(): Worker {
    // JavaScript, because a thread that strips types takes 20 MiB more.
    const worker = new Worker(new URL('thread-worker.js', import.meta.url), {
      workerData: this.#options,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
    });
    worker.on('message', ({ answer, error }) => {
      const waiting = this.#waiting.shift();
      if (this.#waiting.length === 0 && !this.#isClosed) worker.unref();
      if (error) waiting?.reject(Object.assign(new Error(error.message), { errcode: error.errcode }));
      else waiting?.resolve(answer);
    });
    worker.on('error', (error) => this.#fail(error)).on('exit', () => this.#fail(new Error('The thread has ended')));
    return worker;
  }

  #fail(error: unknown): void {
    this.#worker = undefined;
    const lost = new Error('The thread has ended', { cause: error });
    for (const { reject } of this.#waiting.splice(0)) reject(lost);
    if (this.#isFailed || this.#isClosed) return;
    this.#isFailed = true;
    this.onFailure(error);
  }
}
