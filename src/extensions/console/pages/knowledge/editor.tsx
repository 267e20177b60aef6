import type { JSX, RefObject } from 'preact';
import { useId } from 'preact/hooks';

export interface EditorProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Control and Enter were pressed. */
  readonly onRun: () => void;
  /** Gets the text area. */
  readonly area: RefObject<HTMLTextAreaElement | null>;
}

/** A text area for GraphQL. */
export function Editor({ value, onInput, onRun, area }: EditorProps): JSX.Element {
  const id = useId();
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
        aria-describedby={`${id}-keys`}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          onRun();
        }}
      />
      <p class="field-hint" id={`${id}-keys`}>
        Ctrl + Enter runs the query.
      </p>
    </div>
  );
}
