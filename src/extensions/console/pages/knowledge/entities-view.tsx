import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { route, setQuery } from '../../shell/router.ts';
import { Button, type Column, Empty, Field, Table, Text } from '../../ui/index.ts';
import { query, type Space } from './gateway.ts';
import { usePaged } from './paged.ts';
import { Failure, Iri } from './parts.tsx';
import { entityHref, statementsHref, viewHref } from './place.ts';
import { countText, type EntityRow, entitiesFrom, entitiesQuery } from './statements.ts';

const pageSize = 200;

const columnsOf = (space: Space): readonly Column<EntityRow>[] => [
  { id: 'entity', title: 'Entity', cell: ({ id }) => <Iri id={id} />, width: 'minmax(8rem, 1.2fr)' },
  {
    id: 'types',
    title: 'Types',
    cell: ({ types }) =>
      types.length === 0 ? (
        <span class="muted">none</span>
      ) : (
        types.map((type, i) => (
          <span key={type}>
            {i > 0 && ', '}
            <a href={viewHref(space, 'entities', { type })}>
              <Iri id={type} />
            </a>
          </span>
        ))
      ),
    width: 'minmax(6rem, 1fr)',
  },
  {
    id: 'id',
    title: 'Id',
    cell: ({ id }) => <Text value={id} mono max={200} />,
    width: 'minmax(8rem, 2fr)',
    optional: true,
  },
  {
    id: 'about',
    title: 'Statements',
    cell: ({ id }) => <a href={statementsHref(space, { subject: id })}>about it</a>,
    width: '6rem',
    optional: true,
  },
];

/** The resources of the graph, page by page. */
export function EntitiesView({ space }: { readonly space: Space }): JSX.Element {
  const type = route.value.query.get('type') ?? '';
  const list = usePaged(JSON.stringify([space, type]), async (after, signal) => {
    const variables = { first: pageSize, ...(type && { type }), ...(after !== undefined && { after }) };
    return entitiesFrom((await query(space, { query: entitiesQuery, variables }, signal)).data);
  });
  return (
    <div class="stack" aria-busy={list.busy}>
      <TypeForm key={type} type={type} />
      {list.error !== undefined && <Failure error={list.error} onRetry={list.reload} />}
      <p class="muted" role="status">
        {list.total ? `${countText(list.total)} ${list.total.count === 1 ? 'entity' : 'entities'}` : 'Reading…'}
      </p>
      {(!list.busy || list.items.length > 0) && list.error === undefined && (
        <Table
          label="Entities"
          columns={columnsOf(space)}
          rows={list.items}
          rowKey={({ id }) => id}
          href={({ id }) => entityHref(space, id)}
          onEnd={list.readMore}
          empty={<Empty title={type ? 'No entity has this type' : 'The graph has no entities'} />}
        />
      )}
    </div>
  );
}

function TypeForm({ type }: { readonly type: string }): JSX.Element {
  const draft = useSignal(type);
  const submit = (event: Event): void => {
    event.preventDefault();
    setQuery({ type: draft.value.trim() });
  };
  return (
    <form class="filters wide-first" onSubmit={submit} aria-label="Filter of entities">
      <Field
        label="Type"
        type="search"
        value={draft.value}
        placeholder="id of a class"
        onInput={(value) => (draft.value = value)}
      />
      <Button type="submit" kind="primary">
        Apply
      </Button>
      {type && <Button onClick={() => setQuery({ type: undefined })}>Clear</Button>}
    </form>
  );
}
