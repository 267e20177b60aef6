/** The signals by which people and supervisors end a command, with the exit code that shells expect. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Does work that leaves something behind when it is stopped in the middle, such as files and child processes.
 *
 * @param signal aborts on SIGINT, SIGTERM or SIGHUP; the work then stops its children
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
