import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { type Column, Dialog, type Fact, Facts, Json, Text, Time } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { entityHref, type Space } from './gateway.ts';
import { type Statement, shortName } from './statements.ts';

/** A shortened id; the full one is its title. */
const Iri = ({ id }: { readonly id: string }): JSX.Element => (
  <span title={visibleLine(id, 500)}>
    <Text value={shortName(id)} max={120} />
  </span>
);

/** An end of a statement: a link to an entity with its types, or a value with its datatype. */
function End({ space, term }: { readonly space: Space; readonly term: Statement['object'] }): JSX.Element {
  const { id, value, type, entity } = term;
  const types = id ? (entity?.types ?? []) : type && type !== 'xsd:string' ? [type] : [];
  return (
    <span>
      {id ? (
        <a href={entityHref(space, id)}>
          <Iri id={id} />
        </a>
      ) : (
        <Text value={String(value ?? '')} max={160} />
      )}{' '}
      {types.length > 0 && <Text value={types.map(shortName).join(', ')} max={60} class="muted" />}
    </span>
  );
}

/** Certainty of a statement. Without one it counts as certain. */
function Certainty({ value }: { readonly value: Statement['certainty'] }): JSX.Element {
  if (typeof value !== 'number') return <span class="muted">not stated</span>;
  return <span class="number">{Number(value.toFixed(3))}</span>;
}

/** Source of a statement, in a line: the agent that proposed it, and the reason. */
function Source({ provenance }: { readonly provenance: Statement['provenance'] }): JSX.Element {
  const { sourceAgentId, justification } = (provenance ?? {}) as Readonly<Record<string, unknown>>;
  const known = [sourceAgentId, justification].filter((one): one is string => typeof one === 'string');
  if (known.length > 0) return <Text value={known.join(': ')} max={160} />;
  const size = Object.keys(provenance ?? {}).length;
  return <span class="muted">{size === 0 ? '–' : `${size} ${size === 1 ? 'entry' : 'entries'}`}</span>;
}

/** A button that opens the subject of its row. */
export const ShowButton = ({ onClick, children = 'Show' }: { onClick: () => void; children?: ComponentChildren }) => (
  <button type="button" class="link" onClick={onClick}>
    {children}
  </button>
);

/** Returns the columns of a list of statements, and the dialog that shows a whole statement. */
export function useStatements(space: Space) {
  const opened = useSignal<Statement | undefined>(undefined);
  const columns: readonly Column<Statement>[] = [
    { title: 'Subject', cell: ({ subject }) => <End space={space} term={subject} />, width: 'minmax(5rem, 1.2fr)' },
    { title: 'Predicate', cell: ({ predicate }) => <Iri id={predicate.id} />, width: 'minmax(4.5rem, 1fr)' },
    { title: 'Object', cell: ({ object }) => <End space={space} term={object} />, width: 'minmax(5rem, 1.8fr)' },
    { title: 'Certainty', cell: ({ certainty }) => <Certainty value={certainty} />, width: '7.5rem' },
    { title: 'Provenance', cell: ({ provenance }) => <Source provenance={provenance} />, width: 'minmax(6rem, 1.4fr)' },
    {
      title: 'Graph',
      cell: ({ graph }) => (graph ? <Iri id={graph} /> : <span class="muted">default</span>),
      width: 'minmax(4rem, .7fr)',
    },
    { title: 'Added', field: 'timestamp', as: 'time', width: '6rem' },
    {
      title: 'Details',
      cell: (statement) => <ShowButton onClick={() => (opened.value = statement)} />,
      width: '3.4rem',
    },
  ];
  const statement = opened.value;
  const dialog = statement && (
    <Dialog title="Statement" open onClose={() => (opened.value = undefined)} wide>
      <Whole statement={statement} space={space} />
    </Dialog>
  );
  return { columns, dialog };
}

/** A statement in full. */
function Whole({ statement, space }: { readonly statement: Statement; readonly space: Space }): JSX.Element {
  const { subject, predicate, object, graph, certainty, provenance, timestamp } = statement;
  const full = (text: string | null | undefined) => text && <Text value={text} mono multiline />;
  const entity = (id: string) => <a href={entityHref(space, id)}>{full(id)}</a>;
  const facts: readonly Fact[] = [
    ['Subject', entity(subject.id)],
    ['Its type', full(subject.type)],
    ['Predicate', full(predicate.id)],
    ['Object', object.id ? entity(object.id) : <Text value={String(object.value ?? '')} multiline />],
    [object.id ? 'Its type' : 'Datatype', full(object.type)],
    ['Graph', full(graph) || 'the default graph'],
    ['Certainty', <Certainty key="certainty" value={certainty} />],
    ['Last added', timestamp && <Time at={timestamp} />],
  ];
  return (
    <div class="stack">
      <Facts kind="facts fact-rows" facts={facts} />
      {Object.keys(provenance ?? {}).length > 0 && <Json label="Provenance" value={provenance} maxHeight="30vh" />}
    </div>
  );
}
