import type { ComponentChildren, JSX } from 'preact';
import {
  Button,
  type Column,
  Dialog,
  type Fact,
  Facts,
  Failure,
  Json,
  Table,
  type TableProps,
  Text,
  Time,
} from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { entityHref, type Space, viewHref } from './gateway.ts';
import type { Paged } from './paged.ts';
import { countText, type Statement, shortName } from './statements.ts';

/** An id in short; the whole one is its title. */
export const Iri = ({ id }: { readonly id: string }): JSX.Element => (
  <span class="iri" title={visibleLine(id, 500)}>
    <Text value={shortName(id)} max={120} />
  </span>
);

/** An id that leads to its entity. */
export const EntityLink = ({ space, id }: { readonly space: Space; readonly id: string }): JSX.Element => (
  <a href={entityHref(space, id)}>
    <Iri id={id} />
  </a>
);

/** The object of a statement: a link to an entity, or a value with its datatype. */
export function ObjectValue(props: { readonly space: Space; readonly object: Statement['object'] }): JSX.Element {
  const { space, object } = props;
  const { id, value, type } = object;
  if (id !== undefined) return <EntityLink space={space} id={id} />;
  const datatype = type && type !== 'xsd:string' ? shortName(type) : undefined;
  return (
    <span class="literal">
      <Text value={String(value ?? '')} max={160} />
      {datatype && (
        <span class="muted">
          {' '}
          <Text value={datatype} max={60} />
        </span>
      )}
    </span>
  );
}

/** How certain a statement is. Without a certainty it counts as certain. */
export function Certainty({ value }: { readonly value: number | undefined }): JSX.Element {
  if (value === undefined) return <span class="muted">not stated</span>;
  return (
    <span class="certainty">
      <span class="certainty-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
      </span>
      <span class="number">{Number(value.toFixed(3))}</span>
    </span>
  );
}

/** Where a statement comes from, in a line: the agent that proposed it, and why. */
export function Source({ provenance }: { readonly provenance: Statement['provenance'] }): JSX.Element {
  const { sourceAgentId, justification } = provenance ?? {};
  const known = [sourceAgentId, justification].filter((one): one is string => typeof one === 'string');
  if (known.length > 0) return <Text value={known.join(': ')} max={160} />;
  const size = Object.keys(provenance ?? {}).length;
  return <span class="muted">{size === 0 ? '–' : `${size} ${size === 1 ? 'entry' : 'entries'}`}</span>;
}

/** The types of an entity, each a link to the entities that have it. */
export const Types = ({ space, types }: { readonly space: Space; readonly types: readonly string[] }) =>
  types.map((type, i) => (
    <span key={type}>
      {i > 0 && ', '}
      <a href={viewHref(space, 'entities', { type })}>
        <Iri id={type} />
      </a>
    </span>
  ));

/** A button in a row that opens what the row is about. */
export const ShowButton = ({ onClick, children = 'Show' }: { onClick: () => void; children?: ComponentChildren }) => (
  <button type="button" class="link" onClick={onClick}>
    {children}
  </button>
);

/** The columns of a list of statements: what they say, and how to see the whole of one. */
export function statementColumns<Row>(
  space: Space,
  statementOf: (row: Row) => Statement,
  open: (row: Row) => void,
): Readonly<Record<'subject' | 'predicate' | 'object' | 'certainty' | 'details', Column<Row>>> {
  return {
    subject: {
      title: 'Subject',
      cell: (row) => <EntityLink space={space} id={statementOf(row).subject.id} />,
      width: 'minmax(5rem, 1.2fr)',
    },
    predicate: {
      title: 'Predicate',
      cell: (row) => <Iri id={statementOf(row).predicate.id} />,
      width: 'minmax(4.5rem, 1fr)',
    },
    object: {
      title: 'Object',
      cell: (row) => <ObjectValue space={space} object={statementOf(row).object} />,
      width: 'minmax(5rem, 1.8fr)',
    },
    certainty: { title: 'Certainty', cell: (row) => <Certainty value={statementOf(row).certainty} />, width: '7.5rem' },
    details: { title: 'Details', cell: (row) => <ShowButton onClick={() => open(row)} />, width: '3.4rem' },
  };
}

/** A statement in full. */
export function StatementDialog({
  statement,
  space,
  onClose,
}: {
  readonly statement: Statement | undefined;
  readonly space: Space;
  readonly onClose: () => void;
}): JSX.Element | null {
  if (!statement) return null;
  const { subject, predicate, object, graph, certainty, provenance, timestamp } = statement;
  const full = (text: string | undefined) => text && <Text value={text} mono multiline />;
  const entity = (id: string) => <a href={entityHref(space, id)}>{full(id)}</a>;
  const facts: readonly Fact[] = [
    ['Subject', entity(subject.id)],
    ['Its type', full(subject.type)],
    ['Predicate', full(predicate.id)],
    ['Object', object.id === undefined ? <Text value={String(object.value ?? '')} multiline /> : entity(object.id)],
    [object.id === undefined ? 'Datatype' : 'Its type', full(object.type)],
    ['Graph', graph ? full(graph) : 'the default graph'],
    ['Certainty', <Certainty key="certainty" value={certainty} />],
    ['Last added', timestamp && <Time at={timestamp} />],
  ];
  return (
    <Dialog title="Statement" open onClose={onClose} wide>
      <Facts kind="facts fact-rows" facts={facts} />
      {provenance && Object.keys(provenance).length > 0 && (
        <div class="statement-provenance">
          <h3>Provenance</h3>
          <Json label="Provenance" value={provenance} maxHeight="30vh" />
        </div>
      )}
    </Dialog>
  );
}

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows' | 'onEnd'> {
  readonly list: Paged<Row>;
  /** The form that filters the list. */
  readonly filter: JSX.Element;
  /** What one row is, and several are. */
  readonly nouns: readonly [one: string, several: string];
}

/** A list that is read page by page, with its filter and how many there are. */
export function PagedTable<Row>({ list, filter, nouns, ...table }: PagedTableProps<Row>): JSX.Element {
  const { items, total, busy, error, reload, readMore } = list;
  return (
    <div class="stack" aria-busy={busy}>
      {filter}
      <Failure error={error} onRetry={reload} />
      <div class="statement-line">
        <span class="muted" role="status">
          {total ? `${countText(total)} ${nouns[total.count === 1 ? 0 : 1]}` : 'Reading…'}
        </span>
        <Button kind="quiet" icon="reload" onClick={reload} disabled={busy}>
          Refresh
        </Button>
      </div>
      {(!busy || items.length > 0) && error === undefined && <Table {...table} rows={items} onEnd={readMore} />}
    </div>
  );
}
