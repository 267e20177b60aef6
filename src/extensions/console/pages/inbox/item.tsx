import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Task } from '../../../../core/model/a2a.ts';
import type { TaskDetails, TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/poll.ts';
import { hrefOf } from '../../shell/route.ts';
import { AnswerForm } from '../../tasks/answer-form.tsx';
import { Id } from '../../tasks/marks.tsx';
import { MessageView } from '../../tasks/task-content.tsx';
import { Badge, Failure, Notice, Text, Time } from '../../ui/index.ts';

/** Messages before the question that are shown on demand. */
const maxEarlier = 20;

/** One task that waits: what the agent asks, and a form for the answer. */
export function InboxItem({
  summary,
  waits,
  onDraft,
  onAnswered,
}: {
  readonly summary: TaskSummary;
  /** Whether the task still waits for an answer. */
  readonly waits: boolean;
  /** Called when an answer is begun, and when it is removed. */
  readonly onDraft: (begun: boolean) => void;
  readonly onAnswered: (details: TaskDetails) => void;
}): JSX.Element {
  const { key, id, agent, principal, contextId, state, stateChangedAt, lastPosition = 0 } = summary;
  const answered = useSignal<number | undefined>(undefined);
  // Read again when the agent asks again.
  const { value, error, reload } = useRead((signal) => admin.call('InspectTask', { key }, { signal }), {
    key: `${key} ${stateChangedAt}`,
  });
  const task = value?.task as unknown as Task | undefined;
  const question = task?.status.message;
  const earlier = (task?.history ?? []).slice(-maxEarlier);
  const isAnswered = answered.value !== undefined && answered.value >= lastPosition;
  return (
    <article class="inbox-item" aria-label={`Task of ${agent}`}>
      <header class="inbox-head">
        <Badge state={state} />
        <strong>
          <Text value={agent} />
        </strong>
        <span class="muted">
          asks {principal ? <Text value={principal} /> : 'its client'} <Time at={stateChangedAt} />
        </span>
        <span class="inbox-links">
          <a href={hrefOf('tasks', [key])}>
            Task <Id value={id} />
          </a>
          {contextId && <a href={hrefOf('context', [contextId])}>Context</a>}
        </span>
      </header>
      <Failure error={error} onRetry={reload} />
      {value && !task && (
        <Notice>The task is too large to be shown here. Its events are on the page of the task.</Notice>
      )}
      {earlier.length > 0 && (
        <details class="earlier">
          <summary>Messages before</summary>
          {earlier.map((message, at) => (
            <MessageView key={`${at} ${message.messageId}`} message={message} />
          ))}
        </details>
      )}
      {question && <MessageView message={question} />}
      {task && !question && (
        <p class="muted">
          {state === 'TASK_STATE_AUTH_REQUIRED'
            ? 'The agent waits for an authorization and gave no message.'
            : 'The agent waits for input and gave no message.'}
        </p>
      )}
      {isAnswered ? (
        <p class="inbox-done" role="status">
          Answered. <a href={hrefOf('tasks', [key])}>Follow the task</a>
        </p>
      ) : (
        <AnswerForm
          taskKey={key}
          closed={waits ? undefined : 'The task waits no more: another client has answered, or it went on without.'}
          onDraft={onDraft}
          onAnswered={(details) => {
            answered.value = details.summary.lastPosition ?? lastPosition;
            onAnswered(details);
          }}
        />
      )}
    </article>
  );
}
