import type { Counts } from '../../scripts/test-counts.ts';

/** Resources that jobs share; each is created by the first job that needs it. */
export interface JobContext {
  /** An empty folder of the job's own, which is removed after it. */
  readonly folder: string;
  /** The gateway as `npm pack` makes it from the checkout. */
  tarball(): Promise<string>;
  /** The folder with the `node` of a version, such as `22.19.0` or `24`. */
  node(version: string): Promise<string>;
}

/** The end of a job. */
export interface Report {
  /** Conditions of the run, such as versions that were installed. */
  readonly note: string;
  /** The tests of the project that it ran. */
  readonly tests?: Counts;
  /** Why it has failed although it ran to its end. */
  readonly failure?: string;
}

/** One row of the table: what it is, and what it does. */
export interface Job {
  readonly name: string;
  /** The file of `apps` that it runs. */
  readonly program?: string;
  /** The files of tests that it runs. */
  readonly files?: readonly string[];
  /** Milliseconds after which it has failed. */
  readonly timeout: number;
  /**
   * @throws NotHad where this machine cannot have what the job needs
   * @throws Error with the reason of a failure
   */
  run(context: JobContext, signal: AbortSignal): Promise<Report>;
}
