import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type TaskDetails } from '../gateway/admin.ts';
import { messageOf } from '../gateway/error.ts';
import { useAction } from '../gateway/hooks.ts';
import { Button, Failure, Field, Notice } from '../ui/index.ts';

/** A form that sends a message to a task on behalf of its owner. */
export function AnswerForm({
  taskKey,
  onAnswered,
  onDraft,
  closed,
  autofocus = false,
}: {
  readonly taskKey: string;
  readonly onAnswered: (details: TaskDetails) => void;
  /** Called when an answer is begun, and when it is removed. */
  readonly onDraft?: (begun: boolean) => void;
  /** Why nothing can be sent any more. */
  readonly closed?: string | undefined;
  readonly autofocus?: boolean;
}): JSX.Element {
  const text = useSignal('');
  const asData = useSignal(false);
  const fault = asData.value && text.value.trim() !== '' ? dataFault(text.value) : undefined;
  const canSend = text.value.trim() !== '' && fault === undefined && closed === undefined;
  const { run, busy, error } = useAction(async () => {
    const part = asData.value ? { data: JSON.parse(text.value) } : { text: text.value };
    const details = await admin.call('AnswerTask', { key: taskKey, parts: [part] });
    text.value = '';
    onAnswered(details);
  });
  const send = (): void => {
    if (canSend && !busy) run();
  };
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Field
        label="Answer"
        value={text.value}
        onInput={(value) => {
          if ((value === '') !== (text.value === '')) onDraft?.(value !== '');
          text.value = value;
        }}
        rows={2}
        mono={asData.value}
        error={fault}
        autofocus={autofocus}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
        }}
      />
      {closed !== undefined && <Notice severity="warning">{closed}</Notice>}
      <Failure error={error} />
      <div class="answer-actions">
        <Button type="submit" kind="primary" busy={busy} disabled={!canSend}>
          Send answer
        </Button>
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
        <span class="muted answer-hint">Sent as the task’s owner. Ctrl+Enter sends.</span>
      </div>
    </form>
  );
}

/** Why a text is not JSON. */
function dataFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
