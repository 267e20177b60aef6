import type { ComponentChildren, JSX, TargetedEvent } from 'preact';
import { route, setQuery } from '../shell/router.ts';
import { count } from '../ui/format.ts';
import { Button, Empty, Missing, Table, type TableProps } from '../ui/index.ts';
import { type FilterTable, filtersOf, isFiltered, noneOf } from './filters.ts';
import type { LiveList } from './live-list.ts';
import type { LiveRow } from './live-rows.ts';

interface LiveTableProps<Row extends LiveRow> extends Pick<TableProps<Row>, 'columns' | 'href' | 'picked'> {
  readonly list: LiveList<Row>;
  /** Noun for one row. */
  readonly what: string;
  /** Filters that the address may set. */
  readonly filters: FilterTable;
  /** Text for a list without rows although nothing is filtered. */
  readonly empty: JSX.Element;
  /** Content next to the number of rows. */
  readonly children?: ComponentChildren;
}

/**
 * A list that is kept current, as a table. Its rows keep their places while the pointer is over one, and while it is
 * scrolled.
 */
export function LiveTable<Row extends LiveRow>(props: LiveTableProps<Row>): JSX.Element {
  const { list, what, filters, empty, children, ...table } = props;
  const rows = list.rows.value;
  const isSorted = route.value.query.has('sort');
  const hold = ({ currentTarget: element }: TargetedEvent<HTMLElement>): void => {
    const top = element.querySelector('.table-box')?.scrollTop ?? 0;
    list.hold(top > 40 || element.matches(':hover'));
  };
  const toTop = (event: MouseEvent): void => {
    const box = (event.currentTarget as HTMLElement).closest('.page')?.querySelector('.table-box');
    list.hold(false);
    box?.scrollTo({ top: 0 });
  };
  return (
    <div onScrollCapture={hold} onPointerEnter={hold} onPointerLeave={hold} class="task-list">
      <Missing replicas={list.missing.value} />
      <div class="list-line" role="status">
        <span class="muted">
          {rows.length === 0 && (list.busy.value || list.error.value !== undefined)
            ? list.busy.value && `Reading ${what}s…`
            : `${count(rows.length)}${list.hasMore.value ? '+' : ''} ${rows.length === 1 ? what : `${what}s`}`}
          {list.isLong.value && ', and the search is not at its end'}
          {isSorted && list.hasMore.value && ', sorted among those that were read'}
          {list.isCut.value && '. Older ones are left out: filter by time to see them'}
        </span>
        {list.waiting.value > 0 && (
          <Button kind="quiet" onClick={toTop}>
            Show {count(list.waiting.value)} new
          </Button>
        )}
        {list.hasMore.value && (list.isLong.value || isSorted) && (
          <Button kind="quiet" busy={list.busy.value} onClick={() => void list.more()}>
            {list.isLong.value ? 'Search on' : 'Read older ones'}
          </Button>
        )}
        {children}
      </div>
      {rows.length > 0 || (!list.busy.value && list.error.value === undefined) ? (
        <Table
          {...table}
          label={`${what.charAt(0).toUpperCase()}${what.slice(1)}s`}
          rows={rows}
          rowKey={({ key }) => key}
          maxHeight="calc(100vh - 15rem)"
          onEnd={() => {
            // Neither after a failure nor in the middle of a long search: these continue on request.
            const isPaused = list.busy.peek() || list.isLong.peek() || list.error.peek() !== undefined;
            if (list.hasMore.peek() && !isPaused) void list.more();
          }}
          empty={
            isFiltered(filtersOf(filters, route.value.query)) ? (
              <Empty title={`No ${what} passes these filters`}>
                <Button onClick={() => setQuery(noneOf(filters))}>Remove all filters</Button>
              </Empty>
            ) : (
              empty
            )
          }
        />
      ) : null}
    </div>
  );
}
