import { useSignal } from '@preact/signals';
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAction, useRead } from '../gateway/hooks.ts';
import { Badge, Failure } from '../ui/basic.tsx';
import { Text } from '../ui/text.tsx';
import { hrefOf, navigate } from './router.ts';
import { may } from './session.ts';

/** Milliseconds after the last key until a search begins. */
const typingDelay = 200;

/** Characters of a text that the gateway accepts. */
const maxLength = 200;

// Apart from the first load.
const find = async (text: string, signal: AbortSignal) => (await import('./find.ts')).find(text, signal);

const ignore = (): undefined => undefined;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

/** Moves the focus to the search when `/` is pressed, unless someone types or a dialog is open. */
function onSlash(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const field = document.querySelector<HTMLInputElement>('#find');
  if (!field || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  field.focus();
}

/** Searches everything for a text, on every page. Enter opens an exact match, and otherwise lists tasks. */
export function Search(): JSX.Element | null {
  const typed = useSignal('');
  const text = useSignal('');
  const isOpen = useSignal(false);
  const wanted = typed.value.trim();
  useEffect(() => {
    const timer = setTimeout(() => (text.value = wanted), typingDelay);
    return () => clearTimeout(timer);
  }, [wanted, text]);
  useEffect(() => {
    addEventListener('keydown', onSlash);
    return () => removeEventListener('keydown', onSlash);
  }, []);
  const close = (): void => {
    typed.value = '';
    isOpen.value = false;
  };
  const { value: found, error } = useRead(async (signal) => (text.value ? find(text.value, signal) : undefined), {
    key: text.value,
  });
  const go = useAction(async (signal) => {
    // The field's current text: Enter may come before the last characters are rendered.
    const text = typed.peek().trim();
    if (text === '') return;
    // The list shows why the search failed, and is read again when the gateway is back.
    const exact = await find(text, signal).then((found) => found.exact, ignore);
    if (signal.aborted) return;
    navigate(exact ?? hrefOf('tasks', [], { text }));
    close();
  });
  if (!may('FindTasks')) return null;
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Escape') isOpen.value = false;
    if (step === 0) return;
    event.preventDefault();
    const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')];
    stops.at((stops.indexOf(event.target as HTMLElement) + step) % stops.length)?.focus();
  };
  const links = [
    { title: 'All tasks with', href: hrefOf('tasks', [], { text: wanted }) },
    { title: 'All calls with', href: hrefOf('calls', [], { text: wanted }) },
  ];
  const places = text.value === wanted ? found?.places : undefined;
  return (
    <search class="find">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go.run();
        }}
        onKeyDown={onKeyDown}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget as Node | null)) isOpen.value = false;
        }}
      >
        <input
          id="find"
          class="input"
          type="search"
          aria-label="Find tasks, agents and calls"
          placeholder="Find…"
          {...{ autocomplete: 'off', spellcheck: false, maxLength }}
          value={typed.value}
          onFocus={() => (isOpen.value = true)}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            isOpen.value = true;
          }}
        />
        {isOpen.value && wanted !== '' && (
          <div class="found">
            <Failure error={go.error ?? error} />
            <ul aria-label="Found">
              {places?.map(({ kind, name, href, line, state }) => (
                <li key={href}>
                  <a href={href} onClick={close}>
                    <span class="muted">{kind}</span> {line && <Text value={line} max={160} />}
                    {state && <Badge state={state} />}
                    <Text value={name} max={80} mono />
                  </a>
                </li>
              ))}
              {links.map(({ title, href }) => (
                <li key={title}>
                  <a href={href} onClick={close}>
                    <span>
                      {title} “<Text value={wanted} max={80} />”
                    </span>
                  </a>
                </li>
              ))}
            </ul>
            <p class="muted" role="status">
              {places === undefined ? 'Looking…' : places.length === 0 ? 'Nothing found among the latest.' : ''}
            </p>
          </div>
        )}
      </form>
    </search>
  );
}
