import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useRead } from '../../gateway/hooks.ts';
import { route } from '../../shell/router.ts';
import { FilterForm } from '../../tasks/filter-fields.tsx';
import { Button, Empty, Failure, Table } from '../../ui/index.ts';
import { query, type Space, type SpaceProps, viewHref } from './gateway.ts';
import { useStatements } from './parts.tsx';
import { filterFrom, filters, keyOf, type Page, pageOf, statementsQuery } from './statements.ts';

/** Rows of one page. */
const pageSize = 200;

/** The statements that match the filters in the address, read page by page while scrolling, with the number of all. */
export function StatementsView({ space }: SpaceProps): JSX.Element {
  const filter: Readonly<Record<string, unknown>> = filterFrom(route.value.query);
  const of = JSON.stringify(filter);
  const before = useRef<{ readonly of: string; readonly page: Page }>(undefined);
  const { columns, dialog } = useStatements(space);
  const { value, error, busy, reload } = useRead(
    async (signal) => {
      const known = before.current?.of === of ? before.current.page : undefined;
      before.current = undefined;
      const types = filter.subject !== undefined || filter.object !== undefined;
      const variables = { ...filter, first: pageSize, types, ...(known?.after && { after: known.after }) };
      const page = pageOf((await query(space, { query: statementsQuery, variables }, signal)).data);
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
      <FilterForm of="statements" table={filters} />
      <Failure error={error} onRetry={reload} />
      <div class="list-line">
        <span class="muted" role="status">
          {total ? `${total} ${total === '1' ? 'statement' : 'statements'}` : busy && 'Reading…'}
        </span>
        <Direction space={space} filter={filter} />
        <Button kind="quiet" icon="reload" onClick={reload} disabled={busy}>
          Refresh
        </Button>
      </div>
      {value && (
        <Table
          label="Statements"
          columns={columns}
          rows={items}
          rowKey={keyOf}
          onEnd={readMore}
          empty={
            Object.keys(filter).length > 0 ? (
              <Empty title="No statement matches the filter" />
            ) : (
              <Empty title="The graph is empty">
                Propose a change, or import a file with a2a-gateway knowledge import.
              </Empty>
            )
          }
        />
      )}
      {dialog}
    </div>
  );
}

interface DirectionProps extends SpaceProps {
  readonly filter: Readonly<Record<string, unknown>>;
}

/** A link from the statements about an entity to those that lead to it, or back. */
function Direction({ space, filter }: DirectionProps): JSX.Element | null {
  const { subject, object } = filter;
  if (typeof subject === 'string') return <a href={hrefTo(space, { object: subject })}>Statements that lead to it</a>;
  if (typeof object === 'string') return <a href={hrefTo(space, { subject: object })}>Statements about it</a>;
  return null;
}

const hrefTo = (space: Space, filter: Readonly<Record<string, string>>): string =>
  viewHref(space, 'statements', filter);
