import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { isTerminal } from '../../../../core/model/lifecycle.ts';
import { RecordButton } from '../../calls/record-button.tsx';
import { StopButton, Stopped, useStops } from '../../calls/stop-button.tsx';
import { admin, type TaskDetails, type TaskSummary } from '../../gateway/admin.ts';
import { useAction, useOpened } from '../../gateway/hooks.ts';
import { hrefOf, navigate, route } from '../../shell/router.ts';
import { AnswerForm } from '../../tasks/answer-form.tsx';
import { download } from '../../tasks/file-part.tsx';
import { fileNameOf } from '../../tasks/history-file.ts';
import { LiveMark, shortId } from '../../tasks/marks.tsx';
import { RetryPlan, retryTasks } from '../../tasks/retry.tsx';
import { readWhole, TaskSession } from '../../tasks/task-session.ts';
import { CallTree } from '../../tasks/task-tree.tsx';
import { ActionButton, Badge, Button, Dialog, Failure, Page } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { History, TaskFacts, useAddress } from './history.tsx';

/** One task: its facts, its log, and the task at any position of it. */
export function TaskPage({ taskKey }: { readonly taskKey: string }): JSX.Element {
  const answering = useSignal(false);
  const treeIsOpen = useSignal<boolean | undefined>(undefined);
  const position = (): number | undefined => Number(route.peek().query.get('position')) || undefined;
  const [session, read] = useOpened(() => new TaskSession(taskKey, position()), taskKey);
  useAddress(session);
  const summary = session.summary.value;
  const stops = useStops();
  const root = summary?.root || summary?.key;
  const stop = stops.value?.find(({ kind, subject }) => kind === 'root' && subject === root);
  const isOpen = summary !== undefined && !isTerminal(summary.state as TaskState);
  const answered = (details: TaskDetails): void => {
    session.take(details);
    answering.value = false;
  };
  return (
    <Page
      title={summary ? `Task ${visibleLine(shortId(summary.id), 80)}` : 'Task'}
      up={{ href: '#/tasks', title: 'Tasks' }}
      beside={
        summary && (
          <>
            <Badge state={summary.state} />
            <LiveMark stream={session.stream} />
          </>
        )
      }
      of={read}
      actions={
        summary && (
          <>
            {isOpen && <Button onClick={() => (answering.value = true)}>Answer</Button>}
            <RecordButton of={{ taskKey: summary.key }} />
            <ExportButton summary={summary} />
            {(isOpen || treeIsOpen.value || stop) && (
              <StopButton kind="root" subject={summary.key} isStopped={stop !== undefined} onChanged={stops.reload} />
            )}
            {!isOpen && summary.state !== 'TASK_STATE_COMPLETED' && (
              <RetryTask
                summary={summary}
                onRetried={(key) => navigate(hrefOf('tasks', [key]))}
                onRefused={read.reload}
              />
            )}
            {isOpen && (
              <ActionButton
                operation="StopTask"
                label="Cancel task"
                title="Cancel this task?"
                keep="Let it run"
                danger
                act={async () => session.take(await admin.call('StopTask', { key: summary.key }))}
              >
                The agent {visibleLine(summary.agent, 80)} is asked to stop. A task that is canceled cannot be
                continued.
              </ActionButton>
            )}
          </>
        )
      }
    >
      {summary && (
        <>
          <Stopped of={stop} />
          <TaskFacts summary={summary} details={session.details.value} />
          <CallTree key={summary.key} summary={summary} isOpen={treeIsOpen} />
          <History session={session} />
          <Dialog title="Answer the task" open={answering.value} onClose={() => (answering.value = false)}>
            <AnswerForm taskKey={summary.key} autofocus onAnswered={answered} />
          </Dialog>
        </>
      )}
    </Page>
  );
}

/** A button that sends the message of a task that failed again, and leads to the new task. */
function RetryTask(props: {
  readonly summary: TaskSummary;
  readonly onRetried: (key: string) => void;
  readonly onRefused: () => void;
}): JSX.Element {
  const { summary, onRetried, onRefused } = props;
  return (
    <ActionButton
      operation="RetryTasks"
      label="Retry"
      title="Retry this task?"
      act={async (signal) => {
        const [outcome] = await retryTasks([summary], false, signal);
        if (outcome?.refusal) throw new Error(outcome.refusal);
        if (outcome?.newKey) onRetried(outcome.newKey);
        else onRefused();
      }}
    >
      <RetryPlan tasks={[summary]} />
    </ActionButton>
  );
}

/** Saves the history of a task as a file. */
function ExportButton({ summary }: { readonly summary: TaskSummary }): JSX.Element {
  const { run, stop, busy, error } = useAction(async (signal) => {
    const pieces = await readWhole(summary, new Date().toISOString(), signal);
    if (!signal.aborted) download(pieces, fileNameOf(summary));
  });
  return (
    <>
      <Button onClick={busy ? stop : run}>{busy ? 'Stop the export' : 'Export'}</Button>
      <Failure error={error} about="The history cannot be exported" />
    </>
  );
}
