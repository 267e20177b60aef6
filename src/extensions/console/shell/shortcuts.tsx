import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { pages } from './pages.ts';
import { navigate } from './router.ts';

const listed = signal(false);

/** Keys that open no page. */
const others = [
  [['/'], 'Search on the page'],
  [['↑', '↓'], 'Rows of a table'],
  [['?'], 'This list'],
] as const;

/** Milliseconds in which the second key has to follow `g`. */
const patience = 1_500;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

/** Keys that open pages, and the list of them. */
export function Shortcuts(): JSX.Element {
  useEffect(() => {
    const stopped = new AbortController();
    let begun = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      if (event.key === '?') listed.value = true;
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('main input[type=search]');
        if (!search) return;
        event.preventDefault();
        search.focus();
      } else if (event.key === 'g') begun = event.timeStamp;
      else if (event.timeStamp - begun < patience) {
        begun = 0;
        const page = pages.find(({ key }) => key === event.key);
        if (page) navigate(`#/${page.id}`);
      }
    };
    addEventListener('keydown', onKey, { signal: stopped.signal });
    return () => stopped.abort();
  }, []);
  return (
    <Dialog title="Keyboard" open={listed.value} onClose={() => (listed.value = false)}>
      <dl class="keys">
        {[...pages.map(({ key, title }) => [['g', key], title] as const), ...others].map(([keys, title]) => (
          <div key={title}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

export const listShortcuts = (): void => {
  listed.value = true;
};
