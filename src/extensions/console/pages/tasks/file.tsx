import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { messageOf } from '../../gateway/error.ts';
import { useAction } from '../../gateway/hooks.ts';
import { maxFileBytes, readHistories, type TaskHistory } from '../../tasks/history-file.ts';
import { shortId } from '../../tasks/marks.tsx';
import { TaskSession } from '../../tasks/task-session.ts';
import { bytes } from '../../ui/format.ts';
import { Badge, Button, Failure, Notice, Page, Select, Time } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { History, TaskFacts } from './history.tsx';

/** The latest opened file. It is gone when the tab closes, and is never sent anywhere. */
const opened = signal<{ readonly name: string; readonly histories: readonly TaskHistory[] } | undefined>(undefined);

/** Shows the history of a task from a file, without the gateway. */
export function FilePage(): JSX.Element {
  const over = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const current = opened.value;
  const chosen = useSignal('');
  const history = current?.histories.find(({ task }) => task.key === chosen.value) ?? current?.histories[0];
  const session = useMemo(() => history && new TaskSession(history), [history]);
  useEffect(() => {
    void session?.open();
    return () => session?.close();
  }, [session]);

  const { run, busy, error } = useAction(async (_, file: File) => {
    try {
      if (file.size > maxFileBytes) {
        throw new Error(`The file has ${bytes(file.size)}. A tab can hold a history of ${bytes(maxFileBytes)}.`);
      }
      opened.value = { name: file.name, histories: readHistories(await file.text()) };
    } catch (error) {
      throw new Error(`${visibleLine(file.name, 80)} cannot be opened. ${messageOf(error)}`, { cause: error });
    }
  });
  const drag = (event: DragEvent, isOver: boolean): void => {
    event.preventDefault();
    over.value = isOver;
  };
  const open = (files: FileList | null | undefined): void => {
    if (files?.[0]) run(files[0]);
  };
  const summary = session?.summary.value;
  return (
    <Page
      title={summary ? `Task ${visibleLine(shortId(summary.id), 80)}` : 'History from a file'}
      up={{ href: '#/tasks', title: 'Tasks' }}
      beside={summary && <Badge state={summary.state} />}
      busy={busy}
      actions={
        <>
          {summary && <Button onClick={() => (opened.value = undefined)}>Close the file</Button>}
          <Button onClick={() => input.current?.click()}>{summary ? 'Open another file' : 'Choose a file'}</Button>
        </>
      }
    >
      <div
        role="group"
        aria-label="File"
        class={over.value ? 'drop drop-over' : 'drop'}
        onDragOver={(event) => drag(event, true)}
        onDragLeave={(event) => drag(event, false)}
        onDrop={(event) => {
          drag(event, false);
          open(event.dataTransfer?.files);
        }}
      >
        <input
          ref={input}
          type="file"
          class="visually-hidden"
          tabIndex={-1}
          accept=".json,application/json"
          aria-label="History file"
          onChange={(event) => {
            open(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
        <Failure error={error} />
        {session && summary && history ? (
          <>
            <Notice>
              From the file {visibleLine(current?.name ?? '', 120)}
              {history.exportedAt && (
                <>
                  , written <Time at={history.exportedAt} />
                </>
              )}
              . Nothing of it is sent to the gateway.
            </Notice>
            {current && current.histories.length > 1 && (
              <Select
                label="Task"
                value={summary.key}
                options={current.histories.map(({ task: { key, id, agent, preview = '' } }) => ({
                  value: key,
                  label: visibleLine(`${agent} ${shortId(id)} ${preview}`, 120),
                }))}
                onChange={(key) => (chosen.value = key)}
              />
            )}
            <TaskFacts summary={summary} />
            <History session={session} summary={summary} />
          </>
        ) : (
          <div class="drop-here">
            <p>Drop a history file here, or choose one.</p>
            <p class="muted">
              The button “Export” of a task writes such a file. It is read in this tab alone, so that this works without
              a connection to the gateway.
            </p>
          </div>
        )}
      </div>
    </Page>
  );
}
