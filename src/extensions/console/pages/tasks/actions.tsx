import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { TaskDetails, TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { useAction } from '../../gateway/poll.ts';
import { fileNameOf, writeHistory } from '../../tasks/history-file.ts';
import type { TaskSession } from '../../tasks/task-session.ts';
import { count } from '../../ui/format.ts';
import { ActionButton, Button, Failure } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';

/** Cancels a task, after a question. */
export const CancelButton = ({
  summary,
  onCanceled,
}: {
  readonly summary: TaskSummary;
  readonly onCanceled: (details: TaskDetails) => void;
}): JSX.Element => (
  <ActionButton
    label="Cancel task"
    title="Cancel this task?"
    keep="Let it run"
    danger
    act={async () => onCanceled(await admin.call('StopTask', { key: summary.key }))}
  >
    The agent {visibleLine(summary.agent, 80)} is asked to stop. A task that is canceled cannot be continued.
  </ActionButton>
);

/** Saves the history of a task as a file. */
export function ExportButton({
  session,
  summary,
}: {
  readonly session: TaskSession;
  readonly summary: TaskSummary;
}): JSX.Element {
  const done = useSignal<number | undefined>(undefined);
  const { run, stop, error } = useAction(async (signal) => {
    done.value = 0;
    try {
      const pieces: BlobPart[] = [];
      const events = counted(session.events(signal), (position) => {
        done.value = position;
      });
      for await (const piece of writeHistory(summary, events, new Date().toISOString())) pieces.push(piece);
      download(new Blob(pieces, { type: 'application/json' }), fileNameOf(summary));
    } finally {
      done.value = undefined;
    }
  });
  return (
    <>
      {done.value === undefined ? (
        <Button onClick={run}>Export</Button>
      ) : (
        <Button onClick={stop}>
          Stop the export ({count(done.value)} of {count(session.log.lastPosition)})
        </Button>
      )}
      <Failure error={error} about="The history cannot be exported" />
    </>
  );
}

/** Passes events on, and tells now and then how far it came. */
async function* counted<T extends { readonly position: number }>(
  events: AsyncIterable<T>,
  progress: (position: number) => void,
): AsyncGenerator<T> {
  for await (const event of events) {
    if (event.position % 1000 === 0) progress(event.position);
    yield event;
  }
}

function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
