import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useRead } from '../../gateway/hooks.ts';
import { Button, Failure, Table, type TableProps } from '../../ui/index.ts';
import type { Page } from './statements.ts';

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows' | 'onEnd'> {
  /** Reads the first page, or the one after a cursor. */
  readonly read: (after: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;
  /** The list begins anew when this changes. */
  readonly of: string;
  /** What one row is, and several are. */
  readonly nouns: readonly [one: string, several: string];
}

/** A table that is read page by page, as far as one scrolls, with the number of all rows. */
export function PagedTable<Row>({ read, of, nouns, ...table }: PagedTableProps<Row>): JSX.Element {
  const before = useRef<{ readonly of: string; readonly page: Page<Row> }>(undefined);
  const { value, error, busy, reload } = useRead(
    async (signal) => {
      const known = before.current?.of === of ? before.current.page : undefined;
      before.current = undefined;
      const page = await read(known?.after, signal);
      return known ? { ...page, items: [...known.items, ...page.items], total: page.total ?? known.total } : page;
    },
    { key: of },
  );
  const readMore = (): void => {
    if (busy || before.current || error !== undefined || value?.after === undefined) return;
    before.current = { of, page: value };
    reload();
  };
  const { items = [], total } = value ?? {};
  return (
    <div class="stack" aria-busy={busy}>
      <Failure error={error} onRetry={reload} />
      <div class="list-line">
        <span class="muted" role="status">
          {total ? `${total} ${nouns[total === '1' ? 0 : 1]}` : busy && 'Reading…'}
        </span>
        <Button kind="quiet" icon="reload" onClick={reload} disabled={busy}>
          Refresh
        </Button>
      </div>
      {value && <Table {...table} rows={items} onEnd={readMore} />}
    </div>
  );
}
