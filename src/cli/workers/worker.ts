import { ConfigError, type ConfigProblem } from '../../config/index.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { CloseOptions } from '../../gateway/compose/serve.ts';
import type { ReloadReport } from '../../gateway/process/state.ts';
import { type WorkerAnswers, type WorkerGroup, workerVariable } from '../../gateway/process/workers.ts';
import { converse } from '../../net/process-channel.ts';

export type ReloadResult = { readonly report: ReloadReport } | { readonly problems: readonly ConfigProblem[] };

/** Milliseconds within which a reload must end: it loads agents and reads schemas. */
export const reloadTimeout = 60_000;

/** Converts the outcome of a reload to a form that can be sent between processes. */
export const reloadResult = (reload: Promise<ReloadReport>): Promise<ReloadResult> =>
  reload.then(
    (report) => ({ report }),
    (thrown: unknown) => ({
      problems:
        thrown instanceof ConfigError
          ? thrown.problems
          : [{ where: undefined, path: '', message: A2AError.from(thrown).message }],
    }),
  );

/**
 * Returns the report in a received result. Throws a ConfigError if the reload was refused, or no result was received.
 */
export function reportOf(result: ReloadResult | undefined): ReloadReport {
  if (result && 'report' in result) return result.report;
  const silence = [{ where: undefined, path: '', message: 'the workers did not answer in time' }];
  throw new ConfigError([...(result?.problems ?? silence)]);
}

/** Requests that the primary process sends to a worker. */
export interface WorkerHandlers {
  reload(): Promise<ReloadReport>;
  stop(options: CloseOptions): void;
}

/** Joins the group of workers as number `index`. */
export async function joinWorkers(index: string) {
  delete process.env[workerVariable];
  // The process that started the workers handles these signals, and tells the workers to stop.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  const running = Promise.withResolvers<WorkerHandlers>();
  const own = new Map<string, () => Promise<unknown>>();
  const ask = converse(process, {
    own: (question: string) => own.get(question)?.(),
    reload: async () => reloadResult((await running.promise).reload()),
    stop: async (options: CloseOptions) => (await running.promise).stop(options),
  });
  // If the primary process has ended, this never resolves and the worker ends.
  const joined = await ask('join', Number(index), Number.POSITIVE_INFINITY);
  const { listen, adminKey } = joined as Pick<WorkerGroup, 'listen' | 'adminKey'>;
  const group: WorkerGroup = {
    listen,
    adminKey,
    answer: (question, answer) => void own.set(question, answer),
    async all<Q extends keyof WorkerAnswers>(question: Q) {
      const answers = (await ask('all', question, 10_000)) as (WorkerAnswers[Q] | undefined)[] | undefined;
      if (!answers) throw new A2AError('unavailable', 'The other workers of the gateway do not answer');
      return answers;
    },
    reload: async () => reportOf((await ask('reload', undefined, 2 * reloadTimeout)) as ReloadResult | undefined),
  };
  return {
    group,
    /** Handles requests of the primary process from now on. */
    serve: running.resolve,
    /** Reports that the worker listens, or which admin key is in use. */
    tell: (news: { readonly port: number } | { readonly adminKey: string }) => void ask('news', news),
    /** Lets the process end. */
    leave: () => process.channel?.unref(),
  };
}
