import { withoutControls } from '../core/model/text.ts';

/** Where a command writes. */
export interface Output {
  /** Writes to stdout; on a terminal without control characters. */
  print(text: string): void;
  /** A line to stderr. */
  note(line: string): void;
  /** Shows a line on stderr that the next one replaces. Only on a terminal. */
  progress(line: string): void;
  /** Removes the progress line. */
  clearProgress(): void;
}

/** A text on one line, and no longer than `width`. */
export function oneLine(text: string, width: number): string {
  const line = withoutControls(text.replace(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}

/** Output to the process's own streams. A closed pipe (`| head`) ends the process quietly. */
export function processOutput(): Output {
  const { stdout, stderr } = process;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') process.exit(process.exitCode ?? 0);
      throw error;
    });
  }
  let shown = false;
  const output: Output = {
    print(text) {
      output.clearProgress();
      stdout.write(stdout.isTTY ? withoutControls(text) : text);
    },
    note(line) {
      output.clearProgress();
      stderr.write(`${withoutControls(line)}\n`);
    },
    progress(line) {
      if (!stderr.isTTY) return;
      stderr.write(`\r\u001b[2K${oneLine(line, (stderr.columns ?? 80) - 1)}`);
      shown = true;
    },
    clearProgress() {
      if (shown) stderr.write('\r\u001b[2K');
      shown = false;
    },
  };
  return output;
}

/** A line on stderr that shows what the command waits for, and for how long. */
export interface WaitingLine {
  /** Changes the text. */
  update(text: string): void;
  /** Removes the line. May be called again. */
  stop(): void;
}

/** Shows the line from the first second on. */
export function startWaiting(output: Output, initial: string): WaitingLine {
  const start = performance.now();
  let text = initial;
  const show = (): void => output.progress(`${text.trim()} … ${Math.round((performance.now() - start) / 1000)} s`);
  const timer = setInterval(show, 1000);
  timer.unref();
  return {
    update(next) {
      text = next;
      show();
    },
    stop() {
      clearInterval(timer);
      output.clearProgress();
    },
  };
}
