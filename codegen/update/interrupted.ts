/** Signals with which people and supervisors end a command, with the exit codes that shells expect. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Runs work that must be cleaned up if it is interrupted, such as files and child processes.
 *
 * @param work aborts its children when the signal aborts, on SIGINT, SIGTERM or SIGHUP
 * @param cleanUp runs when the work ends, and before the process exits after a signal
 */
export async function cleanedUp<T>(work: (signal: AbortSignal) => Promise<T>, cleanUp: () => void): Promise<T> {
  const stop = new AbortController();
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  const listeners = names.map((name) => {
    const end = (): void => {
      stop.abort();
      cleanUp();
      process.exit(exitCodes[name]);
    };
    process.once(name, end);
    return [name, end] as const;
  });
  try {
    return await work(stop.signal);
  } finally {
    for (const [name, end] of listeners) process.off(name, end);
    cleanUp();
  }
}
