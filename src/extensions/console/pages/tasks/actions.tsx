import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { TaskDetails, TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { admin } from '../../gateway/admin.ts';
import { messageOf } from '../../gateway/error.ts';
import { fileNameOf, writeHistory } from '../../tasks/history-file.ts';
import type { TaskSession } from '../../tasks/task-session.ts';
import { Button, Notice } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { count } from '../../ui/format.ts';
import { visibleLine } from '../../ui/visible.ts';

/** Cancels a task, after a question. */
export function CancelButton({
  summary,
  onCanceled,
}: {
  readonly summary: TaskSummary;
  readonly onCanceled: (details: TaskDetails) => void;
}): JSX.Element {
  const open = useSignal(false);
  const busy = useSignal(false);
  const error = useSignal<string | undefined>(undefined);
  const cancel = async (): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    try {
      onCanceled(await admin.call('StopTask', { key: summary.key }));
      open.value = false;
    } catch (thrown) {
      error.value = messageOf(thrown);
    }
    busy.value = false;
  };
  return (
    <>
      <Button kind="danger" onClick={() => (open.value = true)}>
        Cancel task
      </Button>
      <Dialog
        title="Cancel this task?"
        open={open.value}
        onClose={() => (open.value = false)}
        actions={
          <>
            <Button onClick={() => (open.value = false)}>Let it run</Button>
            <Button kind="danger" busy={busy.value} onClick={() => void cancel()}>
              Cancel task
            </Button>
          </>
        }
      >
        <p>The agent {visibleLine(summary.agent, 80)} is asked to stop. A task that is canceled cannot be continued.</p>
        {error.value !== undefined && <Notice severity="error">{error.value}</Notice>}
      </Dialog>
    </>
  );
}

/** Saves the history of a task as a file. */
export function ExportButton({
  session,
  summary,
}: {
  readonly session: TaskSession;
  readonly summary: TaskSummary;
}): JSX.Element {
  const done = useSignal<number | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const save = async (): Promise<void> => {
    const reading = new AbortController();
    abort.current = reading;
    error.value = undefined;
    done.value = 0;
    try {
      const pieces: BlobPart[] = [];
      const events = counted(session.events(reading.signal), (position) => {
        done.value = position;
      });
      for await (const piece of writeHistory(summary, events, new Date().toISOString())) pieces.push(piece);
      download(new Blob(pieces, { type: 'application/json' }), fileNameOf(summary));
    } catch (thrown) {
      if (!reading.signal.aborted) error.value = messageOf(thrown);
    }
    done.value = undefined;
  };

  const isBusy = done.value !== undefined;
  return (
    <>
      {isBusy ? (
        <Button onClick={() => abort.current?.abort()}>
          Stop the export ({count(done.value ?? 0)} of {count(session.log.lastPosition)})
        </Button>
      ) : (
        <Button onClick={() => void save()}>Export</Button>
      )}
      {error.value !== undefined && <Notice severity="error">The history cannot be exported: {error.value}</Notice>}
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
