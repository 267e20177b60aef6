import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadLost } from './errors.ts';

/** Pages of the write-ahead log: all, and those that are in the database too. */
export interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/** A statement of a transaction. */
export interface Step {
  readonly sql: string;
  /** Long text is bytes in UTF-8, which the statement casts to text. */
  readonly parameters: readonly (string | number | null | Uint8Array)[];
  /** Whether the transaction is rolled back where this statement changes no row. */
  readonly isRequired?: boolean;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Text as a parameter of a step. */
export const encoded = (text: string): Uint8Array => encoder.encode(text);
const encoder = new TextEncoder();

/**
 * A thread with a connection of its own to a SQLite file, for what would hold the event loop for long: checkpoints, and
 * transactions with much text. It starts when it is first needed. If it fails, it is not started again, and the event loop does
 * its work.
 */
export class SqliteThread {
  /** Called when it has failed. */
  onFailure: (error: unknown) => void = () => {};
  readonly #options: { readonly path: string; readonly synchronous: 'full' | 'normal' };
  #worker: Worker | undefined;
  #isFailed = false;
  #isClosed = false;
  /** The messages that have no answer yet, in their order. */
  readonly #waiting: Waiting[] = [];

  /** @param synchronous that of the connection of the event loop */
  constructor(path: string, synchronous: 'full' | 'normal') {
    this.#options = { path, synchronous };
  }

  /** Whether it can be asked. */
  get works(): boolean {
    return !this.#isFailed && !this.#isClosed;
  }

  /** One passive checkpoint. `restart`: where it reaches the end of the log, the log begins anew. */
  async checkpoint(kind: 'checkpoint' | 'restart' = 'checkpoint'): Promise<LogState> {
    return (await this.#ask(kind)) as LogState;
  }

  /**
   * Runs the steps in one transaction, and resolves with the rows that each changed, or found. Where a required step changed
   * none, it is the last in the list, and nothing is written. The bytes of the parameters are gone afterwards.
   */
  async transaction(steps: readonly Step[]): Promise<number[]> {
    const texts = steps.flatMap(({ parameters }) => parameters.filter((each) => each instanceof Uint8Array));
    const buffers = texts.map(({ buffer }) => buffer as ArrayBuffer);
    return (await this.#ask(steps, buffers)) as number[];
  }

  /** Ends the thread, so that the last connection is that of the caller, whose close removes the log. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.ref();
    worker.postMessage('close');
    await exit.catch(() => worker.terminate());
  }

  #ask(message: unknown, transferred: ArrayBuffer[] = []): Promise<unknown> {
    if (this.#isFailed || this.#isClosed) return Promise.reject(threadLost());
    this.#worker ??= this.#start();
    this.#worker.postMessage(message, transferred);
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
    const lost = threadLost(error);
    for (const { reject } of this.#waiting.splice(0)) reject(lost);
    if (this.#isFailed || this.#isClosed) return;
    this.#isFailed = true;
    this.onFailure(error);
  }
}
