import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { Badge, Empty, Time } from './basic.tsx';
import { count } from './format.ts';
import { Text } from './text.tsx';
import { moveBetweenRows, useWindow } from './virtual-list.tsx';

/** A column that shows a field of its rows, or what is made of a row. */
export interface Column<Row> {
  readonly title: string;
  /** What is shown where there is no `cell`, and what the column is sorted by where there is no `sort`. */
  readonly field?: keyof Row & string;
  /** How the field is shown: as a text, unless it says otherwise. Counts stand at the end. */
  readonly as?: keyof typeof views;
  readonly cell?: (row: Row) => ComponentChildren;
  /** What the column is sorted by. */
  readonly sort?: (row: Row) => string | number;
  /** Width as a track of a grid, such as `8rem` or `minmax(6rem, 2fr)`. Default `minmax(6rem, 1fr)`. */
  readonly width?: string;
  readonly align?: 'end';
  /** Left out where there is little room. */
  readonly optional?: boolean;
}

type Value = string | number | undefined;

/** Characters of a text in a cell. */
const cellLength = 200;

const views = {
  text: (value: Value) => <Text value={String(value ?? '')} max={cellLength} />,
  mono: (value: Value) => <Text value={String(value ?? '')} max={cellLength} mono />,
  count: (value: Value) => count(Number(value ?? 0)),
  time: (value: Value) => <Time at={value} />,
  state: (value: Value) => <Badge state={String(value ?? '')} />,
};

const valueIn = <Row,>(row: Row, field: keyof Row | undefined): Value =>
  field === undefined ? undefined : (row[field] as Value);

function cellOf<Row>({ cell, field, as = 'text' }: Column<Row>, row: Row): ComponentChildren {
  return cell ? cell(row) : views[as](valueIn(row, field));
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
  /** Called when the last rows come into sight. Such a table is read page by page, so its columns cannot be sorted. */
  readonly onEnd?: () => void;
}

/** A table of any length, with rows of one height. Only rows in sight are in the page. Arrow keys move between links of rows. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, rowKey, href, selected, empty, maxHeight = '70vh', rowHeight = 36, onEnd } = props;
  const order = useSignal<Order | undefined>(undefined);
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
              <Head key={column.title} column={column} order={order} sortable={!onEnd} />
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
                  <div key={column.title} role="cell" class={classOf(column)}>
                    {index === 0 && href ? <a href={href(row)}>{cellOf(column, row)}</a> : cellOf(column, row)}
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

const classOf = ({ align, as, optional }: Column<never>): string =>
  `cell${align || as === 'count' ? ' cell-end' : ''}${optional ? ' cell-optional' : ''}`;

/** By which column rows are sorted. */
interface Order {
  readonly title: string;
  readonly down: boolean;
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: { value: Order | undefined };
  readonly sortable: boolean;
}

function Head<Row>({ column, order, sortable }: HeadProps<Row>): JSX.Element {
  const { title, sort, field } = column;
  const isSortable = sortable && (sort ?? field) !== undefined;
  const current = order.value?.title === title ? order.value : undefined;
  const direction = current ? (current.down ? 'descending' : 'ascending') : isSortable ? 'none' : undefined;
  const click = (): void => {
    order.value = !current ? { title, down: false } : current.down ? undefined : { title, down: true };
  };
  return (
    <div role="columnheader" class={classOf(column)} aria-sort={direction}>
      {isSortable ? (
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
  order: Order | undefined,
): readonly Row[] {
  const column = columns.find(({ title }) => title === order?.title);
  if (!column || !order) return rows;
  const { field, as, sort = (row: Row) => valueIn(row, field) ?? (as === 'count' ? 0 : '') } = column;
  const sign = order.down ? -1 : 1;
  return rows
    .map((row) => [sort(row), row] as const)
    .sort(
      ([a], [b]) =>
        sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))),
    )
    .map(([, row]) => row);
}
