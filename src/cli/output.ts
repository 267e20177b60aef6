import { styleText } from 'node:util';
import { oneLine, withoutControls } from '../core/model/text.ts';
import type { CommandOutput } from '../extensions/command.ts';

/** Output of a command. */
export interface Output extends CommandOutput {
  /** Writes a table to stdout. On a terminal it has a line of titles, and colors unless `NO_COLOR` is set. */
  table(titles: readonly string[], rows: readonly (readonly Cell[])[]): void;
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
    json: (value) => output.print(`${JSON.stringify(value, undefined, 2)}\n`),
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

/** Starts a progress line on stderr that shows, after the first second, what the command waits for and for how long. */
export function startWaiting(output: Output, initial: string) {
  const start = performance.now();
  let text = initial;
  const show = (): void => output.progress(`${text.trim()} … ${Math.round((performance.now() - start) / 1000)} s`);
  const timer = setInterval(show, 1000);
  timer.unref();
  return {
    update(next: string): void {
      text = next;
      show();
    },
    stop(): void {
      clearInterval(timer);
      output.clearProgress();
    },
  };
}

type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'gray';

/** A cell of a table, colored on terminals only. */
export type Cell = string | { readonly text: string; readonly color: Color };

type Paint = (color: Color, text: string) => string;

const plain: Paint = (_, text) => text;
const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);

/**
 * Returns the lines of a table, with columns as wide as their longest cell. Each cell is a single line without control
 * characters.
 *
 * @param longest maximum width of the last column, in characters
 */
export function tableLines(rows: readonly (readonly Cell[])[], longest = 160, paint: Paint = plain): string[] {
  const texts = rows.map((row) =>
    row.map((cell, at) => oneLine(textOf(cell), at === row.length - 1 ? longest : 1_000)),
  );
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)));
  return rows.map((row, index) => {
    const cells = row.map((cell, at) => {
      const text = texts[index]?.[at] ?? '';
      const painted = typeof cell === 'string' || text === '' ? text : paint(cell.color, text);
      return at === row.length - 1 ? painted : painted + ' '.repeat((widths[at] ?? 0) - text.length);
    });
    return cells.join('  ').trimEnd();
  });
}
