import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Struct } from '../../../core/model/a2a.ts';
import { fieldsOf, readForm, wholeAnswer, written } from '../../../core/model/answer-form.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { admin, type Question, type TaskDetails } from '../gateway/admin.ts';
import { messageOf } from '../gateway/error.ts';
import { useAction } from '../gateway/hooks.ts';
import { may } from '../shell/session.ts';
import { Button, Failure, Field, Select } from '../ui/index.ts';

interface AnswerFormProps {
  readonly taskKey: string;
  /** The question that is answered, and no later one. Absent: a message is sent, whether the task asks or not. */
  readonly question?: Pick<Question, 'schema' | 'generation'> | undefined;
  readonly onAnswered: (details: TaskDetails) => void;
  /** Called when an answer has been begun, or is empty again. */
  readonly onBegun?: (isBegun: boolean) => void;
  readonly autofocus?: boolean;
}

/** A form that answers a task on behalf of its owner, with a field for each property of the question's JSON Schema. */
export function AnswerForm(props: AnswerFormProps): JSX.Element {
  const { taskKey, question, onAnswered, onBegun, autofocus = false } = props;
  const operation = question ? 'AnswerQuestion' : 'AnswerTask';
  const given = useSignal<Readonly<Record<string, string>>>({});
  const asData = useSignal(false);
  const schema = question?.schema as JsonObject | undefined;
  const fields = fieldsOf(schema).filter(({ name }) => name !== wholeAnswer);
  /** The answer if there are no fields. */
  const text = given.value[wholeAnswer] ?? '';
  const fault = asData.value && text.trim() !== '' ? dataFault(text) : undefined;
  const isBegun = Object.values(given.value).some((value) => value.trim() !== '');
  const canSend = isBegun && fault === undefined;
  useEffect(() => onBegun?.(isBegun), [isBegun]);
  const { run, busy, error } = useAction(async () => {
    const part =
      fields.length > 0
        ? { data: readForm(schema, new URLSearchParams(given.value)) as Struct }
        : asData.value
          ? { data: JSON.parse(text) }
          : { text };
    const of = { key: taskKey, ...(question && { generation: question.generation }) };
    const details = await admin.call(operation, { ...of, parts: [part] });
    given.value = {};
    onAnswered(details);
  });
  const give = (name: string, value: string): void => {
    const { [name]: _, ...others } = given.value;
    given.value = value === '' ? others : { ...others, [name]: value };
  };
  const send = (): void => {
    if (canSend && !busy) run();
  };
  if (!may(operation)) return <p class="muted">The caller who is signed in may not answer.</p>;
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {fields.map(({ name, label, help: hint, required, kind, choices }) => {
        const shared = { label: required ? label : `${label} (optional)`, hint, value: given.value[name] ?? '' };
        const onChange = (value: string): void => give(name, value);
        if (kind !== 'one') return <Field key={name} {...shared} onInput={onChange} />;
        const options = choices.map(({ value, label }) => ({ value: written(value), label }));
        return <Select key={name} {...shared} options={options} none="Choose" onChange={onChange} />;
      })}
      {fields.length === 0 && (
        <Field
          label="Answer"
          value={text}
          onInput={(value) => give(wholeAnswer, value)}
          rows={2}
          mono={asData.value}
          error={fault}
          autofocus={autofocus}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
          }}
        />
      )}
      <Failure error={error} />
      <div class="answer-actions">
        <Button type="submit" kind="primary" busy={busy} disabled={!canSend}>
          Send answer
        </Button>
        {fields.length === 0 && (
          <label class="check">
            <input
              type="checkbox"
              checked={asData.value}
              onChange={(event) => {
                asData.value = event.currentTarget.checked;
              }}
            />
            Send as JSON data
          </label>
        )}
        <span class="muted answer-hint">Sent as the task’s owner. Ctrl+Enter sends.</span>
      </div>
    </form>
  );
}

/** Describes the fault of a text that is not JSON. */
function dataFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
