import { oneLine } from './text.ts';

/** Colors of cells. */
export type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'gray';

/** A cell of a table, which has its color on terminals only. */
export type Cell = string | { readonly text: string; readonly color: Color };

/** Puts a color around a text. */
export type Paint = (color: Color, text: string) => string;

const plain: Paint = (_, text) => text;
const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);

/**
 * The lines of a table, with columns as wide as their longest cell. Cells are one line each and have no control characters.
 *
 * @param longest characters of the last column at most
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
