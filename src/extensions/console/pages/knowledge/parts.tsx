import type { JSX } from 'preact';
import { messageOf } from '../../gateway/error.ts';
import { Button, Dialog, Json, Notice, Text, Time } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import type { Space } from './gateway.ts';
import { entityHref } from './place.ts';
import { type Statement, shortName } from './statements.ts';

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
export function ObjectValue({
  space,
  object,
}: {
  readonly space: Space;
  readonly object: Statement['object'];
}): JSX.Element {
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
  const full = (text: string): JSX.Element => <Text value={text} mono multiline />;
  return (
    <Dialog title="Statement" open onClose={onClose} wide>
      <dl class="facts fact-rows">
        <Fact name="Subject">
          <a href={entityHref(space, subject.id)}>{full(subject.id)}</a>
        </Fact>
        {subject.type && <Fact name="Its type">{full(subject.type)}</Fact>}
        <Fact name="Predicate">{full(predicate.id)}</Fact>
        <Fact name="Object">
          {object.id === undefined ? (
            <Text value={String(object.value ?? '')} multiline />
          ) : (
            <a href={entityHref(space, object.id)}>{full(object.id)}</a>
          )}
        </Fact>
        {object.type && <Fact name={object.id === undefined ? 'Datatype' : 'Its type'}>{full(object.type)}</Fact>}
        <Fact name="Graph">{graph ? full(graph) : 'the default graph'}</Fact>
        <Fact name="Certainty">
          <Certainty value={certainty} />
        </Fact>
        {timestamp && (
          <Fact name="Last added">
            <Time at={timestamp} />
          </Fact>
        )}
      </dl>
      {provenance && Object.keys(provenance).length > 0 && (
        <div class="statement-provenance">
          <h3>Provenance</h3>
          <Json label="Provenance" value={provenance} maxHeight="30vh" />
        </div>
      )}
    </Dialog>
  );
}

export const Fact = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: JSX.Element | string;
}): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Why something could not be read or done. */
export const Failure = ({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}): JSX.Element => (
  <Notice severity="error" action={onRetry && <Button onClick={onRetry}>Try again</Button>}>
    <Text value={messageOf(error)} multiline />
  </Notice>
);
