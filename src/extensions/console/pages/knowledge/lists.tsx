import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useRead } from '../../gateway/hooks.ts';
import { navigate, route } from '../../shell/router.ts';
import { FilterForm } from '../../tasks/filter-fields.tsx';
import { Button, type Column, Copy, Empty, Failure, Field, Table, type TableProps, Text } from '../../ui/index.ts';
import { entityHref, query, type Space, type SpaceProps, viewHref } from './gateway.ts';
import { Iri, Source, useStatements } from './parts.tsx';
import {
  type Entity,
  entitiesQuery,
  filterFrom,
  filters,
  keyOf,
  type Page,
  pageOf,
  type Statement,
  statementsQuery,
} from './statements.ts';

/** Rows of one page. */
const pageSize = 200;

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows' | 'onEnd'> {
  /** Reads the first page, or the one after a cursor. */
  readonly read: (after: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;
  /** Key of the list. It begins anew when this changes. */
  readonly of: string;
  /** Nouns for one row, and for several. */
  readonly nouns: readonly [one: string, several: string];
}

/** A table that is read page by page while scrolling, with the number of all rows. */
function PagedTable<Row>({ read, of, nouns, ...table }: PagedTableProps<Row>): JSX.Element {
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

interface StatementsProps {
  readonly space: Space;
  readonly filter: object;
  readonly label: string;
  readonly nouns: readonly [one: string, several: string];
  readonly without?: 'subject' | 'object';
  readonly empty: JSX.Element;
}

/** Statements that match a filter, page by page. Next to an entity, its neighbours have their types. */
function Statements({ space, filter, without, ...table }: StatementsProps): JSX.Element {
  const { columns, dialog } = useStatements(space);
  const { subject, predicate, object, certainty, details } = columns;
  const shown: readonly Column<Statement>[] = [
    ...[subject, predicate, object].filter((column) => column !== columns[without ?? 'details']),
    certainty,
    { title: 'Provenance', cell: ({ provenance }) => <Source provenance={provenance} />, width: 'minmax(6rem, 1.4fr)' },
    {
      title: 'Graph',
      cell: ({ graph }) => (graph ? <Iri id={graph} /> : <span class="muted">default</span>),
      width: 'minmax(4rem, .7fr)',
    },
    { title: 'Added', field: 'timestamp', as: 'time', width: '6rem' },
    details,
  ];
  return (
    <>
      <PagedTable
        {...table}
        of={JSON.stringify(filter)}
        read={async (after, signal) => {
          const variables = { ...filter, first: pageSize, types: without !== undefined, ...(after && { after }) };
          return pageOf<Statement>((await query(space, { query: statementsQuery, variables }, signal)).data);
        }}
        columns={shown}
        rowKey={keyOf}
      />
      {dialog}
    </>
  );
}

/** The statements that match the filters in the address. */
export function StatementsView({ space }: SpaceProps): JSX.Element {
  const filter = filterFrom(route.value.query);
  return (
    <>
      <FilterForm of="statements" table={filters} />
      <Statements
        space={space}
        filter={filter}
        label="Statements"
        nouns={['statement', 'statements']}
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
    </>
  );
}

const entityColumns = (space: Space): readonly Column<Entity>[] => [
  { title: 'Entity', cell: ({ id }) => <Iri id={id} />, width: 'minmax(8rem, 1.2fr)' },
  {
    title: 'Types',
    cell: ({ types }) =>
      types.map((type, i) => (
        <span key={type}>
          {i > 0 && ', '}
          <a href={viewHref(space, 'entities', { type })}>
            <Iri id={type} />
          </a>
        </span>
      )),
    width: 'minmax(6rem, 1fr)',
  },
  { title: 'Id', field: 'id', as: 'mono', width: 'minmax(8rem, 2fr)' },
];

/** The entities of the graph, page by page, or the one that the address names. */
export function EntitiesView({ space }: SpaceProps): JSX.Element {
  const { query: address } = route.value;
  const wanted = useSignal('');
  const id = address.get('id');
  const type = address.get('type');
  if (id) return <EntityView key={id} space={space} id={id} />;
  return (
    <>
      <FilterForm of="entities" table={{ type: filters.type }}>
        <Field
          label="Id of an entity"
          type="search"
          placeholder="Enter shows it"
          value={wanted.value}
          onInput={(id) => (wanted.value = id.trim())}
          onKeyDown={({ key }) => key === 'Enter' && wanted.value && navigate(entityHref(space, wanted.value))}
        />
      </FilterForm>
      <PagedTable
        of={type ?? ''}
        read={async (after, signal) => {
          const variables = { first: pageSize, ...(type && { type }), ...(after && { after }) };
          return pageOf<Entity>((await query(space, { query: entitiesQuery, variables }, signal)).data);
        }}
        nouns={['entity', 'entities']}
        label="Entities"
        columns={entityColumns(space)}
        rowKey={({ id }) => id}
        href={({ id }) => entityHref(space, id)}
        empty={<Empty title={type ? 'No entity has this type' : 'The graph has no entities'} />}
      />
    </>
  );
}

/** One entity with its neighbours, to walk from one to the next. */
const EntityView = ({ space, id }: { readonly space: Space; readonly id: string }): JSX.Element => (
  <section class="stack" aria-label="Entity">
    <header>
      <h2>
        <Iri id={id} />
      </h2>
      <Text value={id} mono /> <Copy value={id} label="Copy the id" />
    </header>
    <Statements
      space={space}
      filter={{ subject: id }}
      without="subject"
      label="Outgoing"
      nouns={['statement about it', 'statements about it']}
      empty={<Empty title="No statement has this id as its subject" />}
    />
    <Statements
      space={space}
      filter={{ object: id }}
      without="object"
      label="Incoming"
      nouns={['statement that leads to it', 'statements that lead to it']}
      empty={<Empty title="No statement has this id as its object" />}
    />
  </section>
);
