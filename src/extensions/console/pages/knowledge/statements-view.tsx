import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { route } from '../../shell/router.ts';
import { type Column, Empty } from '../../ui/index.ts';
import { FilterForm, statementFields } from './filter-form.tsx';
import { query, type Space } from './gateway.ts';
import { usePaged } from './paged.ts';
import { Iri, PagedTable, Source, StatementDialog, statementColumns } from './parts.tsx';
import { filterFrom, type Statement, statementsFrom, statementsQuery } from './statements.ts';

const pageSize = 200;

function columnsOf(space: Space, open: (statement: Statement) => void): readonly Column<Statement>[] {
  const { subject, predicate, object, certainty, details } = statementColumns(space, (one: Statement) => one, open);
  return [
    ...[subject, predicate, object, certainty],
    {
      title: 'Provenance',
      cell: ({ provenance }) => <Source provenance={provenance} />,
      width: 'minmax(6rem, 1.4fr)',
      optional: true,
    },
    {
      title: 'Graph',
      cell: ({ graph }) => (graph ? <Iri id={graph} /> : <span class="muted">default</span>),
      width: 'minmax(4rem, .7fr)',
      optional: true,
    },
    { title: 'Added', field: 'timestamp', as: 'time', width: '6rem', optional: true },
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
