import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AgentDetails, CardSignature } from '../../gateway/admin.ts';
import { route, setQuery } from '../../shell/router.ts';
import { count } from '../../ui/format.ts';
import { Badge, Button, Bytes, Empty, Facts, Json, Text } from '../../ui/index.ts';
import { type ReadSkill, readCard } from './read.ts';

/** Number of skills that are shown at once. */
const skillsAtOnce = 25;

/** A card in readable form. All of it is the agent's own text. */
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
          <Tags texts={card.capabilities} />
        </p>
      </header>
      <Facts
        kind="facts facts-wide"
        facts={card.facts.map(([name, text]) => [name, text && <Text key={name} value={text} max={300} />])}
      />
      <Skills skills={card.skills} />
      {Object.entries(card.lists).map(([title, items]) => (
        <Section key={title} title={title} size={items.length}>
          <ul class="lines">
            {items.slice(0, 50).map(({ name, tags, about }, at) => (
              // The lines of a card never change their places.
              <li key={at}>
                <Text value={name} mono max={300} />
                <Tags texts={tags} />
                <Text value={about} max={300} class="muted" />
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </div>
  );
}

/** Short words, each with a border. */
const Tags = ({ texts }: { readonly texts: readonly string[] }): JSX.Element => (
  <>
    {texts.slice(0, 20).map((text) => (
      <Text key={text} value={text} max={60} class="tag" />
    ))}
  </>
);

/** A part of a card that is a list. */
function Section(props: { readonly title: string; readonly size: number; readonly children: ComponentChildren }) {
  const { title, size, children } = props;
  if (size === 0) return null;
  return (
    <section>
      <h3 class="section-title">
        {title} <span class="count">{count(size)}</span>
      </h3>
      {children}
    </section>
  );
}

function Skills({ skills }: { readonly skills: readonly ReadSkill[] }): JSX.Element {
  const shown = useSignal(skillsAtOnce);
  return (
    <Section title="Skills" size={skills.length}>
      <ul class="skills">
        {skills.slice(0, shown.value).map(({ id, name, description, tags, examples, modes }, index) => (
          <li key={`${index} ${id.slice(0, 100)}`}>
            <p class="row">
              <strong>
                <Text value={name} max={120} />
              </strong>
              <Text value={id} mono max={120} class="muted" />
              <Tags texts={tags} />
            </p>
            <p>
              <Text value={description} max={500} multiline />
            </p>
            {examples.slice(0, 5).map((example) => (
              <p key={example} class="example">
                <Text value={example} max={300} />
              </p>
            ))}
            {modes.length > 0 && (
              <p class="muted">
                <Text value={modes.join(', ')} max={200} />
              </p>
            )}
          </li>
        ))}
      </ul>
      {shown.value < skills.length && (
        <Button onClick={() => (shown.value += 4 * skillsAtOnce)}>Show more of {count(skills.length)} skills</Button>
      )}
    </Section>
  );
}

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
