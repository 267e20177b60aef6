import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Message, Part } from '../../../../../core/model/a2a.ts';
import { isObject } from '../../../../../core/model/json.ts';
import type { Field as FieldRow } from '../../../../../gen/api.ts';
import { Facts, Field } from '../../../ui/index.ts';
import { fieldsOf, isText, labelOf, textOfField } from '../../../wire/form.ts';
import { callable, enter, form } from './state.ts';

/** The form of a request: a control for the text of its message, and for each field that is a text, and all of it as JSON. */
export function RequestForm(): JSX.Element {
  const { fields, operation } = callable.value;
  const { message } = form.value as { message?: Message };
  const all = fieldsOf(fields, operation.request);
  return (
    <div class="try-fields">
      {message && <TextControl message={message} />}
      {all
        .filter((field) => isText(field) && field.jsonName !== 'tenant')
        .map((field) => (
          <Control key={field.jsonName} field={field} />
        ))}
      <JsonControl key={operation.name} />
      <details>
        <summary>Fields of the request</summary>
        <Facts
          kind="facts fact-rows"
          facts={all.map(({ jsonName }) => [jsonName, textOfField(operation.request, jsonName)])}
        />
      </details>
    </div>
  );
}

/** The text of a message: its first part that is a text. */
function TextControl({ message }: { readonly message: Message }): JSX.Element {
  const { parts } = message;
  const first = parts.find(({ text }) => text !== undefined);
  const change = (text: string): void => {
    const next: Part[] = first
      ? parts.map((part) => (part === first ? { ...part, text } : part))
      : [{ text }, ...parts];
    enter({ ...form.peek(), message: { ...message, parts: next } });
  };
  return <Field label="Text" rows={3} value={first?.text ?? ''} onInput={change} />;
}

/** Texts that are written in several lines. */
const prose: ReadonlySet<string> = new Set(['query', 'description']);

/** The control of a field whose value is a text. */
function Control({ field: { jsonName: name } }: { readonly field: FieldRow }): JSX.Element {
  const { [name]: _, ...others } = form.value;
  return (
    <Field
      label={labelOf(name)}
      hint={textOfField(callable.value.operation.request, name)}
      value={String(form.value[name] ?? '')}
      onInput={(text) => enter(text === '' ? others : { ...others, [name]: text })}
      {...(prose.has(name) && { rows: 5 })}
      mono={/(?:^id|Id|Token)$/.test(name)}
    />
  );
}

/** The whole request, as JSON. A text that is not JSON stays in the control, with its fault. */
function JsonControl(): JSX.Element {
  const written = JSON.stringify(form.value, undefined, 2);
  const draft = useSignal(written);
  const fault = useSignal<string | undefined>(undefined);
  // Other controls change the request too.
  useEffect(() => {
    if (isSame(draft.peek(), written)) return;
    draft.value = written;
    fault.value = undefined;
  }, [written]);
  const change = (text: string): void => {
    draft.value = text;
    try {
      const values: unknown = JSON.parse(text);
      fault.value = isObject(values) ? undefined : 'A request is an object.';
      if (isObject(values)) enter(values);
    } catch (thrown) {
      fault.value = (thrown as Error).message;
    }
  };
  return (
    <Field
      label="Request in A2A 1.x"
      hint="JSON. The ids of the message and the task are added."
      rows={8}
      mono
      value={draft.value}
      onInput={change}
      error={fault.value}
    />
  );
}

/** Whether a text is JSON of the same value as another. */
function isSame(text: string, written: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2) === written;
  } catch {
    return false;
  }
}
