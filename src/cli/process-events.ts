import { isatty } from 'node:tty';
import type { Logger } from '../core/ports/logger.ts';

export interface HangUpHandlers {
  /** Somebody sent SIGHUP. One at a time; further signals meanwhile count as one more. */
  readonly onReload: () => Promise<void>;
  /** The terminal that the program was started in was closed. */
  readonly onTerminalGone: () => void;
}

/** Descriptors that lead to the terminal of a program which was started in one. */
const standardStreams = [0, 1, 2];

/**
 * Tells the two meanings of SIGHUP apart. Whoever looks after a server sends it to have its configuration read again. The
 * system sends it when a terminal is closed: nobody can stop the program from there any more, and nobody meant it to go
 * on; whoever did has taken its streams from the terminal (`nohup`, a service manager).
 *
 * @param isTerminal whether a descriptor leads to a terminal that is there
 * @returns what ends the watch: from then on the signal is ignored
 */
export function watchForHangUps(
  { onReload, onTerminalGone }: HangUpHandlers,
  isTerminal: (descriptor: number) => boolean = isatty,
): () => void {
  const startedInTerminal = standardStreams.some(isTerminal);
  let reloading = false;
  let again = false;
  let over = false;

  async function reload(): Promise<void> {
    again = true;
    if (reloading) return;
    reloading = true;
    while (again && !over) {
      again = false;
      await onReload();
    }
    reloading = false;
  }

  process.on('SIGHUP', () => {
    if (over) return;
    if (!startedInTerminal || standardStreams.some(isTerminal)) {
      void reload();
      return;
    }
    // Nobody reads any more what is printed, which is nothing to end for before everything has been finished.
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
    onTerminalGone();
  });
  return () => {
    over = true;
  };
}

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
