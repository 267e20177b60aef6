/** What jobs share, made when the first one needs it. */
export interface JobContext {
  /** An empty folder of the job's own, which is removed after it. */
  readonly folder: string;
  /** The gateway as `npm pack` makes it from the checkout. */
  tarball(): Promise<string>;
  /** The folder with the `node` of a version, such as `22.19.0` or `24`. */
  node(version: string): Promise<string>;
}

/** One row of the table: what it is, and what it does. */
export interface Job {
  readonly name: string;
  /** The file of `apps` that it runs. */
  readonly program?: string;
  /** Milliseconds after which it has failed. */
  readonly timeout: number;
  /**
   * Ends with what the table says of it, such as versions that were installed.
   *
   * @throws Error with the reason of a failure
   */
  run(context: JobContext, signal: AbortSignal): Promise<string>;
}
