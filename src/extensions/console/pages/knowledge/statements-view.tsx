import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { route } from '../../shell/router.ts';
import { Button, type Column, Empty, Table, Time } from '../../ui/index.ts';
import { FilterForm, statementFields } from './filter-form.tsx';
import { query, type Space } from './gateway.ts';
import { usePaged } from './paged.ts';
import { Certainty, EntityLink, Failure, Iri, ObjectValue, Source, StatementDialog } from './parts.tsx';
import { countText, filterFrom, type Statement, statementsFrom, statementsQuery } from './statements.ts';

const pageSize = 200;

const columnsOf = (space: Space, open: (statement: Statement) => void): readonly Column<Statement>[] => [
  {
    id: 'subject',
    title: 'Subject',
    cell: ({ subject }) => <EntityLink space={space} id={subject.id} />,
    width: 'minmax(5rem, 1.2fr)',
  },
  {
    id: 'predicate',
    title: 'Predicate',
    cell: ({ predicate }) => <Iri id={predicate.id} />,
    width: 'minmax(4.5rem, 1fr)',
  },
  {
    id: 'object',
    title: 'Object',
    cell: ({ object }) => <ObjectValue space={space} object={object} />,
    width: 'minmax(5rem, 1.8fr)',
  },
  {
    id: 'certainty',
    title: 'Certainty',
    cell: ({ certainty }) => <Certainty value={certainty} />,
    width: '7.5rem',
    optional: true,
  },
  {
    id: 'source',
    title: 'Provenance',
    cell: ({ provenance }) => <Source provenance={provenance} />,
    width: 'minmax(6rem, 1.4fr)',
    optional: true,
  },
  {
    id: 'graph',
    title: 'Graph',
    cell: ({ graph }) => (graph ? <Iri id={graph} /> : <span class="muted">default</span>),
    width: 'minmax(4rem, .7fr)',
    optional: true,
  },
  { id: 'time', title: 'Added', cell: ({ timestamp }) => <Time at={timestamp} />, width: '6rem', optional: true },
  {
    id: 'more',
    title: 'Details',
    cell: (statement) => (
      <button type="button" class="link" onClick={() => open(statement)}>
        Show
      </button>
    ),
    width: '3.2rem',
  },
];

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
    <div class="stack" aria-busy={list.busy}>
      <FilterForm key={route.value.query.toString()} label="Filter of statements" fields={statementFields} />
      {list.error !== undefined && <Failure error={list.error} onRetry={list.reload} />}
      <div class="statement-line">
        <span class="muted" role="status">
          {list.total ? `${countText(list.total)} ${list.total.count === 1 ? 'statement' : 'statements'}` : 'Reading…'}
        </span>
        <Button kind="quiet" icon="reload" onClick={list.reload} disabled={list.busy}>
          Refresh
        </Button>
      </div>
      {(!list.busy || list.items.length > 0) && list.error === undefined && (
        <Table
          label="Statements"
          columns={columnsOf(space, (statement) => (opened.value = statement))}
          rows={list.items}
          rowKey={keyOf}
          onEnd={list.readMore}
          empty={
            <Empty title={filtered ? 'No statement matches the filter' : 'The graph is empty'}>
              {!filtered && 'Propose a change, or import a file with a2a-gateway knowledge import.'}
            </Empty>
          }
        />
      )}
      <StatementDialog statement={opened.value} space={space} onClose={() => (opened.value = undefined)} />
    </div>
  );
}
