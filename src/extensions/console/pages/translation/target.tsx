import type { JSX } from 'preact';
import type { Loss, Translated } from '../../../../dialects/translate/index.ts';
import { Button, Code, Notice, Text } from '../../ui/index.ts';
import { Verdict } from './marked.tsx';
import { nothing, show } from './state.ts';

interface TargetProps {
  readonly translated: Translated;
  readonly selected: boolean;
  /** Address of the page that says what becomes of each field in the dialect. */
  readonly fieldsAt: string | undefined;
  readonly onSelect: () => void;
}

/** The frame in one dialect, and what is missing in it. */
export function Target({ translated, selected, fieldsAt, onSelect }: TargetProps): JSX.Element {
  const { dialect, method, text, losses, error } = translated;
  const missed = losses.filter((loss) => loss.missed);
  const unmissed = losses.filter((loss) => !loss.missed);
  return (
    <section class="tr-target" aria-label={dialect}>
      <header>
        <h3>{dialect}</h3>
        {method !== undefined && <code class="muted">{method}</code>}
        {text !== undefined && <Verdict missed={missed.length} unmissed={unmissed.length} />}
      </header>
      {error !== undefined && (
        <Notice severity="warning">
          {dialect} cannot say it: <Text value={error} />
        </Notice>
      )}
      {text !== undefined && (
        <>
          <Code label={`frame in ${dialect}`} value={text} max={6_000} />
          <LossList title="Lost" losses={missed} open />
          <LossList title="Not said, and not missed" losses={unmissed} />
          <div class="row tr-uses">
            {losses.length > 0 && (
              <Button kind="quiet" pressed={selected} onClick={onSelect}>
                {selected ? 'Mark all dialects' : 'Mark only these losses'}
              </Button>
            )}
            <Button kind="quiet" onClick={() => show(text, { ...nothing, from: dialect })}>
              Use as the frame
            </Button>
          </div>
          {fieldsAt !== undefined && losses.length > 0 && (
            <a href={fieldsAt}>What becomes of each field in {dialect}</a>
          )}
        </>
      )}
    </section>
  );
}

interface LossListProps {
  readonly title: string;
  readonly losses: readonly Loss[];
  readonly open?: boolean;
}

function LossList({ title, losses, open = false }: LossListProps): JSX.Element | null {
  if (losses.length === 0) return null;
  return (
    <details open={open}>
      <summary>
        {title} ({losses.length})
      </summary>
      <ul class="tr-losses">
        {losses.map(({ path, reason, sample }) => (
          <li key={path}>
            <code>{path}</code>: {reason}
            {sample !== undefined && (
              <span class="tr-sample">
                <Text value={sample} mono />
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
