import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Read } from '../gateway/hooks.ts';
import { refusal, signingIn } from '../shell/session.ts';
import { Button, Failure, Notice } from './basic.tsx';

export interface PageProps {
  readonly title: string;
  /** Content next to the title, such as a state. */
  readonly beside?: ComponentChildren;
  /** Link to the page above this one. */
  readonly up?: { readonly href: string; readonly title: string };
  readonly actions?: ComponentChildren;
  /** The read that fills the page. The page shows a moving line while it is busy, and its error. */
  readonly of?: Partial<Pick<Read<unknown>, 'busy' | 'error' | 'reload'>>;
  readonly children?: ComponentChildren;
}

/** The frame of a page: its title, actions, and errors. */
export function Page({ title, beside, up, actions, of = {}, children }: PageProps): JSX.Element {
  const { busy = false, error, reload } = of;
  useEffect(() => {
    document.title = `${title} · a2a-gateway`;
  }, [title]);
  const refused = refusal.value;
  return (
    <article class="page" aria-busy={busy}>
      <header class="page-head">
        <div class="page-title">
          {up && (
            <a class="up" href={up.href}>
              {up.title}
            </a>
          )}
          <h1>{title}</h1>
          {beside}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
        <div class="progress" data-busy={busy} />
      </header>
      {error !== undefined &&
        (refused ? (
          <Notice severity="warning" action={<Button onClick={() => (signingIn.value = true)}>Sign in</Button>}>
            {refused.message}
          </Notice>
        ) : (
          <Failure error={error} onRetry={reload} />
        ))}
      {children}
    </article>
  );
}
