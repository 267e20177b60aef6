import type { JSX } from 'preact';
import { route, setQuery } from '../../shell/router.ts';
import { type Column, Empty, TextForm } from '../../ui/index.ts';
import { entityHref, query, type Space, statementsHref } from './gateway.ts';
import { usePaged } from './paged.ts';
import { Iri, PagedTable, Types } from './parts.tsx';
import { type EntityRow, entitiesFrom, entitiesQuery } from './statements.ts';

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
    <PagedTable
      list={list}
      nouns={['entity', 'entities']}
      filter={
        <TextForm
          key={type}
          label="Type"
          action="Apply"
          value={type}
          placeholder="id of a class"
          onSubmit={(next) => setQuery({ type: next })}
        />
      }
      label="Entities"
      columns={columnsOf(space)}
      rowKey={({ id }) => id}
      href={({ id }) => entityHref(space, id)}
      empty={<Empty title={type ? 'No entity has this type' : 'The graph has no entities'} />}
    />
  );
}
