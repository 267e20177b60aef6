import { useSignal } from '@preact/signals';
import type { JSX, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { type Completion, complete, type Suggestion } from './graphql-completion.ts';
import type { Schema } from './graphql-schema.ts';

export interface EditorProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Undefined: without completion. */
  readonly schema: Schema | undefined;
  /** Control and Enter were pressed. */
  readonly onRun: () => void;
  /** Gets the text area. */
  readonly area: RefObject<HTMLTextAreaElement | null>;
}

/** Most suggestions in the list. */
const mostShown = 60;
/** Pixels of a line of the text. */
const lineHeight = 20;

interface Open extends Completion {
  readonly active: number;
}

/** A text area for GraphQL, with a list of suggestions at the cursor. */
export function Editor({ value, onInput, schema, onRun, area }: EditorProps): JSX.Element {
  const list = useSignal<Open | undefined>(undefined);
  const id = useId();
  const open = (): void => {
    const element = area.current;
    if (!element || !schema || element.selectionStart !== element.selectionEnd) return;
    const completion = complete(element.value, element.selectionStart, schema);
    const suggestions = completion.suggestions.slice(0, mostShown);
    list.value = suggestions.length === 0 ? undefined : { ...completion, suggestions, active: 0 };
  };
  const input = (): void => {
    const element = area.current;
    if (!element) return;
    onInput(element.value);
    // The list opens while a word is written, and where only words can follow.
    if (/[\w{($@.]$/.test(element.value.slice(0, element.selectionStart))) open();
    else list.value = undefined;
  };
  const take = (suggestion: Suggestion | undefined): void => {
    const [element, current] = [area.current, list.value];
    if (!element || !current || !suggestion) return;
    element.setRangeText(suggestion.insert, current.from, current.to, 'end');
    const cursor = current.from + suggestion.cursor;
    element.setSelectionRange(cursor, cursor);
    element.focus();
    onInput(element.value);
    list.value = undefined;
    if (suggestion.cursor < suggestion.insert.length) open();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    const current = list.value;
    const { key, ctrlKey, metaKey } = event;
    const handled = (act: () => void): void => {
      event.preventDefault();
      act();
    };
    if (key === 'Enter' && (ctrlKey || metaKey)) handled(onRun);
    else if (key === ' ' && ctrlKey) handled(open);
    else if (!current) return;
    else if (key === 'Escape') handled(() => (list.value = undefined));
    else if (key === 'Enter' || key === 'Tab') handled(() => take(current.suggestions[current.active]));
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      const { length } = current.suggestions;
      const active = (current.active + (key === 'ArrowDown' ? 1 : length - 1)) % length;
      handled(() => (list.value = { ...current, active }));
    } else if (key === 'ArrowLeft' || key === 'ArrowRight') list.value = undefined;
  };
  const current = list.value;
  return (
    <div class="editor">
      <label for={id}>Query</label>
      <textarea
        ref={area}
        id={id}
        class="input mono"
        rows={16}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        value={value}
        aria-autocomplete="list"
        aria-controls={current ? `${id}-list` : undefined}
        aria-activedescendant={current ? `${id}-${current.active}` : undefined}
        aria-describedby={`${id}-keys`}
        onInput={input}
        onKeyDown={onKeyDown}
        onClick={() => (list.value = undefined)}
        onScroll={() => (list.value = undefined)}
        onBlur={() => (list.value = undefined)}
      />
      {current && <Suggestions id={id} area={area.current} list={current} onTake={take} />}
      <p class="field-hint" id={`${id}-keys`}>
        Ctrl + Enter runs the query, Ctrl + Space lists suggestions.
      </p>
      <p class="visually-hidden" role="status">
        {current ? `${current.suggestions.length} suggestions` : ''}
      </p>
    </div>
  );
}

interface SuggestionsProps {
  readonly id: string;
  readonly area: HTMLTextAreaElement | null;
  readonly list: Open;
  readonly onTake: (suggestion: Suggestion) => void;
}

/** The list below the word that it completes. */
function Suggestions({ id, area, list, onTake }: SuggestionsProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.children[list.active]?.scrollIntoView({ block: 'nearest' }), [list.active]);
  const lines = (area?.value ?? '').slice(0, list.from).split('\n');
  const column = lines.at(-1)?.length ?? 0;
  const style = {
    top: `${(area?.offsetTop ?? 0) + 8 + lines.length * lineHeight - (area?.scrollTop ?? 0)}px`,
    '--column': `${column}`,
    '--scrolled': `${area?.scrollLeft ?? 0}px`,
  };
  const active = list.suggestions[list.active];
  return (
    <div class="suggestions" style={style}>
      <div role="listbox" id={`${id}-list`} aria-label="Suggestions" class="suggestion-list" ref={box}>
        {list.suggestions.map((suggestion, i) => (
          <div
            key={suggestion.label}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === list.active}
            tabIndex={-1}
            onMouseDown={(event) => {
              // The text area keeps the focus.
              event.preventDefault();
              onTake(suggestion);
            }}
          >
            <span>{suggestion.label}</span>
            <span class="muted">{suggestion.detail}</span>
          </div>
        ))}
      </div>
      {active?.description && <p class="suggestion-text muted">{active.description}</p>}
    </div>
  );
}
