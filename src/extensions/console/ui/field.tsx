import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { bytes } from './format.ts';

interface Labeled {
  readonly label: string;
  /** Hint about the expected value, below the input. */
  readonly hint?: ComponentChildren;
  /** Fault of the value. */
  readonly error?: string | undefined;
  /** Whether the label is for screen readers alone. */
  readonly hideLabel?: boolean;
}

export interface FieldProps extends Labeled {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search';
  /** Number of lines. */
  readonly rows?: number;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly autofocus?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** Characters of a text that can be edited: browsers are slow with more in one control. */
const maxEdited = 300_000;

/** An input with its label. */
export function Field(props: FieldProps): JSX.Element {
  const { value, onInput, type = 'text', rows, placeholder, mono, autofocus, onKeyDown } = props;
  const id = useId();
  if (rows !== undefined && value.length > maxEdited) {
    return <p class="muted">{bytes(value.length)} are too much to edit here.</p>;
  }
  const shared = {
    id,
    value,
    placeholder,
    onKeyDown,
    autofocus,
    class: mono ? 'input mono' : 'input',
    'aria-invalid': props.error !== undefined,
    'aria-describedby': props.hint || props.error ? `${id}-more` : undefined,
    autocomplete: 'off',
    spellcheck: false,
  };
  return (
    <Labels {...props} id={id}>
      {rows === undefined ? (
        <input {...shared} type={type as 'text'} onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <textarea {...shared} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Labels>
  );
}

interface SelectProps extends Labeled {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (string | { readonly value: string; readonly label: string })[];
  /** Text of the choice of none, whose value is ''. Absent: one is always chosen. */
  readonly none?: string;
}

/** A choice of one among several. */
export function Select({ value, onChange, options, none, ...labels }: SelectProps): JSX.Element {
  const id = useId();
  const all = options.map((option) => (typeof option === 'string' ? { value: option, label: option } : option));
  return (
    <Labels {...labels} id={id}>
      <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {[...(none === undefined ? [] : [{ value: '', label: none }]), ...all].map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labels>
  );
}

function Labels(props: Labeled & { readonly id: string; readonly children: ComponentChildren }): JSX.Element {
  const { id, label, hint, error, hideLabel, children } = props;
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children}
      {(hint || error) && (
        <div id={`${id}-more`} class={error ? 'field-error' : 'field-hint'}>
          {error ?? hint}
        </div>
      )}
    </div>
  );
}
