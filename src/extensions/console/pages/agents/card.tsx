import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { count } from '../../ui/format.ts';
import { Button, Empty, Facts, Text } from '../../ui/index.ts';
import { type ReadSkill, readCard } from './read.ts';

/** Skills that are shown at once. */
const skillsAtOnce = 25;

/** A card as people read it. Everything in it is the agent's own text. */
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
          {card.capabilities.slice(0, 20).map((name) => (
            <span key={name} class="tag">
              <Text value={name} max={60} />
            </span>
          ))}
        </p>
      </header>
      {card.facts.length > 0 && (
        <Facts
          kind="facts facts-wide"
          facts={card.facts.map(([name, text]) => [name, <Text key={name} value={text} max={300} />])}
        />
      )}
      <Section title="Interfaces" size={card.interfaces.length}>
        <ul class="lines">
          {card.interfaces.slice(0, 50).map(({ url, binding, version }) => (
            <li key={`${url} ${binding} ${version}`}>
              <Text value={[binding, version].filter(Boolean).join(' ')} max={60} class="tag" />
              <Text value={url} mono max={300} />
            </li>
          ))}
        </ul>
      </Section>
      <Skills skills={card.skills} />
      <Section title="Security schemes" size={card.schemes.length}>
        <ul class="lines">
          {card.schemes.slice(0, 50).map(({ name, kind, description }) => (
            <li key={name}>
              <Text value={name} mono max={100} />
              <Text value={kind} max={60} class="tag" />
              <Text value={description} max={300} class="muted" />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Extensions" size={card.extensions.length}>
        <ul class="lines">
          {card.extensions.slice(0, 50).map(({ uri, required, description }) => (
            <li key={uri}>
              <Text value={uri} mono max={300} />
              {required && <span class="tag">required</span>}
              <Text value={description} max={300} class="muted" />
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function Section({
  title,
  size,
  children,
}: {
  readonly title: string;
  readonly size: number;
  readonly children: ComponentChildren;
}): JSX.Element | null {
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
              {tags.slice(0, 12).map((tag) => (
                <span key={tag} class="tag">
                  <Text value={tag} max={40} />
                </span>
              ))}
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
