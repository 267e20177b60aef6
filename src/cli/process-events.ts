import { isatty } from 'node:tty';
import type { Logger } from '../core/ports/logger.ts';
import { logRateLimited } from '../core/telemetry/rate-limited-log.ts';

export interface HangUpHandlers {
  /** SIGHUP was sent to the process. Never called concurrently; signals meanwhile lead to one more call. */
  readonly onReload: () => Promise<void>;
  /** The terminal of the process was closed. */
  readonly onTerminalGone: () => void;
}

/** Descriptors that lead to the terminal of a program that was started in one. */
const standardStreams = [0, 1, 2];

/**
 * Tells the two meanings of SIGHUP apart. Operators and service managers send it to reload the configuration. The system
 * sends it when the terminal is closed, and then the program stops, since it was not detached from it (`nohup`).
 *
 * @param isTerminal whether a descriptor leads to an open terminal
 * @returns stops handling the signal, which is ignored from then on
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
 * Logs uncaught errors, most of which come from agents' code. Node itself would print them with all their properties, which
 * may hold secrets, and end the process at once.
 *
 * After an unhandled rejection the gateway goes on. After an uncaught exception its state is unknown: it drains and stops,
 * and its supervisor has to restart it.
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
