import type { Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { route, setQuery } from '../shell/router.ts';
import { Badge, Empty, Time } from './basic.tsx';
import { count, duration } from './format.ts';
import { Text } from './text.tsx';
import { useWindow } from './virtual-list.tsx';

/** A column with a field of its rows, or content made from a row. */
export interface Column<Row> {
  readonly title: string;
  /** Field that is shown without a `cell`, and by which the column is sorted without a `sort`. */
  readonly field?: keyof Row & string;
  /** Format of the field. Default: a text. Counts are right-aligned. */
  readonly as?: keyof typeof views;
  readonly cell?: (row: Row) => ComponentChildren;
  /** Returns the value by which the column is sorted. */
  readonly sort?: (row: Row) => string | number;
  /** Width as a track of a grid, such as `8rem` or `minmax(6rem, 2fr)`. Default `minmax(6rem, 1fr)`. */
  readonly width?: string;
  readonly align?: 'end';
}

type Value = string | number | undefined;

/** Characters of a text in a cell. */
const cellLength = 200;

const views = {
  text: (value: Value) => <Text value={String(value ?? '')} max={cellLength} />,
  mono: (value: Value) => <Text value={String(value ?? '')} max={cellLength} mono />,
  count: (value: Value) => count(Number(value ?? 0)),
  time: (value: Value) => <Time at={value} />,
  duration: (value: Value) => (value === undefined ? '–' : duration(Number(value))),
  state: (value: Value) => <Badge state={String(value ?? '')} />,
};

function cellOf<Row>({ cell, field, as = 'text' }: Column<Row>, row: Row): ComponentChildren {
  return cell ? cell(row) : views[as](field && (row[field] as Value));
}

/** Returns the sort key of a column. Undefined: it cannot be sorted. */
const keyOf = <Row,>({ sort, field, as }: Column<Row>): ((row: Row) => string | number) | undefined =>
  sort ?? (field && ((row) => (row[field] as Value) ?? (as === 'count' ? 0 : '')));

export interface TableProps<Row> {
  /** Accessible name of the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Returns the link of a row, in its first cell. Undefined: none. */
  readonly href?: (row: Row) => string | undefined;
  /** Key of the row that is shown elsewhere on the page. */
  readonly selected?: string | undefined;
  /** Text for a table without rows. */
  readonly empty?: string | JSX.Element;
  /** CSS length after which the table scrolls. Default `70vh`. */
  readonly maxHeight?: string;
  /** Pixels of every row. Default 36. */
  readonly rowHeight?: number;
  /** Rows that are selected for an action, by key: each has a checkbox. */
  readonly picked?: Signal<ReadonlyMap<string, Row>> | undefined;
  /** Name of the order in the address. Default: `sort`, which one table of a page has. */
  readonly orderName?: string;
  /** Called when the last rows become visible: the table is read page by page. Rows that are sorted are those that were read. */
  readonly onEnd?: () => void;
}

/**
 * A table of any length, with rows of one height. Only visible rows are in the page. The order is part of the address.
 * While the pointer is over the rows, they keep their places, and new ones come last.
 */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, rowKey, href, selected, maxHeight = '70vh', rowHeight = 36, onEnd, picked } = props;
  const { orderName = 'sort' } = props;
  const { box, from, to } = useWindow(rows.length, rowHeight);
  const order = orderIn(route.value.query.get(orderName), columns);
  const held = useRef<readonly string[] | undefined>(undefined);
  const sorted = heldAt(held.current, sortedBy(rows, order), rowKey);
  const contentsOf = useContents(columns, href);
  // Further rows would come between those that are sorted.
  if (onEnd && !order && rows.length > 0 && to >= rows.length) queueMicrotask(onEnd);
  if (rows.length === 0) {
    const { empty = 'Nothing here' } = props;
    return typeof empty === 'string' ? <Empty title={empty} /> : empty;
  }

  /** Selects rows, or deselects them if all are selected. */
  const pick = (some: readonly Row[]): void => {
    if (!picked) return;
    const next = new Map(picked.peek());
    const areAll = some.every((row) => next.has(rowKey(row)));
    for (const row of some) areAll ? next.delete(rowKey(row)) : next.set(rowKey(row), row);
    picked.value = next;
  };
  const pickBox = (name: string, some: readonly Row[]): JSX.Element | undefined =>
    picked && (
      <input
        type="checkbox"
        class="pick"
        aria-label={name}
        checked={some.every((row) => picked.value.has(rowKey(row)))}
        onChange={() => pick(some)}
      />
    );
  const tracks = columns.map(({ width }) => width ?? 'minmax(6rem, 1fr)').join(' ');
  const style = { maxHeight, '--columns': tracks, '--row': `${rowHeight}px` };
  return (
    <div class="table-box" ref={box} style={style} tabIndex={0} role="region" aria-label={`${label}, table`}>
      <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div class="table-head" role="rowgroup">
          <div class="table-row" role="row" aria-rowindex={1}>
            {columns.map((column, index) => (
              <Head key={column.title} {...{ column, order, orderName, rows }}>
                {index === 0 && pickBox('Select all', sorted)}
              </Head>
            ))}
          </div>
        </div>
        <div
          class="table-body"
          role="rowgroup"
          style={{ height: `${rows.length * rowHeight}px` }}
          onPointerEnter={() => {
            if (!onEnd || order) held.current = sorted.map(rowKey);
          }}
          onPointerLeave={() => (held.current = undefined)}
        >
          {sorted.slice(from, to).map((row, offset) => {
            const key = rowKey(row);
            const contents = contentsOf(row);
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
                    {index === 0 && pickBox(`Select row ${from + offset + 1}`, [row])}
                    {contents[index]}
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

/**
 * Returns a function with the contents of a row's cells: the same ones until the row, the columns or the address change, so that they
 * are not compared again when only the places of rows change.
 */
function useContents<Row>(columns: readonly Column<Row>[], href: TableProps<Row>['href']) {
  const known = useRef(
    new WeakMap<object, { readonly of: readonly unknown[]; readonly contents: ComponentChildren[] }>(),
  );
  const place = route.value;
  return (row: Row): ComponentChildren[] => {
    const before = known.current.get(row as object);
    if (before?.of[0] === columns && before.of[1] === place) return before.contents;
    const to = href?.(row);
    const contents = columns.map((column, index) => {
      const content = cellOf(column, row);
      return index === 0 && to !== undefined ? <a href={to}>{content}</a> : content;
    });
    known.current.set(row as object, { of: [columns, place], contents });
    return contents;
  };
}

const classOf = ({ align, as }: Column<never>): string => `cell${align || as === 'count' ? ' cell-end' : ''}`;

/** Column by which rows are sorted. In the address, `-` before its title means that the highest value is the first. */
interface Order<Row> {
  readonly column: Column<Row>;
  readonly down: boolean;
}

function orderIn<Row>(text: string | null, columns: readonly Column<Row>[]): Order<Row> | undefined {
  const column = columns.find((one) => one.title === text?.replace(/^-/, '') && keyOf(one));
  return column && { column, down: text?.startsWith('-') === true };
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: Order<Row> | undefined;
  readonly orderName: string;
  /** Rows, of which the first tells numbers from texts. */
  readonly rows: readonly Row[];
  readonly children: ComponentChildren;
}

function Head<Row>({ column, order, orderName, rows: [first], children }: HeadProps<Row>): JSX.Element {
  const { title, as } = column;
  const key = first && keyOf(column);
  const current = order?.column === column ? order : undefined;
  const click = (): void => {
    // Numbers and times begin with the highest.
    const begins = as === 'time' || typeof key?.(first as Row) === 'number';
    const next = !current ? begins : current.down === begins ? !begins : undefined;
    setQuery({ [orderName]: next === undefined ? undefined : `${next ? '-' : ''}${title}` }, { replace: true });
  };
  const sorted = current ? (current.down ? 'descending' : 'ascending') : 'none';
  return (
    <div role="columnheader" class={classOf(column)} aria-sort={key ? sorted : undefined}>
      {children}
      {key ? (
        <button type="button" class="sort" onClick={click}>
          {title}
        </button>
      ) : (
        title
      )}
    </div>
  );
}

function sortedBy<Row>(rows: readonly Row[], order: Order<Row> | undefined): readonly Row[] {
  const key = order && keyOf(order.column);
  if (!key) return rows;
  const sign = order.down ? -1 : 1;
  const compared = (a: string | number, b: string | number): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  return rows.toSorted((a, b) => sign * compared(key(a), key(b)));
}

/** Returns the rows at their previous places. New ones come last. */
function heldAt<Row>(keys: readonly string[] | undefined, rows: readonly Row[], rowKey: (row: Row) => string) {
  if (!keys) return rows;
  const places = new Map(keys.map((key, at) => [key, at]));
  const placeOf = (row: Row): number => places.get(rowKey(row)) ?? keys.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}
