import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { A2AError } from '../../../core/model/errors.ts';
import type { KGStatement } from '../../../core/model/knowledge.ts';
import type { ReadOutcome } from '../outcome.ts';
import { TooMuchToJudge } from '../rule.ts';
import type { Finding, ShapesJudge } from './judge.ts';

/** What the thread is sent: an update to validate, with the port for all that is about it. */
export interface Validation {
  readonly changed: readonly KGStatement[];
  readonly port: MessagePort;
}

export type ReadName = keyof ReadOutcome;

/** What the thread tells of an update: what it needs to read, and in the end what it found, or why it cannot be validated. */
export type Told =
  | { readonly name: ReadName; readonly given: unknown }
  | { readonly findings: readonly Finding[] }
  | { readonly error: string; readonly isTooMuch: boolean };

/** What was read. */
export interface Answer {
  readonly value: unknown;
}

/** MiB of the thread's heap: hundreds of updates need less at once. */
const mostHeap = 256;

/**
 * Validates with the shapes of a file, on a thread of its own: the engine validates a node without a pause, for as long as
 * a second where it has thousands of values, and would stop the event loop. Data are read on this side.
 *
 * Rejects with an A2AError for unusable shapes.
 */
export async function startShapesThread(
  path: string,
  heap = mostHeap,
): Promise<{ readonly judge: ShapesJudge; close(): void }> {
  const unusable = (why: string, cause?: unknown): A2AError =>
    new A2AError('internal', `The shapes ${path} cannot be used: ${why}`, { cause });
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw unusable(cause.message, cause);
  });
  const shapes = { text, base: pathToFileURL(path).href };
  /** Ends validations that are under way. */
  const pending = new Set<(reason: unknown) => void>();
  let thread: Promise<Worker> | undefined;
  let isClosed = false;

  const start = async (): Promise<Worker> => {
    const worker = new Worker(new URL('thread-main.ts', import.meta.url), {
      workerData: shapes,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heap },
    });
    let hasEnded = false;
    const fail = (cause?: unknown): void => {
      // The exit after an error may come when there is another thread.
      if (hasEnded) return;
      hasEnded = true;
      thread = undefined;
      const reason = new A2AError('unavailable', 'The validation of shapes was interrupted; try again', { cause });
      for (const end of pending) end(reason);
    };
    worker.on('error', fail).on('exit', () => fail());
    const [why] = await once(worker, 'message');
    worker.unref();
    if (why === undefined) return worker;
    await worker.terminate();
    throw unusable(why);
  };
  /** The thread: another one where it ended, for example for lack of memory. */
  const running = (): Promise<Worker> => {
    thread ??= start().catch((thrown: unknown) => {
      thread = undefined;
      throw thrown;
    });
    return thread;
  };
  /** A thread without work keeps no process alive, and ends after `close`. */
  const release = (worker: Worker | undefined): void => {
    if (pending.size > 0) return;
    worker?.unref();
    if (isClosed) void worker?.terminate();
  };

  await running();
  return {
    async judge(changed, outcome, signal) {
      const worker = await running();
      const { port1, port2 } = new MessageChannel();
      const { promise, resolve, reject } = Promise.withResolvers<readonly Finding[]>();
      const abort = (): void => reject(signal.reason);
      pending.add(reject);
      worker.ref();
      signal.addEventListener('abort', abort, { once: true });
      port1.on('message', (told: Told) => {
        if ('findings' in told) resolve(told.findings);
        else if ('error' in told) reject(told.isTooMuch ? new TooMuchToJudge(told.error) : new Error(told.error));
        else {
          const read = outcome[told.name] as (given: unknown) => Promise<unknown>;
          read.call(outcome, told.given).then((value) => port1.postMessage({ value } satisfies Answer), reject);
        }
      });
      try {
        signal.throwIfAborted();
        worker.postMessage({ changed, port: port2 } satisfies Validation, [port2]);
        return await promise;
      } finally {
        signal.removeEventListener('abort', abort);
        pending.delete(reject);
        port1.close();
        release(worker);
      }
    },

    /** Ends the thread, after validations that are under way. */
    close() {
      isClosed = true;
      thread?.then(release, () => undefined);
    },
  };
}
