import { styleText } from 'node:util';
import { withoutControls } from '../core/model/text.ts';
import { type Cell, tableLines } from './table.ts';
import { oneLine } from './text.ts';

/** Where a command writes. */
export interface Output {
  /** Writes to stdout; on a terminal without control characters. */
  print(text: string): void;
  /** Writes a table to stdout; on a terminal with a line of titles, and in colors unless `NO_COLOR` is set. */
  table(titles: readonly string[], rows: readonly (readonly Cell[])[]): void;
  /** A line to stderr. */
  note(line: string): void;
  /** Shows a line on stderr that the next one replaces. Only on a terminal. */
  progress(line: string): void;
  /** Removes the progress line. */
  clearProgress(): void;
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
    table(titles, rows) {
      output.clearProgress();
      const head = titles.map((text) => ({ text, color: 'gray' as const }));
      const lines = tableLines(stdout.isTTY && rows.length > 0 ? [head, ...rows] : rows, undefined, (color, text) =>
        styleText(color, text, { stream: stdout }),
      );
      for (const line of lines) stdout.write(`${line}\n`);
    },
    note(line) {
      output.clearProgress();
      const [, word = '', rest = ''] = /^(error|warning)?(.*)$/s.exec(withoutControls(line)) ?? [];
      const color = word === 'error' ? 'red' : 'yellow';
      stderr.write(`${word === '' ? '' : styleText(color, word, { stream: stderr })}${rest}\n`);
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
