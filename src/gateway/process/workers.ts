import type { Family } from '../../metrics/family.ts';
import type { ReloadReport } from './state.ts';

/** The environment variable of a process that is a worker: its number, from 0. */
export const workerVariable = 'A2A_GATEWAY_WORKER';

export interface WorkerAnswers {
  readonly metrics: readonly Family[];
  readonly ready: boolean;
}

/** The processes that serve one gateway together: `a2a-gateway serve` starts them. */
export interface WorkerGroup {
  /**
   * Listening of this process: at the port that all share. `first`: no other gateway may have the port. `reusePort`:
   * the system shares it; otherwise node:cluster does.
   */
  readonly listen: { readonly port: number; readonly first: boolean; readonly reusePort: boolean };
  /** The admin key that all of them make where no credential of the configuration has the scope `admin`. */
  readonly adminKey: string;
  answer<Q extends keyof WorkerAnswers>(question: Q, answer: () => Promise<WorkerAnswers[Q]>): void;
  /** Asks all workers, this one too. Undefined: one that has not started, or does not answer in time. */
  all<Q extends keyof WorkerAnswers>(question: Q): Promise<(WorkerAnswers[Q] | undefined)[]>;
  /** Has all of them read the configuration again. Rejects with a ConfigError; then none has changed. */
  reload(): Promise<ReloadReport>;
}
