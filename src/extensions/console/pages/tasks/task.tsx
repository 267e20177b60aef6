import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { isTerminal } from '../../../../core/model/lifecycle.ts';
import { useOpened } from '../../gateway/poll.ts';
import { route } from '../../shell/router.ts';
import { AnswerForm } from '../../tasks/answer-form.tsx';
import { LiveMark, shortId } from '../../tasks/marks.tsx';
import { TaskSession } from '../../tasks/task-session.ts';
import { Badge, Button, Dialog, Page } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { CancelButton, ExportButton } from './actions.tsx';
import { History, TaskFacts, useAddress } from './history.tsx';

/** One task: its facts, its log, and the task at any position of it. */
export function TaskPage({ taskKey }: { readonly taskKey: string }): JSX.Element {
  const paused = useSignal(false);
  const answering = useSignal(false);
  const position = (): number | undefined => Number(route.peek().query.get('position')) || undefined;
  const [session, again] = useOpened(() => new TaskSession(taskKey, position()), taskKey);
  useAddress(session);

  const summary = session.summary.value;
  const isOpen = summary !== undefined && !isTerminal(summary.state as TaskState);
  return (
    <Page
      title={summary ? `Task ${visibleLine(shortId(summary.id), 80)}` : 'Task'}
      up={{ href: '#/tasks', title: 'Tasks' }}
      beside={
        summary && (
          <>
            <Badge state={summary.state} />
            <LiveMark stream={session.stream} paused={paused.value} />
          </>
        )
      }
      busy={summary === undefined && session.error.value === undefined}
      error={session.error.value}
      onRetry={again}
      actions={
        summary && (
          <>
            {isOpen && (
              <Button
                pressed={!paused.value}
                onClick={() => {
                  paused.value = !paused.value;
                  session.follow(!paused.value);
                }}
              >
                Follow
              </Button>
            )}
            {isOpen && <Button onClick={() => (answering.value = true)}>Answer</Button>}
            <ExportButton session={session} summary={summary} />
            {isOpen && <CancelButton summary={summary} onCanceled={(details) => session.take(details)} />}
          </>
        )
      }
    >
      {summary && (
        <>
          <TaskFacts summary={summary} details={session.details.value} />
          <History session={session} summary={summary} translation />
          <Dialog title="Answer the task" open={answering.value} onClose={() => (answering.value = false)}>
            <AnswerForm
              taskKey={summary.key}
              autofocus
              onAnswered={(details) => {
                session.take(details);
                answering.value = false;
              }}
            />
          </Dialog>
        </>
      )}
    </Page>
  );
}
