import type { JSX } from 'preact';
import { messageOf } from '../../gateway/error.ts';
import type { Read } from '../../gateway/poll.ts';
import { Button, Notice } from '../../ui/index.ts';

/** One view of the page: its content once it was read, or why it could not be read. */
export function View<T>({
  read,
  children,
}: {
  readonly read: Read<T>;
  readonly children: (value: T) => JSX.Element;
}): JSX.Element {
  const { value, error, busy, reload } = read;
  return (
    <section class="stack" aria-busy={busy}>
      {error !== undefined && (
        <Notice severity="error" action={<Button onClick={reload}>Try again</Button>}>
          {messageOf(error)}
        </Notice>
      )}
      {value === undefined ? error === undefined && <p class="muted">Reading…</p> : children(value)}
    </section>
  );
}
