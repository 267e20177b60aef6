import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AgentDetails, CardSignature } from '../../gateway/admin.ts';
import { route, setQuery } from '../../shell/router.ts';
import { Line } from '../../tasks/marks.tsx';
import { count } from '../../ui/format.ts';
import { Badge, Button, Bytes, type Column, Empty, Json, Table, Text } from '../../ui/index.ts';
import { type ReadSkill, readCard } from './read.ts';

/** The start of a card in readable form, and its skills. All of it is the agent's own text; the raw cards have the rest. */
export function CardView({ card: value }: { readonly card: unknown }): JSX.Element {
  const card = useMemo(() => readCard(value), [value]);
  if (value === undefined) {
    return <Empty title="There is no card to show">It was not read yet, or it is too large for one answer.</Empty>;
  }
  return (
    <div class="card">
      <header>
        <h2>
          <Text value={card.name} max={200} />
          {card.version !== '' && <Text value={card.version} max={60} class="tag" />}
        </h2>
        <p>
          <Text value={card.description} max={1_000} multiline />
        </p>
        <p class="row">
          {card.capabilities.map((name) => (
            <Text key={name} value={name} max={60} class="tag" />
          ))}
        </p>
      </header>
      <Table
        label="Skills"
        columns={skillColumns}
        rows={card.skills}
        rowKey={({ key }) => key}
        maxHeight="40vh"
        empty="The card names no skill"
      />
    </div>
  );
}

const skillColumns: readonly Column<ReadSkill>[] = [
  { title: 'Skill', field: 'name', width: 'minmax(7rem, 1fr)' },
  { title: 'Description', cell: ({ description }) => <Line value={description} />, width: 'minmax(10rem, 3fr)' },
  { title: 'Tags', field: 'tags', width: 'minmax(5rem, 1fr)' },
  { title: 'Id', field: 'id', as: 'mono', width: 'minmax(5rem, 1fr)' },
];

type Shown = Partial<NonNullable<AgentDetails['cards']>[number]> & { readonly dialect: string };

const titleOf = ({ dialect }: Shown): string => (dialect === 'upstream' ? 'From the agent' : dialect);

/** The raw cards of all dialects, and the one that the upstream agent sent: each is opened on demand, beside the others. */
export function DialectCards({ details }: { readonly details: AgentDetails }): JSX.Element {
  const { cards = [], upstreamCard, upstreamSignature } = details;
  const signature = upstreamSignature && { signature: upstreamSignature };
  const upstream = upstreamCard && [{ dialect: 'upstream', card: upstreamCard, ...signature }];
  const all: readonly Shown[] = [...(upstream ?? []), ...cards];
  const opened = new Set(route.value.query.getAll('card'));
  const toggle = (id: string): void => {
    const next = new Set(opened);
    if (!next.delete(id)) next.add(id);
    setQuery({ card: [...next] }, { replace: true });
  };
  return (
    <section aria-label="Cards">
      <h3 class="section-title">
        As each dialect has it <span class="count">{count(all.length)}</span>
      </h3>
      <div class="row">
        {all.map((one) => (
          <Button key={one.dialect} pressed={opened.has(one.dialect)} onClick={() => toggle(one.dialect)}>
            {titleOf(one)}
          </Button>
        ))}
      </div>
      <div class="columns">
        {all
          .filter(({ dialect }) => opened.has(dialect))
          .map((one) => (
            <section key={one.dialect} class="column" aria-label={`Card: ${titleOf(one)}`}>
              <header>
                <h4>{titleOf(one)}</h4>
                <p class="muted row">
                  {one.path !== undefined && <Text value={one.path} mono max={120} />}
                  {one.bytes !== undefined && <Bytes value={one.bytes} />}
                </p>
                {one.signature && <Signature signature={one.signature} />}
              </header>
              {one.card === undefined ? (
                <Empty title="Too large for one answer">Read it at its path.</Empty>
              ) : (
                <Json label={`Card in ${titleOf(one)}`} value={one.card} depth={3} maxHeight="62vh" />
              )}
            </section>
          ))}
      </div>
    </section>
  );
}

/** Facts about the signatures of a card. */
export const Signature = ({ signature }: { readonly signature: CardSignature }): JSX.Element => (
  <>
    <Badge state={signature.verdict} />
    {signature.keyIds && signature.keyIds.length > 0 && (
      <div class="muted">
        Keys: <Text value={signature.keyIds.join(', ')} mono max={200} />
      </div>
    )}
    {signature.reason && (
      <div class="muted">
        <Text value={signature.reason} />
      </div>
    )}
  </>
);
