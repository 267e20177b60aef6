import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { route, setQuery } from '../../shell/router.ts';
import { type Column, Empty, TextForm } from '../../ui/index.ts';
import { FilterForm, statementFields } from './filter-form.tsx';
import { entityHref, query, type Space, statementsHref } from './gateway.ts';
import { usePaged } from './paged.ts';
import { Iri, PagedTable, Source, StatementDialog, statementColumns, Types } from './parts.tsx';
import {
  type EntityRow,
  entitiesFrom,
  entitiesQuery,
  filterFrom,
  type Statement,
  statementsFrom,
  statementsQuery,
} from './statements.ts';

/** Rows of one page. */
const pageSize = 200;

function columnsOf(space: Space, open: (statement: Statement) => void): readonly Column<Statement>[] {
  const { subject, predicate, object, certainty, details } = statementColumns(space, (one: Statement) => one, open);
  return [
    ...[subject, predicate, object, certainty],
    { title: 'Provenance', cell: ({ provenance }) => <Source provenance={provenance} />, width: 'minmax(6rem, 1.4fr)' },
    {
      title: 'Graph',
      cell: ({ graph }) => (graph ? <Iri id={graph} /> : <span class="muted">default</span>),
      width: 'minmax(4rem, .7fr)',
    },
    { title: 'Added', field: 'timestamp', as: 'time', width: '6rem' },
    details,
  ];
}

/** Identity of a statement. */
export const keyOf = ({ subject, predicate, object, graph }: Statement): string =>
  JSON.stringify([subject.id, predicate.id, object.id, object.value, object.type, graph]);

/** Statements that match a filter, page by page. */
export function StatementsView({ space }: { readonly space: Space }): JSX.Element {
  const filter = filterFrom(route.value.query);
  const opened = useSignal<Statement | undefined>(undefined);
  const list = usePaged(JSON.stringify([space, filter]), async (after, signal) => {
    const variables = { ...filter, first: pageSize, ...(after !== undefined && { after }) };
    return statementsFrom((await query(space, { query: statementsQuery, variables }, signal)).data);
  });
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <PagedTable
        list={list}
        nouns={['statement', 'statements']}
        filter={<FilterForm key={route.value.query.toString()} label="Filter of statements" fields={statementFields} />}
        label="Statements"
        columns={columnsOf(space, (statement) => (opened.value = statement))}
        rowKey={keyOf}
        empty={
          <Empty title={filtered ? 'No statement matches the filter' : 'The graph is empty'}>
            {!filtered && 'Propose a change, or import a file with a2a-gateway knowledge import.'}
          </Empty>
        }
      />
      <StatementDialog statement={opened.value} space={space} onClose={() => (opened.value = undefined)} />
    </>
  );
}

const entityColumns = (space: Space): readonly Column<EntityRow>[] => [
  { title: 'Entity', cell: ({ id }) => <Iri id={id} />, width: 'minmax(8rem, 1.2fr)' },
  {
    title: 'Types',
    cell: ({ types }) => (types.length === 0 ? <span class="muted">none</span> : <Types space={space} types={types} />),
    width: 'minmax(6rem, 1fr)',
  },
  { title: 'Id', field: 'id', as: 'mono', width: 'minmax(8rem, 2fr)' },
  {
    title: 'Statements',
    cell: ({ id }) => <a href={statementsHref(space, { subject: id })}>about it</a>,
    width: '6rem',
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
      columns={entityColumns(space)}
      rowKey={({ id }) => id}
      href={({ id }) => entityHref(space, id)}
      empty={<Empty title={type ? 'No entity has this type' : 'The graph has no entities'} />}
    />
  );
}
