import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { route, setQuery } from '../../shell/router.ts';
import { Button, type Column, Empty, Field, Table, Time } from '../../ui/index.ts';
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
      <FilterForm key={route.value.query.toString()} label="Filter of statements" fields={fields} />
      {list.error !== undefined && <Failure error={list.error} onRetry={list.reload} />}
      <div class="list-line">
        <span class="muted" role="status">
          {list.total ? `${countText(list.total)} ${list.total.count === 1 ? 'statement' : 'statements'}` : 'Reading…'}
        </span>
        <Button kind="quiet" icon="reload" onClick={list.reload} disabled={list.busy}>
          Read again
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

interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}

const fields: readonly FilterField[] = [
  { name: 'subject', label: 'Subject', hint: 'id' },
  { name: 'predicate', label: 'Predicate', hint: 'id' },
  { name: 'object', label: 'Object', hint: 'id of a resource' },
  { name: 'value', label: 'Value', hint: 'text of a literal' },
  { name: 'type', label: "Subject's type", hint: 'id' },
  { name: 'graph', label: 'Graph', hint: 'id' },
  { name: 'minCertainty', label: 'Least certainty', hint: '0 to 1' },
];

/** The filter of changes: the arguments of a subscription. */
export const changeFields = fields.filter(({ name }) => name !== 'value' && name !== 'minCertainty');

interface FilterFormProps {
  /** Names the form. */
  readonly label: string;
  readonly fields: readonly FilterField[];
}

/** A filter as a form, which begins with what the address says. */
export function FilterForm({ label, fields }: FilterFormProps): JSX.Element {
  const { query: current } = route.value;
  const draft = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(fields.map(({ name }) => [name, current.get(name) ?? ''])),
  );
  const certainty = draft.value.minCertainty ?? '';
  const wrong = certainty !== '' && !(Number(certainty) >= 0 && Number(certainty) <= 1);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (wrong) return;
    const trimmed = Object.entries(draft.value).map(([name, value]) => [name, value.trim() || undefined] as const);
    setQuery(Object.fromEntries(trimmed));
  };
  const isFiltered = fields.some(({ name }) => current.has(name));
  return (
    <form class="knowledge-filters" onSubmit={submit} aria-label={label}>
      {fields.map(({ name, label, hint }) => (
        <Field
          key={name}
          label={label}
          type={name === 'subject' ? 'search' : 'text'}
          value={draft.value[name] ?? ''}
          placeholder={hint}
          onInput={(value) => (draft.value = { ...draft.value, [name]: value })}
          {...(name === 'minCertainty' && wrong && { error: 'Enter a number from 0 to 1.' })}
        />
      ))}
      <div class="row">
        <Button type="submit" kind="primary">
          Apply
        </Button>
        {isFiltered && (
          <Button onClick={() => setQuery(Object.fromEntries(fields.map(({ name }) => [name, undefined])))}>
            Clear
          </Button>
        )}
      </div>
    </form>
  );
}
