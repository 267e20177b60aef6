import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { admin } from '../../gateway/admin.ts';
import { messageOf } from '../../gateway/error.ts';
import { count } from '../../ui/format.ts';
import { Button, Confirm, Notice } from '../../ui/index.ts';

export interface RetryProps {
  /** Id of the task whose events are delivered again; '' for those of all tasks. */
  readonly taskId: string;
  readonly disabled?: boolean;
  /** Called with what to tell about it. */
  readonly onDone: (said: string) => void;
}

/** A button that has undelivered events delivered again, after a question. */
export function Retry({ taskId, disabled = false, onDone }: RetryProps): JSX.Element {
  const asking = useSignal(false);
  const busy = useSignal(false);
  const error = useSignal<string | undefined>(undefined);
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  const title = taskId ? 'Retry this task' : 'Retry all tasks';
  const open = (): void => {
    error.value = undefined;
    asking.value = true;
  };
  const confirm = async (): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    const { signal } = ended.current;
    try {
      const { retried = 0 } = await admin.call('RetryDeliveries', taskId ? { taskId } : {}, { signal });
      asking.value = false;
      onDone(`Push configurations that are tried again now: ${count(retried)}.`);
    } catch (thrown) {
      if (!signal.aborted) error.value = messageOf(thrown);
    }
    busy.value = false;
  };
  return (
    <>
      <Button icon="reload" onClick={open} disabled={disabled}>
        {title}
      </Button>
      <Confirm
        title={`${title}?`}
        open={asking.value}
        onClose={() => (asking.value = false)}
        action="Retry now"
        busy={busy.value}
        onConfirm={() => void confirm()}
      >
        <div class="stack">
          <p>
            {taskId
              ? 'The events of this task that were not delivered are sent to its webhooks again now.'
              : 'All events that were not delivered are sent to their webhooks again now.'}{' '}
            A webhook with dead letters receives its events in order from the first dead letter on, so it may receive
            some of them again.
          </p>
          {error.value !== undefined && <Notice severity="error">{error.value}</Notice>}
        </div>
      </Confirm>
    </>
  );
}
