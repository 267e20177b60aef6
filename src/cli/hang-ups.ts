import { isatty } from 'node:tty';

export interface HangUps {
  /** Somebody sent SIGHUP. One at a time; further signals meanwhile count as one more. */
  readonly onReload: () => Promise<void>;
  /** The terminal that the program was started in was closed. */
  readonly onTerminalGone: () => void;
}

/** Descriptors that lead to the terminal of a program which was started in one. */
const standard = [0, 1, 2];

/**
 * Tells the two meanings of SIGHUP apart. Whoever looks after a server sends it to have its configuration read again. The
 * system sends it when a terminal is closed: nobody can stop the program from there any more, and nobody meant it to go
 * on; whoever did has taken its streams from the terminal (`nohup`, a service manager).
 *
 * @param isTerminal whether a descriptor leads to a terminal that is there
 * @returns what ends the watch: from then on the signal is ignored
 */
export function watchForHangUps(
  { onReload, onTerminalGone }: HangUps,
  isTerminal: (descriptor: number) => boolean = isatty,
): () => void {
  const startedInTerminal = standard.some(isTerminal);
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
    if (!startedInTerminal || standard.some(isTerminal)) {
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
