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
   * Settings for listening at the port that all processes share. `first`: no other gateway may have the port. `reusePort`: the
   * system distributes connections; otherwise node:cluster does.
   */
  readonly listen: { readonly port: number; readonly first: boolean; readonly reusePort: boolean };
  /** The admin key that all processes use if no configured credential has the scope `admin`. */
  readonly adminKey: string;
  answer<Q extends keyof WorkerAnswers>(question: Q, answer: () => Promise<WorkerAnswers[Q]>): void;
  /** Asks all workers, including this one. An answer is undefined if its worker has not started, or does not answer in time. */
  all<Q extends keyof WorkerAnswers>(question: Q): Promise<(WorkerAnswers[Q] | undefined)[]>;
  /**
   * Makes all workers read the configuration again. Rejects with a ConfigError if it cannot be used; no worker has changed then.
   */
  reload(): Promise<ReloadReport>;
}
