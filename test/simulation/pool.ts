import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Job, Result, RunOptions } from './runner.ts';

/** Options of V8. Most of the program's code runs a few times: compiling it soon and simply costs a tenth less. */
const engine = ['--always-sparkplug', '--no-turbofan'] as const;

const script = fileURLToPath(new URL('worker.ts', import.meta.url));

/**
 * Runs simulations in several processes. The results come in the order of the jobs.
 *
 * @param jobs may have no end: it is read as far as processes are free
 */
export async function* runAll(jobs: Iterable<Job>, processes: number, options: RunOptions): AsyncGenerator<Result> {
  const waiting = jobs[Symbol.iterator]();
  const workers = new Set<ChildProcess>();
  const results: Promise<Result>[] = [];
  let wake = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    const worker = fork(script, { execArgv: [...engine], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    workers.add(worker);
    const [ready] = await nextOf(worker);
    if (ready !== 'ready') throw new Error('a process for simulations has ended before it began');
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      const result = answerOf(worker, next.value, options);
      results.push(result);
      wake.resolve();
      await result;
    }
  };
  let left = processes;
  let failure: unknown;
  for (let i = 0; i < processes; i += 1)
    void work()
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        left -= 1;
        wake.resolve();
      });
  try {
    for (let at = 0; ; at += 1) {
      while (results.length <= at && left > 0 && failure === undefined) {
        await wake.promise;
        wake = Promise.withResolvers();
      }
      const result = results[at];
      if (failure !== undefined) throw failure;
      if (!result) return;
      yield await result;
      // Results that were returned are not needed any more.
      results[at] = Promise.resolve() as never;
    }
  } finally {
    for (const worker of workers) worker.kill();
  }
}

/** The next message of a process; or its exit code and signal, where it ends before. */
async function nextOf(worker: ChildProcess): Promise<unknown[]> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([once(worker, 'message', { signal }), once(worker, 'exit', { signal })]);
  } finally {
    over.abort();
  }
}

async function answerOf(worker: ChildProcess, job: Job, options: RunOptions): Promise<Result> {
  worker.send({ job, options });
  const [answer, signal] = await nextOf(worker);
  if (typeof answer === 'object' && answer !== null) return answer as Result;
  throw new Error(`the simulation of ${JSON.stringify(job)} has ended its process: ${answer ?? signal}`);
}
