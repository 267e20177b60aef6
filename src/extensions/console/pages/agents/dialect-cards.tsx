import type { JSX } from 'preact';
import type { CardSignature } from '../../../../gen/admin-v1/types.ts';
import type { AgentDetails } from '../../gateway/admin.ts';
import { route, setQuery } from '../../shell/router.ts';
import { Badge, Button, Bytes, Empty, Json, Text } from '../../ui/index.ts';

type Shown = Partial<NonNullable<AgentDetails['cards']>[number]> & { readonly dialect: string };

const titleOf = ({ dialect }: Shown): string => (dialect === 'upstream' ? 'From the agent' : dialect);

/** The raw cards of all dialects beside each other, and the one that the upstream agent sent. */
export function DialectCards({ details }: { readonly details: AgentDetails }): JSX.Element {
  const { cards = [], upstreamCard, upstreamSignature } = details;
  const signature = upstreamSignature && { signature: upstreamSignature };
  const upstream = upstreamCard && [{ dialect: 'upstream', card: upstreamCard, ...signature }];
  const all: readonly Shown[] = [...(upstream ?? []), ...cards];
  const hidden = new Set(route.value.query.getAll('hide'));
  const shown = all.filter(({ dialect }) => !hidden.has(dialect));
  const toggle = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setQuery({ hide: [...next] }, { replace: true });
  };
  if (all.length === 0) return <Empty title="The agent has no card yet" />;
  return (
    <>
      <fieldset class="row choice">
        <legend class="visually-hidden">Dialects to show</legend>
        {all.map((one) => (
          <Button key={one.dialect} pressed={!hidden.has(one.dialect)} onClick={() => toggle(one.dialect)}>
            {titleOf(one)}
          </Button>
        ))}
      </fieldset>
      <div class="columns">
        {shown.map((one) => (
          <section key={one.dialect} class="column" aria-label={`Card: ${titleOf(one)}`}>
            <header>
              <h2>{titleOf(one)}</h2>
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
    </>
  );
}

/** What is known about the signatures of a card. */
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
