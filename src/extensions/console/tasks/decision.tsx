import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { admin, type TaskDetails } from '../gateway/admin.ts';
import { useAction } from '../gateway/hooks.ts';
import { may } from '../shell/session.ts';
import { Button, Failure, Field } from '../ui/index.ts';

interface DecisionFormProps {
  readonly taskKey: string;
  /** Generation of the question that is shown. */
  readonly generation?: string | undefined;
  readonly onDecided: (details: TaskDetails) => void;
  /** Called when a reason has been begun, or is empty again. */
  readonly onBegun?: (isBegun: boolean) => void;
}

/** Approves or denies a call that waits until people agree. */
export function DecisionForm(props: DecisionFormProps): JSX.Element {
  const { taskKey, generation, onDecided, onBegun } = props;
  const reason = useSignal('');
  const isBegun = reason.value.trim() !== '';
  useEffect(() => onBegun?.(isBegun), [isBegun]);
  const { run, busy, error } = useAction(async (_, decision: 'approve' | 'deny') => {
    const why = reason.peek().trim();
    const parts = [{ data: { decision, ...(why !== '' && { reason: why }) } }];
    const details = await admin.call('AnswerQuestion', { key: taskKey, parts, ...(generation && { generation }) });
    reason.value = '';
    onDecided(details);
  });
  if (!may('AnswerQuestion')) return <p class="muted">The caller who is signed in may not decide.</p>;
  return (
    <form class="answer" onSubmit={(event) => event.preventDefault()}>
      <Field
        label="Reason (optional)"
        hint="The caller sees the reason for a denial."
        value={reason.value}
        onInput={(value) => (reason.value = value)}
      />
      <Failure error={error} />
      <div class="answer-actions">
        <Button kind="primary" busy={busy} onClick={() => run('approve')}>
          Approve
        </Button>
        <Button kind="danger" busy={busy} onClick={() => run('deny')}>
          Deny
        </Button>
        <span class="muted answer-hint">Your decision counts if you are among those who are asked.</span>
      </div>
    </form>
  );
}
