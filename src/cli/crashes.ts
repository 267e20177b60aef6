import type { Logger } from '../core/ports/logger.ts';

/** Lines of a minute; beyond, what goes wrong again and again is not told again. */
const perMinute = 20;

/**
 * Sees to errors that nobody caught: those of agents' own code, as a rule, for the gateway's is meant to catch its own.
 * Each is one line of the log. Node itself would print it, with every property that somebody hung on it, and end the
 * process at once.
 *
 * A promise that nobody waits for leaves nothing half done, and everything goes on. After an exception nobody can tell
 * what was left half done, so that the gateway is to stop in good order, and whoever watches over it to start it again.
 *
 * The watch lasts as long as the process: what an agent left running may go wrong to the very end.
 *
 * @param stop called for each exception
 */
export function watchForCrashes(logger: Logger, stop: () => void): void {
  let minute = 0;
  let told = 0;
  const tell = (err: unknown, message: string): void => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) told = 0;
    minute = now;
    told += 1;
    if (told <= perMinute) logger.error({ err }, message);
  };
  process.on('uncaughtException', (thrown) => {
    tell(thrown, 'an exception that nobody caught: the gateway stops');
    stop();
  });
  process.on('unhandledRejection', (thrown) => tell(thrown, 'a promise was rejected that nobody waits for'));
}
