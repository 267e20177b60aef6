import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { refusal, signingIn } from '../shell/session.ts';
import { Button, Failure, Notice } from './basic.tsx';

export interface PageProps {
  readonly title: string;
  /** Content next to the title, such as a state. */
  readonly beside?: ComponentChildren;
  /** Link to the page above this one. */
  readonly up?: { readonly href: string; readonly title: string };
  readonly actions?: ComponentChildren;
  /** Whether data are being read: shown as a moving line. */
  readonly busy?: boolean;
  /** Error of the read, as thrown. */
  readonly error?: unknown;
  readonly onRetry?: () => void;
  readonly children?: ComponentChildren;
}

/** The frame of a page: its title, actions, and errors. */
export function Page({ title, beside, up, actions, busy = false, error, onRetry, children }: PageProps): JSX.Element {
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
          <Failure error={error} onRetry={onRetry} />
        ))}
      {children}
    </article>
  );
}
