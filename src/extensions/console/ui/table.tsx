import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { Empty } from './basic.tsx';
import { moveBetweenRows } from './row-keys.ts';
import { useWindow } from './virtual-list.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What the column is sorted by. Absent: it cannot be sorted. */
  readonly sort?: (row: Row) => string | number;
  /** Width as a track of a grid, such as `8rem` or `minmax(6rem, 2fr)`. Default `minmax(6rem, 1fr)`. */
  readonly width?: string;
  /** Numbers stand at the end. */
  readonly align?: 'end';
  /** Left out where there is little room. */
  readonly optional?: boolean;
}

export interface TableProps<Row> {
  /** Names the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Where a row leads to: its first cell is the link. */
  readonly href?: (row: Row) => string;
  /** Which row is shown elsewhere on the page. */
  readonly selected?: string | undefined;
  /** What is said where there are no rows. */
  readonly empty?: string | JSX.Element;
  /** CSS length after which the table scrolls. Default `70vh`. */
  readonly maxHeight?: string;
  /** Pixels of every row. Default 36. */
  readonly rowHeight?: number;
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void;
}

/** A table of any length, with rows of one height. Only rows in sight are in the page. Arrow keys move between links of rows. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, rowKey, href, selected, empty, maxHeight = '70vh', rowHeight = 36, onEnd } = props;
  const order = useSignal<{ id: string; down: boolean } | undefined>(undefined);
  const { box, from, to } = useWindow(rows.length, rowHeight);
  const sorted = sortedBy(rows, columns, order.value);
  if (onEnd && rows.length > 0 && to >= rows.length) queueMicrotask(onEnd);
  if (rows.length === 0)
    return typeof empty === 'string' ? <Empty title={empty} /> : (empty ?? <Empty title="Nothing here" />);

  const tracks = (list: readonly Column<Row>[]): string =>
    list.map(({ width }) => width ?? 'minmax(6rem, 1fr)').join(' ');
  const style = {
    maxHeight,
    '--columns': tracks(columns),
    '--columns-narrow': tracks(columns.filter(({ optional }) => !optional)),
    '--row': `${rowHeight}px`,
  };
  return (
    <div
      class="table-box"
      ref={box}
      style={style}
      tabIndex={0}
      role="region"
      aria-label={`${label}, table`}
      onKeyDown={moveBetweenRows}
    >
      <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div class="table-head" role="rowgroup">
          <div class="table-row" role="row" aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.id} column={column} order={order} />
            ))}
          </div>
        </div>
        <div class="table-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          {sorted.slice(from, to).map((row, offset) => {
            const key = rowKey(row);
            return (
              <div
                key={key}
                class="table-row"
                role="row"
                aria-rowindex={from + offset + 2}
                aria-current={selected === key ? 'true' : undefined}
                style={{ transform: `translateY(${(from + offset) * rowHeight}px)` }}
              >
                {columns.map((column, index) => (
                  <div key={column.id} role="cell" class={classOf(column, 'cell')}>
                    {index === 0 && href ? <a href={href(row)}>{column.cell(row)}</a> : column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const classOf = ({ align, optional }: Column<never>, base: string): string =>
  `${base}${align ? ' cell-end' : ''}${optional ? ' cell-optional' : ''}`;

function Head<Row>({
  column,
  order,
}: {
  readonly column: Column<Row>;
  readonly order: { value: { id: string; down: boolean } | undefined };
}): JSX.Element {
  const { id, title, sort } = column;
  const current = order.value?.id === id ? order.value : undefined;
  const direction = current ? (current.down ? 'descending' : 'ascending') : sort ? 'none' : undefined;
  const click = (): void => {
    order.value = !current ? { id, down: false } : current.down ? undefined : { id, down: true };
  };
  return (
    <div role="columnheader" class={classOf(column, 'cell')} aria-sort={direction}>
      {sort ? (
        <button type="button" class="sort" onClick={click}>
          {title}
        </button>
      ) : (
        title
      )}
    </div>
  );
}

function sortedBy<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: { readonly id: string; readonly down: boolean } | undefined,
): readonly Row[] {
  const sort = columns.find(({ id }) => id === order?.id)?.sort;
  if (!sort || !order) return rows;
  const sign = order.down ? -1 : 1;
  return rows
    .map((row) => [sort(row), row] as const)
    .sort(
      ([a], [b]) =>
        sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))),
    )
    .map(([, row]) => row);
}
