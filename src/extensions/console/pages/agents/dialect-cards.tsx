import type { JSX } from 'preact';
import type { CardSignature } from '../../../../gen/admin-v1/types.ts';
import type { AgentDetails } from '../../gateway/types.ts';
import { route, setQuery } from '../../shell/router.ts';
import { Button, Bytes, Empty, Json, Text } from '../../ui/index.ts';
import { Signature } from './signature.tsx';

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly path: string | undefined;
  readonly card: unknown;
  readonly bytes: number | undefined;
  readonly signature: CardSignature | undefined;
}

/** The raw cards of all dialects beside each other, and the one that the upstream agent sent. */
export function DialectCards({ details }: { readonly details: AgentDetails }): JSX.Element {
  const { cards = [], upstreamCard, upstreamSignature } = details;
  const all: readonly Shown[] = [
    ...(upstreamCard
      ? [
          {
            ...{ id: 'upstream', title: 'From the agent', path: undefined, card: upstreamCard },
            ...{ bytes: undefined, signature: upstreamSignature },
          },
        ]
      : []),
    ...cards.map(({ dialect, path, card, bytes, signature }) => ({
      id: dialect,
      title: dialect,
      path,
      card,
      bytes,
      signature,
    })),
  ];
  const hidden = new Set(route.value.query.getAll('hide'));
  const shown = all.filter(({ id }) => !hidden.has(id));
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
        {all.map(({ id, title }) => (
          <Button key={id} pressed={!hidden.has(id)} onClick={() => toggle(id)}>
            {title}
          </Button>
        ))}
      </fieldset>
      <div class="columns">
        {shown.map(({ id, title, path, card, bytes, signature }) => (
          <section key={id} class="column" aria-label={`Card: ${title}`}>
            <header>
              <h2>{title}</h2>
              <p class="muted row">
                {path !== undefined && <Text value={path} mono max={120} />}
                {bytes !== undefined && <Bytes value={bytes} />}
              </p>
              {signature && <Signature signature={signature} />}
            </header>
            {card === undefined ? (
              <Empty title="Too large for one answer">Read it at its path.</Empty>
            ) : (
              <Json label={`Card in ${title}`} value={card} depth={3} maxHeight="62vh" />
            )}
          </section>
        ))}
      </div>
    </>
  );
}
