import { isatty } from 'node:tty';
import type { Logger } from '../core/ports/logger.ts';
import { logRateLimited } from '../core/telemetry/rate-limited-log.ts';

export interface HangUpHandlers {
  /**
   * Called when SIGHUP is sent to the process, never concurrently. Signals that arrive during a call lead to one more
   * call.
   */
  readonly onReload: () => Promise<void>;
  /** Called when the terminal of the process was closed. */
  readonly onTerminalGone: () => void;
}

/** File descriptors of the terminal, in a program that was started in one. */
const standardStreams = [0, 1, 2];

/**
 * Distinguishes the two meanings of SIGHUP. Operators and service managers send it to reload the configuration. The
 * system sends it when the terminal is closed; the program then stops, because it was not detached from the terminal
 * (`nohup`).
 *
 * @param isTerminal whether a file descriptor belongs to an open terminal
 * @returns a function that stops handling the signal, which is ignored from then on
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
    // Output fails from now on, which must not end the process before it has drained.
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
    onTerminalGone();
  });
  return () => {
    over = true;
  };
}

/**
 * Logs uncaught errors, most of which come from agents' code. Node itself would print them with all their properties,
 * which may contain secrets, and end the process at once.
 *
 * After an unhandled rejection, the gateway continues. After an uncaught exception, its state is unknown: it drains and
 * stops, and its supervisor must restart it.
 *
 * The handlers stay until the process ends.
 *
 * @param stop called for each exception
 */
export function watchForCrashes(logger: Logger, stop: () => void): void {
  process.on('uncaughtException', (err) => {
    logRateLimited(logger, 'exception', { err }, 'uncaught exception; the gateway stops');
    stop();
  });
  process.on('unhandledRejection', (err) =>
    logRateLimited(logger, 'rejection', { err }, 'unhandled promise rejection'),
  );
}
