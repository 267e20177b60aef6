import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { route, setQuery } from '../../shell/router.ts';
import { Button, Field } from '../../ui/index.ts';

interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}

/** The filter of statements. */
export const statementFields: readonly FilterField[] = [
  { name: 'subject', label: 'Subject', hint: 'id' },
  { name: 'predicate', label: 'Predicate', hint: 'id' },
  { name: 'object', label: 'Object', hint: 'id of a resource' },
  { name: 'value', label: 'Value', hint: 'text of a literal' },
  { name: 'type', label: "Subject's type", hint: 'id' },
  { name: 'graph', label: 'Graph', hint: 'id' },
  { name: 'minCertainty', label: 'Minimum certainty', hint: '0 to 1' },
];

/** The filter of changes: the arguments of a subscription. */
export const changeFields = statementFields.filter(({ name }) => name !== 'value' && name !== 'minCertainty');

interface FilterFormProps {
  /** Names the form. */
  readonly label: string;
  readonly fields: readonly FilterField[];
}

/** A filter as a form, which begins with what the address says. */
export function FilterForm({ label, fields }: FilterFormProps): JSX.Element {
  const { query: current } = route.value;
  const draft = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(fields.map(({ name }) => [name, current.get(name) ?? ''])),
  );
  const certainty = draft.value.minCertainty ?? '';
  const wrong = certainty !== '' && !(Number(certainty) >= 0 && Number(certainty) <= 1);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (wrong) return;
    const trimmed = Object.entries(draft.value).map(([name, value]) => [name, value.trim() || undefined] as const);
    setQuery(Object.fromEntries(trimmed));
  };
  const isFiltered = fields.some(({ name }) => current.has(name));
  return (
    <form class="knowledge-filters" onSubmit={submit} aria-label={label}>
      {fields.map(({ name, label, hint }) => (
        <Field
          key={name}
          label={label}
          type={name === 'subject' ? 'search' : 'text'}
          value={draft.value[name] ?? ''}
          placeholder={hint}
          onInput={(value) => (draft.value = { ...draft.value, [name]: value })}
          {...(name === 'minCertainty' && wrong && { error: 'Enter a number from 0 to 1.' })}
        />
      ))}
      <div class="row">
        <Button type="submit" kind="primary">
          Apply
        </Button>
        {isFiltered && (
          <Button onClick={() => setQuery(Object.fromEntries(fields.map(({ name }) => [name, undefined])))}>
            Clear
          </Button>
        )}
      </div>
    </form>
  );
}
