import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface Labeled {
  readonly label: string;
  /** What is expected, below the input. */
  readonly hint?: ComponentChildren;
  /** What is wrong with the value. */
  readonly error?: string | undefined;
  /** The label is for screen readers alone. */
  readonly hideLabel?: boolean;
}

export interface FieldProps extends Labeled {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'url' | 'datetime-local';
  /** Several lines. */
  readonly rows?: number;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly autofocus?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** An input with its label. */
export function Field(props: FieldProps): JSX.Element {
  const { value, onInput, type = 'text', rows, placeholder, mono, required, disabled, autofocus, onKeyDown } = props;
  const id = useId();
  const shared = {
    ...{ id, value, placeholder, required, disabled, onKeyDown, autofocus },
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

export interface SelectProps extends Labeled {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string; readonly disabled?: boolean }[];
  readonly disabled?: boolean;
}

/** A choice of one among several. */
export function Select(props: SelectProps): JSX.Element {
  const id = useId();
  return (
    <Labels {...props} id={id}>
      <select
        id={id}
        class="input"
        value={props.value}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {props.options.map(({ value, label, disabled }) => (
          <option key={value} value={value} disabled={disabled} selected={value === props.value}>
            {label}
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
