import type { JSX } from 'preact';
import { route, setQuery } from '../../shell/router.ts';
import { type Column, Empty, Failure, Table, TextForm } from '../../ui/index.ts';
import { query, type Space } from './gateway.ts';
import { usePaged } from './paged.ts';
import { Iri, Types } from './parts.tsx';
import { entityHref, statementsHref } from './place.ts';
import { countText, type EntityRow, entitiesFrom, entitiesQuery } from './statements.ts';

const pageSize = 200;

const columnsOf = (space: Space): readonly Column<EntityRow>[] => [
  { title: 'Entity', cell: ({ id }) => <Iri id={id} />, width: 'minmax(8rem, 1.2fr)' },
  {
    title: 'Types',
    cell: ({ types }) => (types.length === 0 ? <span class="muted">none</span> : <Types space={space} types={types} />),
    width: 'minmax(6rem, 1fr)',
  },
  { title: 'Id', field: 'id', as: 'mono', width: 'minmax(8rem, 2fr)', optional: true },
  {
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
      <TextForm
        key={type}
        label="Type"
        action="Apply"
        value={type}
        placeholder="id of a class"
        onSubmit={(next) => setQuery({ type: next })}
      />
      <Failure error={list.error} onRetry={list.reload} />
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
